# SPDX-License-Identifier: GPL-3.0-or-later
"""The triangle root, joint, end: bones and a squared distance in, the reach and the bones' directions out."""

from __future__ import annotations

from typing import NamedTuple

from .arithmetic import Number, Operations, Pair
from .bones import Bones, excesses
from .scale import HUGE, TINY, of_size_one
from .soft_zone import shortened


class Triangle(NamedTuple):
    """Distance d, reach, the triangle's side r, which is the reach but for rounding, and r², G and FG; FG is 0 past a limit.

    r², and with it G, are left as they are past the limits of a free joint.
    """

    distance: Number
    reach: Number
    side: Number
    square: Number
    near_excess: Number
    heron: Number


def solve_triangle(ops: Operations, bones: Bones, square: Pair, softness: Number | None = None) -> Triangle:
    """Clamp, or soften, a squared distance. Past a limit FG is negative."""
    rounded = square[0] + square[1]
    distance = reach = ops.sqrt(rounded)
    if softness is not None or bones.flexion is not None:
        square = shortened(ops, bones, square, distance, 0.0 if softness is None else softness)
        rounded = ops.maximum(square[0] + square[1], 0.0)
        reach = ops.sqrt(rounded)
    side, reach = reach, ops.minimum(ops.maximum(reach, bones.limits.reach_min), bones.limits.reach_max)
    if bones.flexion is None:
        side = reach
    far, near = excesses(bones, square)
    far *= near
    return Triangle(distance, reach, side, rounded, near, ops.maximum(far, 0.0))


def joint_shares(ops: Operations, bones: Bones, triangle: Triangle, across_square: Number) -> tuple[Number, Number]:
    """(p, q): the joint is p times the line and q times a vector across it, of this squared size, away from the root.

    2pd = r + (a² - b²)/r by the law of cosines, which makes pd = ±a at the limits, and 2qr|across| = √(FG) by Heron's
    formula.
    """
    p = bones.skew / triangle.side
    p += triangle.side
    p /= triangle.distance
    p *= 0.5
    q = across_square * triangle.square
    q = ops.sqrt(triangle.heron / q)
    q *= 0.5
    return p, q


def bone_directions(ops: Operations, bones: Bones, triangle: Triangle) -> tuple[Number, Number, Number, Number]:
    """(cos, sin) of the upper bone's angle with the root-target line and (cos, sin) of the lower's, on the other side.

    2ra cos = G + 2a(a - b) and 2rb cos = G - 2b(a - b), which is the law of cosines with few digits lost however short
    a bone is; both 2ra sin and 2rb sin are √(FG).
    """
    height = ops.sqrt(triangle.heron)
    twice = 2.0 * bones.difference
    upper = triangle.near_excess + twice * bones.upper
    lower = triangle.near_excess - twice * bones.lower
    upper_cos, upper_sin = _direction(ops, upper, height)
    lower_cos, lower_sin = _direction(ops, lower, height)
    if not bones.have_length:
        upper_cos, upper_sin = _along_line(ops, bones.upper == 0.0, upper_cos, upper_sin)
        lower_cos, lower_sin = _along_line(ops, bones.lower == 0.0, lower_cos, lower_sin)
    return upper_cos, upper_sin, lower_cos, lower_sin


def _along_line(ops: Operations, pointless: Number, cos: Number, sin: Number) -> tuple[Number, Number]:
    """What a bone of length zero has for a direction."""
    return ops.where(pointless, 1.0, cos), ops.where(pointless, 0.0, sin)


def _direction(ops: Operations, side: Number, height: Number) -> tuple[Number, Number]:
    """(side, height) made a unit vector; with the target at the root bones of equal length stand across the line."""
    square = side * side
    square += height * height
    if not ops.within(TINY, square, HUGE):
        side, height = of_size_one(ops, side, height)
        height = ops.where((side == 0.0) & (height == 0.0), 1.0, height)
        square = side * side + height * height
    size = ops.sqrt(square)
    cos, sin = side / size, height / size
    return cos, sin
