# SPDX-License-Identifier: GPL-3.0-or-later
"""The direction a limb bends in: across the root-target line, towards the pole or what stands in for it."""

from __future__ import annotations

from collections.abc import Sequence

from .arithmetic import Number, Operations
from .scale import HUGE, TINY, of_size_one
from .vector import Vector, cross, dot

ON_LINE = 1e-24
"""Square of the sine below which a pole counts as on the root-target line."""


def bend_direction(ops: Operations, line: Vector, line_square: Number,
                   candidates: Sequence[Vector]) -> tuple[Vector, Number]:
    """The part across `line` of the first candidate that has one, of any size, and its squared size.

    After the candidates comes the coordinate axis least aligned with the line.
    """
    candidate = candidates[0] if candidates else _least_aligned(ops, line)
    across, across_square = _across(line, candidate)
    # The least of all squares, against what is on the line for the largest of all: most batches need no look at each.
    longest = ops.greatest(line_square)
    if ops.least(across_square) > TINY + ON_LINE * ops.square_bound(*candidate) * (longest * longest):
        return across, across_square
    ops.out_of_range()
    square = dot(candidate, candidate)
    if not ops.within(TINY, square, HUGE):
        x, y, z = of_size_one(ops, *candidate)
        candidate = x, y, z
        across, across_square = _across(line, candidate)
        square = dot(candidate, candidate)
    undecided = across_square <= ON_LINE * square * (line_square * line_square)
    if candidates and ops.any(undecided):
        other, other_square = bend_direction(ops, line, line_square, candidates[1:])
        x, y, z = (ops.where(undecided, theirs, ours) for theirs, ours in zip(other, across))
        across, across_square = (x, y, z), ops.where(undecided, other_square, across_square)
    return across, across_square


def _across(line: Vector, candidate: Vector) -> tuple[Vector, Number]:
    """d² times the part of the candidate across the line, and its squared size.

    line × candidate loses digits where the two are nearly parallel, among them those that make it perpendicular to the
    line; the second product, with the line, makes that good.
    """
    across = cross(cross(line, candidate), line)
    return across, dot(across, across)


def unit(ops: Operations, across: Vector, square: Number) -> Vector:
    """A vector of this squared size made one of size one."""
    x, y, z = across
    size = ops.sqrt(square)
    x, y, z = rough = x / size, y / size, z / size
    step = 1.5 - 0.5 * dot(rough, rough)  # one of Newton's, since the frames inherit what is missing to one
    x *= step
    y *= step
    z *= step
    return x, y, z


def _least_aligned(ops: Operations, line: Vector) -> Vector:
    """The coordinate axis least aligned with the line; ties go to X, then Y, then Z."""
    x, y, z = (abs(component) for component in line)
    is_x = (x <= y) & (x <= z)
    is_y = (y < x) & (y <= z)
    return ops.where(is_x, 1.0, 0.0), ops.where(is_y, 1.0, 0.0), ops.where(is_x | is_y, 0.0, 1.0)
