# SPDX-License-Identifier: GPL-3.0-or-later
"""Read: a depsgraph's evaluated scene in, arrays in armature space out.

Everything is read from evaluated copies, the limbs' own settings too: in a render the originals are stale.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from .place import control_point
from .plan import Plan, Source
from .problem import Sample

Array = NDArray[np.float64]


def read(plan: Plan, depsgraph: bpy.types.Depsgraph, rows: Sequence[int]) -> Sample:
    """Sample the limbs `rows` of `plan` as `depsgraph` has evaluated them.

    Raises ReferenceError or KeyError where the plan is out of date: make a new one then.
    """
    evaluated = _read_matrices(plan, depsgraph, {plan.limbs[row].armature for row in rows})
    settings = np.empty((len(rows), 4))
    targets, poles = np.zeros((len(rows), 3)), np.zeros((len(rows), 3))
    has_pole = np.zeros(len(rows), dtype=bool)
    for place, row in enumerate(rows):
        limb = plan.limbs[row]
        armature = evaluated[limb.armature]
        bone = armature.pose.bones[limb.limb.lower]
        settings[place] = (bone.bone.length, bone.twobone_influence, bone.twobone_softness, bone.twobone_pole_angle)
        targets[place] = _point(limb.target, armature, plan, depsgraph)
        if limb.pole is not None:
            poles[place] = _point(limb.pole, armature, plan, depsgraph)
            has_pole[place] = True
    upper = plan.matrices[[plan.limbs[row].upper_row for row in rows]].astype(float)
    lower = plan.matrices[[plan.limbs[row].lower_row for row in rows]].astype(float)
    parent = plan.matrices[[plan.limbs[row].parent_row for row in rows]].astype(float)
    return Sample(
        root=upper[:, 3, :3], joint=lower[:, 3, :3],
        upper_columns=upper[:, :3, :3], lower_columns=lower[:, :3, :3], parent_columns=parent[:, :3, :3],
        length=settings[:, 0], target=targets, pole=poles, has_pole=has_pole,
        influence=settings[:, 1], softness=settings[:, 2], pole_angle=settings[:, 3])


def _read_matrices(plan: Plan, depsgraph: bpy.types.Depsgraph, armatures: set[int]) -> dict[int, bpy.types.Object]:
    evaluated = {}
    for index in armatures:
        armature = plan.armatures[index]
        object = armature.object.evaluated_get(depsgraph)
        object.pose.bones.foreach_get("matrix", plan.matrices[armature.rows].reshape(-1))
        evaluated[index] = object
    return evaluated


def _point(source: Source, armature: bpy.types.Object, plan: Plan, depsgraph: bpy.types.Depsgraph) -> Array:
    if source.row >= 0:
        return plan.matrices[source.row, 3, :3].astype(float)
    return control_point(depsgraph, armature, source.control, source.inverse)
