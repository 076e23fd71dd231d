# SPDX-License-Identifier: GPL-3.0-or-later
"""Two-bone IK in space: `solve`, batched over leading axes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import batch
from .checks import as_numbers, refuse_first
from .kernel import Posed, Vector, pose
from .triangle import BATCH, FREE, SCALAR, Limits, lengths_of

Array = NDArray[np.float64]

FEW = 40
"""Up to so many limbs are solved one by one: numpy's call overhead costs more than the arithmetic."""


class State(IntEnum):
    """How a target stands to the limb's reach. SOFTENED is inside the limits, a little short of the target."""

    REACHED = 0
    TOO_FAR = 1
    TOO_CLOSE = 2
    SOFTENED = 3


@dataclass(frozen=True)
class Solution:
    """The solved limbs, arrays over the leading axes of the inputs; lengths in the unit of the inputs.

    joint, end (..., 3). reach is |end - root|, distance |target - root|, gap |target - end|. state holds `State`
    values; reachable is False past either limit. upper_frame, lower_frame (..., 3, 3): columns along the bone, towards
    the bend, bend normal (right-handed), or None where they were not asked for.
    """

    joint: Array
    end: Array
    reach: Array
    distance: Array
    gap: Array
    state: NDArray[np.int8]
    reachable: NDArray[np.bool_]
    upper_frame: Array | None
    lower_frame: Array | None


def solve(root: ArrayLike, target: ArrayLike, pole: ArrayLike | None, upper: ArrayLike, lower: ArrayLike, *,
          pole_angle: ArrayLike = 0.0, softness: ArrayLike = 0.0, fallback: ArrayLike | None = None,
          frames: bool = True, bend_min: ArrayLike | None = None, bend_max: ArrayLike | None = None) -> Solution:
    """Place joint and end of two bones that reach from `root` for `target` and bend towards `pole`.

    root, target, pole, fallback: (..., 3); upper, lower, pole_angle, softness, bend_min, bend_max: (...). They
    broadcast over leading axes. Lengths in any one unit, angles in radians. pole may be None; fallback is the bend
    direction used where the pole is missing or within 1e-12 rad of the root-target line, after it the axis least
    aligned with the line. pole_angle turns the bend right-handed about root -> target. softness, in [0, 1), is the
    share of the reach over which the limb is slowed down before it is straight, likewise before it is folded.
    bend_min, bend_max: least and greatest flexion of the joint, 0 straight, pi folded; they narrow the reach.

    Out of reach the distance is clamped and the direction kept. A target at the root is reached along +X. One bone of
    length zero is a one-bone chain. Raises ValueError naming the argument and the first bad index for shapes that do
    not fit, anything not finite, negative lengths and two zero lengths.
    """
    problem = _Problem(root, target, pole, upper, lower, pole_angle, softness, fallback, bend_min, bend_max)
    output = _Output(problem.count, frames)
    if problem.count <= FEW:
        _solve_few(problem, output)
    else:
        plain = _is_plain(problem)
        work = batch.Workspace(min(batch.CHUNK, problem.count)) if plain else None
        for start in range(0, problem.count, batch.CHUNK):
            part = slice(start, min(start + batch.CHUNK, problem.count))
            if work is None or not _solve_plain(problem, output, part, work):
                _solve_chunk(problem, output, part)
    return output.solution(problem.shape)


_REACHABLE = np.array([state in (State.REACHED, State.SOFTENED) for state in State])

_VECTORS = ("root", "target", "pole", "fallback")


class _Problem:
    """Checked inputs, broadcast to (N, 3) and (N,); what is None or one number for all stays so."""

    def __init__(self, root: ArrayLike, target: ArrayLike, pole: ArrayLike | None, upper: ArrayLike, lower: ArrayLike,
                 pole_angle: ArrayLike, softness: ArrayLike, fallback: ArrayLike | None,
                 bend_min: ArrayLike | None, bend_max: ArrayLike | None) -> None:
        given = {"root": root, "target": target, "pole": pole, "upper": upper, "lower": lower, "pole_angle": pole_angle,
                 "softness": softness, "fallback": fallback, "bend_min": bend_min, "bend_max": bend_max}
        arrays = {name: as_numbers(name, value, 3 if name in _VECTORS else 0)
                  for name, value in given.items() if value is not None}
        shapes = [array.shape[:-1] if name in _VECTORS else array.shape for name, array in arrays.items()]
        self.shape = shapes[0] if all(shape == shapes[0] or shape == () for shape in shapes[1:]) else _common(arrays)
        self.count = math.prod(self.shape)
        _check(arrays)
        self.root, self.target, self.pole, self.fallback = (self._rows(arrays.get(name)) for name in _VECTORS)
        self.upper, self.lower, self.pole_angle, self.softness, self.bend_min, self.bend_max = (
            self._numbers(arrays.get(name))
            for name in ("upper", "lower", "pole_angle", "softness", "bend_min", "bend_max"))

    def _rows(self, array: Array | None) -> Array | None:
        if array is None:
            return None
        if array.shape[:-1] != self.shape:
            array = np.broadcast_to(array, (*self.shape, 3))
        return array if array.ndim == 2 else array.reshape(self.count, 3)

    def _numbers(self, array: Array | None) -> Array | None:
        if array is None or array.ndim == 0:
            return array
        if array.shape != self.shape:
            array = np.broadcast_to(array, self.shape)
        return array if array.ndim == 1 else array.reshape(self.count)


def _common(arrays: dict[str, Array]) -> tuple[int, ...]:
    shape: tuple[int, ...] = ()
    for name, array in arrays.items():
        own = array.shape[:-1] if name in _VECTORS else array.shape
        try:
            shape = np.broadcast_shapes(shape, own)
        except ValueError:
            raise ValueError(f"{name} of shape {array.shape} does not broadcast with the leading axes {shape}") from None
    return shape


def _check(arrays: dict[str, Array]) -> None:
    """Refuse what is not finite or out of range; a sum is not finite where any of its terms is not."""
    ranges = {name: _range(array) for name, array in arrays.items()}
    for name, (total, _least, _most) in ranges.items():
        if not math.isfinite(total):
            refuse_first(name, ~np.isfinite(arrays[name]), arrays[name], "is not finite", name in _VECTORS)
    for name in ("upper", "lower"):
        if ranges[name][1] < 0.0:
            refuse_first(name, arrays[name] < 0.0, arrays[name], "is negative")
    if ranges["upper"][1] == 0.0 and ranges["lower"][1] == 0.0:
        refuse_first("upper and lower", (arrays["upper"] == 0.0) & (arrays["lower"] == 0.0), None, "are both zero")
    for name, most, words in (("softness", math.nextafter(1.0, 0.0), "[0, 1)"), ("bend_min", math.pi, "[0, pi]"),
                              ("bend_max", math.pi, "[0, pi]")):
        if name in ranges and (ranges[name][1] < 0.0 or ranges[name][2] > most):
            refuse_first(name, (arrays[name] < 0.0) | (arrays[name] > most), arrays[name], f"is outside {words}")
    if "bend_min" in arrays and "bend_max" in arrays:
        wrong = arrays["bend_min"] > arrays["bend_max"]
        refuse_first("bend_min", wrong, np.broadcast_to(arrays["bend_min"], wrong.shape), "is greater than bend_max")


def _range(array: Array) -> tuple[float, float, float]:
    """(sum, least, greatest); Python is quicker than numpy where there is little to look at."""
    if array.size > 3 * FEW:
        return array.sum(), array.min() if array.ndim < 2 else 0.0, array.max() if array.ndim < 2 else 0.0
    values = array.ravel().tolist()
    return (sum(values), min(values), max(values)) if values else (0.0, 1.0, 0.0)


class _Output:
    """Room for N solutions."""

    def __init__(self, count: int, frames: bool) -> None:
        self.joint, self.end = np.empty((count, 3)), np.empty((count, 3))
        self.reach, self.distance, self.gap = np.empty(count), np.empty(count), np.empty(count)
        self.state = np.empty(count, dtype=np.int8)
        self.upper_frame = np.empty((count, 3, 3)) if frames else None
        self.lower_frame = np.empty((count, 3, 3)) if frames else None

    def solution(self, shape: tuple[int, ...]) -> Solution:
        arrays: list[Any] = [self.joint, self.end, self.reach, self.distance, self.gap, self.state, _REACHABLE[self.state],
                  self.upper_frame, self.lower_frame]
        if shape != self.reach.shape:
            arrays = [None if array is None else array.reshape(shape + array.shape[1:]) for array in arrays]
        return Solution(*arrays)


def _solve_few(problem: _Problem, output: _Output) -> None:
    """The kernel on Python floats, limb by limb."""
    def rows(array: Array | None) -> list[Any]:
        return [None] * problem.count if array is None else array.tolist()

    def numbers(array: Array | None) -> list[Any]:
        if array is None:
            return [None] * problem.count
        return [float(array)] * problem.count if array.ndim == 0 else array.tolist()

    places, records = [], []
    pair, lengths = None, None
    for (x, y, z), (tx, ty, tz), pole, fallback, upper, lower, angle, softness, least, most in zip(
            rows(problem.root), rows(problem.target), rows(problem.pole), rows(problem.fallback),
            numbers(problem.upper), numbers(problem.lower), numbers(problem.pole_angle), numbers(problem.softness),
            numbers(problem.bend_min), numbers(problem.bend_max), strict=True):
        if pair != (upper, lower):
            pair, lengths = (upper, lower), lengths_of(upper, lower)
        towards = None if pole is None else (pole[0] - x, pole[1] - y, pole[2] - z)
        solved = pose(SCALAR, (tx - x, ty - y, tz - z), towards, lengths,
                      turn=None if angle == 0.0 else (math.cos(angle), math.sin(angle)), fallback=fallback,
                      limits=FREE if least is None and most is None else _limits_scalar(upper, lower, least, most),
                      softness=softness if softness > 0.0 else None)
        triangle = solved.triangle
        state = (State.TOO_FAR if triangle.too_far else State.TOO_CLOSE if triangle.too_close
                 else State.SOFTENED if triangle.softened else State.REACHED)
        joint, end = solved.joint, solved.end
        places.append((x + joint[0], y + joint[1], z + joint[2],
                       *((tx, ty, tz) if state == State.REACHED else (x + end[0], y + end[1], z + end[2])),
                       triangle.reach if state != State.REACHED else solved.distance, solved.distance,
                       0.0 if state == State.REACHED else abs(solved.distance - triangle.reach), state))
        if output.upper_frame is not None:
            a, b, c, d, n = (solved.upper_along, solved.upper_bend, solved.lower_along, solved.lower_bend, solved.normal)
            records.append((a[0], b[0], n[0], a[1], b[1], n[1], a[2], b[2], n[2],
                            c[0], d[0], n[0], c[1], d[1], n[1], c[2], d[2], n[2]))
    if not places:
        return
    values = np.array(places)
    output.joint[:], output.end[:] = values[:, :3], values[:, 3:6]
    output.reach[:], output.distance[:], output.gap[:] = values[:, 6], values[:, 7], values[:, 8]
    output.state[:] = values[:, 9]
    if output.upper_frame is not None:
        turned: Array = np.array(records).reshape(-1, 2, 3, 3)
        output.upper_frame[:], output.lower_frame[:] = turned[:, 0], turned[:, 1]


def _is_plain(problem: _Problem) -> bool:
    """Whether nothing is asked for that `batch` leaves out; its limbs may still be degenerate."""
    return (problem.pole is not None and problem.bend_min is None and problem.bend_max is None
            and not np.any(problem.pole_angle) and not np.any(problem.softness)
            and bool(np.all(problem.upper)) and bool(np.all(problem.lower)))


def _solve_plain(problem: _Problem, output: _Output, part: slice, work: batch.Workspace) -> bool:
    """Solve the limbs in `part` in place; False where one of them is degenerate."""
    upper, lower = (float(array) if array.ndim == 0 else array[part] for array in (problem.upper, problem.lower))
    lengths = lengths_of(upper, lower)
    excesses = batch.solve_plain(work, part, problem.root, problem.target, problem.pole, lengths, output.joint,
                                 output.distance, output.upper_frame, output.lower_frame)
    if excesses is None:
        return False
    far, near = excesses
    output.end[part], output.reach[part] = problem.target[part], output.distance[part]
    output.gap[part], output.state[part] = 0.0, State.REACHED
    missed = np.flatnonzero(np.minimum(far, near) < 0.0)
    if missed.size:
        output.state[part][missed] = np.where(far[missed] < 0.0, State.TOO_FAR, State.TOO_CLOSE)
        rows = missed + part.start
        distance = output.distance[rows]
        total, difference = (array if np.ndim(array) == 0 else array[missed] for array in (
            lengths.total, np.abs(lengths.difference)))
        reach = np.minimum(np.maximum(distance, difference), total)
        output.reach[rows], output.gap[rows] = reach, np.abs(distance - reach)
        root = problem.root[rows]
        output.end[rows] = root + (problem.target[rows] - root) / distance[:, None] * reach[:, None]
    return True


def _limits_scalar(upper: float, lower: float, least: float | None, most: float | None) -> Limits:
    """Least F and G that flexions between `least` and `most` allow: F = 4ab sin²(least/2), G = 4ab cos²(most/2)."""
    product4 = 4.0 * upper * lower
    return Limits(0.0 if least is None else product4 * math.sin(0.5 * least) ** 2,
                  0.0 if most is None else product4 * math.sin(0.5 * (math.pi - most)) ** 2)


def _solve_chunk(problem: _Problem, output: _Output, part: slice) -> None:
    """The kernel on component arrays of the limbs in `part`."""
    def numbers(array: Array | None) -> Array | float | None:
        return None if array is None else float(array) if array.ndim == 0 else array[part]

    def components(array: Array) -> tuple[Array, Array, Array]:
        x, y, z = (np.ascontiguousarray(array[part, axis]) for axis in range(3))
        return x, y, z

    root, target = components(problem.root), components(problem.target)
    line = (target[0] - root[0], target[1] - root[1], target[2] - root[2])
    pole = None
    if problem.pole is not None:
        x, y, z = components(problem.pole)
        pole = (x - root[0], y - root[1], z - root[2])
    fallback = None if problem.fallback is None else components(problem.fallback)
    upper, lower = numbers(problem.upper), numbers(problem.lower)
    angle, softness = numbers(problem.pole_angle), numbers(problem.softness)
    limits = FREE
    if problem.bend_min is not None or problem.bend_max is not None:
        product4 = 4.0 * upper * lower
        least, most = numbers(problem.bend_min), numbers(problem.bend_max)
        limits = Limits(0.0 if least is None else product4 * np.sin(0.5 * least) ** 2,
                        0.0 if most is None else product4 * np.sin(0.5 * (np.pi - most)) ** 2)
    solved = pose(BATCH, line, pole, lengths_of(upper, lower),
                  turn=None if not np.any(angle) else (np.cos(angle), np.sin(angle)), fallback=fallback,
                  limits=limits, softness=softness if np.any(softness) else None)
    _store(output, part, solved, root, target)


def _store(output: _Output, part: slice, solved: Posed, root: Vector, target: Vector) -> None:
    triangle = solved.triangle
    state = output.state[part]
    state[:] = 0 if triangle.softened is None else triangle.softened * np.int8(State.SOFTENED)
    np.copyto(state, np.int8(State.TOO_CLOSE), where=triangle.too_close)
    np.copyto(state, np.int8(State.TOO_FAR), where=triangle.too_far)
    missed = state != State.REACHED
    any_missed = bool(missed.any())
    for axis in range(3):
        np.add(root[axis], solved.joint[axis], out=output.joint[part, axis])
        end = target[axis]
        if any_missed:
            end = np.where(missed, root[axis] + solved.end[axis], end)
        output.end[part, axis] = end
    output.distance[part] = solved.distance
    output.reach[part] = np.where(missed, triangle.reach, solved.distance) if any_missed else solved.distance
    np.subtract(output.distance[part], output.reach[part], out=output.gap[part])
    np.abs(output.gap[part], out=output.gap[part])
    if output.upper_frame is None:
        return
    for frame, along, bend in ((output.upper_frame, solved.upper_along, solved.upper_bend),
                               (output.lower_frame, solved.lower_along, solved.lower_bend)):
        for axis in range(3):
            frame[part, axis, 0], frame[part, axis, 1] = along[axis], bend[axis]
            frame[part, axis, 2] = solved.normal[axis]
