# SPDX-License-Identifier: GPL-3.0-or-later
"""What two bone lengths contribute to every solve: constants in pairs, and the interval of reach.

All of the solver rests on two numbers that lose no digits where the textbook form loses half of them:
F = (a + b)² - d² and G = d² - (a - b)², for bones a, b and distance d. They are negative exactly past the far and the
near limit, F + G = 4ab, and by Heron's formula √(FG) is four times the triangle's area. In the flexion φ of the joint,
F = 4ab sin²(φ/2) and G = 4ab cos²(φ/2).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .arithmetic import Number, Operations, Pair, square, two_sum

FOLDED = 2.0**-200
"""Share of (a + b)² that a squared reach is taken for at least: on bones of equal length r = 0 leaves no line to bend from."""


class Flexion(NamedTuple):
    """Limits of the joint's flexion, as the least that F/4ab and G/4ab may be: 0 where it may be straight, or folded."""

    far: Number
    near: Number


class Limits(NamedTuple):
    """The interval of reach."""

    reach_min: Number
    reach_max: Number


class Bones(NamedTuple):
    """Constants of the lengths a and b of the upper and the lower bone; far and near are the pairs (a + b)² and
    (a - b)², skew is a² - b²."""

    upper: Number
    lower: Number
    difference: Number
    far: Pair
    near: Pair
    skew: Number
    limits: Limits
    flexion: Flexion | None
    have_length: bool
    """Whether all bones have a length; where one has none, a limb is a chain of the other alone."""


def bones_of(ops: Operations, upper: Number, lower: Number, flexion: Flexion | None = None) -> Bones:
    """The constants of two lengths; without `flexion` the joint may be straight and may be folded flat."""
    total, total_low = two_sum(upper, lower)
    difference, difference_low = two_sum(upper, -lower)
    far, far_low = square(total)
    near, near_low = square(difference)
    reach_min, reach_max = abs(difference), total
    if flexion is not None:
        product4 = 4.0 * upper * lower
        reach_min = ops.where(flexion.near > 0.0, ops.sqrt(near + product4 * flexion.near), reach_min)
        reach_max = ops.where(flexion.far > 0.0, ops.sqrt(ops.maximum(far - product4 * flexion.far, 0.0)), reach_max)
    skew = total * difference
    total_low *= total
    total_low += total_low
    difference_low *= difference
    difference_low += difference_low
    far_low += total_low
    near_low += difference_low
    return Bones(
        upper, lower, difference,
        far=(far, far_low), near=(near, near_low), skew=skew,
        limits=Limits(reach_min, reach_max), flexion=flexion,
        have_length=ops.all(upper * lower != 0.0))


def flexion_of(least: Number | None, greatest: Number | None) -> Flexion | None:
    """The limits of a joint that bends between two flexions in radians, 0 straight and pi folded; None where free."""
    if least is None and greatest is None:
        return None
    far = 0.0 if least is None else np.sin(0.5 * least)
    near = 0.0 if greatest is None else np.sin(0.5 * (math.pi - greatest))
    return Flexion(far * far, near * near)


def excesses(bones: Bones, distance_square: Pair) -> tuple[Number, Number]:
    """(F, G) of a squared distance: how far inside the two limits it is, negative outside."""
    (high, low), (far, far_low), (near, near_low) = distance_square, bones.far, bones.near
    far_excess, near_excess = far - high, high - near
    far_excess += far_low - low
    near_excess += low - near_low
    return far_excess, near_excess
