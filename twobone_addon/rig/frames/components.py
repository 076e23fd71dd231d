# SPDX-License-Identifier: GPL-3.0-or-later
"""Vectors (3, ...) and matrices (3, 3, ...) with their own axes first, for as many of them as the trailing axes hold.

Numpy is ten times as quick with long axes last as with thousands of small matrices. Arrays only, no bpy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

IDENTITY = np.eye(3)


def first(values: Array, axes: int) -> Array:
    """The last `axes` axes of `values` moved to the front, in memory too."""
    order = (*range(values.ndim - axes, values.ndim), *range(values.ndim - axes))
    return np.ascontiguousarray(values.transpose(order))


def last(values: Array, axes: int) -> Array:
    """The first `axes` axes of `values` moved to the end."""
    return values.transpose((*range(axes, values.ndim), *range(axes)))


def different(values: Array) -> Array:
    """The frames of `values` (F, ...), or the first alone where one memory stands for all."""
    return values[:1] if values.strides[0] == 0 else values


def product(a: Array, b: Array) -> Array:
    """a @ b."""
    return np.einsum('ij...,jk...->ik...', a, b)


def applied(matrix: Array, vector: Array) -> Array:
    """matrix @ vector."""
    return np.einsum('ij...,j...->i...', matrix, vector)


def transposed(matrix: Array) -> Array:
    """The inverse of rotations."""
    return matrix.swapaxes(0, 1)


def cross(a: Array, b: Array, out: Array | None = None) -> Array:
    """a x b, put into `out` where that is given."""
    found = np.empty(np.broadcast_shapes(a.shape, b.shape)) if out is None else out
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        np.multiply(a[j], b[k], out=found[i, ...])
        found[i] -= a[k] * b[j]
    return found


def dot(a: Array, b: Array) -> Array:
    """a . b, (...)."""
    return np.einsum('i...,i...->...', a, b)


def length(vector: Array) -> Array:
    """|vector|, (...)."""
    return np.sqrt(dot(vector, vector))


def determinant(matrix: Array) -> Array:
    """The volume (...) that matrices give to the unit cube."""
    return dot(matrix[0], cross(matrix[1], matrix[2]))


def inverse(matrix: Array) -> Array:
    """The inverse of matrices; the identity of those that have none, or are not finite."""
    rows = np.empty(matrix.shape)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        cross(matrix[j], matrix[k], rows[i])
    volume = dot(matrix[0], rows[0])
    usable = np.isfinite(volume) & (volume != 0.0)
    if usable.all():
        return transposed(rows) / volume
    inverted = transposed(rows) / np.where(usable, volume, 1.0)
    return np.where(usable, inverted, IDENTITY.reshape(3, 3, *(1,) * volume.ndim))


def axes_of(matrix: Array) -> Array:
    """Orthonormal, right-handed axes of matrices: the second column's direction exactly, the third's next.

    What `binding.bone_axes` is for matrices with their axes last.
    """
    found = np.empty(matrix.shape)
    x, y, z = found.swapaxes(0, 1)
    np.divide(matrix[:, 1], length(matrix[:, 1]), out=y)
    np.subtract(matrix[:, 2], y * dot(y, matrix[:, 2]), out=z)
    z /= length(z)
    cross(y, z, x)
    return found
