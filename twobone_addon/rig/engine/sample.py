# SPDX-License-Identifier: GPL-3.0-or-later
"""Read: a depsgraph's evaluated scene in, arrays in armature space out.

Everything is read from evaluated copies, the limbs' own settings too: in a render the originals are stale.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

import bpy
import numpy as np
from numpy.typing import NDArray

from .follow import Turns
from .place import control_axes, control_point
from .plan import Plan, Source
from .problem import Sample

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

SETTINGS = {"influence": "twobone_influence", "softness": "twobone_softness", "pole_angle": "twobone_pole_angle",
            "bend_min": "twobone_bend_min", "bend_max": "twobone_bend_max"}
"""The properties of the lower bone that a sample holds, by its fields."""

settings_of = attrgetter(*SETTINGS.values())
"""Their values of a bone, in this order."""

FOLLOW = "twobone_follow_rotation"

POINTS = {"root": slice(0, 3), "target": slice(3, 6), "pole": slice(6, 9)}
NUMBERS = {name: 9 + index for index, name in enumerate(("length", *SETTINGS))}
"""The columns of a reading's numbers, by the sample's fields."""

WIDTH = 9 + len(NUMBERS)


@dataclass(frozen=True)
class Reading:
    """What was read of N limbs, in few arrays: numbers (N, WIDTH) as POINTS and NUMBERS lay them out, the columns
    (N, 3, axis, 3) of the upper bone, the lower bone and the upper bone's parent, the joints (N, 3)."""

    numbers: Array
    columns: Array
    joint: Array
    has_pole: Mask
    turns: Turns | None

    def sample(self) -> Sample:
        """The same by name."""
        return Sample(joint=self.joint, upper_columns=self.columns[:, 0], lower_columns=self.columns[:, 1],
                      parent_columns=self.columns[:, 2], has_pole=self.has_pole, turns=self.turns,
                      **{name: self.numbers[:, part] for name, part in POINTS.items()},
                      **{name: self.numbers[:, column] for name, column in NUMBERS.items()})


def read(plan: Plan, depsgraph: bpy.types.Depsgraph, rows: Sequence[int]) -> Sample:
    """Sample the limbs `rows` of `plan` as `depsgraph` has evaluated them.

    Raises ReferenceError or KeyError where the plan is out of date: make a new one then.
    """
    return look(plan, depsgraph, rows).sample()


def look(plan: Plan, depsgraph: bpy.types.Depsgraph, rows: Sequence[int]) -> Reading:
    """What `read` makes a sample of."""
    evaluated = read_matrices(plan, depsgraph, {plan.limbs[row].armature for row in rows})
    bones_of = {index: armature.pose.bones for index, armature in evaluated.items()}
    found, has_pole = [], []
    for row in rows:
        limb = plan.limbs[row]
        armature = evaluated[limb.armature]
        bone = bones_of[limb.armature][limb.limb.lower]
        pole = (0.0, 0.0, 0.0) if limb.pole is None else source_point(limb.pole, armature, plan, depsgraph)
        found.append((*source_point(limb.target, armature, plan, depsgraph), *pole, bone.bone.length, *settings_of(bone)))
        has_pole.append(limb.pole is not None)
    matrices = plan.matrices[plan.bone_rows[:, rows]].swapaxes(0, 1).astype(float)
    numbers = np.empty((len(rows), WIDTH))
    numbers[:, :3] = matrices[:, 0, 3, :3]
    if found:
        numbers[:, 3:] = found
    return Reading(numbers, matrices[:, :, :3, :3], matrices[:, 1, 3, :3], np.array(has_pole, dtype=bool),
                   _read_turns(plan, depsgraph, rows, evaluated))


def read_matrices(plan: Plan, depsgraph: bpy.types.Depsgraph, armatures: Iterable[int]) -> dict[int, bpy.types.Object]:
    """Read the bones' matrices of these armatures of the plan into it; returns the evaluated armatures."""
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
        armature = evaluated[limb.armature]
        follow.append(armature.pose.bones[limb.limb.lower].twobone_follow_rotation)
        columns.append(source_axes(limb.target, armature, plan, depsgraph))
    return Turns(places, np.array(columns, dtype=float), np.array(follow, dtype=float))


def source_point(source: Source, armature: bpy.types.Object, plan: Plan, depsgraph: bpy.types.Depsgraph) -> Iterable[float]:
    """Where (3 numbers) a target or pole stands; armature: the evaluated one, whose matrices were read into the plan."""
    if source.row >= 0:
        return plan.matrices[source.row, 3, :3].tolist()
    return control_point(depsgraph, armature, source.control, source.inverse)


def source_axes(source: Source, armature: bpy.types.Object, plan: Plan, depsgraph: bpy.types.Depsgraph) -> Array:
    """The axes (axis, 3), scale included, of the same."""
    if source.row >= 0:
        return plan.matrices[source.row, :3, :3].astype(float)
    return control_axes(depsgraph, armature, source.control, source.inverse)
