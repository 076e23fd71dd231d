# SPDX-License-Identifier: GPL-3.0-or-later
"""Arithmetic that serves single limbs and batches alike: floats or numpy arrays, and pairs that lose no digits.

A pair (high, low) stands for the unevaluated sum high + low. Sources: Knuth, TAOCP 2, 4.2.2 (two-sum); Dekker, Numer.
Math. 18 (1971) 224 (split, product).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Number = Any
"""A float or an array of float64."""

Pair = tuple[Number, Number]

SPLITTER = 134217729.0
"""2^27 + 1: halves a 53-bit mantissa."""

GRID = 134217728.0
"""2^27: puts three components on one grid so coarse that the sum of their squares is exact."""


class Operations(NamedTuple):
    """The functions that differ between floats and arrays."""

    sqrt: Callable[..., Number]
    maximum: Callable[..., Number]
    minimum: Callable[..., Number]
    where: Callable[..., Number]
    frexp: Callable[..., Number]
    ldexp: Callable[..., Number]
    any: Callable[..., bool]
    all: Callable[..., bool]
    within: Callable[..., bool]
    """Whether a number, or all of an array, lies between two others: within(least, number, most)."""
    least: Callable[..., float]
    """A number, or the least of an array."""
    greatest: Callable[..., float]
    square_bound: Callable[..., float]
    """What the squared norm of a vector (x, y, z) is at most, and that of all vectors of arrays."""
    out_of_range: Callable[[], None]
    """Called where a number is not of a usual size, which is where inputs that are not finite show."""


def _choose(condition: bool, yes: float, no: float) -> float:
    return yes if condition else no


def _is_within(least: float, value: float, most: float) -> bool:
    return least < value < most


def _are_within(least: float, values: Number, most: float) -> bool:
    if isinstance(values, float):
        return least < values < most
    return bool(least < values.min() and values.max() < most)


def _least(values: Number) -> float:
    return float(values.min())


def _greatest(values: Number) -> float:
    return float(values.max())


def _square_norm(x: float, y: float, z: float) -> float:
    return x * x + y * y + z * z


def _square_bound(x: Number, y: Number, z: Number) -> float:
    largest = max(max(float(values.max()), -float(values.min())) for values in (x, y, z))
    return 3.0 * largest * largest


def _nothing() -> None:
    pass


SCALAR = Operations(math.sqrt, max, min, _choose, math.frexp, math.ldexp, bool, bool, _is_within,
                    float, float, _square_norm, _nothing)
BATCH = Operations(np.sqrt, np.maximum, np.minimum, np.where, np.frexp, np.ldexp, np.any, np.all, _are_within,
                   _least, _greatest, _square_bound, _nothing)


def two_sum(a: Number, b: Number) -> Pair:
    """a + b as a pair."""
    high = a + b
    part = high - a
    low = a - (high - part)
    low += b - part
    return high, low


def halves(a: Number) -> Pair:
    """a as a pair of 26 bits each, so that products of such halves are exact; |a| below 1e300."""
    high = a * SPLITTER
    high -= high - a
    return high, a - high


def square(a: Number) -> Pair:
    """a² as a pair."""
    a_high, a_low = halves(a)
    high = a * a
    rest = high - a_high * a_high
    a_high *= a_low
    rest -= a_high
    rest -= a_high
    low = a_low * a_low
    low -= rest
    return high, low


def squared_norm(x: Number, y: Number, z: Number) -> Pair:
    """x² + y² + z² as a pair, good to 2^-77 of itself.

    The components are rounded to a grid of their own row, on which the sum of squares is exact; what the rounding
    took away comes back as (T - Tg)·(T + Tg).
    """
    grid = abs(x)
    grid += abs(y)
    grid += abs(z)
    grid *= GRID
    high, low = _square_on_grid(x, grid)
    for component in (y, z):
        more_high, more_low = _square_on_grid(component, grid)
        high += more_high
        low += more_low
    return high, low


def _square_on_grid(a: Number, grid: Number) -> Pair:
    """a² as the exact square of `a` rounded to the grid, and what the rounding took away."""
    rounded = a + grid
    rounded -= grid
    low = a - rounded
    low *= a + rounded
    rounded *= rounded
    return rounded, low


def squared_norm_in_plane(x: Number, y: Number) -> Pair:
    """x² + y² as a pair, good to 2^-104 of itself, at twice the price."""
    x_high, x_low = square(x)
    y_high, y_low = square(y)
    high, low = two_sum(x_high, y_high)
    return high, low + (x_low + y_low)
