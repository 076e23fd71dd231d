# SPDX-License-Identifier: GPL-3.0-or-later
"""How a limb slows down before it is straight or folded: the formulas behind `softness`.

They work on x, the distance in the cosine of the joint's flexion from the nearer limit: F/2ab or G/2ab where the joint is
free. gap = max(x, w t⁵(3 - 2t)) with t = (x + 2w)/3w takes its place, where w is the width of the soft zone inside the limit:
monotone with a slope of at most 1 and twice continuously differentiable, in the reach and in the flexion.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arithmetic import Number, Operations, Pair, two_sum
from .bones import FOLDED, Bones, excesses

Array = NDArray[np.float64]

NEWTON_STEPS = 8
"""Enough for every share of a soft zone; more change nothing."""


class Place(NamedTuple):
    """Where a distance is in the interval of reach, seen from the nearer limit; widths of 0 are hard limits."""

    stretched: Number
    x: Number
    width: Number
    limit: Number
    product2: Number


def place_of(ops: Operations, bones: Bones, square: Pair, softness: Number) -> Place:
    """The place of a squared distance."""
    far, near = excesses(bones, square)
    product2 = 2.0 * bones.upper * bones.lower
    least_far, least_near = 0.0, 0.0
    if bones.flexion is not None:
        least_far, least_near = 2.0 * product2 * bones.flexion.far, 2.0 * product2 * bones.flexion.near
    stretched = far - least_far < near - least_near
    limit = ops.where(stretched, least_far, least_near)
    one_bone = product2 == 0.0
    product2 = ops.where(one_bone, 1.0, product2)
    x = (ops.where(stretched, far, near) - limit) / product2

    # The zones keep to a quarter of the interval each; reach_min² / 4ab keeps the slope at the near limit below 1.
    quarter = 0.5 - (least_far + least_near) / (4.0 * product2)
    wide = ops.minimum(quarter, softness * (2.0 - softness) * (bones.far[0] - least_far) / product2)
    wide = ops.where(one_bone, 0.0, ops.maximum(wide, 0.0))
    width = ops.where(stretched, wide, ops.minimum(wide, (bones.near[0] + least_near) / (2.0 * product2)))
    return Place(stretched, x, width, limit, product2)


def soft_gap(ops: Operations, x: Number, width: Number) -> Number:
    """What takes the place of x, at least 0; without width the clamp."""
    safe = ops.where(width > 0.0, width, 1.0)
    t = ops.minimum(ops.maximum((x + 2.0 * safe) / (3.0 * safe), 0.0), 1.0)
    square = t * t
    curve = width * (square * square * t) * (3.0 - 2.0 * t)
    return ops.maximum(x, curve)


def soft_gap_inverse(gap: Array, width: Array) -> Array:
    """The x, at most `width`, whose place `gap` takes: Newton's method from (gap/3w)^(1/5), which is below the root."""
    share = np.minimum(gap / np.where(width > 0.0, width, 1.0), 1.0)
    t = (share / 3.0) ** 0.2
    for _ in range(NEWTON_STEPS):
        power = (t * t) * (t * t)
        slope = 3.0 * power * (5.0 - 4.0 * t)
        t = np.minimum(t - (power * t * (3.0 - 2.0 * t) - share) / np.where(slope > 0.0, slope, 1.0), 1.0)
    return width * (3.0 * t - 2.0)


def square_at(ops: Operations, bones: Bones, place: Place, gap: Number) -> Pair:
    """The squared distance that is `gap` away from the limit of `place`."""
    excess = place.limit + place.product2 * gap
    (far, far_low), (near, near_low) = bones.far, bones.near
    high, low = two_sum(ops.where(place.stretched, far, near), ops.where(place.stretched, -excess, excess))
    return high, low + ops.where(place.stretched, far_low, near_low)


def shortened(ops: Operations, bones: Bones, square: Pair, distance: Number, softness: Number) -> Pair:
    """The squared reach for a distance and its square, which are left as they are past free limits without softness."""
    place = place_of(ops, bones, square, softness)
    gap = soft_gap(ops, place.x, place.width)
    changed = (gap > place.x) & (place.width > 0.0)
    high, low = square_at(ops, bones, place, gap)
    if bones.flexion is not None:
        changed = changed | (distance > bones.limits.reach_max) | (distance < bones.limits.reach_min)
        folded = (high - bones.near[0]) + (low - bones.near[1]) < 0.0  # by rounding, at a limit close to the fold
        high, low = ops.where(folded, bones.near[0], high), ops.where(folded, bones.near[1], low)
        high = ops.maximum(high, FOLDED * bones.far[0])
    return ops.where(changed, high, square[0]), ops.where(changed, low, square[1])
