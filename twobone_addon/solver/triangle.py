# SPDX-License-Identifier: GPL-3.0-or-later
"""The triangle root, joint, end: lengths and a squared distance in, the joint's place and the reach out.

All of it rests on two numbers that lose no digits where the textbook form loses half of them:
F = (a + b)² - d² and G = d² - (a - b)², for bones a, b and distance d. They are negative exactly past the far and the
near limit, F + G = 4ab, and by Heron's formula √(FG) is four times the triangle's area.

Every function takes Python floats (with `SCALAR`) or numpy arrays (with `BATCH`).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .arithmetic import Number, two_product, two_sum


class Operations(NamedTuple):
    """The functions that differ between floats and arrays."""

    sqrt: Any
    maximum: Any
    minimum: Any
    where: Any


SCALAR = Operations(math.sqrt, max, min, lambda condition, yes, no: yes if condition else no)
BATCH = Operations(np.sqrt, np.maximum, np.minimum, np.where)


class Lengths(NamedTuple):
    """What a pair of bones contributes, as pairs (high, low): (a + b)², (a - b)² and a² - b²."""

    upper: Number
    lower: Number
    total: Number
    difference: Number
    far_high: Number
    far_low: Number
    near_high: Number
    near_low: Number
    skew_high: Number
    skew_low: Number


def lengths_of(upper: Number, lower: Number) -> Lengths:
    """Precompute the constants of bones of length `upper` and `lower`."""
    total, total_low = two_sum(upper, lower)
    difference, difference_low = two_sum(upper, -lower)
    far_high, far_low = two_product(total, total)
    near_high, near_low = two_product(difference, difference)
    skew_high, skew_low = two_product(total, difference)
    return Lengths(upper, lower, total, difference,
                   far_high, far_low + 2.0 * total * total_low,
                   near_high, near_low + 2.0 * difference * difference_low,
                   skew_high, skew_low + (total * difference_low + total_low * difference))


def excesses(lengths: Lengths, high: Number, low: Number) -> tuple[Number, Number]:
    """(F, G) for a squared distance given as a pair: how far inside the two limits it is, negative outside."""
    return ((lengths.far_high - high) + (lengths.far_low - low),
            (high - lengths.near_high) + (low - lengths.near_low))


def projections(lengths: Lengths, high: Number, low: Number) -> tuple[Number, Number]:
    """(d² + a² - b², d² - a² + b²): 2d times the bones' projections on the root-target line (law of cosines)."""
    return ((high + lengths.skew_high) + (low + lengths.skew_low),
            (high - lengths.skew_high) + (low - lengths.skew_low))


class Reach(NamedTuple):
    """A clamped triangle: bones' directions against the root-target line as cosine and sine, and what was clamped."""

    reach: Number
    upper_cos: Number
    upper_sin: Number
    lower_cos: Number
    lower_sin: Number
    too_far: Number
    too_close: Number
    softened: Number


class Limits(NamedTuple):
    """Least values that F and G may take: 0 at full stretch and full fold, more where the knee may not go so far."""

    far: Number
    near: Number


FREE = Limits(0.0, 0.0)


def reach_triangle(ops: Operations, lengths: Lengths, high: Number, low: Number, limits: Limits = FREE,
                   softness: Number | None = None) -> Reach:
    """Clamp (or soften) a squared distance, given as a pair, and solve the triangle.

    Both bones' angles come from F and G of the clamped reach: 2r·a·cos = r² + a² - b², 2r·a·sin = √(FG). One Newton
    step, times 1.5 - 0.5 (cos² + sin²), brings the lengths to the last digits. Past a free limit the cosine is past
    1 or -1 and √(FG) is 0, so that clamping both is all there is to do. A zero bone lies along the line.
    """
    far, near = excesses(lengths, high, low)
    too_far = far < limits.far
    too_close = near < limits.near
    softened = None
    if softness is not None:
        far, near, high, low, softened = _softened(ops, lengths, far, near, high, low, limits, softness)
    if limits is not FREE:
        far, near, high, low = _limited(ops, lengths, far, near, high, low, limits)
    distance = ops.sqrt(high + low)
    upper_side, lower_side = projections(lengths, high, low)
    height = ops.sqrt(ops.maximum(far, 0.0)) * ops.sqrt(ops.maximum(near, 0.0))
    upper_cos, upper_sin = _angle(ops, upper_side, height, lengths.upper, distance, lengths.difference)
    lower_cos, lower_sin = _angle(ops, lower_side, height, lengths.lower, distance, -lengths.difference)
    reach = ops.minimum(ops.maximum(distance, abs(lengths.difference)), lengths.total)
    return Reach(reach, upper_cos, upper_sin, lower_cos, lower_sin, too_far, too_close, softened)


def _limited(ops: Operations, lengths: Lengths, far: Number, near: Number, high: Number, low: Number,
             limits: Limits) -> tuple[Number, Number, Number, Number]:
    """(F, G, high, low) clamped to limits inside full stretch and full fold."""
    product4 = 4.0 * lengths.upper * lengths.lower
    beyond, within = far < limits.far, near < limits.near
    return (ops.where(beyond, limits.far, ops.where(within, product4 - limits.near, far)),
            ops.where(beyond, product4 - limits.far, ops.where(within, limits.near, near)),
            ops.where(beyond, lengths.far_high - limits.far, ops.where(within, lengths.near_high + limits.near, high)),
            ops.where(beyond, lengths.far_low, ops.where(within, lengths.near_low, low)))


def _angle(ops: Operations, side: Number, height: Number, bone: Number, distance: Number,
           difference: Number) -> tuple[Number, Number]:
    """(cos, sin) of a bone against the line. A zero bone points along it; with the target at the root the longer bone
    does, the shorter one back, and equal bones stand across."""
    scale = 2.0 * distance * bone
    usable = scale > 0.0
    if usable if ops is SCALAR else usable.all():
        return _normalised(ops.minimum(ops.maximum(side, -scale), scale) / scale, height / scale)
    scale = ops.where(usable, scale, 1.0)
    cos = ops.minimum(ops.maximum(side, -scale), scale) / scale
    sin = height / scale
    sign = ops.where(difference < 0.0, -1.0, 1.0)
    across = (distance == 0.0) & (difference == 0.0)
    cos = ops.where(usable, cos, ops.where(across, 0.0, ops.where(bone > 0.0, sign, 1.0)))
    sin = ops.where(usable, sin, ops.where(across, 1.0, 0.0))
    return _normalised(cos, sin)


def _normalised(cos: Number, sin: Number) -> tuple[Number, Number]:
    step = 1.5 - 0.5 * (cos * cos + sin * sin)
    return cos * step, sin * step


def _softened(ops: Operations, lengths: Lengths, far: Number, near: Number, high: Number, low: Number, limits: Limits,
              softness: Number) -> tuple[Number, Number, Number, Number, Number]:
    """(F, G, high, low, softened) of the softened reach: F (or G, nearer to the fold) is kept from reaching its limit.

    Works on x = F/2ab = 1 - cos(knee): gap = max(x, w t⁵(3 - 2t)), t = (x + 2w)/3w, which is monotone with slope at
    most 1 and twice continuously differentiable in the reach and in the knee angle. Rows with softness 0 pass as they
    are.
    """
    product2 = 2.0 * lengths.upper * lengths.lower
    active = (softness > 0.0) & (product2 > 0.0)
    product2 = ops.where(active, product2, 1.0)
    width_far, width_near = soft_widths(ops, lengths, product2, softness)
    stretched = far < near
    limit = ops.where(stretched, limits.far, limits.near)
    width = ops.where(active, ops.where(stretched, width_far, width_near), 0.0)
    x = (ops.where(stretched, far, near) - limit) / product2
    gap = soft_gap(ops, x, width)
    softened = active & (width > 0.0) & (gap > x)
    excess = limit + product2 * gap
    other = 2.0 * product2 - excess
    far_soft = ops.where(stretched, excess, other)
    near_soft = ops.where(stretched, other, excess)
    high_soft = ops.where(stretched, lengths.far_high - excess, lengths.near_high + excess)
    low_soft = ops.where(stretched, lengths.far_low, lengths.near_low)
    return (ops.where(softened, far_soft, far), ops.where(softened, near_soft, near),
            ops.where(softened, high_soft, high), ops.where(softened, low_soft, low), softened)


def soft_widths(ops: Operations, lengths: Lengths, product2: Number, softness: Number) -> tuple[Number, Number]:
    """Half-widths of the soft zones at the far and the near limit, in 1 - |cos(knee)|; `product2` is 2ab, not 0."""
    start = 1.0 - softness
    far = ops.minimum(lengths.far_high * (1.0 - start * start) / product2, 0.5)
    near = ops.minimum(lengths.near_high / (2.0 * product2), far)
    return far, near


def soft_gap(ops: Operations, x: Number, width: Number) -> Number:
    """The softened 1 - |cos(knee)|, at least 0, for x past or before its limit; width 0 is the hard clamp."""
    safe = ops.where(width > 0.0, width, 1.0)
    t = ops.minimum(ops.maximum((x + 2.0 * safe) / (3.0 * safe), 0.0), 1.0)
    square = t * t
    curve = safe * (square * square * t) * (3.0 - 2.0 * t)
    return ops.where(width > 0.0, ops.maximum(x, curve), ops.maximum(x, 0.0))
