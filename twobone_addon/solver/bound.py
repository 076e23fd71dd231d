# SPDX-License-Identifier: GPL-3.0-or-later
"""Few limbs whose bones are bound to the solver's frames: from what is asked to the bones' rotations, on Python floats.

What `solve` and a product of matrices do on arrays, without the arrays that a handful of limbs would wait for: a third of the
time, the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from .arithmetic import Number, Operations
from .bones import Bones
from .kernel import frames_of, pose
from .single import bones_within
from .traced import straightened
from .vector import Vector, between, dot

ROOT, TARGET, POLE = slice(0, 3), slice(3, 6), slice(6, 9)
UPPER, LOWER, POLE_ANGLE, SOFTNESS, BEND_MIN, BEND_MAX = range(9, 15)
FALLBACK, UPPER_BASIS, LOWER_BASIS = slice(15, 18), slice(18, 27), slice(27, 36)
"""Where the inputs of a limb stand in a row of WIDTH numbers, by the names that `solve` has for them. The bases' columns
are the solver's frames in the bones' axes; their numbers stand row by row."""

WIDTH = 36


def rotations(rows: Sequence[Sequence[float]]) -> list[float] | None:
    """18 numbers for each limb, row by row those of the upper bone's rotation, then those of the lower's.

    None where one of them is out of the ordinary: not finite, of extreme size, its pole on the line. Flexions are taken for
    limits where they are neither 0 nor pi at least.
    """
    found: list[float] = []
    for row in rows:
        angle, softness, least, greatest = row[POLE_ANGLE:BEND_MAX + 1]
        limits = (least, greatest) if least > 0.0 or greatest < math.pi else (None, None)
        bones, turn = bones_within(row[UPPER], row[LOWER], *limits), _turn(angle)
        if bones is None or turn is None or not 0.0 <= softness < 1.0:
            return None
        turned = _straight(softness > 0.0, angle != 0.0, limits[0] is not None)(row, bones, turn)
        if turned is None:
            return None
        found += turned
    return found


def _rotations(ops: Operations, row: Any, bones: Bones, turn: tuple[Number, Number] | None) -> tuple[Number, ...]:
    solved = pose(ops, between(row[ROOT], row[TARGET]), bones, [between(row[ROOT], row[POLE])], turn, row[SOFTNESS])
    frames = frames_of(ops, solved)
    return (*_bound(frames.upper_along, frames.upper_bend, frames.normal, row[UPPER_BASIS]),
            *_bound(frames.lower_along, frames.lower_bend, frames.normal, row[LOWER_BASIS]))


def _bound(along: Vector, bend: Vector, normal: Vector, basis: Any) -> tuple[Number, ...]:
    """The frame with these columns, times the transpose of the basis."""
    return tuple(dot(line, basis[first:first + 3]) for line in zip(along, bend, normal) for first in (0, 3, 6))


@lru_cache(maxsize=4096)
def _turn(angle: float) -> tuple[float, float] | None:
    """(cos, sin) as numpy has them, None for what is no angle."""
    return (float(np.cos(angle)), float(np.sin(angle))) if math.isfinite(angle) else None


@lru_cache
def _straight(is_softened: bool, is_turned: bool, is_limited: bool) -> Callable[..., tuple[float, ...] | None]:
    """`_rotations`, compiled for limbs of one kind; the lengths and the flexions of a row come with its bones."""
    row = tuple(place if used else None for place, used in enumerate(
        [True] * UPPER + [False] * 3 + [is_softened] + [False] * 5 + [True] * 18))
    bones = bones_within(2.0, 1.0, *((1.0, 2.0) if is_limited else (None, None)))
    return straightened(_rotations, row, bones, (1.0, 0.0) if is_turned else None)
