# SPDX-License-Identifier: GPL-3.0-or-later
"""Read: a depsgraph's evaluated scene in, arrays in armature space out.

Everything is read from evaluated copies, the limbs' own settings too: in a render the originals are stale.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter

import bpy
import numpy as np
from numpy.typing import NDArray

from .children import Entry
from .follow import Turns
from .layout import Layout
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
    layout = plan.layout(rows, WIDTH)
    evaluated = read_matrices(plan, depsgraph, layout.armatures)
    matrices = plan.matrices.take(layout.bone_rows, axis=0).astype(float).reshape(-1, 3, 4, 4)
    numbers = np.zeros((len(rows), WIDTH))
    numbers[:, :3] = matrices[:, 0, 3, :3]
    _read_sources(plan, depsgraph, layout, evaluated, numbers.reshape(-1))
    settings = []
    for index, lowers in layout.members:
        bones = evaluated[index].pose.bones
        for lower in lowers:
            bone = bones[lower]
            settings.append((bone.bone.length, *settings_of(bone)))
    if settings:
        numbers[:, 9:] = settings
    return Reading(numbers, matrices[:, :, :3, :3], matrices[:, 1, 3, :3], layout.has_pole,
                   _read_turns(plan, depsgraph, rows, layout.hands, evaluated) if layout.hands else None)


def _read_sources(plan: Plan, depsgraph: bpy.types.Depsgraph, layout: Layout, evaluated: dict[int, bpy.types.Object],
                  numbers: Array) -> None:
    """Fill in where targets and poles stand."""
    if layout.bones is not None:
        cells, rows = layout.bones
        numbers[cells] = plan.matrices[rows, 3, :3]
    others: Iterable[Entry] = layout.others
    if layout.children.asked:
        others = chain(others, layout.children.read(depsgraph, numbers))
    for cell, armature, source in others:
        if not source.is_current:
            raise KeyError(source.control.object.name)
        numbers[cell:cell + 3] = source_point(source, evaluated[armature], plan, depsgraph)


def read_matrices(plan: Plan, depsgraph: bpy.types.Depsgraph, armatures: Iterable[int]) -> dict[int, bpy.types.Object]:
    """Read the bones' matrices of these armatures of the plan into it; returns the evaluated armatures."""
    evaluated = {}
    for index in armatures:
        armature = plan.armatures[index]
        object = armature.object.evaluated_get(depsgraph)
        object.pose.bones.foreach_get("matrix", plan.matrices[armature.rows].reshape(-1))
        evaluated[index] = object
    return evaluated


def _read_turns(plan: Plan, depsgraph: bpy.types.Depsgraph, rows: Sequence[int], places: tuple[int, ...],
                evaluated: dict[int, bpy.types.Object]) -> Turns:
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
