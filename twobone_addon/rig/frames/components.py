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


def cross(a: Array, b: Array) -> Array:
    """a x b."""
    return np.stack((a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]))


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
    rows = np.stack((cross(matrix[1], matrix[2]), cross(matrix[2], matrix[0]), cross(matrix[0], matrix[1])))
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
    y = matrix[:, 1] / length(matrix[:, 1])
    z = matrix[:, 2] - y * dot(y, matrix[:, 2])
    z = z / length(z)
    return np.stack((cross(y, z), y, z), axis=1)
