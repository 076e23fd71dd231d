# SPDX-License-Identifier: GPL-3.0-or-later
"""Within one update: how far the limbs solved so far will move what hangs on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Euler, Matrix
from numpy.typing import NDArray

from ..dependencies import AnyCarrier, Carrier, Part
from . import carry
from .deliver import is_muted, stands
from .follow import Turns, turned
from .linkages import Linked
from .plan import Plan, PlannedArmature, PlannedLimb
from .problem import Sample, euler_xyz
from .sample import read_matrices

Array = NDArray[np.float64]


class Outcome(NamedTuple):
    """What an update makes of one limb: the sentence why it rests, or the angles (6) and influence to deliver.

    hand: the angles (3) of a hand that follows its target, empty where none does; follow: how much it does.
    """

    fault: str
    angles: Sequence[float] = ()
    influence: float = 0.0
    hand: Sequence[float] = ()
    follow: float = 0.0

    @property
    def hand_influence(self) -> float:
        """How much the hand is turned, in the single precision that constraints store."""
        return float(np.float32(self.influence * self.follow))


def turned_hands(plan: Plan, rows: Sequence[int], turns: Turns) -> dict[int, tuple[list[float], float]]:
    """By place in the sample of the limbs `rows`, the angles (3) that turn a hand with its target, and how much it follows.

    A target without a rotation, because it is scaled flat, turns no hand.
    """
    bound = np.array([plan.limbs[rows[place]].hand.rotation for place in turns.places])
    rotation, usable = turned(turns.columns, bound)
    angles = euler_xyz(rotation).astype(np.float32).tolist()
    follow = np.where(usable, turns.follow, 0.0).tolist()
    return {place: (angles[row], follow[row]) for row, place in enumerate(turns.places)}


class Motions:
    """The motions, in world space, of limb bones from their pose as read to their pose as solved.

    A limb whose root stays and whose delivery stands already is where it was read: nothing moves with it, to the last
    digit.
    """

    def __init__(self, plan: Plan, depsgraph: bpy.types.Depsgraph) -> None:
        self.plan = plan
        self.depsgraph = depsgraph
        self.changes: dict[Carrier, Array] = {}
        self.known: dict[AnyCarrier, Array | None] = {}

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
        return sample if sample.turns is None else replace(sample, turns=self._apply_to_turns(sample.turns, rows))

    def _apply_to_turns(self, turns: Turns, rows: Sequence[int]) -> Turns:
        for place_in_turns, place in enumerate(turns.places):
            limb = self.plan.limbs[rows[place]]
            change = self._local(limb.target.carrier, self.plan.armatures[limb.armature])
            if change is not None:
                turns = turns.moved(place_in_turns, change)
        return turns

    def solved(self, row: int, sample: Sample, place: int, outcome: Outcome) -> None:
        """Note how the bones of the limb in `row` will move, `place` being its place in the sample."""
        limb = self.plan.limbs[row]
        bones = limb.limb.armature.evaluated_get(self.depsgraph).pose.bones  # what was read was evaluated with their values
        upper, lower = bones[limb.limb.upper], bones[limb.limb.lower]
        hand = bones[limb.hand.name] if outcome.hand else None
        still = self._change(limb.root_carrier) is None and self._change(self.plan.armatures[limb.armature].carrier) is None
        awake = not lower.twobone_resting and still
        if awake and stands(upper, outcome.angles[:3], outcome.influence) and stands(
                lower, outcome.angles[3:], outcome.influence):
            new_lower = self._read(limb.lower_row)
        else:
            new_upper = self._delivered(limb, upper, limb.upper_row, outcome.angles[:3],
                                        0.0 if is_muted(upper, lower) else outcome.influence, sample.root[place],
                                        self._on_root(limb))
            to_joint = np.linalg.solve(sample.upper_columns[place].T, sample.joint[place] - sample.root[place])
            joint = new_upper[:3, :3] @ to_joint + new_upper[:3, 3]
            carried = carry.motion(new_upper, self._read(limb.upper_row))
            new_lower = self._delivered(limb, lower, limb.lower_row, outcome.angles[3:],
                                        0.0 if is_muted(lower, lower) else outcome.influence, joint, carried)
            self._note(row, Part.UPPER, limb.upper_row, new_upper)
            self._note(row, Part.LOWER, limb.lower_row, new_lower)
            awake = False
        if hand is not None and not (awake and stands(hand, outcome.hand, outcome.hand_influence)):
            carried = carry.motion(new_lower, self._read(limb.lower_row))
            place_of_hand = (carried @ self._read(limb.hand.row))[:3, 3]
            self._note(row, Part.HAND, limb.hand.row, self._delivered(
                limb, hand, limb.hand.row, outcome.hand, 0.0 if is_muted(hand, lower) else outcome.hand_influence,
                place_of_hand, carried))

    def goes_to_rest(self, row: int) -> None:
        """Note how the bones of the limb in `row` will move once it rests, unless it does already: to their FK pose."""
        limb = self.plan.limbs[row]
        armature, names = self.plan.armatures[limb.armature], (limb.limb.upper, limb.limb.lower, limb.limb.hand)
        bones = limb.limb.armature.evaluated_get(self.depsgraph).pose.bones
        if bones[limb.limb.lower].twobone_resting or limb.limb.upper not in bones:
            return
        read_matrices(self.plan, self.depsgraph, {limb.armature})
        carried = self._on_root(limb)
        for part, name in zip(Part, names, strict=True):
            if name in bones:
                bone_row = armature.first_row + bones.find(name)
                new = self._fk_matrix(limb, bones[name], carried)
                if not np.isfinite(new).all() or not np.linalg.det(self._read(bone_row)):
                    return
                self._note(row, part, bone_row, new)
                carried = carry.motion(new, self._read(bone_row))

    def _note(self, row: int, part: Part, bone_row: int, new: Array) -> None:
        """Note that the bone in `bone_row`, that part of the limb in `row`, will stand at `new` (4, 4)."""
        armature = self.plan.armatures[self.plan.limbs[row].armature]
        outer = self._change(armature.carrier)
        change = carry.motion(new, self._read(bone_row))
        self.known.clear()
        self.changes[Carrier(row, part)] = carry.in_world(self._to_world(armature), change, outer)

    def _local(self, carrier: AnyCarrier | None, armature: PlannedArmature) -> Array | None:
        """The motion of what `carrier` carries, as seen from the armature, which may itself be carried; None for none."""
        change, outer = self._change(carrier), self._change(armature.carrier)
        if change is outer:
            return None
        to_world = self._to_world(armature)
        change = np.eye(4) if change is None else change
        if outer is not None:
            change = np.linalg.inv(outer) @ change
        return np.linalg.inv(to_world) @ change @ to_world

    def _change(self, carrier: AnyCarrier | None) -> Array | None:
        """The motion (4, 4) in world space of what `carrier` carries, None where it stays."""
        front = [] if carrier is None else [carrier]
        while front:
            each = front[-1]
            left = [] if each in self.known else [
                below for below in self._below(each) if below not in self.known and below not in front]
            if left:
                front += left
                continue
            front.pop()
            if each not in self.known:
                self.known[each] = self._found(each)
        return self.known.get(carrier)

    def _below(self, carrier: AnyCarrier) -> list[AnyCarrier]:
        """What decides the motion of a carrier. A limb of which nothing is noted, because it rests or stands in its armature,
        moves with its root."""
        if not isinstance(carrier, Carrier):
            return carrier.below
        if carrier in self.changes:
            return []
        root = self.plan.limbs[carrier.limb].root_carrier
        if carrier.part is Part.HAND:
            return [Carrier(carrier.limb, Part.LOWER)]
        return [root] if root is not None else []

    def _found(self, carrier: AnyCarrier) -> Array | None:
        """The motion of a carrier where those below it are known."""
        if isinstance(carrier, Carrier):
            return self.changes[carrier] if carrier in self.changes else next(map(self.known.get, self._below(carrier)), None)
        if all(self.known.get(below) is None for below in carrier.below):
            return None
        own, frame, *leaders = map(self.known.get, (carrier.own, carrier.frame, *(each for _name, each in carrier.leaders)))
        return Linked(carrier, own, frame, leaders, self.depsgraph).motion()

    def _to_world(self, armature: PlannedArmature) -> Array:
        return np.array(armature.object.evaluated_get(self.depsgraph).matrix_world, dtype=float)

    def _read(self, row: int) -> Array:
        return self.plan.matrices[row].T.astype(float)

    def _on_root(self, limb: PlannedLimb) -> Array:
        """The motion (4, 4) of the limb's root in armature space."""
        change = self._local(limb.root_carrier, self.plan.armatures[limb.armature])
        return np.eye(4) if change is None else change

    def _delivered(self, limb: PlannedLimb, bone: bpy.types.PoseBone, bone_row: int, angles: Sequence[float],
                   influence: float, place: Array, carried: Array) -> Array:
        """Matrix (4, 4) of a limb's bone once it is delivered; carried: the motion of what it hangs on."""
        before = self._read(bone_row)
        if influence < 1.0:
            before = self._fk_matrix(limb, bone, carried)
        rotation = np.array(Euler(angles, 'XYZ').to_matrix(), dtype=float)
        return carry.delivered(rotation, before, place, influence)

    def _fk_matrix(self, limb: PlannedLimb, bone: bpy.types.PoseBone, carried: Array) -> Array:
        """The bone's matrix before its constraints, on its parent's new matrix."""
        armature = self.plan.armatures[limb.armature]
        basis = armature.object.evaluated_get(self.depsgraph).pose.bones[bone.name].matrix_basis
        rest, parent = bone.bone.matrix_local, bone.parent
        if parent is None:
            return np.array(bone.bone.convert_local_to_pose(basis, rest), dtype=float)
        matrix = carried @ self._read(armature.first_row + armature.object.pose.bones.find(parent.name))
        return np.array(bone.bone.convert_local_to_pose(
            basis, rest, parent_matrix=Matrix(matrix.tolist()), parent_matrix_local=parent.bone.matrix_local), dtype=float)
