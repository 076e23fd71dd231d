# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets and poles that are plain children of their armatures, which stand where their location says: read all at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from .place import IDENTITY

if TYPE_CHECKING:
    from .plan import Source

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

STANDING = IDENTITY.reshape(16).astype(np.float32)

WORTH = 16
"""Objects of a view layer for each one asked for, up to which reading the places of all is quicker than asking one by one."""


Entry = tuple[int, int, "Source"]
"""Where the three numbers of a target or pole go, what armature of the plan it belongs to, and what it is."""


class Seats(NamedTuple):
    """Where children stand among objects with these names: `places` (M,), whose numbers go to the cells (M, 3).

    left: those that do not stand there.
    """

    names: list[str]
    cells: Indices
    places: Indices
    left: Sequence[Entry]


class Children:
    """Plain children among the objects of a view layer."""

    def __init__(self, asked: Sequence[Entry]) -> None:
        self.asked = asked
        self.seats: Seats | None = None

    def read(self, depsgraph: bpy.types.Depsgraph, numbers: Array) -> Sequence[Entry]:
        """Fill in the numbers of all that can be read at once, and return the others.

        Among these is one whose parent inverse is not the identity any more.
        """
        objects = depsgraph.view_layer_eval.objects
        count = len(objects)
        if count > WORTH * len(self.asked):
            return self.asked
        names, seats = objects.keys(), self.seats
        if seats is None or seats.names != names:
            seats = self.seats = _seats(self.asked, objects, names)
        places, deltas = np.empty((2, count, 3), dtype=np.float32)
        inverses = np.empty((count, 16), dtype=np.float32)
        objects.foreach_get("location", places.reshape(-1))
        objects.foreach_get("delta_location", deltas.reshape(-1))
        objects.foreach_get("matrix_parent_inverse", inverses.reshape(-1))
        places += deltas
        numbers[seats.cells] = places[seats.places]
        moved = inverses[seats.places] != STANDING
        if not moved.any():
            return seats.left
        cells = set(seats.cells[moved.any(1), 0].tolist())
        return [*seats.left, *(entry for entry in self.asked if entry[0] in cells)]


def _seats(asked: Sequence[Entry], objects: Sequence[bpy.types.Object], names: list[str]) -> Seats:
    """Names tell objects apart, unless two of different files have the same."""
    often = Counter(names)
    seat_of = {object.original: seat for seat, (object, name) in enumerate(zip(objects, names, strict=True)) if often[name] == 1}
    seated = [(cell, seat_of[source.control.object]) for cell, _armature, source in asked if source.control.object in seat_of]
    return Seats(names, np.array([range(cell, cell + 3) for cell, _seat in seated], dtype=np.intp).reshape(-1, 3),
                 np.array([seat for _cell, seat in seated], dtype=np.intp),
                 [entry for entry in asked if entry[2].control.object not in seat_of])
