# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations of many frames, and of many bones, as values of their rotation channels, in any mode and without jumps.

Arrays only, no bpy but for the names of its modes: 'QUATERNION', 'AXIS_ANGLE' and the six Euler orders. An order such
as 'ZXY' turns about Z first: the rotation is Ry @ Rx @ Rz. Of all values that mean the same rotation each frame takes
those nearest to the frame before, so that no interpolation goes the long way round. All but the two functions that say
otherwise have the axes of rotations, and the numbers of values, first (see `components`), then the frames.
"""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..frames.components import first, last, product

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

TURN = 2.0 * pi

LOCKED = 1e-6
"""Cosine of the middle Euler angle below which only the sum or difference of the outer two is known."""

NO_TURN = 2e-6
"""Half the radians below which a rotation has no axis of its own, only noise."""

FOUR = ('QUATERNION', 'AXIS_ANGLE')
"""The modes of four numbers."""


def channel_values(mode: str, rotations: Array, before: ArrayLike) -> Array:
    """Values (F, ..., 3 or 4) of the rotation channels in `mode`, for rotations (F, ..., 3, 3); F is at least 1.

    before (..., 3 or 4): the values to go on from.
    """
    before = np.broadcast_to(np.asarray(before, dtype=float), (*rotations.shape[1:-2], 3 + (mode in FOUR)))
    return last(values_of(mode, first(rotations, 2), first(before, 1)), 1)


def rotations_from(mode: str, values: Array) -> Array:
    """Rotations (..., 3, 3) that channels with values (..., 3 or 4) give; the identity for a quaternion or axis of zero."""
    return last(rotations_of(mode, first(values, 1)), 2)


def values_of(mode: str, rotations: Array, before: Array) -> Array:
    """Values (3 or 4, F, ...) of rotations (3, 3, F, ...), going on from `before` (3 or 4, ...)."""
    if mode == 'QUATERNION':
        return unflipped(quaternions(rotations), before)
    if mode == 'AXIS_ANGLE':
        return _axis_angles(quaternions(rotations), before)
    return _eulers(mode, rotations, before)


def keys_of(mode: str, rotations: Array, before: Array) -> Array:
    """The same for keys with straight lines between them.

    Axes are as long as the sine of half their angle, so that lines lead them the way of the quaternions: an axis about
    which nothing turns yet has no weight.
    """
    values = values_of(mode, rotations, before)
    if mode == 'AXIS_ANGLE':
        values[1:] *= np.maximum(np.abs(np.sin(0.5 * values[0])), NO_TURN)
    return values


def rotations_of(mode: str, values: Array) -> Array:
    """Rotations (3, 3, ...) of values (3 or 4, ...); the identity for a quaternion or axis of zero."""
    if mode == 'QUATERNION':
        return _from_quaternions(values)
    if mode == 'AXIS_ANGLE':
        half, axis = 0.5 * values[:1], values[1:]
        size = np.sqrt((axis * axis).sum(0))
        return _from_quaternions(np.concatenate((np.cos(half), np.sin(half) * axis / np.where(size > 0.0, size, 1.0))))
    i, j, k = _order(mode)
    return product(_about(k, values[k]), product(_about(j, values[j]), _about(i, values[i])))


def ending_near(mode: str, values: Array, after: Array) -> Array:
    """The same rotations as `values` (3 or 4, F), all moved alike so that the last is nearest to `after` (3 or 4)."""
    if mode == 'QUATERNION':
        return values if values[:, -1] @ after >= 0.0 else -values
    if mode == 'AXIS_ANGLE':
        values = values if values[1:, -1] @ after[1:] >= 0.0 else -values
        after = np.array((after[0], *values[1:, -1]))
    return values + TURN * np.round((after - values[:, -1]) / TURN)[:, None]


def quaternions(rotations: Array) -> Array:
    """Unit quaternions (w x y z, ...) of rotations, from the largest component, which loses no digits."""
    r = rotations
    largest = 1.0 + r[0, 0] + r[1, 1] + r[2, 2]
    values = np.stack((largest, r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        component = _squared(r, i)
        larger = component > largest
        if larger.any():
            others = (r[k, j] - r[j, k], component, r[j, i] + r[i, j], r[k, i] + r[i, k])
            for place, numbers in zip((0, i + 1, j + 1, k + 1), others):
                np.copyto(values[place, ...], numbers, where=larger)
            largest = np.maximum(largest, component)
    values /= np.sqrt((values * values).sum(0))
    return values


def _squared(r: Array, axis: int) -> Array:
    """Four times the square of a quaternion's component about `axis`."""
    x, y, z = (r[place, place] if place == axis else -r[place, place] for place in range(3))
    total: Array = 1.0 + x
    total += y
    total += z
    return total


def unflipped(vectors: Array, before: Array) -> Array:
    """Each of the vectors (k, F, ...), or its opposite where that is nearer to the one before it."""
    flipped = np.empty(vectors.shape[1:], dtype=bool)
    flipped[0] = (vectors[:, 0] * before).sum(0) < 0.0
    flipped[1:] = (vectors[:, 1:] * vectors[:, :-1]).sum(0) < 0.0
    if not flipped.any():
        return vectors
    return vectors * np.where(np.logical_xor.accumulate(flipped, axis=0), -1.0, 1.0)


def unwrapped(angles: Array, before: Array) -> Array:
    """The angles (k, F, ...) by whole turns nearest to those of the frame before."""
    steps = np.diff(np.concatenate((before[:, None], angles), axis=1), axis=1)
    return angles - TURN * np.cumsum(np.round(steps / TURN), axis=1)


def _from_quaternions(values: Array) -> Array:
    size = np.sqrt((values * values).sum(0))
    if not size.all():
        values = np.where(size > 0.0, values, np.array((1.0, 0.0, 0.0, 0.0)).reshape(4, *(1,) * size.ndim))
        size = np.where(size > 0.0, size, 1.0)
    w, x, y, z = values / size
    found = np.empty((3, 3, *size.shape))
    for i, j, p, q, r in ((0, 1, x, y, z), (1, 2, y, z, x), (2, 0, z, x, y)):
        square, sides, along = q * q, p * q, w * r
        square += r * r
        square *= 2.0
        np.subtract(1.0, square, out=found[i, i, ...])
        np.subtract(sides, along, out=found[i, j, ...])
        np.add(sides, along, out=found[j, i, ...])
        found[i, j] *= 2.0
        found[j, i] *= 2.0
    return found


def _axis_angles(values: Array, before: Array) -> Array:
    """(angle, axis); a rotation too small to have an axis takes one beside it in time."""
    size = np.sqrt((values[1:] * values[1:]).sum(0))
    length = np.sqrt((before[1:] * before[1:]).sum(0))
    start = np.where(length > 0.0, before[1:] / np.where(length > 0.0, length, 1.0),
                     np.array((0.0, 1.0, 0.0)).reshape(3, *(1,) * length.ndim))
    known = size > NO_TURN
    axes = values[1:] / np.where(known, size, 1.0)
    known = _with_last_of_gaps(axes, known)
    axes = _filled(axes, known, start)
    angles = 2.0 * np.arctan2((values[1:] * axes).sum(0), values[0])
    signs = np.cumprod(_directions(np.concatenate((before[:1], angles)), np.concatenate((start[:, None], axes), axis=1)), axis=0)
    return np.concatenate((unwrapped((angles * signs)[None], before[:1]), axes * signs))


def _directions(angles: Array, axes: Array) -> Array:
    """1 where a rotation (angles (F + 1, ...), unit axes (3, F + 1, ...)) goes on from the one before it as it is, -1 where
    with its axis reversed: so that half-way between both values is half-way between both rotations, or nearest to it.

    Where that is all the same, the axis turns by less than a right angle.
    """
    whole = np.concatenate((np.cos(0.5 * angles)[None], np.sin(0.5 * angles) * axes))
    weighted = np.abs(np.sin(0.5 * angles)) * axes
    one, other = whole[:, :-1], whole[:, 1:]
    middle = one + other * np.where((one * other).sum(0) < 0.0, -1.0, 1.0)

    def nearness(sign: Array) -> Array:
        steps = sign * angles[1:] - angles[:-1]
        quarter = 0.25 * (2.0 * angles[:-1] + steps - TURN * np.round(steps / TURN))
        axis = weighted[:, :-1] + sign * weighted[:, 1:]
        size = np.sqrt((axis * axis).sum(0))
        along = (axis * middle[1:]).sum(0) / np.where(size > 0.0, size, 1.0)
        return np.abs(np.cos(quarter) * middle[0] + np.sin(quarter) * along)

    plain = np.where((axes[:, :-1] * axes[:, 1:]).sum(0) < 0.0, -1.0, 1.0)
    return np.where(nearness(-plain) > nearness(plain) + NO_TURN, -plain, plain)


def _filled(vectors: Array, known: Mask, start: Array) -> Array:
    """The vectors (k, F, ...), each that is not known (F, ...) replaced by the last one before it that is."""
    if known.all():
        return vectors
    whole = np.concatenate((start[:, None], vectors), axis=1)
    frames = np.arange(len(known)).reshape(-1, *(1,) * (known.ndim - 1)) + 1
    latest = np.maximum.accumulate(np.where(known, frames, 0), axis=0)
    return np.take_along_axis(whole, latest[None], axis=1)


def _with_last_of_gaps(vectors: Array, known: Mask) -> Mask:
    """Have the last vector of each gap that is longer than one, or that begins, take what comes after it, in place.

    A bone that rests and then sets off turns about the axis that it sets off about.
    """
    if len(known) > 1 and not known.all():
        alone = np.concatenate((np.zeros_like(known[:1]), known[:-2]))
        ends = ~known[:-1] & known[1:] & ~alone
        vectors[:, :-1] = np.where(ends, vectors[:, 1:], vectors[:, :-1])
        known = np.concatenate((known[:-1] | ends, known[-1:]))
    return known


def _order(mode: str) -> list[int]:
    return ["XYZ".index(letter) for letter in mode]


def _about(axis: int, angles: Array) -> Array:
    """Rotations (3, 3, ...) about a coordinate axis by angles (...)."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    rotation = np.zeros((3, 3, *angles.shape))
    rotation[axis, axis] = 1.0
    rotation[i, i] = rotation[j, j] = np.cos(angles)
    rotation[j, i] = np.sin(angles)
    rotation[i, j] = -rotation[j, i]
    return rotation


def _eulers(mode: str, rotations: Array, before: Array) -> Array:
    """Angles about X, Y, Z; at gimbal lock the first stays what it was before.

    Every rotation has two triples of angles, here called by the sign of the middle one's cosine. Which of the two is
    nearer to either of the frame before depends on the rotations alone, so that all frames are decided at once.
    """
    order = _order(mode)
    sign = 1.0 if (order[1] - order[0]) % 3 == 1 else -1.0  # an odd order is an even one seen in a mirror
    turned = rotations[order][:, order]
    start = sign * before[order]
    start_other = np.cos(start[1]) < 0.0
    origin = np.where(start_other, _other(start), start)
    angles = _positive(turned, origin[0])
    previous = np.concatenate((origin[:, None], angles[:, :-1]), axis=1)
    switches = _apart(angles, _other(previous)) < _apart(angles, previous)
    other = np.logical_xor.accumulate(np.concatenate((start_other[None], switches)), axis=0)[1:]
    angles = np.where(other, _other(angles), angles)
    values = np.empty_like(angles)
    values[order] = sign * unwrapped(angles, start)
    return values


def _positive(turned: Array, before: Array) -> Array:
    """Angles (3, F, ...) of an even order whose middle one has a cosine that is not negative.

    The third is taken from the rotation that the first leaves behind, which is exact up to gimbal lock.
    """
    flat = np.hypot(turned[2, 1], turned[2, 2])
    x = np.arctan2(turned[2, 1], turned[2, 2])
    x = _filled(x[None], flat >= LOCKED, before[None])[0]
    sin, cos = np.sin(x), np.cos(x)
    return np.stack((x, np.arctan2(-turned[2, 0], flat), np.arctan2(
        sin * turned[0, 2] - cos * turned[0, 1], cos * turned[1, 1] - sin * turned[1, 2])))


def _other(angles: Array) -> Array:
    """The other triple that means the same rotation."""
    return np.stack((angles[0] + pi, pi - angles[1], angles[2] + pi))


def _apart(one: Array, other: Array) -> Array:
    """How far two triples are apart, whole turns not counted."""
    difference = one - other
    return np.abs(difference - TURN * np.round(difference / TURN)).sum(0)
