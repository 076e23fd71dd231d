# SPDX-License-Identifier: GPL-3.0-or-later
"""What shows whether a foretold frame has come true, read in as few calls as can be."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import bpy
import numpy as np
from numpy.typing import NDArray

from .place import IDENTITY, control_point
from .plan import Plan, Source
from .sample import read_matrices

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

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
        self.bones, self.parents = plan.bone_rows[:2, rows].T, plan.bone_rows[2, rows]
        self.members: dict[int, list[tuple[int, str]]] = {}
        for place, row in enumerate(rows):
            self.members.setdefault(plan.limbs[row].armature, []).append((place, plan.limbs[row].limb.lower))
        sources = [(2 * place + part, plan.limbs[row].armature, source) for place, row in enumerate(rows)
                   for part, source in enumerate((plan.limbs[row].target, plan.limbs[row].pole)) if source is not None]
        own = [(index, source.row) for index, _armature, source in sources if source.row >= 0]
        self.own: Indices = np.array([index for index, _row in own], dtype=np.intp)
        self.own_rows: Indices = np.array([row for _index, row in own], dtype=np.intp)
        self.plain = [entry for entry in sources if entry[2].row < 0 and entry[2].inverse is IDENTITY]
        self.others = [entry for entry in sources if entry[2].row < 0 and entry[2].inverse is not IDENTITY]
        self.seats: dict[int, tuple[int, Indices, Indices, list[tuple[int, int, Source]]]] = {}

    def read(self, depsgraph: bpy.types.Depsgraph) -> tuple[Array, dict[int, bpy.types.Object]]:
        """(numbers (N, WIDTH), the evaluated armatures by their place in the plan); a missing pole's numbers are 0.

        A plain child whose parent inverse is not the plan's any more has no number.
        """
        armatures = read_matrices(self.plan, depsgraph, self.members)
        count = len(self.bones)
        found = np.zeros((count, self.WIDTH))
        found[:, :24] = self.plan.matrices[self.bones, :, :3].reshape(count, 24)
        points = np.zeros((2 * count, 3))
        others = self.others
        if self.plain:
            others = others + self._read_plain(depsgraph, points)
        if self.own.size:
            points[self.own] = self.plan.matrices[self.own_rows, 3, :3]
        for index, armature, source in others:
            points[index] = control_point(depsgraph, armatures[armature], source.control, source.inverse) if (
                source.is_current) else nan
        found[:, 24:30] = points.reshape(count, 6)
        found[:, 30:] = self.plan.matrices[self.parents, :3, :3].reshape(count, 9)
        return found, armatures

    def _read_plain(self, depsgraph: bpy.types.Depsgraph, found: Array) -> list[tuple[int, int, Source]]:
        """Read plain children of their armatures, whose place is their location; returns those that it left out."""
        objects = depsgraph.view_layer_eval.objects
        count = len(objects)
        key = depsgraph.as_pointer()
        known = self.seats.get(key)
        if known is None or known[0] != count:
            known = self.seats[key] = (count, *self._seats(objects, count))
        _count, indices, seats, left = known
        if seats.size:
            places = np.empty((2, count, 3), dtype=np.float32)
            inverses = np.empty((count, 4, 4), dtype=np.float32)
            objects.foreach_get("location", places[0].reshape(-1))
            objects.foreach_get("delta_location", places[1].reshape(-1))
            objects.foreach_get("matrix_parent_inverse", inverses.reshape(-1))
            found[indices] = places[0, seats] + places[1, seats]
            found[indices[(inverses[seats] != IDENTITY).any((1, 2))]] = nan
        return left

    def _seats(self, objects: Sequence[bpy.types.Object], count: int) -> tuple[Indices, Indices, list[tuple[int, int, Source]]]:
        seat_of = {}
        if count <= WORTH * len(self.plain):
            seat_of = {object.original: seat for seat, object in enumerate(objects)}
        seated = [(index, seat_of[source.control.object]) for index, _armature, source in self.plain
                  if source.control.object in seat_of]
        left = [entry for entry in self.plain if entry[2].control.object not in seat_of]
        return (np.array([index for index, _seat in seated], dtype=np.intp),
                np.array([seat for _index, seat in seated], dtype=np.intp), left)
