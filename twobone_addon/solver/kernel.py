# SPDX-License-Identifier: GPL-3.0-or-later
"""A limb in space: the steps from root, target and pole to the joint, the end and the bones' frames.

Written once for floats and arrays, component by component: a live scene has a handful of limbs, for which numpy's call
overhead would cost more than the arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .arithmetic import Number, Operations, squared_norm
from .bend import bend_direction
from .bones import Bones
from .scale import HUGE, TINY, at_moderate_size
from .triangle import Triangle, lower_direction, solve_triangle, upper_direction
from .vector import Vector, combined, cross


class Pose(NamedTuple):
    """A solved limb: unit vectors along the root-target line, across it towards the bend, and along the upper bone.

    The triangle is that of `bones`, which are the given ones up to a power of two; distance and reach are the limb's own.
    """

    distance: Number
    reach: Number
    forward: Vector
    bend: Vector
    upper_along: Vector
    upper_cos: Number
    upper_sin: Number
    triangle: Triangle
    bones: Bones


class Frames(NamedTuple):
    """The other unit vectors of the bones' frames; the bones share the bend normal."""

    upper_bend: Vector
    lower_along: Vector
    lower_bend: Vector
    normal: Vector


def pose(ops: Operations, line: Vector, bones: Bones, candidates: Sequence[Vector],
         turn: tuple[Number, Number] | None = None, softness: Number | None = None) -> Pose:
    """Solve a limb whose target lies at `line` from its root.

    candidates: directions to bend in, see `bend_direction`. turn: (cos, sin) of the pole angle.
    """
    square = squared_norm(*line)
    if ops.within(TINY, square[0], HUGE) and ops.within(TINY, bones.far[0], HUGE):
        triangle = solve_triangle(ops, bones, square, softness)
        distance, reach = triangle.distance, triangle.reach
        divisor = distance
    else:
        line, bones, line_unit, unit = at_moderate_size(ops, line, bones)
        triangle = solve_triangle(ops, bones, squared_norm(*line), softness)
        at_root = triangle.distance == 0.0
        line = ops.where(at_root, 1.0, line[0]), line[1], line[2]
        divisor = ops.where(at_root, 1.0, triangle.distance)
        distance = ops.ldexp(triangle.distance, line_unit)
        reach = ops.where(triangle.reach == triangle.distance, distance, ops.ldexp(triangle.reach, unit))
    x, y, z = line
    forward = x / divisor, y / divisor, z / divisor
    bend = bend_direction(ops, forward, candidates)
    if turn is not None:
        cos, sin = turn
        bend = combined(cos, bend, sin, cross(forward, bend))
    upper_cos, upper_sin = upper_direction(ops, bones, triangle)
    upper_along = combined(upper_cos, forward, upper_sin, bend)
    return Pose(distance, reach, forward, bend, upper_along, upper_cos, upper_sin, triangle, bones)


def frames_of(ops: Operations, solved: Pose) -> Frames:
    """What `pose` leaves out where only positions are asked for."""
    forward, bend = solved.forward, solved.bend
    lower_cos, lower_sin = lower_direction(ops, solved.bones, solved.triangle)
    return Frames(upper_bend=combined(solved.upper_cos, bend, -solved.upper_sin, forward),
                  lower_along=combined(lower_cos, forward, -lower_sin, bend),
                  lower_bend=combined(lower_cos, bend, lower_sin, forward),
                  normal=cross(forward, bend))
