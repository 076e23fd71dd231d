# SPDX-License-Identifier: GPL-3.0-or-later
"""What a limb is, and how to find the limbs of an armature or a scene."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from . import properties
from .binding import Binding
from .errors import Refusal
from .given import check_is_armature
from .words import say

OUTPUT = "Two-Bone IK"
"""Name of the Limit Rotation constraint that delivers the solved orientation to a bone."""


@dataclass(frozen=True)
class Control:
    """A target or pole: an object, or the head of one of an armature's bones."""

    object: bpy.types.Object
    bone: str = ""

    @property
    def label(self) -> str:
        """How messages call it."""
        if not self.bone:
            return f'"{self.object.name}"'
        return say('"{object}", bone "{bone}"', object=self.object.name, bone=self.bone)


@dataclass(frozen=True)
class Limb:
    """One limb of an armature object: bone names from root to tip, and what it follows.

    `target` and `pole` are None where they are not set; `hand` is the bone that turns with the target, '' where none
    does. Names and objects are those of the moment of asking.
    """

    armature: bpy.types.Object
    lower: str
    upper: str
    target: Control | None
    pole: Control | None
    hand: str = ""

    @property
    def bones(self) -> tuple[bpy.types.PoseBone, bpy.types.PoseBone]:
        """The upper and the lower pose bone, looked up afresh."""
        return self.armature.pose.bones[self.upper], self.armature.pose.bones[self.lower]

    @property
    def delivered(self) -> tuple[bpy.types.PoseBone, ...]:
        """The same, and a hand that follows: all bones that have a delivery constraint; those that are missing left out."""
        bones = map(self.armature.pose.bones.get, (self.upper, self.lower, self.hand))
        return tuple(bone for bone in bones if bone is not None)

    @property
    def binding(self) -> Binding:
        """The constants measured when the limb was bound; raises ValueError where they are unreadable."""
        return Binding.loads(self.armature.pose.bones[self.lower].twobone_bind)


def limb_versions(armature: bpy.types.Object) -> NDArray[np.int32]:
    """The stored data version of every pose bone, in the armature's own order; 0 where there is no limb."""
    versions = np.zeros(len(armature.pose.bones) if armature.pose else 0, dtype=np.int32)
    if versions.size:
        armature.pose.bones.foreach_get("twobone_version", versions)
    return versions


def limb_bones(armature: bpy.types.Object) -> Iterator[bpy.types.PoseBone]:
    """Every pose bone of `armature` that is the lower bone of a limb."""
    for index in np.flatnonzero(limb_versions(armature)).tolist():
        yield armature.pose.bones[index]


def upper_bone(lower: bpy.types.PoseBone, steps: int) -> bpy.types.PoseBone | None:
    """The bone `steps` parents above `lower`, None where the chain is shorter."""
    bone: bpy.types.PoseBone | None = lower
    for _ in range(steps):
        if bone is None:
            return None
        bone = bone.parent
    return bone


def marked_hand(lower: bpy.types.PoseBone) -> bpy.types.PoseBone | None:
    """The bone that is stored as the hand or foot of the limb of `lower`, None where none is."""
    return next(marked_hands(lower), None)


def marked_hands(lower: bpy.types.PoseBone) -> Iterator[bpy.types.PoseBone]:
    """The same and copies of it, which are made in Edit Mode."""
    return (bone for bone in all_hands(lower.id_data) if limb_above(bone) == lower)


def all_hands(armature: bpy.types.Object) -> Iterator[bpy.types.PoseBone]:
    """Every pose bone of `armature` that is stored as a hand or foot."""
    bones = armature.pose.bones
    marked = np.zeros(len(bones), dtype=bool)
    bones.foreach_get(properties.HAND_MARK, marked)
    return (bones[index] for index in np.flatnonzero(marked).tolist())


def limb_above(bone: bpy.types.PoseBone) -> bpy.types.PoseBone | None:
    """The nearest of the bone's parents that is the lower bone of a limb, None where none is."""
    return next((parent for parent in bone.parent_recursive if properties.is_limb(parent)), None)


def stored_control(object: bpy.types.Object | None, bone: str) -> Control | None:
    """A control from a stored pair; the bone's name counts only on an armature."""
    if object is None:
        return None
    return Control(object, bone if object.type == 'ARMATURE' else "")


def limb_of(lower: bpy.types.PoseBone) -> Limb:
    """The limb whose lower bone is `lower`; where its upper bone is missing, `upper` is empty."""
    upper = upper_bone(lower, lower.twobone_upper_steps)
    hand = marked_hand(lower) if lower.twobone_hand_bind else None
    return Limb(
        armature=lower.id_data, lower=lower.name, upper=upper.name if upper else "",
        target=stored_control(lower.twobone_target, lower.twobone_target_bone),
        pole=stored_control(lower.twobone_pole, lower.twobone_pole_bone),
        hand=hand.name if hand else "")


def find_bone(armature: bpy.types.Object, name: str) -> bpy.types.PoseBone:
    """The pose bone called `name`; refuses an object that is no armature and a name it does not have."""
    check_is_armature(armature)
    bone = armature.pose.bones.get(name) if isinstance(name, str) else None
    if bone is None:
        raise Refusal(say('"{armature}" has no bone "{bone}". Check the name', armature=armature.name, bone=name))
    return bone


def find_limb(armature: bpy.types.Object, name: str) -> Limb:
    """The limb whose lower bone is called `name`; refuses a bone that has no Two-Bone IK."""
    bone = find_bone(armature, name)
    if not properties.is_limb(bone):
        raise Refusal(say('"{bone}" has no Two-Bone IK. Add it first', bone=name))
    return limb_of(bone)


def output_constraint(bone: bpy.types.PoseBone) -> bpy.types.LimitRotationConstraint | None:
    """The delivery constraint of `bone`, None where it is missing."""
    constraint = bone.constraints.get(OUTPUT)
    return constraint if constraint is not None and constraint.type == 'LIMIT_ROTATION' else None
