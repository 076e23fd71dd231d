# SPDX-License-Identifier: GPL-3.0-or-later
"""The triangle root, joint, end: bones and a squared distance in, the reach and the bones' directions out."""

from __future__ import annotations

from typing import NamedTuple

from .arithmetic import Number, Operations, Pair
from .bones import Bones, excesses
from .soft_zone import shortened


class Triangle(NamedTuple):
    """Distance and reach d and r, sides 2r times the bones' projections on the root-target line, height √(FG).

    Past a limit the sides are left as they come, past what a bone allows, and the height is 0; see `direction`.
    """

    distance: Number
    reach: Number
    upper_side: Number
    lower_side: Number
    height: Number


def solve_triangle(ops: Operations, bones: Bones, square: Pair, softness: Number | None = None) -> Triangle:
    """Clamp or soften a squared distance and solve the triangle by the law of cosines.

    2r·a·cos = r² + a² - b² and 2r·a·sin = √(FG), for the lower bone with a and b exchanged.
    """
    distance = reach = ops.sqrt(square[0] + square[1])
    if softness is not None or bones.flexion is not None:
        square = shortened(ops, bones, square, distance, 0.0 if softness is None else softness)
        reach = ops.sqrt(square[0] + square[1])
    far, near = excesses(bones, square)
    (high, low), (skew, skew_low) = square, bones.skew
    upper_side, lower_side = high + skew, high - skew
    upper_side += low + skew_low
    lower_side += low - skew_low
    far *= near
    return Triangle(
        distance, ops.minimum(ops.maximum(reach, bones.limits.reach_min), bones.limits.reach_max),
        upper_side, lower_side, height=ops.sqrt(ops.maximum(far, 0.0)))


def direction(ops: Operations, bone: Number, side: Number, height: Number, folded: Number,
              straight: Number) -> tuple[Number, Number]:
    """(cos, sin) of a bone against the root-target line, its side kept between those of the folded and straight limb.

    A bone of length zero points along the line; with the target at the root bones of equal length stand across it.
    """
    side = ops.minimum(ops.maximum(side, folded), straight)
    size = side * side
    size += height * height
    size = ops.sqrt(size)
    nowhere = size == 0.0
    if ops.any(nowhere):
        point = bone == 0.0
        side = ops.where(nowhere, ops.where(point, 1.0, 0.0), side)
        height = ops.where(nowhere, ops.where(point, 0.0, 1.0), height)
        size = ops.where(nowhere, 1.0, size)
    return side / size, height / size
