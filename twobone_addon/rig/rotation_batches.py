# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations of many frames, and of many bones, as values of their rotation channels, in any mode and without jumps.

Arrays only, no bpy but for the names of its modes: 'QUATERNION', 'AXIS_ANGLE' and the six Euler orders. An order such
as 'ZXY' turns about Z first: the rotation is Ry @ Rx @ Rz. Of all values that mean the same rotation each frame takes
those nearest to the frame before, so that no interpolation goes the long way round.
"""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .problem import euler_xyz

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

TURN = 2.0 * pi

LOCKED = 1e-6
"""Cosine of the middle Euler angle below which only the sum or difference of the outer two is known."""

NO_TURN = 2e-6
"""Half the radians below which a rotation has no axis of its own, only noise."""


def channel_values(mode: str, rotations: Array, before: ArrayLike) -> Array:
    """Values (F, ..., 3 or 4) of the rotation channels in `mode`, for rotations (F, ..., 3, 3); F is at least 1.

    before (..., 3 or 4): the values to go on from.
    """
    before = np.broadcast_to(np.asarray(before, dtype=float), (*rotations.shape[1:-2], 3 + (mode in FOUR)))
    if mode == 'QUATERNION':
        return unflipped(quaternions(rotations), before)
    if mode == 'AXIS_ANGLE':
        return _axis_angles(quaternions(rotations), before)
    return _eulers(mode, rotations, before)


FOUR = ('QUATERNION', 'AXIS_ANGLE')
"""The modes of four numbers."""


def ending_near(mode: str, values: Array, after: ArrayLike) -> Array:
    """The same rotations as `values` (F, 3 or 4), all moved alike so that the last is nearest to `after` (3 or 4)."""
    after = np.asarray(after, dtype=float)
    if mode == 'QUATERNION':
        return values if values[-1] @ after >= 0.0 else -values
    if mode == 'AXIS_ANGLE':
        values = values if values[-1, 1:] @ after[1:] >= 0.0 else -values
        after = np.array((after[0], *values[-1, 1:]))
    return values + TURN * np.round((after - values[-1]) / TURN)


def rotations_from(mode: str, values: Array) -> Array:
    """Rotations (..., 3, 3) that channels with values (..., 3 or 4) give; the identity for a quaternion or axis of zero."""
    if mode == 'QUATERNION':
        return _from_quaternions(values)
    if mode == 'AXIS_ANGLE':
        half, axis = 0.5 * values[..., :1], values[..., 1:]
        size = np.linalg.norm(axis, axis=-1, keepdims=True)
        axis = axis / np.where(size > 0.0, size, 1.0)
        return _from_quaternions(np.concatenate((np.cos(half), np.sin(half) * axis), axis=-1))
    rotation: Array = np.eye(3)
    for letter in _order(mode):
        rotation = _about(letter, values[..., letter]) @ rotation
    return rotation


def quaternions(rotations: Array) -> Array:
    """Unit quaternions (..., w x y z) of rotations (..., 3, 3), from the largest component, which loses no digits."""
    r = rotations
    diagonal = r[..., 0, 0], r[..., 1, 1], r[..., 2, 2]
    products = np.empty((*r.shape[:-2], 4, 4))
    for place, (x, y, z) in enumerate(((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))):
        products[..., place, place] = 1.0 + x * diagonal[0] + y * diagonal[1] + z * diagonal[2]
    for place, (row, column) in enumerate(((2, 1), (0, 2), (1, 0)), 1):
        products[..., 0, place] = products[..., place, 0] = r[..., row, column] - r[..., column, row]
    for first, second in ((1, 2), (1, 3), (2, 3)):
        both = r[..., first - 1, second - 1] + r[..., second - 1, first - 1]
        products[..., first, second] = products[..., second, first] = both
    largest = np.diagonal(products, axis1=-2, axis2=-1).argmax(-1)
    values = np.take_along_axis(products, largest[..., None, None], axis=-2)[..., 0, :]
    return values / np.linalg.norm(values, axis=-1, keepdims=True)


def unflipped(vectors: Array, before: Array) -> Array:
    """Each of the vectors (F, ..., k), or its opposite where that is nearer to the one before it."""
    previous = np.concatenate((before[None], vectors[:-1]))
    signs = np.where((vectors * previous).sum(-1, keepdims=True) < 0.0, -1.0, 1.0)
    return vectors * np.cumprod(signs, axis=0)


def unwrapped(angles: Array, before: Array) -> Array:
    """The angles (F, ...) by whole turns nearest to the one before."""
    return np.unwrap(np.concatenate((before[None], angles)), axis=0)[1:]


def _from_quaternions(values: Array) -> Array:
    size = np.linalg.norm(values, axis=-1, keepdims=True)
    unit = np.where(size > 0.0, values / np.where(size > 0.0, size, 1.0), (1.0, 0.0, 0.0, 0.0))
    w, vector = unit[..., 0, None, None], unit[..., 1:]
    cross = np.zeros((*values.shape[:-1], 3, 3))
    for row, column, component, sign in ((0, 1, 2, -1.0), (0, 2, 1, 1.0), (1, 0, 2, 1.0),
                                         (1, 2, 0, -1.0), (2, 0, 1, -1.0), (2, 1, 0, 1.0)):
        cross[..., row, column] = sign * vector[..., component]
    return np.eye(3) + 2.0 * (w * cross + cross @ cross)


def _axis_angles(values: Array, before: Array) -> Array:
    """(angle, axis); a rotation too small to have an axis takes one beside it in time."""
    size = np.linalg.norm(values[..., 1:], axis=-1, keepdims=True)
    length = np.linalg.norm(before[..., 1:], axis=-1, keepdims=True)
    start = np.where(length > 0.0, before[..., 1:] / np.where(length > 0.0, length, 1.0), (0.0, 1.0, 0.0))
    known = size[..., 0] > NO_TURN
    axes = values[..., 1:] / np.where(known[..., None], size, 1.0)
    known = _with_last_of_gaps(axes, known)
    axes = unflipped(_filled(axes, known, start), start)
    angles = 2.0 * np.arctan2((values[..., 1:] * axes).sum(-1), values[..., 0])
    return np.concatenate((unwrapped(angles, before[..., 0])[..., None], axes), axis=-1)


def _filled(vectors: Array, known: Mask, start: Array) -> Array:
    """The vectors (F, ..., k), each that is not known replaced by the last one before it that is."""
    if known.all():
        return vectors
    whole = np.concatenate((start[None], vectors))
    frames = np.arange(len(known)).reshape(-1, *(1,) * (known.ndim - 1)) + 1
    last = np.maximum.accumulate(np.where(known, frames, 0), axis=0)
    return np.take_along_axis(whole, last[..., None], axis=0)


def _with_last_of_gaps(vectors: Array, known: Mask) -> Mask:
    """Have the last vector of each gap that is longer than one, or that begins, take what comes after it, in place.

    A bone that rests and then sets off turns about the axis that it sets off about.
    """
    if len(known) > 1:
        alone = np.concatenate((np.zeros_like(known[:1]), known[:-2])) if len(known) > 2 else np.zeros_like(known[:1])
        last = ~known[:-1] & known[1:] & ~alone
        vectors[:-1] = np.where(last[..., None], vectors[1:], vectors[:-1])
        known = np.concatenate((known[:-1] | last, known[-1:]))
    return known


def _order(mode: str) -> list[int]:
    return ["XYZ".index(letter) for letter in mode]


def _about(axis: int, angles: Array) -> Array:
    """Rotations (..., 3, 3) about a coordinate axis by angles (...)."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    rotation = np.zeros((*angles.shape, 3, 3))
    rotation[..., axis, axis] = 1.0
    rotation[..., i, i] = rotation[..., j, j] = np.cos(angles)
    rotation[..., j, i] = np.sin(angles)
    rotation[..., i, j] = -rotation[..., j, i]
    return rotation


def _eulers(mode: str, rotations: Array, before: Array) -> Array:
    """Angles about X, Y, Z; at gimbal lock the first stays what it was before.

    Every rotation has two triples of angles, here called by the sign of the middle one's cosine. Which of the two is
    nearer to either of the frame before depends on the rotations alone, so that all frames are decided at once.
    """
    order = _order(mode)
    sign = 1.0 if (order[1] - order[0]) % 3 == 1 else -1.0  # an odd order is an even one seen in a mirror
    turned = rotations[..., order, :][..., order]
    start = sign * before[..., order]
    start_other = np.cos(start[..., 1]) < 0.0
    first = np.where(start_other[..., None], _other(start), start)
    angles = _positive(turned, first[..., 0])
    previous = np.concatenate((first[None], angles[:-1]))
    switches = _apart(angles, _other(previous)) < _apart(angles, previous)
    other = np.logical_xor.accumulate(np.concatenate((start_other[None], switches)), axis=0)[1:]
    angles = np.where(other[..., None], _other(angles), angles)
    values = np.empty_like(angles)
    values[..., order] = sign * unwrapped(angles, start)
    return values


def _positive(turned: Array, before: Array) -> Array:
    """Angles (F, ..., 3) of an even order whose middle one has a cosine that is not negative."""
    angles = euler_xyz(turned)
    locked = np.hypot(turned[..., 2, 1], turned[..., 2, 2]) < LOCKED
    if locked.any():
        angles[..., 0] = _filled(angles[..., :1], ~locked, before[..., None])[..., 0]
        sin, cos = np.sin(angles[..., 0]), np.cos(angles[..., 0])
        third = np.arctan2(sin * turned[..., 0, 2] - cos * turned[..., 0, 1], cos * turned[..., 1, 1] - sin * turned[..., 1, 2])
        angles[..., 2] = np.where(locked, third, angles[..., 2])
    return angles


def _other(angles: Array) -> Array:
    """The other triple that means the same rotation."""
    return np.stack((angles[..., 0] + pi, pi - angles[..., 1], angles[..., 2] + pi), axis=-1)


def _apart(first: Array, second: Array) -> Array:
    """How far two triples are apart, whole turns not counted."""
    difference = first - second
    return np.abs(difference - TURN * np.round(difference / TURN)).sum(-1)
