# SPDX-License-Identifier: GPL-3.0-or-later
"""FK takes the pose of a limb: the bones' own rotations, in their own rotation modes, that show it without IK."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from ..animation.channels import Channel, rotation_channel
from ..animation.inherit import inherited
from ..animation.rotation_batches import channel_values, rotations_from
from ..binding import bone_axes
from ..limb import Limb
from .kept import Kept, moved_bones

Array = NDArray[np.float64]

KEPT = 1e-6
"""Radians by which a rotation is right and left as it is."""


def channels(limb: Limb) -> list[Channel]:
    """What `apply` sets."""
    return [rotation_channel(limb.armature.pose.bones[name]) for name in moved_bones(limb)]


def check(limb: Limb) -> None:
    """Refuse bones whose rotation cannot be set."""
    for channel in channels(limb):
        channel.check()


def apply(kept: Kept, last: dict[Channel, Array], exact: bool) -> dict[Channel, Array]:
    """Set the rotations and return them by channel; last: those of the frame before, that they continue.

    exact: for one frame alone; rotations that are right already stay as they are. Refuses, with some of them set, where
    a lock forbids it.
    """
    values = {}
    for channel in channels(kept.limb):
        bone = channel.owner
        rotation = own_rotation(bone, kept.axes[bone.name], kept.parent_axes[bone.name])
        present = channel.value
        values[channel] = present
        if not exact or np.linalg.norm(rotations_from(bone.rotation_mode, present) - rotation) > KEPT:
            value = channel_values(bone.rotation_mode, rotation[None], last.get(channel, present))[0]
            values[channel] = channel.check_locks(value)
            channel.set(values[channel])
    return values


def own_rotation(bone: bpy.types.PoseBone, axes: Array, parent_axes: Array) -> Array:
    """The rotation (3, 3) of its own channels with which `bone` is shown with `axes` (3, 3) under those of its parent.

    Where shear from the parents makes that impossible, the y axis is right and z lies in the right plane.
    """
    carrier, inherited_scale = inherited(bone, parent_axes)
    scale = np.array(bone.scale, dtype=float)
    scale = np.where(scale == 0.0, 1.0, scale)
    return bone_axes(np.linalg.solve(carrier, axes / inherited_scale) / scale)
