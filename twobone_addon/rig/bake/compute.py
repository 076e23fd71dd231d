# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything about a bake but its writing: from frames to keys, and what they cost in exactness."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from math import ceil

import bpy
import numpy as np
from numpy.typing import NDArray

from ..animation.channels import rotation_channel
from ..animation.fcurves import curves_of
from ..animation.rotation_batches import ending_near
from ..engine.plan import Plan
from ..frames.gather import Gatherer
from ..frames.poses import Poses, poses
from ..frames.samples import Samples
from . import slip as bake_slip
from .chain import Chains, Parts, Stance, Values, baked, chains, parts_of, parts_of_limbs, stance
from .reduce import Keys, kept, on_lines

Array = NDArray[np.float64]


ROWS = 5000
"""About so many limbs times frames are worked on at a time: their arrays stay in the processor's caches, and the allocator
hands them out again and again, which with 40 limbs in 250 frames saves a tenth of the time; fewer would cost more calls."""


@dataclass(frozen=True)
class Computed:
    """Keys of N limbs in F frames, and lengths in world units.

    values: as in `bake_chain`, for all frames; keys: per limb the places of the frames that get one. error (N,): the
    farthest that joint or tip is from the live one on a frame. slip (N,): the farthest that the tip is from it half-way
    between two frames, slip_frame (N,): and when. rested (N,): frames in which the limb rested.
    """

    frames: Array
    values: Values
    keys: tuple[Keys, ...]
    error: Array
    slip: Array
    slip_frame: Array
    rested: NDArray[np.intp]


def computing(plan: Plan, rows: Sequence[int], visited: Array, tolerance: float, scene: bpy.types.Scene) -> Generator[
        float, None, Computed]:
    """Compute the keys of the limbs `rows` of `plan`; yields the share that is done. Nothing is written."""
    with Gatherer(plan, rows, scene) as gatherer:
        samples = yield from gatherer.samples(visited)
        parts, tip = parts_of(plan, rows), plan.constants.tip[np.array(rows)]
        shares = []
        for some in _shared(len(rows), len(visited)):
            shares.append(_Share(plan, rows[some], some, samples.of_limbs(some), parts_of_limbs(parts, some), tolerance))
            yield 1.0
        slip, slip_frame = np.zeros(len(rows)), np.full(len(rows), visited[0])
        if len(visited) > 1:
            times = bake_slip.halves(visited)
            estimate = np.concatenate([share.estimate for share in shares], axis=1)
            places = bake_slip.worst(estimate, len(visited))
            there = yield from gatherer.samples(times[places])
            between = poses(plan, rows, there)
            half = _at(_side_by_side([(share.some, share.half) for share in shares]), places)
            measured = bake_slip.slips(chains(there, between, tip, parts), half, between.end)
            estimate[places] = np.where(between.sane, measured, 0.0)
            slip, slip_frame = estimate.max(0), times[estimate.argmax(0)]
    return Computed(
        visited, _side_by_side([(share.some, share.values) for share in shares]),
        tuple(keys for share in shares for keys in share.keys),
        np.concatenate([share.error for share in shares]), slip, slip_frame, np.concatenate([share.rested for share in shares]))


def _shared(limbs: int, frames: int) -> list[slice]:
    """So many limbs in shares of about ROWS rows."""
    size = ceil(limbs / ceil(limbs * frames / ROWS)) if limbs * frames > ROWS else limbs
    return [slice(start, min(start + size, limbs)) for start in range(0, limbs, size)]


class _Share:
    """Those at `some` of the limbs of a bake: as in Computed.

    half: the values half-way between frames; estimate (F - 1, N): the slips there, as far as they can be told.
    """

    def __init__(self, plan: Plan, rows: Sequence[int], some: slice, samples: Samples, parts: Parts, tolerance: float) -> None:
        self.some = some
        frames, live = samples.frames, poses(plan, rows, samples)
        chain = chains(samples, live, plan.constants.tip[np.array(rows)], parts)
        self.values, found = _baked(chain, samples, live)
        self.keys: tuple[Keys, ...] = (np.arange(len(frames)),) * len(rows)
        if tolerance > 0.0:
            self.keys = tuple(_kept(chain, frames, self.values, found, place, tolerance) for place in range(len(rows)))
            found = stance(chain, on_lines(self.values, frames, self.keys, frames))
        missed = np.maximum(bake_slip.apart(chain, found.joint, live.joint), bake_slip.apart(chain, found.end, live.end))
        self.error: Array = np.where(live.sane, missed, 0.0).max(0)
        self.rested = (~live.sane).sum(0)
        if len(frames) > 1:
            self.half = _halves(self.values) if tolerance == 0.0 else on_lines(
                self.values, frames, self.keys, bake_slip.halves(frames))
            sound = live.sane[1:] & live.sane[:-1]
            self.estimate = np.where(sound, bake_slip.estimated(chain, frames, self.half, live.end), 0.0)


def _side_by_side(several: Sequence[tuple[slice, Values]]) -> Values:
    """The values of all limbs, from those of the limbs at some of the places each."""
    found: Values = [[] for _part in range(max(len(values) for _some, values in several))]
    for some, values in several:
        for part, blocks in zip(found, values):
            part += [replace(block, places=block.places + some.start) for block in blocks]
    return [sorted(part, key=lambda block: block.mode) for part in found]


def _baked(chain: Chains, samples: Samples, live: Poses) -> tuple[Values, Stance]:
    """(values, stance), the values going on from the keys before the range, or leading to those after it."""
    frames = samples.frames
    curves = {limb.armature: curves_of(limb.armature) for limb in live.limbs}
    around = [[_neighbours(bone, bone and curves[bone.id_data], frames[0], frames[-1]) for bone in part.bones]
              for part in chain.parts]
    values, found = baked(chain, samples, live, [[start for start, _goal in part] for part in around])
    for part, neighbours in zip(values, around, strict=True):
        for block in part:
            for row, place in enumerate(block.places):
                goal = neighbours[place][1]
                if goal is not None:
                    near = ending_near(block.mode, block.values[..., row], goal)
                    block.values[..., row] = near.astype(np.float32)
    return values, found


def _neighbours(bone: bpy.types.PoseBone | None, curves: bpy.types.ActionFCurves | None, start: float, end: float) -> tuple[
        Array, Array | None]:
    """(before, after): channel values before the range to go on from, and those after it to lead to; curves: of its armature.

    The latter only where there are no keys before the range; the former are the present values then.
    """
    if bone is None:
        return np.zeros(0), None
    channel = rotation_channel(bone)
    before, path = channel.value, channel.full_path
    after, has_before, has_after = before.copy(), False, False
    for index in range(len(before) if curves is not None else 0):
        curve = curves.find(path, index=index)
        if curve is None:
            continue
        numbers = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
        curve.keyframe_points.foreach_get("co", numbers)
        earlier, later = numbers[1::2][numbers[::2] < start], numbers[1::2][numbers[::2] > end]
        if earlier.size:
            before[index], has_before = earlier[-1], True
        elif later.size:
            after[index], has_after = later[0], True
    return before, after if has_after and not has_before else None


def _kept(chain: Chains, frames: Array, values: Values, found: Stance, place: int, tolerance: float) -> Keys:
    some = slice(place, place + 1)
    goal = Stance(tuple(axes[..., some] for axes in found.axes), found.joint[..., some], found.end[..., some])
    own = [[replace(block, places=np.zeros(1, dtype=np.intp), values=block.values[..., block.places == place])
            for block in part if place in block.places] for part in values]
    return kept(chain.of_limbs(some), frames, [part for part in own if part], goal, tolerance)


def _halves(values: Values) -> Values:
    """The values half-way between neighbouring keys."""
    return [[replace(block, values=0.5 * (block.values[:, :-1] + block.values[:, 1:])) for block in part] for part in values]


def _at(values: Values, places: Sequence[int]) -> Values:
    return [[replace(block, values=block.values[:, places]) for block in part] for part in values]
