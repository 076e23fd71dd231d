# SPDX-License-Identifier: GPL-3.0-or-later
"""The inputs of `solve` and `soften`: made arrays, broadcast, and refused where they are not what the contract says."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import as_numbers, refuse_first

Array = NDArray[np.float64]

VECTORS = ("root", "target", "pole", "fallback")
PLACES = ("root", "target", "pole")
LENGTHS = ("upper", "lower", "distance", "reach")
FLEXIONS = ("bend_min", "bend_max")


class Inputs:
    """The inputs by name, over leading axes of shape `shape`, flattened to `count` rows.

    Raises ValueError for shapes that do not fit. What the numbers are is for `check` to say.
    """

    def __init__(self, given: dict[str, ArrayLike | None]) -> None:
        self._arrays: dict[str, Array] = {}
        leading = []
        for name, value in given.items():
            if value is not None:
                is_vector = name in VECTORS
                array = self._arrays[name] = as_numbers(name, value, 3 if is_vector else 0)
                leading.append(array.shape[:-1] if is_vector else array.shape)
        shapes = set(leading)
        shapes.discard(())
        self.shape = _common(self._arrays, leading) if len(shapes) > 1 else shapes.pop() if shapes else ()
        self.count = math.prod(self.shape)
        self._places_checked = False

    def vectors(self, name: str) -> Array | None:
        """An input of vectors as (count, 3)."""
        array = self._arrays.get(name)
        if array is None:
            return None
        if array.shape[:-1] != self.shape:
            array = np.broadcast_to(array, (*self.shape, 3))
        return array if array.ndim == 2 else array.reshape(self.count, 3)

    def numbers(self, name: str) -> Array | float | None:
        """An input of numbers as (count,), or as one float for all."""
        array = self._arrays.get(name)
        if array is None:
            return None
        if array.ndim == 0:
            return array.item()
        if array.shape != self.shape:
            array = np.broadcast_to(array, self.shape)
        return array if array.ndim == 1 else array.reshape(self.count)

    def array(self, name: str) -> Array | None:
        """An input in the shape it was given in."""
        return self._arrays.get(name)

    def check(self) -> None:
        """Raise ValueError for the first bad argument, naming its first bad index; the places come last."""
        self.check_all_but_places()
        self.check_places()

    def check_places(self) -> None:
        """The part of `check` for root, target and pole; once done it costs nothing."""
        for name in () if self._places_checked else PLACES:
            array = self._arrays.get(name)
            if array is not None and not all(map(math.isfinite, _extremes(array))):
                refuse_first(name, ~np.isfinite(array), array, "is not finite", vector=True)
        self._places_checked = True

    def check_all_but_places(self) -> None:
        """The part of `check` for everything else."""
        arrays = self._arrays
        extremes = {name: _extremes(array) for name, array in arrays.items() if name not in PLACES}
        for name, (least, greatest) in extremes.items():
            array = arrays[name]
            if not (math.isfinite(least) and math.isfinite(greatest)):
                refuse_first(name, ~np.isfinite(array), array, "is not finite", name in VECTORS)
            if least < 0.0 and name in LENGTHS:
                refuse_first(name, array < 0.0, array, "is negative")
            if name == "softness" and not 0.0 <= least <= greatest < 1.0:
                refuse_first(name, (array < 0.0) | (array >= 1.0), array, "is outside [0, 1)")
            if name in FLEXIONS and not 0.0 <= least <= greatest <= math.pi:
                refuse_first(name, (array < 0.0) | (array > math.pi), array, "is outside [0, pi]")
        if extremes["upper"][0] == extremes["lower"][0] == 0.0:
            refuse_first("upper and lower", (arrays["upper"] == 0.0) & (arrays["lower"] == 0.0), None, "are both zero")
        if all(name in arrays for name in FLEXIONS):
            bend_min, bend_max = np.broadcast_arrays(arrays["bend_min"], arrays["bend_max"])
            refuse_first("bend_min", bend_min > bend_max, bend_min, "is greater than bend_max")


def _extremes(array: Array) -> tuple[float, float]:
    """(least, greatest), not finite where an element is not."""
    if array.ndim == 0:
        return array.item(), array.item()
    return (array.min().item(), array.max().item()) if array.size else (0.0, 0.0)


def _common(arrays: dict[str, Array], leading: list[tuple[int, ...]]) -> tuple[int, ...]:
    shape: tuple[int, ...] = ()
    for name, own in zip(arrays, leading):
        try:
            shape = np.broadcast_shapes(shape, own)
        except ValueError:
            raise ValueError(f"{name} of shape {arrays[name].shape} does not broadcast with the leading axes {shape} "
                             f"of the arguments before it") from None
    return shape
