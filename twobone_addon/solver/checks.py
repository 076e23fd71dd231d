# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusing bad input by the argument's name and the first bad index."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def as_numbers(name: str, value: ArrayLike, components: int = 0) -> Array:
    """`value` as float64, its last axis of length `components` where that is not 0; ValueError otherwise."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers: {error}") from None
    if components and (array.ndim == 0 or array.shape[-1] != components):
        raise ValueError(f"{name} must have shape (..., {components}), not {array.shape}")
    return array


def refuse_first(name: str, bad: NDArray[np.bool_], array: Array | None, what: str, vector: bool = False) -> None:
    """Raise ValueError for the first bad element, if there is one; the last axis of a vector is not part of the index."""
    if not bad.any():
        return
    index = tuple(int(place) for place in np.unravel_index(int(np.argmax(bad)), bad.shape))
    where = index[:-1] if vector else index
    at = f" at index {where[0] if len(where) == 1 else where}" if where else ""
    value = "" if array is None else f" ({array[index]:g})"
    raise ValueError(f"{name}{at} {what}{value}")
