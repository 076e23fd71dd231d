# SPDX-License-Identifier: GPL-3.0-or-later
"""Within one update: how far the limbs solved so far will move what hangs on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import bpy
import numpy as np
from mathutils import Euler, Matrix
from numpy.typing import NDArray

from . import carry
from .deliver import stands
from .dependencies import Carrier
from .plan import Plan, PlannedArmature
from .problem import Sample

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Outcome:
    """What an update makes of one limb: the sentence why it rests, or the angles (6) and influence to deliver."""

    fault: str
    angles: list[float] = field(default_factory=list)
    influence: float = 0.0


class Motions:
    """The motions, in world space, of limb bones from their pose as read to their pose as solved.

    A limb whose delivery stands already is where it was read: nothing moves with it, to the last digit.
    """

    def __init__(self, plan: Plan, depsgraph: bpy.types.Depsgraph) -> None:
        self.plan = plan
        self.depsgraph = depsgraph
        self.changes: dict[Carrier, Array] = {}

    def apply(self, sample: Sample, rows: Sequence[int]) -> Sample:
        """The sample as it will be once the limbs solved so far are delivered."""
        if not self.changes:
            return sample
        for place, row in enumerate(rows):
            limb = self.plan.limbs[row]
            armature = self.plan.armatures[limb.armature]
            sample = carry.moved_sample(
                sample, place, root=self._local(limb.root_carrier, armature),
                target=self._local(limb.target.carrier, armature) if limb.target else None,
                pole=self._local(limb.pole.carrier, armature) if limb.pole else None)
        return sample

    def solved(self, row: int, sample: Sample, place: int, outcome: Outcome) -> None:
        """Note how the bones of the limb in `row` will move, `place` being its place in the sample."""
        limb = self.plan.limbs[row]
        upper, lower = limb.limb.bones
        if stands(upper, lower, outcome.angles, outcome.influence):
            return
        armature = self.plan.armatures[limb.armature]
        to_world = self._to_world(armature)
        outer = self.changes.get(armature.carrier) if armature.carrier else None
        new_upper = self._delivered(row, upper, outcome.angles[:3], outcome.influence, sample.root[place], None)
        to_joint = np.linalg.solve(sample.upper_columns[place].T, sample.joint[place] - sample.root[place])
        joint = new_upper[:3, :3] @ to_joint + new_upper[:3, 3]
        new_lower = self._delivered(row, lower, outcome.angles[3:], outcome.influence, joint, new_upper)
        for is_lower, new, bone_row in ((False, new_upper, limb.upper_row), (True, new_lower, limb.lower_row)):
            change = carry.motion(new, self._read(bone_row))
            self.changes[Carrier(row, is_lower)] = carry.in_world(to_world, change, outer)

    def _local(self, carrier: Carrier | None, armature: PlannedArmature) -> Array | None:
        """The motion of what `carrier` carries, as seen from the armature, which may itself be carried; None for none."""
        change = self.changes.get(carrier) if carrier else None
        outer = self.changes.get(armature.carrier) if armature.carrier else None
        if change is None and outer is None:
            return None
        to_world = self._to_world(armature)
        change = np.eye(4) if change is None else change
        if outer is not None:
            change = np.linalg.inv(outer) @ change
        return np.linalg.inv(to_world) @ change @ to_world

    def _to_world(self, armature: PlannedArmature) -> Array:
        return np.array(armature.object.evaluated_get(self.depsgraph).matrix_world, dtype=float)

    def _read(self, row: int) -> Array:
        return self.plan.matrices[row].T.astype(float)

    def _delivered(self, row: int, bone: bpy.types.PoseBone, angles: list[float], influence: float, place: Array,
                   new_upper: Array | None) -> Array:
        """Matrix (4, 4) of the upper bone, or of the lower where `new_upper` is given, once it is delivered."""
        limb = self.plan.limbs[row]
        before = self._read(limb.upper_row if new_upper is None else limb.lower_row)
        if influence < 1.0:
            before = self._fk_matrix(row, bone, new_upper)
        rotation = np.array(Euler(angles, 'XYZ').to_matrix(), dtype=float)
        return carry.delivered(rotation, before, place, influence)

    def _fk_matrix(self, row: int, bone: bpy.types.PoseBone, new_upper: Array | None) -> Array:
        """The bone's matrix before its constraints, on its parent's new matrix."""
        limb = self.plan.limbs[row]
        armature = self.plan.armatures[limb.armature]
        basis = armature.object.evaluated_get(self.depsgraph).pose.bones[bone.name].matrix_basis
        rest, parent = bone.bone.matrix_local, bone.parent
        if parent is None:
            return np.array(bone.bone.convert_local_to_pose(basis, rest), dtype=float)
        if new_upper is None:
            change = self._local(limb.root_carrier, armature)
            matrix = self._read(limb.parent_row)
            matrix = matrix if change is None else change @ matrix
        else:
            between = self._read(armature.first_row + armature.object.pose.bones.find(parent.name))
            matrix = carry.motion(new_upper, self._read(limb.upper_row)) @ between
        return np.array(bone.bone.convert_local_to_pose(
            basis, rest, parent_matrix=Matrix(matrix.tolist()), parent_matrix_local=parent.bone.matrix_local), dtype=float)
