# SPDX-License-Identifier: GPL-3.0-or-later
"""Read: a depsgraph's evaluated scene in, arrays in armature space out.

Everything is read from evaluated copies, the limbs' own settings too: in a render the originals are stale.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
import numpy as np

from .place import control_point
from .plan import Plan, Source
from .problem import Sample


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
                        bone.twobone_softness, bone.twobone_pole_angle, limb.pole is not None))
    values = np.array(numbers, dtype=float)
    upper, lower, parent = plan.matrices[plan.bone_rows[:, rows]].astype(float)
    return Sample(
        root=upper[:, 3, :3], joint=lower[:, 3, :3],
        upper_columns=upper[:, :3, :3], lower_columns=lower[:, :3, :3], parent_columns=parent[:, :3, :3],
        target=values[:, :3], pole=values[:, 3:6], length=values[:, 6], influence=values[:, 7], softness=values[:, 8],
        pole_angle=values[:, 9], has_pole=values[:, 10] != 0.0)


def _read_matrices(plan: Plan, depsgraph: bpy.types.Depsgraph, armatures: set[int]) -> dict[int, bpy.types.Object]:
    evaluated = {}
    for index in armatures:
        armature = plan.armatures[index]
        object = armature.object.evaluated_get(depsgraph)
        object.pose.bones.foreach_get("matrix", plan.matrices[armature.rows].reshape(-1))
        evaluated[index] = object
    return evaluated


def _point(source: Source, armature: bpy.types.Object, plan: Plan, depsgraph: bpy.types.Depsgraph) -> Iterable[float]:
    if source.row >= 0:
        return plan.matrices[source.row, 3, :3].tolist()
    return control_point(depsgraph, armature, source.control, source.inverse)
