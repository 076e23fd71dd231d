# SPDX-License-Identifier: GPL-3.0-or-later
"""One limb in space, or many at once: the steps from root, target and pole to joint, end and bone frames.

Written once for Python floats and numpy arrays (see `triangle.Operations`), component by component: a live scene has
a handful of limbs, for which numpy's call overhead would cost more than the arithmetic.
"""

from __future__ import annotations

from typing import NamedTuple

from .arithmetic import Number, squared_norm
from .triangle import BATCH, FREE, Lengths, Limits, Operations, Reach, reach_triangle

Vector = tuple[Number, Number, Number]

ON_LINE = 1e-24
"""Square of the sine below which a pole counts as on the root-target line."""


AT_ROOT = 1e-145
"""Distance below which a target counts as at the root: its square has too few digits left to give a direction."""


class Posed(NamedTuple):
    """What the kernel returns; vectors are relative to the root, `end` only counts where the target is not reached."""

    joint: Vector
    end: Vector
    distance: Number
    triangle: Reach
    upper_along: Vector
    upper_bend: Vector
    lower_along: Vector
    lower_bend: Vector
    normal: Vector


def pose(ops: Operations, line: Vector, pole: Vector | None, lengths: Lengths, *, turn: tuple[Number, Number] | None = None,
         fallback: Vector | None = None, limits: Limits = FREE, softness: Number | None = None) -> Posed:
    """Solve a limb whose target lies at `line` and whose pole at `pole`, both from the root.

    turn: (cos, sin) of the pole angle. fallback: bend direction where the pole is missing or on the line.
    """
    x, y, z = line
    high, low = squared_norm(x, y, z)
    distance = ops.sqrt(high + low)
    at_root = distance < AT_ROOT
    high, low = ops.where(at_root, 0.0, high), ops.where(at_root, 0.0, low)
    safe = ops.where(at_root, 1.0, distance)
    forward = (ops.where(at_root, 1.0, x / safe), ops.where(at_root, 0.0, y / safe), ops.where(at_root, 0.0, z / safe))
    triangle = reach_triangle(ops, lengths, high, low, limits, softness)
    bend = _bend_direction(ops, forward, pole, fallback)
    if turn is not None:
        cos, sin = turn
        across = _cross(forward, bend)
        bend = _unit(ops, _perpendicular(forward, _combine(cos, bend, sin, across)))
    upper_along = _combine(triangle.upper_cos, forward, triangle.upper_sin, bend)
    lower_along = _combine(triangle.lower_cos, forward, -triangle.lower_sin, bend)
    return Posed(
        joint=_scaled(upper_along, lengths.upper), end=_scaled(forward, triangle.reach), distance=distance,
        triangle=triangle, upper_along=upper_along,
        upper_bend=_combine(triangle.upper_cos, bend, -triangle.upper_sin, forward),
        lower_along=lower_along,
        lower_bend=_combine(triangle.lower_cos, bend, triangle.lower_sin, forward),
        normal=_cross(forward, bend))


def _bend_direction(ops: Operations, forward: Vector, pole: Vector | None, fallback: Vector | None) -> Vector:
    """Unit direction across the line: towards the pole, else the fallback, else the axis least aligned with the line."""
    if ops is BATCH:
        bend, undecided = _towards(ops, forward, pole) if pole is not None else (None, None)
        for candidate in (fallback, None):
            if bend is not None and not undecided.any():
                break
            other, open_still = _towards(ops, forward, candidate or _least_aligned(ops, forward))
            bend = other if bend is None else tuple(ops.where(undecided, b, a) for a, b in zip(bend, other, strict=True))
            undecided = open_still if undecided is None else undecided & open_still
        return bend
    for candidate in (pole, fallback):
        if candidate is not None:
            bend, undecided = _towards(ops, forward, candidate)
            if not undecided:
                return bend
    return _towards(ops, forward, _least_aligned(ops, forward))[0]


def _towards(ops: Operations, forward: Vector, direction: Vector) -> tuple[Vector, Number]:
    """The unit part of `direction` across the line, and whether it has none to speak of.

    forward × direction loses digits where the two are nearly parallel, among them its own perpendicularity; the second
    product, with the line, makes that good.
    """
    normal = _cross(forward, direction)
    undecided = _dot(normal, normal) <= ON_LINE * _dot(direction, direction)
    across = _cross(normal, forward)
    size = ops.sqrt(ops.where(undecided, 1.0, _dot(across, across)))
    return (across[0] / size, across[1] / size, across[2] / size), undecided


def _least_aligned(ops: Operations, forward: Vector) -> Vector:
    """The coordinate axis least aligned with the line; ties go to X, then Y, then Z."""
    x, y, z = abs(forward[0]), abs(forward[1]), abs(forward[2])
    first = (x <= y) & (x <= z)
    second = (y <= z) & (y < x)
    return (ops.where(first, 1.0, 0.0), ops.where(second, 1.0, 0.0), ops.where(first | second, 0.0, 1.0))


def _perpendicular(forward: Vector, vector: Vector) -> Vector:
    along = _dot(forward, vector)
    return (vector[0] - along * forward[0], vector[1] - along * forward[1], vector[2] - along * forward[2])


def _unit(ops: Operations, vector: Vector) -> Vector:
    size = ops.sqrt(_dot(vector, vector))
    return (vector[0] / size, vector[1] / size, vector[2] / size)


def _cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _dot(a: Vector, b: Vector) -> Number:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _combine(p: Number, a: Vector, q: Number, b: Vector) -> Vector:
    return (p * a[0] + q * b[0], p * a[1] + q * b[1], p * a[2] + q * b[2])


def _scaled(a: Vector, p: Number) -> Vector:
    return (p * a[0], p * a[1], p * a[2])
