# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties by frame: constants, and the F-curves that animate them.

Nothing of Blender's is kept between frames but objects, which say when they are gone. An F-curve is looked up by its
place among its object's curves each time it is asked: a kept one could be freed memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ..animation.fcurves import curves_of


class Unpredictable(Exception):
    """Something decides a value that only Blender's evaluation knows."""


@dataclass
class Pass:
    """One frame for which values are asked, and what has been looked up for it."""

    frame: float
    opened: dict[int, bpy.types.ActionFCurves] = field(default_factory=dict)
    matrices: dict[int, Matrix] = field(default_factory=dict)
    inverses: dict[int, NDArray[np.float64]] = field(default_factory=dict)


class Animation:
    """What animates one object: where each animated property's curve stands among its curves, and what is driven.

    places: by path and index; moved: the paths. driven: paths.
    """

    def __init__(self, object: bpy.types.Object) -> None:
        """Raises Unpredictable where more than one plain action moves the object."""
        self.object = object
        self.places: dict[tuple[str, int], int] = {}
        self.moved: set[str] = set()
        self.driven: set[str] = set()
        data = object.animation_data
        if data is None:
            return
        if (data.use_nla and len(data.nla_tracks)) or data.use_tweak_mode:
            raise Unpredictable
        self.driven = {curve.data_path for curve in data.drivers}
        curves = curves_of(object) or ()
        self.count = len(curves)
        for place, curve in enumerate(curves):
            if not curve.mute and not (curve.group and curve.group.mute) and curve.is_valid:
                self.places[curve.data_path, curve.array_index] = place
                self.moved.add(curve.data_path)

    def values(self, path: str, constants: Sequence[float]) -> Values:
        """The property at `path`, whose numbers are `constants` where no curve moves them."""
        if path in self.driven:
            raise Unpredictable
        curves = tuple((index, place) for index in range(len(constants))
                       if (place := self.places.get((path, index))) is not None) if path in self.moved else ()
        return Values(self, tuple(constants), curves)

    def refuse(self, *paths: str) -> None:
        """Raise Unpredictable where one of the properties is animated at all."""
        if any(path in self.driven or (path, 0) in self.places for path in paths):
            raise Unpredictable

    def refuse_below(self, prefix: str) -> None:
        """Raise Unpredictable where anything whose path starts with `prefix` is animated."""
        if any(path.startswith(prefix) for path in self.driven) or any(path.startswith(prefix) for path, _ in self.places):
            raise Unpredictable

    def curves(self, now: Pass) -> bpy.types.ActionFCurves:
        """The object's curves; raises Unpredictable where they are not those that were looked at."""
        curves = now.opened.get(id(self))
        if curves is None:
            curves = now.opened[id(self)] = curves_of(self.object)
            if curves is None or len(curves) != self.count:
                raise Unpredictable
        return curves


def within(name: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """What curves set the property `name` of a lower bone to: no more than it takes."""
    limits = bpy.types.PoseBone.bl_rna.properties[name]
    return np.clip(values, limits.hard_min, limits.hard_max)


@dataclass(frozen=True)
class Values:
    """Some numbers: `constants`, but for those at the indices in `curves`, which stand at a place among the curves."""

    animation: Animation
    constants: tuple[float, ...]
    curves: tuple[tuple[int, int], ...]

    def at(self, now: Pass) -> Sequence[float]:
        """The numbers at the frame of `now`."""
        if not self.curves:
            return self.constants
        values = list(self.constants)
        curves = self.animation.curves(now)
        for index, place in self.curves:
            values[index] = curves[place].evaluate(now.frame)
        return values
