# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose that limbs show: FK and IK blended by influence, as Blender blends them. Arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from .carry import blended
from .inherit import posed_axes
from .limb import Limb
from .samples import Samples

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Pose:
    """N limbs in F frames in armature space: bone axes (F, N, 3, 3), scale included, and points (F, N, 3).

    hand: those of the lower bone where there is no hand.
    """

    upper: Array
    lower: Array
    hand: Array
    joint: Array
    end: Array


def shown_pose(limbs: Sequence[Limb], hands: Sequence[str], samples: Samples, tip: Array, upper: Array, lower: Array,
               hand: Array) -> Pose:
    """The pose in which the solved rotations `upper`, `lower` and `hand` (F, N, 3, 3) are shown.

    hands: names of the bones that follow, '' for none. tip: (N, 3) in the lower bones' frames over their length. The
    samples must be usable throughout.
    """
    sample = samples.sample
    upper_read, lower_read = sample.upper_columns.swapaxes(-1, -2), sample.lower_columns.swapaxes(-1, -2)
    influence = sample.influence[..., None] * samples.shares
    influence[..., 2] *= samples.follow

    def turned(part: int, names: Sequence[str], read: Array, parents: Array, rotation: Array) -> Array:
        partial = [place for place in np.flatnonzero((influence[..., part] < 1.0).any(0)) if names[place]]
        before = read.copy() if partial else read
        for place in partial:
            bone: bpy.types.PoseBone = limbs[place].armature.pose.bones[names[place]]
            before[:, place] = posed_axes(bone, parents[:, place], samples.channels[:, place, part])
        return blended(rotation, before, influence[..., part])

    new_upper = turned(0, [limb.upper for limb in limbs], upper_read, sample.parent_columns.swapaxes(-1, -2), upper)
    to_joint = np.linalg.solve(upper_read, (sample.joint - sample.root)[..., None])
    joint = sample.root + (new_upper @ to_joint)[..., 0]
    new_lower = turned(1, [limb.lower for limb in limbs], lower_read, new_upper @ samples.between[:, :, 0], lower)
    end = joint + (new_lower @ (tip * sample.length[..., None])[..., None])[..., 0]
    new_hand = new_lower
    if any(hands):
        new_hand = turned(2, hands, new_lower, new_lower @ samples.between[:, :, 1], hand)
    return Pose(new_upper, new_lower, new_hand, joint, end)
