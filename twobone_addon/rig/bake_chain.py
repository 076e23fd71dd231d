# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs as FK chains: from a pose to the values of their bones' rotation channels, and back, for all frames at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import bpy
import numpy as np
from numpy.typing import NDArray

from .binding import bone_axes
from .inherit import inherited
from .rotation_batches import channel_values, rotations_from
from .samples import Samples
from .scan import Scan

Array = NDArray[np.float64]

PARTS = 3
"""Upper bone, lower bone, hand."""


@dataclass(frozen=True)
class Chains:
    """N limbs in F frames as their bones' channels move them, in armature space.

    bones: per limb its upper bone, its lower bone, and its hand or None. parent (F, N, 3, 3): axes of the upper bone's
    parent. fk (F, N, 3, 3, 3) and scale (F, N, 3, 3): rotation and scale of the bones' own channels. between (F, N, 2,
    3, 3): as in Samples. root (F, N, 3); to_joint, to_end (F, N, 3): from root to joint in the upper bone's axes, from
    joint to end in the lower's. to_world (F, N, 3, 3).
    """

    bones: tuple[tuple[bpy.types.PoseBone | None, ...], ...]
    parent: Array
    fk: Array
    scale: Array
    between: Array
    root: Array
    to_joint: Array
    to_end: Array
    to_world: Array

    def take(self, place: int) -> Chains:
        """One limb alone."""
        some = slice(place, place + 1)
        return Chains(self.bones[some], **{field.name: getattr(self, field.name)[:, some] for field in fields(Chains)
                                           if field.name != "bones"})


Values = list[list[Array]]
"""Per part and limb the values (F, 3 or 4) of its rotation channels; what there is no bone for has none (F, 0)."""


@dataclass(frozen=True)
class Posed:
    """Axes (F, N, 3, 3, 3) of upper bone, lower bone and hand, scale included; joint and end (F, N, 3)."""

    axes: Array
    joint: Array
    end: Array


def chains(samples: Samples, tip: Array, hands: Sequence[str], limbs: Sequence[Sequence[bpy.types.PoseBone]]) -> Chains:
    """The limbs whose upper and lower bones are `limbs`, as sampled; tip: (N, 3) as in `shown_pose`.

    hands: names of the hands that follow, '' for none. The samples must be usable throughout.
    """
    sample = samples.sample
    bones = tuple((upper, lower, lower.id_data.pose.bones[hand] if hand else None)
                  for (upper, lower), hand in zip(limbs, hands, strict=True))
    scale = np.linalg.norm(samples.channels, axis=-2)
    axes = np.where((scale > 0.0)[..., None, :], samples.channels, np.eye(3))
    to_joint = np.linalg.solve(sample.upper_columns.swapaxes(-1, -2), (sample.joint - sample.root)[..., None])[..., 0]
    return Chains(bones, sample.parent_columns.swapaxes(-1, -2), bone_axes(axes), scale, samples.between, sample.root,
                  to_joint, tip * sample.length[..., None], samples.to_world[..., :3, :3])


def posed(chain: Chains, values: Values) -> Posed:
    """The pose that these channel values give."""
    return _walk(chain, lambda part, _axes: _rotations(chain, part, values[part]))


def baked(chain: Chains, scan: Scan, before: Values) -> tuple[Values, Posed]:
    """(values, pose): the single-precision channel values that give the scanned rotations, and the pose they give.

    before: per part and limb the values (3 or 4) to go on from. In frames in which a limb rests it keeps its FK.
    """
    wanted = np.stack((scan.upper_rotation, scan.lower_rotation, scan.hand_rotation), axis=2)
    values: Values = []

    def turn(part: int, axes: Array) -> Array:
        goal = wanted[:, :, part]
        usable = np.isfinite(goal).all((-1, -2)) & (np.abs(np.linalg.det(axes)) > 0.0)
        local = np.linalg.solve(np.where(usable[..., None, None], axes, np.eye(3)),
                                np.where(usable[..., None, None], goal, np.eye(3)))
        local = np.where(usable[..., None, None], bone_axes(local), chain.fk[:, :, part])
        values.append(_values(chain, part, local, before[part]))
        return _rotations(chain, part, values[part])

    pose = _walk(chain, turn)
    return values, pose


def _walk(chain: Chains, turn: Callable[[int, Array], Array]) -> Posed:
    """From parent to child; turn: says the rotations (F, N, 3, 3) of the channels of a part, in what axes they act."""
    found = []
    parent = chain.parent
    for part in range(PARTS):
        axes, scale = parent, np.ones(parent.shape[:-1])
        for place, bones in enumerate(chain.bones):
            if bones[part] is not None:
                if axes is parent:
                    axes = parent.copy()
                axes[:, place], scale[:, place] = inherited(bones[part], parent[:, place])
        found.append(axes @ (turn(part, axes) * chain.scale[:, :, part, None, :]) * scale[..., None, :])
        if part < PARTS - 1:
            parent = found[part] @ chain.between[:, :, part]
    joint = chain.root + (found[0] @ chain.to_joint[..., None])[..., 0]
    return Posed(np.stack(found, axis=2), joint, joint + (found[1] @ chain.to_end[..., None])[..., 0])


def _by_mode(chain: Chains, part: int) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place, bones in enumerate(chain.bones):
        if bones[part] is not None:
            found.setdefault(bones[part].rotation_mode, []).append(place)
    return found


def _values(chain: Chains, part: int, local: Array, before: list[Array]) -> list[Array]:
    found = [np.zeros((len(local), 0)) for _bones in chain.bones]
    for mode, places in _by_mode(chain, part).items():
        some = channel_values(mode, local[:, places], np.stack([before[place] for place in places]))
        some = some.astype(np.float32).astype(float)
        for row, place in enumerate(places):
            found[place] = some[:, row]
    return found


def _rotations(chain: Chains, part: int, values: list[Array]) -> Array:
    found = np.broadcast_to(np.eye(3), (*chain.root.shape[:2], 3, 3)).copy()
    for mode, places in _by_mode(chain, part).items():
        found[:, places] = rotations_from(mode, np.stack([values[place] for place in places], axis=1))
    return found
