# SPDX-License-Identifier: GPL-3.0-or-later
"""The direction a limb bends in: across the root-target line, towards the pole or what stands in for it."""

from __future__ import annotations

from collections.abc import Sequence

from .arithmetic import Operations
from .scale import HUGE, TINY, of_size_one
from .vector import Vector, cross, dot

ON_LINE = 1e-24
"""Square of the sine below which a pole counts as on the root-target line."""


def bend_direction(ops: Operations, forward: Vector, candidates: Sequence[Vector]) -> Vector:
    """The part across `forward` of the first candidate that has one, scaled to size one.

    After the candidates comes the coordinate axis least aligned with the line.
    """
    candidate, rest = (candidates[0], candidates[1:]) if candidates else (_least_aligned(ops, forward), None)
    # forward × candidate loses digits where the two are nearly parallel, among them those that make it perpendicular
    # to the line; the second product, with the line, makes that good.
    across = cross(cross(forward, candidate), forward)
    across_square, square = dot(across, across), dot(candidate, candidate)
    if not ops.within(TINY, square, HUGE):
        x, y, z = of_size_one(ops, *candidate)
        candidate = x, y, z
        across = cross(cross(forward, candidate), forward)
        across_square, square = dot(across, across), dot(candidate, candidate)
    undecided = across_square <= ON_LINE * square
    if rest is not None and ops.any(undecided):
        other = bend_direction(ops, forward, rest)
        x, y, z = (ops.where(undecided, theirs, ours) for theirs, ours in zip(other, across))
        across, across_square = (x, y, z), ops.where(undecided, 1.0, across_square)
    x, y, z = across
    size = ops.sqrt(across_square)
    x, y, z = x / size, y / size, z / size
    step = 1.5 - 0.5 * dot((x, y, z), (x, y, z))  # one of Newton's, since the frames inherit what is missing to one
    x *= step
    y *= step
    z *= step
    return x, y, z


def _least_aligned(ops: Operations, forward: Vector) -> Vector:
    """The coordinate axis least aligned with the line; ties go to X, then Y, then Z."""
    x, y, z = (abs(component) for component in forward)
    is_x = (x <= y) & (x <= z)
    is_y = (y < x) & (y <= z)
    return ops.where(is_x, 1.0, 0.0), ops.where(is_y, 1.0, 0.0), ops.where(is_x | is_y, 0.0, 1.0)
