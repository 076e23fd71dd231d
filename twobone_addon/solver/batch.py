# SPDX-License-Identifier: GPL-3.0-or-later
"""Many limbs at once, on arrays of components."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .arithmetic import BATCH, Number, Operations
from .bones import Bones, Limits, bones_of, flexion_of
from .inputs import Inputs
from .kernel import Pose, frames_of, pose
from .solution import Solution, State
from .vector import Vector

Array = NDArray[np.float64]

CHUNK = 20_000
"""Most limbs worked on at a time: memory does not grow with the batch, and the intermediate arrays are small enough for the
processor's caches and for the allocator to hand out again and again."""


class Output:
    """Room for the solutions of `count` limbs, component by component, which is how they are computed."""

    def __init__(self, count: int, frames: bool) -> None:
        self.joint, self.end = np.empty((2, 3, count))
        self.reach, self.distance, self.gap = np.empty((3, count))
        self.state, self.reachable = np.empty(count, dtype=np.int8), np.empty(count, dtype=bool)
        self.upper_frame = np.empty((3, 3, count)) if frames else None
        self.lower_frame = np.empty((3, 3, count)) if frames else None

    def solution(self, shape: tuple[int, ...]) -> Solution:
        """The same arrays with their components on the last axes."""
        return Solution(
            joint=_components_last(self.joint, shape), end=_components_last(self.end, shape),
            reach=self.reach.reshape(shape), distance=self.distance.reshape(shape), gap=self.gap.reshape(shape),
            state=self.state.reshape(shape), reachable=self.reachable.reshape(shape),
            upper_frame=None if self.upper_frame is None else _components_last(self.upper_frame, shape),
            lower_frame=None if self.lower_frame is None else _components_last(self.lower_frame, shape))


def _components_last(array: Array, shape: tuple[int, ...]) -> Array:
    inner, outer = array.ndim - 1, len(shape)
    return array.reshape(array.shape[:inner] + shape).transpose(*range(inner, inner + outer), *range(inner))


def solve_many(inputs: Inputs, frames: bool) -> Solution:
    """Solve chunk by chunk."""
    inputs.check_all_but_places()
    # Roots, targets and poles that are not finite make squares that are out of range: to go through all coordinates
    # beforehand would be for nothing.
    ops = BATCH._replace(out_of_range=inputs.check_places)
    output = Output(inputs.count, frames)
    bones = _shared_bones(inputs)
    with np.errstate(all='ignore'):  # rows with nothing to divide by are mended where they are divided
        size = math.ceil(inputs.count / math.ceil(inputs.count / CHUNK))  # no small rest, which costs as many calls
        room = np.empty((3, 3, size))
        for start in range(0, inputs.count, size):
            part = slice(start, min(start + size, inputs.count))
            _solve_chunk(ops, inputs, bones, output, part, room[:, :, :part.stop - part.start])
    return output.solution(inputs.shape)


def _shared_bones(inputs: Inputs) -> Bones | None:
    """The bones of all limbs where they are alike, with limits as arrays: numpy compares two arrays three times as fast
    as an array and a number."""
    given = [inputs.numbers(name) for name in ("upper", "lower", "bend_min", "bend_max")]
    if any(isinstance(number, np.ndarray) for number in given):
        return None
    upper, lower, least, greatest = given
    bones = bones_of(BATCH, upper, lower, flexion_of(least, greatest))
    size = min(inputs.count, CHUNK)
    return bones._replace(limits=Limits(*(np.full(size, limit) for limit in bones.limits)))


def _solve_chunk(ops: Operations, inputs: Inputs, shared: Bones | None, output: Output, part: slice,
                 room: Array) -> None:
    def numbers(name: str) -> Number:
        given = inputs.numbers(name)
        return given[part] if isinstance(given, np.ndarray) else given

    def vectors(name: str) -> Array | None:
        given = inputs.vectors(name)
        return None if given is None else given[part].T

    root, line, candidate = room  # with contiguous components, since they are read again and again
    target = output.end[:, part]  # likewise, and where most limbs end
    root[:], target[:] = vectors("root"), vectors("target")
    np.subtract(target, root, out=line)
    pole, fallback = vectors("pole"), vectors("fallback")
    if shared is None:
        bones = bones_of(ops, numbers("upper"), numbers("lower"),
                         flexion_of(numbers("bend_min"), numbers("bend_max")))
    else:
        size = part.stop - part.start
        bones = shared._replace(limits=Limits(*(limit[:size] for limit in shared.limits)))
    candidates = [] if pole is None else [tuple(np.subtract(pole, root, out=candidate))]
    if fallback is not None:
        candidates.append(tuple(fallback))
    angle, softness = numbers("pole_angle"), numbers("softness")
    solved = pose(ops, tuple(line), bones, candidates,
                  turn=(np.cos(angle), np.sin(angle)) if _any(angle) else None,
                  softness=softness if _any(softness) else None)
    _store_places(output, part, root, bones, solved)
    if output.upper_frame is not None and output.lower_frame is not None:
        others = frames_of(ops, solved)
        _store_frame(output.upper_frame, part, others.upper_along, others.upper_bend, others.normal)
        _store_frame(output.lower_frame, part, others.lower_along, others.lower_bend, others.normal)


def _any(numbers: Number) -> bool:
    return bool(numbers.any() if isinstance(numbers, np.ndarray) else numbers)


def _store_places(output: Output, part: slice, root: Vector, bones: Bones, solved: Pose) -> None:
    """As if all targets were reached, then the ends of those that were not, by their indices.

    No masks: to branch limb by limb costs more than the arithmetic.
    """
    distance, reach, gap = output.distance[part], output.reach[part], output.gap[part]
    distance[:], reach[:] = solved.distance, solved.reach
    np.subtract(distance, reach, out=gap)
    np.abs(gap, out=gap)
    for start, offset, joint in zip(root, solved.joint, output.joint[:, part]):
        np.add(start, offset, out=joint)
    missed, too_close = distance != reach, distance < bones.limits.reach_min
    state, reachable = output.state[part], output.reachable[part]
    np.greater(distance, bones.limits.reach_max, out=reachable)
    reachable &= missed
    too_close &= missed
    np.multiply(too_close, np.int8(State.TOO_CLOSE), out=state)
    state += reachable
    np.equal(state, State.REACHED, out=reachable)  # till here room for those too far
    softened = missed & reachable
    if softened.any():
        state[softened] = State.SOFTENED
    rows = missed.nonzero()[0]
    share = reach.take(rows)
    share /= solved.triangle.distance.take(rows)
    for start, line, end in zip(root, solved.line, output.end[:, part]):
        offset = line.take(rows)
        offset *= share
        offset += start.take(rows)
        end[rows] = offset


def _store_frame(frame: Array, part: slice, *columns: Vector) -> None:
    for column, vector in enumerate(columns):
        for axis, component in enumerate(vector):
            frame[axis, column, part] = component
