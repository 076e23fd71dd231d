# SPDX-License-Identifier: GPL-3.0-or-later
"""What shows whether a foretold frame has come true, read in as few calls as can be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import nan

import bpy
import numpy as np
from numpy.typing import NDArray

from .place import IDENTITY, control_point
from .plan import IDENTITY_ROW, Plan, Source
from .sample import read_matrices

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

STANDING = IDENTITY.reshape(16).astype(np.float32)

WORTH = 64
"""Objects of a view layer for each one asked for, up to which reading the places of all is quicker than asking one by one."""


class Glance:
    """The limbs `rows` of a plan, to be read all at once: WIDTH numbers of each, columns and head of the upper and of the
    lower bone, target and pole, columns of the upper bone's parent.

    members: by their place in the plan, the armatures, and of each limb there its place among `rows` and its lower bone.
    `seats` remembers where the objects stand in a view layer. A wrong seat would show another object's place, which is
    not the one foretold.
    """

    WIDTH = 39

    def __init__(self, plan: Plan, rows: Sequence[int]) -> None:
        self.plan = plan
        self.rows = frozenset(rows)
        self.members: dict[int, list[tuple[int, str]]] = {}
        for place, row in enumerate(rows):
            self.members.setdefault(plan.limbs[row].armature, []).append((place, plan.limbs[row].limb.lower))
        sources = [(self.WIDTH * place + 24 + 3 * part, plan.limbs[row].armature, source) for place, row in enumerate(rows)
                   for part, source in enumerate((plan.limbs[row].target, plan.limbs[row].pole)) if source is not None]
        self.cells = _cells(plan, rows, sources)
        self.plain = [entry for entry in sources if entry[2].row < 0 and entry[2].inverse is IDENTITY]
        self.others = [entry for entry in sources if entry[2].row < 0 and entry[2].inverse is not IDENTITY]
        self.seats: dict[int, tuple[int, Indices, Indices, list[tuple[int, int, Source]]]] = {}

    def read(self, depsgraph: bpy.types.Depsgraph) -> tuple[Array, dict[int, bpy.types.Object]]:
        """(numbers (N, WIDTH), the evaluated armatures by their place in the plan); a missing pole's numbers are 0.

        A plain child whose parent inverse is not the plan's any more has no number.
        """
        armatures = read_matrices(self.plan, depsgraph, self.members)
        found = self.plan.matrices.take(self.cells).astype(float)
        cells, others = found.reshape(-1), self.others
        if self.plain:
            others = others + self._read_plain(depsgraph, cells)
        for cell, armature, source in others:
            cells[cell:cell + 3] = control_point(depsgraph, armatures[armature], source.control, source.inverse) if (
                source.is_current) else nan
        return found, armatures

    def _read_plain(self, depsgraph: bpy.types.Depsgraph, found: Array) -> list[tuple[int, int, Source]]:
        """Read plain children of their armatures, whose place is their location; returns those that it left out."""
        objects = depsgraph.view_layer_eval.objects
        count = len(objects)
        key = depsgraph.as_pointer()
        known = self.seats.get(key)
        if known is None or known[0] != count:
            known = self.seats[key] = (count, *self._seats(objects, count))
        _count, cells, seats, left = known
        if seats.size:
            places, deltas, inverses = np.empty(3 * count, np.float32), np.empty(3 * count, np.float32), np.empty(
                16 * count, np.float32)
            objects.foreach_get("location", places)
            objects.foreach_get("delta_location", deltas)
            objects.foreach_get("matrix_parent_inverse", inverses)
            places += deltas
            found[cells] = places.reshape(count, 3)[seats]
            changed = inverses.reshape(count, 16)[seats] != STANDING
            if changed.any():
                found[cells[changed.any(1)]] = nan
        return left

    def _seats(self, objects: Sequence[bpy.types.Object], count: int) -> tuple[Indices, Indices, list[tuple[int, int, Source]]]:
        seat_of = {}
        if count <= WORTH * len(self.plain):
            seat_of = {object.original: seat for seat, object in enumerate(objects)}
        seated = [(cell, seat_of[source.control.object]) for cell, _armature, source in self.plain
                  if source.control.object in seat_of]
        left = [entry for entry in self.plain if entry[2].control.object not in seat_of]
        return (np.array([range(cell, cell + 3) for cell, _seat in seated], dtype=np.intp),
                np.array([seat for _cell, seat in seated], dtype=np.intp), left)


def _cells(plan: Plan, rows: Sequence[int], sources: Sequence[tuple[int, int, Source]]) -> Indices:
    """Where among the plan's matrices (rows, 4, 4) the numbers of a glance stand, those of objects excepted; sources: by the
    numbers' own places."""
    vectors = np.arange(16).reshape(4, 4)[:, :3]
    upper, lower, parent = plan.bone_rows[:, rows, None, None] * 16 + vectors
    nothing = np.broadcast_to(IDENTITY_ROW * 16 + vectors[3], (len(rows), 2, 3))
    cells = np.concatenate([part.reshape(len(rows), math.prod(part.shape[1:])) for part in (
        upper, lower, nothing, parent[:, :3])], axis=1)
    for cell, _armature, source in sources:
        if source.row >= 0:
            cells.reshape(-1)[cell:cell + 3] = source.row * 16 + vectors[3]
    return cells
