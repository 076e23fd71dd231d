# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs as FK chains: from a pose to the values of their bones' rotation channels, and back, for all frames at once.

Matrices and vectors have their own axes first (see `components`), then come the F frames, a single one for what does not
move, and the N limbs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ..animation.inherit import inherited, offset
from ..animation.rotation_batches import keys_of, rotations_of
from ..engine.plan import Plan
from ..frames.components import IDENTITY, applied, axes_of, different, first, inverse, last, product, transposed
from ..frames.poses import Poses
from ..frames.samples import Samples

Array = NDArray[np.float64]
Bones = Sequence[bpy.types.PoseBone | None]


@dataclass(frozen=True)
class Part:
    """One bone of each of N limbs: all upper bones, all lower bones, or all hands, None where a limb has none.

    offsets (3, 3, 1, N): what `inherit.offset` says of them, the identity for `special` ones, which have to be asked one by one.
    scale (3, F, N) or None where it is 1 throughout: of the bones' own channels. between (3, 3, F, N) or None where the bones'
    parents are the part before: axes of these parents in those of the part before.
    """

    bones: Bones
    offsets: Array
    special: tuple[int, ...]
    scale: Array | None = None
    between: Array | None = None

    def of_limbs(self, some: slice) -> Part:
        """The same of some of the limbs."""
        return Part(self.bones[some], self.offsets[..., some],
                    tuple(place - some.start for place in self.special if some.start <= place < some.stop),
                    None if self.scale is None else self.scale[..., some],
                    None if self.between is None else self.between[..., some])


Parts = tuple[Part, ...]
"""All upper bones, all lower bones, and all hands where there are any."""


@dataclass(frozen=True)
class Chains:
    """N limbs in F frames as their bones' channels move them, in armature space; one frame of what is the same in all.

    parent (3, 3, F, N): axes of the upper bones' parents. root (3, F, N); to_joint, to_end (3, F, N): from root to joint in the
    upper bones' axes, from joint to end in the lower's. to_world (3, 3, F, N).
    """

    parts: Parts
    parent: Array
    root: Array
    to_joint: Array
    to_end: Array
    to_world: Array

    def mapped(self, function: Callable[[Array], Array]) -> Chains:
        """The same with `function` applied to everything that depends on the frame."""
        parts = tuple(replace(part, scale=None if part.scale is None else function(part.scale),
                              between=None if part.between is None else function(part.between)) for part in self.parts)
        return Chains(parts, *(function(getattr(self, name)) for name in ("parent", "root", "to_joint", "to_end", "to_world")))

    def of_limbs(self, some: slice) -> Chains:
        """The same of some of the limbs."""
        return Chains(parts_of_limbs(self.parts, some), self.parent[..., some], self.root[..., some], self.to_joint[..., some],
                      self.to_end[..., some], self.to_world[..., some])


@dataclass(frozen=True)
class Block:
    """Values (3 or 4, F, M) of the rotation channels of the bones at `places` (M,) of a part, all of one rotation mode."""

    mode: str
    places: NDArray[np.intp]
    values: Array


Values = list[list[Block]]
"""Blocks of every part."""


@dataclass(frozen=True)
class Stance:
    """Axes (3, 3, F, N) of the bones of each part, scale included; joint and end (3, F, N)."""

    axes: tuple[Array, ...]
    joint: Array
    end: Array


def parts_of(plan: Plan, rows: Sequence[int]) -> Parts:
    """What stays the same in all frames of the limbs `rows` of `plan`."""
    limbs = [plan.limbs[row] for row in rows]
    uppers, lowers = zip(*(planned.limb.bones for planned in limbs))
    hands = [planned.limb.armature.pose.bones[planned.hand.name] if planned.hand else None for planned in limbs]
    return tuple(map(_part, (uppers, lowers, hands) if any(hands) else (uppers, lowers)))


def parts_of_limbs(parts: Parts, some: slice) -> Parts:
    """The same of some of the limbs."""
    return tuple(part.of_limbs(some) for part in parts if any(part.bones[some]))


def chains(samples: Samples, poses: Poses, tip: Array, parts: Parts) -> Chains:
    """The limbs as sampled and solved; tip: (N, 3) in the lower bones' frames over their length; parts: their bones."""
    usable = samples.usable(poses.sane)
    sample = usable.sample
    channels, between = different(usable.channels), different(usable.between)
    moved = tuple(_moved(part, channels[:, :, index], between[:, :, index - 1] if index else None)
                  for index, part in enumerate(parts))
    upper, way = transposed(first(different(sample.upper_columns), 2)), first(sample.joint - sample.root, 1)
    return Chains(moved, transposed(first(different(sample.parent_columns), 2)), first(different(sample.root), 1),
                  applied(inverse(upper), way), first(tip * different(sample.length)[..., None], 1),
                  first(different(samples.to_world)[..., :3, :3], 2))


def _part(bones: Bones) -> Part:
    found = [None if bone is None else offset(bone) for bone in bones]
    offsets = first(np.array([IDENTITY if plain is None else plain for plain in found])[None], 2)
    return Part(bones, offsets, tuple(place for place, bone in enumerate(bones) if bone is not None and found[place] is None))


def _moved(part: Part, channels: Array, between: Array | None) -> Part:
    scale = np.sqrt(np.einsum('...ij,...ij->j...', channels, channels))
    direct = between is None or bool((between == IDENTITY).all())
    return replace(part, scale=None if np.abs(scale - 1.0).max() < 1e-7 else scale,
                   between=None if direct else first(between, 2))


def stance(chain: Chains, values: Values) -> Stance:
    """The pose that these channel values give."""
    return _walk(chain, lambda index, _axes: _rotations(chain, values[index]))


def baked(chain: Chains, samples: Samples, poses: Poses, before: Sequence[Sequence[Array]]) -> tuple[Values, Stance]:
    """(values, stance): the single-precision channel values that give the pose, and the pose they give.

    before: per part and limb the values (3 or 4) to go on from. In frames in which a limb rests it keeps its FK.
    """
    values: Values = []
    goals = (poses.upper, poses.lower, poses.hand)

    def turn(index: int, axes: Array) -> Array:
        local = axes_of(product(inverse(axes), goals[index]))
        if not poses.sane.all():
            fk = axes_of(first(samples.channels[:, :, index], 2))
            local = np.where(poses.sane, local, fk)
        blocks = []
        for mode, places in _by_mode(chain.parts[index].bones).items():
            start = np.stack([before[index][place] for place in places], axis=-1)
            some = keys_of(mode, local[..., places] if len(places) < local.shape[-1] else local, start)
            blocks.append(Block(mode, places, some.astype(np.float32).astype(float)))
        values.append(blocks)
        return _rotations(chain, blocks)

    return values, _walk(chain, turn)


def _walk(chain: Chains, turn: Callable[[int, Array], Array]) -> Stance:
    """From parent to child; turn: says the rotations (3, 3, F, N) of the channels of a part, in what axes they act."""
    found: list[Array] = []
    parent = chain.parent
    for index, part in enumerate(chain.parts):
        if index:
            parent = found[-1] if part.between is None else product(found[-1], part.between)
        axes = product(parent, np.repeat(part.offsets, parent.shape[2], axis=2))  # repeated, einsum is quicker with few limbs
        stretch = None
        for place in part.special:
            own, scale = inherited(part.bones[place], last(parent[..., place], 2))
            axes[..., place] = first(own, 2)
            stretch = np.ones(axes.shape[1:]) if stretch is None else stretch
            stretch[..., place] = first(scale, 1)
        turned = product(axes, turn(index, axes))
        for scale in (part.scale, stretch):
            turned = turned if scale is None else turned * scale
        found.append(turned)
    joint = chain.root + applied(found[0], chain.to_joint)
    return Stance(tuple(found), joint, joint + applied(found[1], chain.to_end))


def _by_mode(bones: Bones) -> dict[str, NDArray[np.intp]]:
    modes = np.array(["" if bone is None else bone.rotation_mode for bone in bones])
    return {str(mode): np.flatnonzero(modes == mode) for mode in sorted(set(modes.tolist())) if mode}


def _rotations(chain: Chains, blocks: Sequence[Block]) -> Array:
    if len(blocks) == 1 and len(blocks[0].places) == chain.root.shape[-1]:
        return rotations_of(blocks[0].mode, blocks[0].values)
    found = np.empty((3, 3, blocks[0].values.shape[1], chain.root.shape[-1]))
    found[:] = IDENTITY[:, :, None, None]
    for block in blocks:
        found[..., block.places] = rotations_of(block.mode, block.values)
    return found
