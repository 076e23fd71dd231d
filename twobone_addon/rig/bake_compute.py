# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything about a bake but its writing: from frames to keys, and what they cost in exactness."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from . import bake_slip
from .bake_chain import PARTS, Chains, Posed, Values, baked, chains, posed
from .bake_reduce import between_keys, kept
from .channels import rotation_channel
from .fcurves import curves_of
from .plan import Plan
from .rotation_batches import ending_near
from .samples import Samples, reading
from .scan import RESTS, Scan, derive

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
    keys: tuple[NDArray[np.intp], ...]
    error: Array
    slip: Array
    slip_frame: Array
    rested: NDArray[np.intp]


def computing(plan: Plan, rows: Sequence[int], visited: Array, tolerance: float, scene: bpy.types.Scene) -> Generator[
        float, None, Computed]:
    """Compute the keys of the limbs `rows` of `plan`; yields the share that is done. Nothing is written."""
    samples = yield from reading(plan, rows, visited.tolist(), scene)
    scan = derive(plan, rows, samples)
    chain = _chains(plan, rows, samples, scan)
    values, pose = _baked(chain, scan, visited)
    keys = tuple(np.arange(len(visited)) for _row in rows)
    if tolerance > 0.0:
        keys = tuple(kept(chain.take(place), visited, _of_limb(values, place), _limb_pose(pose, place), tolerance)
                     for place in range(len(rows)))
        pose = posed(chain, _lines(values, keys, visited, visited))
    error = np.maximum(bake_slip.apart(chain, pose.joint, scan.joint), bake_slip.apart(chain, pose.end, scan.end)).max(0)
    slip, slip_frame = yield from _slip(plan, rows, scan, chain, values, keys, scene)
    return Computed(visited, values, keys, error, slip, slip_frame, (scan.state == RESTS).sum(0))


def _chains(plan: Plan, rows: Sequence[int], samples: Samples, scan: Scan) -> Chains:
    hands = [plan.limbs[row].hand.name if plan.limbs[row].hand else "" for row in rows]
    return chains(samples.usable(scan.state != RESTS), plan.constants.tip[np.array(rows)], hands,
                  [limb.bones for limb in scan.limbs])


def _baked(chain: Chains, scan: Scan, frames: Array) -> tuple[Values, Posed]:
    """(values, pose), the values going on from the keys before the range, or leading to those after it."""
    neighbours = [[_neighbours(bones[part], frames[0], frames[-1]) for bones in chain.bones] for part in range(PARTS)]
    values, pose = baked(chain, scan, [[around[0] for around in part] for part in neighbours])
    for part, (some, around) in enumerate(zip(values, neighbours, strict=True)):
        for place, (_before, after) in enumerate(around):
            if after is not None:
                near = ending_near(chain.bones[place][part].rotation_mode, some[place], after)
                some[place] = near.astype(np.float32).astype(float)
    return values, pose


def _neighbours(bone: bpy.types.PoseBone | None, first: float, last: float) -> tuple[Array, Array | None]:
    """(start, goal): channel values before the range to go on from, and those after it to lead to.

    There is a goal only where there are no keys before the range; the start is the present value then.
    """
    if bone is None:
        return np.zeros(0), None
    channel = rotation_channel(bone)
    start = channel.value
    goal, has_before, has_after = start.copy(), False, False
    curves = curves_of(bone.id_data)
    for index in range(len(start)):
        curve = curves.find(channel.full_path, index=index) if curves is not None else None
        if curve is None:
            continue
        numbers = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
        curve.keyframe_points.foreach_get("co", numbers)
        before, after = numbers[1::2][numbers[::2] < first], numbers[1::2][numbers[::2] > last]
        if before.size:
            start[index], has_before = before[-1], True
        elif after.size:
            goal[index], has_after = after[0], True
    return start, goal if has_after and not has_before else None


def _of_limb(values: Values, place: int) -> Values:
    return [[part[place]] for part in values]


def _limb_pose(pose: Posed, place: int) -> Posed:
    some = slice(place, place + 1)
    return Posed(pose.axes[:, some], pose.joint[:, some], pose.end[:, some])


def _lines(values: Values, keys: Sequence[NDArray[np.intp]], frames: Array, times: Array) -> Values:
    """The values at `times` on the straight lines between the keys."""
    return [[between_keys(some, times, frames, chosen) for some, chosen in zip(part, keys, strict=True)] for part in values]


def _slip(plan: Plan, rows: Sequence[int], scan: Scan, chain: Chains, values: Values, keys: Sequence[NDArray[np.intp]],
          scene: bpy.types.Scene) -> Generator[float, None, tuple[Array, Array]]:
    """(slip, frame), each (N,): the worst between frames; a few more frames are evaluated for it."""
    if len(scan.frames) == 1:
        return np.zeros(len(rows)), np.full(len(rows), scan.frames[0])
    times = bake_slip.halves(scan.frames)
    slip = bake_slip.estimated(chain, scan.frames, _lines(values, keys, scan.frames, times), scan.end)
    places = bake_slip.worst(slip, len(scan.frames))
    samples = yield from reading(plan, rows, times[places].tolist(), scene)
    there = derive(plan, rows, samples)
    slip[places] = bake_slip.slips(_chains(plan, rows, samples, there), _lines(values, keys, scan.frames, times[places]),
                                   there.end)
    return slip.max(0), times[slip.argmax(0)]
