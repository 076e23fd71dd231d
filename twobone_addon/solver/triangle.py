# SPDX-License-Identifier: GPL-3.0-or-later
"""The triangle root, joint, end: bones and a squared distance in, the reach and the bones' directions out."""

from __future__ import annotations

from typing import NamedTuple

from .arithmetic import Number, Operations, Pair
from .bones import Bones, excesses
from .scale import HUGE, TINY, of_size_one
from .soft_zone import shortened


class Triangle(NamedTuple):
    """Distance d, reach r, r² before it is clamped, and height √(FG): 2r times the joint's distance from the line."""

    distance: Number
    reach: Number
    square: Pair
    height: Number


def solve_triangle(ops: Operations, bones: Bones, square: Pair, softness: Number | None = None) -> Triangle:
    """Clamp, or soften, a squared distance. Past a limit FG is negative and the height 0."""
    distance = reach = ops.sqrt(square[0] + square[1])
    if softness is not None or bones.flexion is not None:
        square = shortened(ops, bones, square, distance, 0.0 if softness is None else softness)
        reach = ops.sqrt(ops.maximum(square[0] + square[1], 0.0))
    far, near = excesses(bones, square)
    return Triangle(distance, ops.minimum(ops.maximum(reach, bones.limits.reach_min), bones.limits.reach_max), square,
                    ops.sqrt(ops.maximum(far * near, 0.0)))


def upper_direction(ops: Operations, bones: Bones, triangle: Triangle) -> tuple[Number, Number]:
    """(cos, sin) of the upper bone against the root-target line: 2ra cos = r² + a² - b², the law of cosines."""
    (high, low), (skew, skew_low) = triangle.square, bones.skew
    side = high + skew
    side += low + skew_low
    return _direction(ops, bones.upper, side, triangle.height)


def lower_direction(ops: Operations, bones: Bones, triangle: Triangle) -> tuple[Number, Number]:
    """(cos, sin) of the lower bone against the root-target line: 2rb cos = r² - a² + b², the law of cosines."""
    (high, low), (skew, skew_low) = triangle.square, bones.skew
    side = high - skew
    side += low - skew_low
    return _direction(ops, bones.lower, side, triangle.height)


def _direction(ops: Operations, bone: Number, side: Number, height: Number) -> tuple[Number, Number]:
    """(side, height) made a unit vector.

    A bone of length zero points along the line; with the target at the root bones of equal length stand across it.
    """
    square = side * side
    square += height * height
    if not ops.within(TINY, square, HUGE):
        side, height = of_size_one(ops, side, height)
        height = ops.where((side == 0.0) & (height == 0.0), 1.0, height)
        square = side * side + height * height
    size = ops.sqrt(square)
    cos, sin = side / size, height / size
    pointless = bone == 0.0
    if ops.any(pointless):
        cos, sin = ops.where(pointless, 1.0, cos), ops.where(pointless, 0.0, sin)
    return cos, sin
