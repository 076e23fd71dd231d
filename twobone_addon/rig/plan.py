# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene's limbs, laid out once for reading them every frame.

A plan holds what changes only when somebody edits the rig: which limbs there are, where their bones stand in
`pose.bones`, what kind of thing each target is, and the bound constants as arrays. It is thrown away whenever the
structure of the scene changes; no pose is kept in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from . import properties
from .binding import Binding
from .limb import OUTPUT, Control, Limb, limb_indices, limb_of, output_constraint
from .place import parent_inverse
from .problem import Constants

IDENTITY_ROW = 0
"""Row of the matrices that stands for the missing parent of a root bone."""


@dataclass(frozen=True)
class Source:
    """A target or pole, and how it is read.

    row: the bone's row among the plan's matrices where it belongs to the limb's own armature, else -1.
    inverse: what `place.parent_inverse` says of the control.
    """

    control: Control
    row: int
    inverse: NDArray[np.float64] | None


@dataclass(frozen=True)
class PlannedArmature:
    """An armature with limbs: its rows in the matrices, and what shows that its bones are still the same."""

    object: bpy.types.Object
    first_row: int
    versions: NDArray[np.int32]

    @property
    def rows(self) -> slice:
        """This armature's part of the plan's matrices."""
        return slice(self.first_row, self.first_row + len(self.versions))


@dataclass(frozen=True)
class PlannedLimb:
    """A limb, resolved: the rows of its bones, its sources, and the sentence that says why it rests, or ''."""

    limb: Limb
    armature: int
    upper_row: int
    lower_row: int
    parent_row: int
    target: Source | None
    pole: Source | None
    binding: Binding | None
    fault: str


@dataclass(frozen=True)
class Plan:
    """All limbs of a scene. `matrices` (rows, 4, 4) is the buffer that bone matrices are read into, column by column."""

    armatures: tuple[PlannedArmature, ...]
    limbs: tuple[PlannedLimb, ...]
    matrices: NDArray[np.float32]
    constants: Constants

    @property
    def is_current(self) -> bool:
        """Whether every armature still has the bones and limbs that the plan was made for."""
        try:
            return all(_same_bones(armature) for armature in self.armatures)
        except ReferenceError:
            return False


def make_plan(scene: bpy.types.Scene) -> Plan:
    """The plan of all limbs of `scene`; empty where it has none."""
    members = set(scene.objects)
    armatures: list[PlannedArmature] = []
    limbs: list[PlannedLimb] = []
    next_row = IDENTITY_ROW + 1
    for object in members:
        if object.type != 'ARMATURE':
            continue
        places = limb_indices(object)
        if not places:
            continue
        versions = np.zeros(len(object.pose.bones), dtype=np.int32)
        object.pose.bones.foreach_get("twobone_version", versions)
        armatures.append(PlannedArmature(object, next_row, versions))
        row_of = {bone.name: next_row + index for index, bone in enumerate(object.pose.bones)}
        for place in places:
            limbs.append(_planned(object.pose.bones[place], len(armatures) - 1, row_of, members))
        next_row += len(versions)
    matrices = np.zeros((next_row, 4, 4), dtype=np.float32)
    matrices[IDENTITY_ROW] = np.eye(4)
    return Plan(tuple(armatures), tuple(limbs), matrices, _constants(limbs))


def _planned(bone: bpy.types.PoseBone, armature: int, row_of: dict[str, int], members: set) -> PlannedLimb:
    limb = limb_of(bone)
    binding, fault = None, structural_fault(limb, members)
    if not fault:
        binding = limb.binding
    upper_row = row_of.get(limb.upper, IDENTITY_ROW)
    upper = limb.armature.pose.bones.get(limb.upper)
    parent = upper.parent if upper else None
    return PlannedLimb(
        limb=limb, armature=armature, upper_row=upper_row, lower_row=row_of[limb.lower],
        parent_row=row_of[parent.name] if parent else IDENTITY_ROW,
        target=_source(limb.target, limb.armature, row_of), pole=_source(_usable_pole(limb, members), limb.armature, row_of),
        binding=binding, fault=fault)


def structural_fault(limb: Limb, members: set[bpy.types.Object]) -> str:
    """The sentence that says why `limb` cannot be solved whatever the frame, or ''."""
    bone = limb.armature.pose.bones[limb.lower]
    if bone.twobone_version > properties.VERSION:
        return f'"{limb.lower}" was set up by a newer Two-Bone IK: update the extension to use it'
    if not limb.upper:
        return f'"{limb.lower}" has lost its upper bone: remove the IK and add it again'
    if limb.target is None:
        return f'"{limb.lower}" has no target: choose one in the panel'
    if missing := _missing(limb.target, members):
        return f'The target of "{limb.lower}" is missing: {missing}'
    try:
        limb.binding  # noqa: B018 (asks whether the text can be read)
    except ValueError:
        return f'"{limb.lower}" has lost its binding: press Rebind'
    for part in limb.bones:
        if output_constraint(part) is None:
            return f'"{part.name}" has lost its constraint "{OUTPUT}": press Rebind'
    return ""


def pole_fault(limb: Limb, members: set[bpy.types.Object]) -> str:
    """The sentence that says why the pole of `limb` is not used, or ''; the limb then keeps its bound bend."""
    if limb.pole is None:
        return ""
    missing = _missing(limb.pole, members)
    return f'The pole of "{limb.lower}" is missing: {missing}' if missing else ""


def _missing(control: Control, members: set[bpy.types.Object]) -> str:
    if control.object not in members and not control.object.users_scene:
        return f'"{control.object.name}" is in no scene'
    if control.bone and control.bone not in control.object.pose.bones:
        return f'"{control.object.name}" has no bone "{control.bone}"'
    return ""


def _usable_pole(limb: Limb, members: set[bpy.types.Object]) -> Control | None:
    return None if pole_fault(limb, members) else limb.pole


def _source(control: Control | None, armature: bpy.types.Object, row_of: dict[str, int]) -> Source | None:
    if control is None:
        return None
    if control.bone:
        return Source(control, row_of.get(control.bone, -1) if control.object == armature else -1, None)
    return Source(control, -1, parent_inverse(control, armature))


def _same_bones(armature: PlannedArmature) -> bool:
    bones = armature.object.pose.bones
    if len(bones) != len(armature.versions):
        return False
    versions = np.empty_like(armature.versions)
    bones.foreach_get("twobone_version", versions)
    return bool((versions == armature.versions).all())


def _constants(limbs: Iterable[PlannedLimb]) -> Constants:
    return Constants.of([limb.binding for limb in limbs])
