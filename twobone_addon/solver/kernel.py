# SPDX-License-Identifier: GPL-3.0-or-later
"""A limb in space: the steps from root, target and pole to the joint, the end and the bones' frames.

Written once for floats and arrays, component by component: a live scene has a handful of limbs, for which numpy's call
overhead would cost more than the arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .arithmetic import Number, Operations, squared_norm
from .bend import bend_direction, unit
from .bones import Bones
from .scale import HUGE, TINY, at_moderate_size
from .triangle import Triangle, bone_directions, joint_shares, solve_triangle
from .vector import Vector, combined, cross, dot


class Pose(NamedTuple):
    """A solved limb: the joint's offset from the root, the line to the target and a vector across it towards the bend.

    The triangle, line and across are at the size of `bones`, which are the given ones up to a power of two; the offset,
    distance and reach are the limb's own.
    """

    distance: Number
    reach: Number
    joint: Vector
    line: Vector
    across: Vector
    across_square: Number
    triangle: Triangle
    bones: Bones


class Frames(NamedTuple):
    """The unit vectors of the bones' frames; the bones share the bend normal."""

    upper_along: Vector
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
    rescaled = not (ops.within(TINY, square[0], HUGE) and ops.within(TINY, bones.far[0], HUGE))
    if rescaled:
        ops.out_of_range()
        line, bones, line_unit, bones_unit, at_root = at_moderate_size(ops, line, bones)
        square = squared_norm(*line)
    triangle = solve_triangle(ops, bones, square, softness)
    distance, reach = triangle.distance, triangle.reach
    across, across_square = bend_direction(ops, line, square[0], candidates)
    if turn is not None:
        cos, sin = turn
        across = combined(cos, across, sin / distance, cross(line, across))
        across_square = dot(across, across)
    p, q = joint_shares(ops, bones, triangle, across_square)
    joint = combined(p, line, q, across)
    if rescaled:
        distance = ops.where(at_root, 0.0, ops.ldexp(triangle.distance, line_unit))
        reach = ops.where(triangle.reach == triangle.distance, distance, ops.ldexp(triangle.reach, bones_unit))
        x, y, z = joint
        joint = ops.ldexp(x, bones_unit), ops.ldexp(y, bones_unit), ops.ldexp(z, bones_unit)
    return Pose(distance, reach, joint, line, across, across_square, triangle, bones)


def frames_of(ops: Operations, solved: Pose) -> Frames:
    """What `pose` leaves out where only positions are asked for."""
    x, y, z = solved.line
    forward = x / solved.triangle.distance, y / solved.triangle.distance, z / solved.triangle.distance
    bend = unit(ops, solved.across, solved.across_square)
    upper_cos, upper_sin, lower_cos, lower_sin = bone_directions(ops, solved.bones, solved.triangle)
    return Frames(combined(upper_cos, forward, upper_sin, bend), combined(upper_cos, bend, -upper_sin, forward),
                  combined(lower_cos, forward, -lower_sin, bend), combined(lower_cos, bend, lower_sin, forward),
                  cross(forward, bend))
