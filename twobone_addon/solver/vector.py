# SPDX-License-Identifier: GPL-3.0-or-later
"""Vectors as tuples of three components, each a float or an array.

Sums are taken in place, into the first product: for arrays that halves the memory that is touched.
"""

from __future__ import annotations

from .arithmetic import Number

Vector = tuple[Number, Number, Number]


def between(start: Vector, stop: Vector) -> Vector:
    """stop - start."""
    return stop[0] - start[0], stop[1] - start[1], stop[2] - start[2]


def cross(a: Vector, b: Vector) -> Vector:
    """a × b."""
    ax, ay, az = a
    bx, by, bz = b
    x = ay * bz
    x -= az * by
    y = az * bx
    y -= ax * bz
    z = ax * by
    z -= ay * bx
    return x, y, z


def dot(a: Vector, b: Vector) -> Number:
    """a · b."""
    total = a[0] * b[0]
    total += a[1] * b[1]
    total += a[2] * b[2]
    return total


def combined(p: Number, a: Vector, q: Number, b: Vector) -> Vector:
    """p a + q b."""
    x = p * a[0]
    x += q * b[0]
    y = p * a[1]
    y += q * b[1]
    z = p * a[2]
    z += q * b[2]
    return x, y, z
