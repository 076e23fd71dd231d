# SPDX-License-Identifier: GPL-3.0-or-later
"""Softened reach: how far the tip goes for a target at a distance, and the other way round."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arithmetic import two_product
from .checks import as_numbers, refuse_first
from .triangle import BATCH, FREE, Lengths, excesses, lengths_of, reach_triangle, soft_widths

Array = NDArray[np.float64]

NEWTON_STEPS = 12
"""Enough from the starting value below for every softness; the last ones change nothing."""


def soften(distance: ArrayLike, upper: ArrayLike, lower: ArrayLike, softness: ArrayLike) -> Array:
    """The reach |end - root| of a limb whose target is at `distance`, as `solve` softens and clamps it.

    All (...), broadcast together; lengths in one unit, softness in [0, 1). Monotone with slope at most 1 and twice
    continuously differentiable in the reach and in the knee angle (see `triangle.soft_gap`).
    Raises ValueError naming the argument, as `solve` does.
    """
    distance, lengths, softness = _checked("distance", distance, upper, lower, softness)
    high, low = two_product(distance, distance)
    triangle = reach_triangle(BATCH, lengths, high, low, FREE, softness)
    return np.where(triangle.too_far | triangle.too_close | triangle.softened, triangle.reach, distance)[()]


def unsoften(reach: ArrayLike, upper: ArrayLike, lower: ArrayLike, softness: ArrayLike) -> Array:
    """The distance of the target at which the softened limb reaches `reach`; the inverse of `soften`.

    Same shapes, units and errors. A reach past a limit counts as that limit, where the nearest such distance is given:
    there the limb has just become straight, or just folded.
    """
    reach, lengths, softness = _checked("reach", reach, upper, lower, softness)
    high, low = two_product(reach, reach)
    far, near = excesses(lengths, high, low)
    product2 = 2.0 * lengths.upper * lengths.lower
    active = (softness > 0.0) & (product2 > 0.0)
    product2 = np.where(active, product2, 1.0)
    stretched = far < near
    width_far, width_near = soft_widths(BATCH, lengths, product2, softness)
    width = np.where(active, np.where(stretched, width_far, width_near), 0.0)
    gap = np.maximum(np.where(stretched, far, near) / product2, 0.0)
    soft = (width > 0.0) & (gap < width)
    excess = product2 * _unsoftened_gap(gap, np.where(soft, width, 1.0))
    square = np.where(stretched, (lengths.far_high - excess) + lengths.far_low,
                      (lengths.near_high + excess) + lengths.near_low)
    clamped = np.minimum(np.maximum(reach, np.abs(lengths.difference)), lengths.total)
    return np.where(soft, np.sqrt(np.maximum(square, 0.0)), clamped)[()]


def _unsoftened_gap(gap: Array, width: Array) -> Array:
    """x with w t⁵(3 - 2t) = gap, t = (x + 2w)/3w, by Newton's method from (gap/3w)^(1/5), which is never above the root."""
    share = np.minimum(gap / width, 1.0)
    t = (share / 3.0) ** 0.2
    for _ in range(NEWTON_STEPS):
        power = (t * t) * (t * t)
        slope = 3.0 * power * (5.0 - 4.0 * t)
        step = (power * t * (3.0 - 2.0 * t) - share) / np.where(slope > 0.0, slope, 1.0)
        t = np.minimum(np.maximum(t - step, 0.0), 1.0)
    return width * (3.0 * t - 2.0)


def _checked(name: str, value: ArrayLike, upper: ArrayLike, lower: ArrayLike,
             softness: ArrayLike) -> tuple[Array, Lengths, Array]:
    value, upper, lower, softness = (as_numbers(label, entry) for label, entry in (
        (name, value), ("upper", upper), ("lower", lower), ("softness", softness)))
    for label, array in ((name, value), ("upper", upper), ("lower", lower)):
        refuse_first(label, ~np.isfinite(array), array, "is not finite")
        refuse_first(label, array < 0.0, array, "is negative")
    refuse_first("softness", ~((softness >= 0.0) & (softness < 1.0)), softness, "is outside [0, 1)")
    refuse_first("upper and lower", (upper == 0.0) & (lower == 0.0), None, "are both zero")
    return value, lengths_of(upper, lower), softness
