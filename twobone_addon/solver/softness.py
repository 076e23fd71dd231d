# SPDX-License-Identifier: GPL-3.0-or-later
"""Softened reach: how far the tip goes for a target at a distance, and the other way round."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arithmetic import BATCH, Number, square
from .bones import Bones, bones_of, flexion_of
from .inputs import Inputs
from .soft_zone import place_of, soft_gap_inverse, square_at
from .triangle import solve_triangle

Array = NDArray[np.float64]


def soften(distance: ArrayLike, upper: ArrayLike, lower: ArrayLike, softness: ArrayLike, *,
           bend_min: ArrayLike | None = None, bend_max: ArrayLike | None = None) -> Array:
    """The reach |end - root| of a limb whose target is at `distance`, as `solve` softens and clamps it.

    All (...), broadcast together; lengths in one unit, softness in [0, 1), flexions in radians. Monotone with slope at
    most 1 and twice continuously differentiable in the reach and in the flexion (see `soft_zone`).
    Raises ValueError naming the argument, as `solve` does.
    """
    distance, bones, softness = _checked("distance", distance, upper, lower, softness, bend_min, bend_max)
    with np.errstate(all='ignore'):
        return solve_triangle(BATCH, bones, square(distance), softness).reach[()]


def unsoften(reach: ArrayLike, upper: ArrayLike, lower: ArrayLike, softness: ArrayLike, *,
             bend_min: ArrayLike | None = None, bend_max: ArrayLike | None = None) -> Array:
    """The distance of the target at which the softened limb reaches `reach`; the inverse of `soften`.

    Same shapes, units and errors. A reach at a limit or past it has many such distances, of which the one nearest to
    the interval of reach is given: there the limb has just come to its limit.
    """
    reach, bones, softness = _checked("reach", reach, upper, lower, softness, bend_min, bend_max)
    with np.errstate(all='ignore'):
        place = place_of(BATCH, bones, square(reach), softness)
        gap = np.maximum(place.x, 0.0)
        high, low = square_at(BATCH, bones, place, soft_gap_inverse(gap, place.width))
        clamped = np.minimum(np.maximum(reach, bones.limits.reach_min), bones.limits.reach_max)
        return np.where(gap < place.width, np.sqrt(np.maximum(high + low, 0.0)), clamped)[()]


def exact_reach(upper: ArrayLike, lower: ArrayLike, softness: ArrayLike, *,
                bend_min: ArrayLike | None = None, bend_max: ArrayLike | None = None) -> tuple[Array, Array]:
    """(nearest, farthest): the distances between which a softened limb reaches its target; outside them it slows down.

    All (...), broadcast together; units and errors as `soften`. Without softness these are the limits of reach.
    """
    _length, bones, softness = _checked("upper", upper, upper, lower, softness, bend_min, bend_max)

    def inside(limit: Number) -> Array:
        place = place_of(BATCH, bones, square(limit), softness)
        high, low = square_at(BATCH, bones, place, place.width)
        return np.where(place.width > 0.0, np.sqrt(np.maximum(high + low, 0.0)), limit)[()]

    with np.errstate(all='ignore'):
        return inside(bones.limits.reach_min), inside(bones.limits.reach_max)


def _checked(name: str, length: ArrayLike, upper: ArrayLike, lower: ArrayLike, softness: ArrayLike,
             bend_min: ArrayLike | None, bend_max: ArrayLike | None) -> tuple[Array, Bones, Number]:
    inputs = Inputs({name: length, "upper": upper, "lower": lower, "softness": softness,
                     "bend_min": bend_min, "bend_max": bend_max})
    inputs.check()
    flexion = flexion_of(inputs.array("bend_min"), inputs.array("bend_max"))
    bones = bones_of(BATCH, inputs.array("upper"), inputs.array("lower"), flexion)
    return inputs.array(name), bones, inputs.array("softness")
