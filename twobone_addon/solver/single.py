# SPDX-License-Identifier: GPL-3.0-or-later
"""A few limbs, one after the other, on Python floats."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import repeat
from typing import Any

import numpy as np

from .arithmetic import SCALAR, Number, Operations
from .bones import Bones, Flexion, bones_of, flexion_of
from .inputs import Inputs
from .kernel import frames_of, pose
from .solution import Solution, State
from .traced import straightened
from .vector import Vector, between

REACHABLE = np.array([state in (State.REACHED, State.SOFTENED) for state in State])

PLACES, FRAMES = 10, 18
"""How many numbers tell a limb's place and state, and how many its bones' frames."""

VECTOR = 0.0, 0.0, 0.0


def limb(ops: Operations, root: Vector, target: Vector, pole: Vector | None, fallback: Vector | None, bones: Bones,
         turn: tuple[Number, Number] | None, softness: Number | None, frames: bool = True) -> tuple[Number, ...]:
    """A solved limb as numbers, in the order of `_solution`."""
    candidates = [] if pole is None else [between(root, pole)]
    if fallback is not None:
        candidates.append(fallback)
    solved = pose(ops, between(root, target), bones, candidates, turn, softness)
    distance, reach = solved.distance, solved.reach
    limits = bones.limits
    is_reached = reach == distance
    share = reach / solved.triangle.distance
    x, y, z = (ops.where(is_reached, end, start + share * line) for start, end, line in zip(root, target, solved.line))
    missed = ops.where(distance > limits.reach_max, float(State.TOO_FAR),
                       ops.where(distance < limits.reach_min, float(State.TOO_CLOSE), float(State.SOFTENED)))
    jx, jy, jz = solved.joint
    places = (root[0] + jx, root[1] + jy, root[2] + jz, x, y, z, reach, distance, abs(distance - reach),
              ops.where(is_reached, float(State.REACHED), missed))
    if not frames:
        return places
    (ax, ay, az), (bx, by, bz), (cx, cy, cz), (dx, dy, dz), (nx, ny, nz) = frames_of(ops, solved)
    return *places, ax, bx, nx, ay, by, ny, az, bz, nz, cx, dx, nx, cy, dy, ny, cz, dz, nz


def solve_few(inputs: Inputs, frames: bool) -> Solution:
    """Solve limb by limb."""
    none = repeat(None)
    root, target, pole, fallback = (_vectors(inputs, name) for name in ("root", "target", "pole", "fallback"))
    angle, softness = _numbers(inputs, "pole_angle"), _numbers(inputs, "softness")
    bones = list(map(bones_within, *(_numbers(inputs, name) for name in ("upper", "lower", "bend_min", "bend_max"))))
    turned, softened = any(angle), any(softness)
    is_plain = None not in bones and fallback is None
    if not (is_plain and (not turned or all(map(math.isfinite, angle)))
            and (not softened or 0.0 <= min(softness) <= max(softness) < 1.0)):
        inputs.check_all_but_places()
    straight = _straight(frames, pole is not None, fallback is not None and pole is None, softened, turned,
                         inputs.array("bend_min") is not None or inputs.array("bend_max") is not None)
    turns = zip(np.cos(angle).tolist(), np.sin(angle).tolist()) if turned else none
    carefully = partial(limb, SCALAR, frames=frames)
    table: list[float] = []
    for row in zip(root, target, pole or none, fallback or none, bones, turns, softness if softened else none):
        solved = straight(*row)
        if solved is None:
            inputs.check_places()
            solved = carefully(*row)
        table += solved
    return _solution(inputs.shape, table, PLACES + FRAMES * frames)


def _vectors(inputs: Inputs, name: str) -> list[Any] | None:
    vectors = inputs.vectors(name)
    return None if vectors is None else vectors.tolist()


def _numbers(inputs: Inputs, name: str) -> list[Any]:
    numbers = inputs.numbers(name)
    return numbers.tolist() if isinstance(numbers, np.ndarray) else [numbers] * inputs.count


@lru_cache(maxsize=4096)
def bones_within(upper: float, lower: float, least: float | None, greatest: float | None) -> Bones | None:
    """What two lengths contribute where the joint keeps to two flexions, None for what is refused.

    Cached, since limbs keep their lengths from frame to frame.
    """
    low, high = 0.0 if least is None else least, math.pi if greatest is None else greatest
    if not (0.0 <= upper < math.inf and 0.0 <= lower < math.inf and upper + lower > 0.0 and 0.0 <= low <= high <= math.pi):
        return None
    flexion = flexion_of(least, greatest)
    return bones_of(SCALAR, upper, lower, flexion and Flexion(float(flexion.far), float(flexion.near)))


@lru_cache
def _straight(frames: bool, has_pole: bool, has_fallback: bool, is_softened: bool, is_turned: bool,
              is_limited: bool) -> Callable[..., tuple[float, ...] | None]:
    """`limb` for two bones each, compiled for inputs of one kind."""
    limits = (1.0, 2.0) if is_limited else (None, None)
    return straightened(partial(limb, frames=frames), VECTOR, VECTOR, VECTOR if has_pole else None,
                        VECTOR if has_fallback else None, bones_within(2.0, 1.0, *limits), (1.0, 0.0) if is_turned else None,
                        0.5 if is_softened else None)


def _solution(shape: tuple[int, ...], table: Sequence[float], width: int) -> Solution:
    numbers = np.fromiter(table, float, len(table)).reshape(*shape, width)
    state = numbers[..., 9].astype(np.int8)
    frames = numbers[..., PLACES:].reshape(*shape, 2, 3, 3) if width > PLACES else None
    return Solution(
        joint=numbers[..., 0:3], end=numbers[..., 3:6], reach=numbers[..., 6], distance=numbers[..., 7],
        gap=numbers[..., 8], state=state, reachable=REACHABLE[state],
        upper_frame=None if frames is None else frames[..., 0, :, :],
        lower_frame=None if frames is None else frames[..., 1, :, :])
