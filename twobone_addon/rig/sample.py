# SPDX-License-Identifier: GPL-3.0-or-later
"""Read: a depsgraph's evaluated scene in, arrays in armature space out.

Everything is read from evaluated copies, the limbs' own settings too: in a render the originals are stale.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
import numpy as np

from .follow import Turns
from .place import control_axes, control_point
from .plan import Plan, Source
from .problem import Sample

SETTINGS = {"influence": "twobone_influence", "softness": "twobone_softness", "pole_angle": "twobone_pole_angle",
            "bend_min": "twobone_bend_min", "bend_max": "twobone_bend_max"}
"""The properties of the lower bone that a sample holds, by its fields."""

FOLLOW = "twobone_follow_rotation"


def read(plan: Plan, depsgraph: bpy.types.Depsgraph, rows: Sequence[int]) -> Sample:
    """Sample the limbs `rows` of `plan` as `depsgraph` has evaluated them.

    Raises ReferenceError or KeyError where the plan is out of date: make a new one then.
    """
    evaluated = _read_matrices(plan, depsgraph, {plan.limbs[row].armature for row in rows})
    numbers = []
    for row in rows:
        limb = plan.limbs[row]
        armature = evaluated[limb.armature]
        bone = armature.pose.bones[limb.limb.lower]
        pole = (0.0, 0.0, 0.0) if limb.pole is None else _point(limb.pole, armature, plan, depsgraph)
        numbers.append((*_point(limb.target, armature, plan, depsgraph), *pole, bone.bone.length, bone.twobone_influence,
                        bone.twobone_softness, bone.twobone_pole_angle, limb.pole is not None, bone.twobone_bend_min,
                        bone.twobone_bend_max))
    values = np.array(numbers, dtype=float).reshape(len(rows), 13)  # also where there is none
    upper, lower, parent = plan.matrices[plan.bone_rows[:, rows]].astype(float)
    return Sample(
        root=upper[:, 3, :3], joint=lower[:, 3, :3],
        upper_columns=upper[:, :3, :3], lower_columns=lower[:, :3, :3], parent_columns=parent[:, :3, :3],
        target=values[:, :3], pole=values[:, 3:6], length=values[:, 6], influence=values[:, 7], softness=values[:, 8],
        pole_angle=values[:, 9], has_pole=values[:, 10] != 0.0, bend_min=values[:, 11], bend_max=values[:, 12],
        turns=_read_turns(plan, depsgraph, rows, evaluated))


def _read_matrices(plan: Plan, depsgraph: bpy.types.Depsgraph, armatures: set[int]) -> dict[int, bpy.types.Object]:
    evaluated = {}
    for index in armatures:
        armature = plan.armatures[index]
        object = armature.object.evaluated_get(depsgraph)
        object.pose.bones.foreach_get("matrix", plan.matrices[armature.rows].reshape(-1))
        evaluated[index] = object
    return evaluated


def _read_turns(plan: Plan, depsgraph: bpy.types.Depsgraph, rows: Sequence[int],
                evaluated: dict[int, bpy.types.Object]) -> Turns | None:
    places = tuple(place for place, row in enumerate(rows) if plan.limbs[row].hand is not None)
    if not places:
        return None
    columns, follow = [], []
    for limb in (plan.limbs[rows[place]] for place in places):
        armature, target = evaluated[limb.armature], limb.target
        follow.append(armature.pose.bones[limb.limb.lower].twobone_follow_rotation)
        columns.append(plan.matrices[target.row, :3, :3] if target.row >= 0
                       else control_axes(depsgraph, armature, target.control, target.inverse))
    return Turns(places, np.array(columns, dtype=float), np.array(follow, dtype=float))


def _point(source: Source, armature: bpy.types.Object, plan: Plan, depsgraph: bpy.types.Depsgraph) -> Iterable[float]:
    if source.row >= 0:
        return plan.matrices[source.row, 3, :3].tolist()
    return control_point(depsgraph, armature, source.control, source.inverse)
