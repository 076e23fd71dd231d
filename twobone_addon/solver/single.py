# SPDX-License-Identifier: GPL-3.0-or-later
"""A few limbs, one after the other, on Python floats."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, repeat
from typing import Any

import numpy as np

from .arithmetic import SCALAR
from .bones import Bones, Flexion, bones_of, flexion_of
from .inputs import VECTORS, Inputs
from .kernel import frames_of, pose
from .solution import Solution, State

NUMBERS = ("upper", "lower", "pole_angle", "softness", "bend_min", "bend_max")
TURN = len(VECTORS) + NUMBERS.index("pole_angle")

REACHABLE = np.array([state in (State.REACHED, State.SOFTENED) for state in State])


def solve_few(inputs: Inputs, frames: bool) -> Solution:
    """Solve limb by limb."""
    table: list[float] = []
    states: list[State] = []
    for root, target, pole, fallback, upper, lower, turn, softness, least, greatest in _limbs(inputs):
        x, y, z = root
        tx, ty, tz = target
        bones = _bones(upper, lower, least, greatest)
        candidates = [] if pole is None else [(pole[0] - x, pole[1] - y, pole[2] - z)]
        if fallback is not None:
            candidates.append(fallback)
        solved = pose(SCALAR, (tx - x, ty - y, tz - z), bones, candidates, turn, softness or None)
        distance, reach = solved.distance, solved.reach
        jx, jy, jz = solved.joint
        table += x + jx, y + jy, z + jz
        if reach == distance:
            states.append(State.REACHED)
            table += target
        else:
            states.append(State.TOO_FAR if distance > bones.limits.reach_max else
                          State.TOO_CLOSE if distance < bones.limits.reach_min else State.SOFTENED)
            fx, fy, fz = solved.line
            share = reach / solved.triangle.distance
            table += x + share * fx, y + share * fy, z + share * fz
        table += reach, distance, abs(distance - reach)
        if frames:
            (ax, ay, az), (bx, by, bz), (cx, cy, cz), (dx, dy, dz), (nx, ny, nz) = frames_of(SCALAR, solved)
            table += ax, bx, nx, ay, by, ny, az, bz, nz, cx, dx, nx, cy, dy, ny, cz, dz, nz
    return _solution(inputs.shape, table, states, frames)


def _limbs(inputs: Inputs) -> Iterable[tuple[Any, ...]]:
    """The inputs of each limb in the order of VECTORS and NUMBERS, vectors as lists, the pole angle as (cos, sin) or None.

    All are checked before the first is handed out.
    """
    columns: list[Any] = []
    total = 0.0
    for name in VECTORS:
        vectors = inputs.vectors(name)
        column: Any = repeat(None)
        if vectors is not None:
            column = vectors.tolist()
            total += sum(chain.from_iterable(column))
        columns.append(column)
    for name in NUMBERS:
        numbers = inputs.numbers(name)
        column = numbers.tolist() if isinstance(numbers, np.ndarray) else [numbers] * inputs.count
        if numbers is not None:
            total += sum(column)
        columns.append(column)
    # In a few comparisons of floats what `check` would take longest over; a total is not finite where a term is not.
    upper, lower, angle, softness, least, greatest = columns[len(VECTORS):]
    if inputs.count and not (math.isfinite(total) and min(upper) >= 0.0 and min(lower) >= 0.0
                             and max(min(upper), min(lower)) > 0.0 and min(softness) >= 0.0 and max(softness) < 1.0
                             and least[0] is None and greatest[0] is None):
        inputs.check()
    columns[TURN] = zip(np.cos(angle).tolist(), np.sin(angle).tolist()) if any(angle) else repeat(None)
    return zip(*columns)


@lru_cache(maxsize=4096)
def _bones(upper: float, lower: float, least: float | None, greatest: float | None) -> Bones:
    """Cached, since limbs keep their lengths from frame to frame."""
    flexion = flexion_of(least, greatest)
    return bones_of(SCALAR, upper, lower, flexion and Flexion(float(flexion.far), float(flexion.near)))


def _solution(shape: tuple[int, ...], table: list[float], states: list[State], frames: bool) -> Solution:
    numbers = np.array(table).reshape(*shape, 27 if frames else 9)
    state = np.array(states, dtype=np.int8).reshape(shape)
    return Solution(
        joint=numbers[..., 0:3], end=numbers[..., 3:6],
        reach=numbers[..., 6], distance=numbers[..., 7], gap=numbers[..., 8], state=state, reachable=REACHABLE[state],
        upper_frame=numbers[..., 9:18].reshape(*shape, 3, 3) if frames else None,
        lower_frame=numbers[..., 18:27].reshape(*shape, 3, 3) if frames else None)
