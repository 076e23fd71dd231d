# SPDX-License-Identifier: GPL-3.0-or-later
"""Error-free transformations: sums and products as unevaluated pairs (high, low) that are exact together.

Every function works alike on Python floats and on numpy arrays, which is what lets one kernel serve single limbs
and batches. Sources: Knuth, TAOCP 2, 4.2.2 (two-sum); Dekker, Numer. Math. 18 (1971) 224 (split, two-product).
"""

from __future__ import annotations

from typing import Any

SPLITTER = 134217729.0
"""2^27 + 1: halves a 53-bit mantissa."""

GRID = 268435456.0
"""2^28: puts three components on one grid so coarse that the sum of their squares is exact."""

Number = Any
"""A float or an array of float64."""


def two_sum(a: Number, b: Number) -> tuple[Number, Number]:
    """a + b as a pair."""
    high = a + b
    part = high - a
    return high, (a - (high - part)) + (b - part)


def two_product(a: Number, b: Number) -> tuple[Number, Number]:
    """a * b as a pair, for factors below 1e300."""
    high = a * b
    scaled = a * SPLITTER
    a_high = scaled - (scaled - a)
    a_low = a - a_high
    scaled = b * SPLITTER
    b_high = scaled - (scaled - b)
    b_low = b - b_high
    return high, a_low * b_low - (((high - a_high * b_high) - a_low * b_high) - a_high * b_low)


def squared_norm(x: Number, y: Number, z: Number) -> tuple[Number, Number]:
    """x² + y² + z² as a pair, good to 2^-77 of itself.

    The components are rounded to a grid of their own row, on which the sum of squares is exact; what the rounding
    took away comes back as (T - Tg)·(T + Tg).
    """
    grid = (abs(x) + abs(y) + abs(z)) * GRID
    x_grid = (x + grid) - grid
    y_grid = (y + grid) - grid
    z_grid = (z + grid) - grid
    high = x_grid * x_grid + y_grid * y_grid + z_grid * z_grid
    low = (x - x_grid) * (x + x_grid) + (y - y_grid) * (y + y_grid) + (z - z_grid) * (z + z_grid)
    return high, low
