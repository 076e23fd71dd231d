# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything about a bake but its writing: from frames to keys, and what they cost in exactness."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

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
from .chain import Chains, Stance, Values, baked, chains, stance
from .reduce import Keys, kept, on_lines

Array = NDArray[np.float64]


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
    gatherer = Gatherer(plan, rows, scene)
    samples = yield from gatherer.samples(visited)
    live = poses(plan, rows, samples)
    tip = plan.constants.tip[np.array(rows)]
    chain = chains(samples, live, tip)
    values, found = _baked(chain, samples, live)
    everything = np.arange(len(visited))
    keys = (everything,) * len(rows)
    if tolerance > 0.0:
        keys = tuple(_kept(chain, visited, values, found, place, tolerance) for place in range(len(rows)))
        found = stance(chain, on_lines(values, visited, keys, visited))
    missed = np.maximum(bake_slip.apart(chain, found.joint, live.joint), bake_slip.apart(chain, found.end, live.end))
    error = np.where(live.sane, missed, 0.0).max(0)
    slip, slip_frame = np.zeros(len(rows)), np.full(len(rows), visited[0])
    if len(visited) > 1:
        times = bake_slip.halves(visited)
        half = _halves(values) if tolerance == 0.0 else on_lines(values, visited, keys, times)
        sound = live.sane[1:] & live.sane[:-1]
        estimate = np.where(sound, bake_slip.estimated(chain, visited, half, live.end), 0.0)
        places = bake_slip.worst(estimate, len(visited))
        there = yield from gatherer.samples(times[places])
        between = poses(plan, rows, there)
        measured = bake_slip.slips(chains(there, between, tip, chain), _at(half, places), between.end)
        estimate[places] = np.where(between.sane, measured, 0.0)
        slip, slip_frame = estimate.max(0), times[estimate.argmax(0)]
    return Computed(visited, values, keys, error, slip, slip_frame, (~live.sane).sum(0))


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
    return kept(chain.take(place), frames, [part for part in own if part], goal, tolerance)


def _halves(values: Values) -> Values:
    """The values half-way between neighbouring keys."""
    return [[replace(block, values=0.5 * (block.values[:, :-1] + block.values[:, 1:])) for block in part] for part in values]


def _at(values: Values, places: Sequence[int]) -> Values:
    return [[replace(block, values=block.values[:, places]) for block in part] for part in values]
