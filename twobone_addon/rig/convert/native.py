# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own IK on two bones: where it is, and what of it a limb has no counterpart for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import bpy

from ..animation.fcurves import find_animation
from ..errors import Refusal
from ..limb import find_bone
from ..words import say

PLAIN_CONSTRAINT = {"iterations": 500, "weight": 1.0, "use_rotation": False}
"""Settings of the constraint that a limb has none for, and the values with which they do nothing."""

PLAIN_BONE = {"ik_stretch": 0.0, "use_ik_rotation_control": False, "use_ik_linear_control": False,
              **{f"{setting}_{axis}": nothing for setting, nothing in (
                  ("lock_ik", False), ("use_ik_limit", False), ("ik_stiffness", 0.0)) for axis in "xyz"}}
"""The same of the bones."""

ANIMATED = ("pole_angle", "iterations", "weight", "use_rotation", "use_stretch", "orient_weight", "chain_count")


@dataclass(frozen=True)
class Native:
    """An IK constraint that moves two bones, by name: `owner` has it, which is `lower`, or a child of it whose head is
    what reaches."""

    armature: bpy.types.Object
    upper: str
    lower: str
    owner: str
    constraint: str

    @property
    def ik(self) -> bpy.types.KinematicConstraint:
        """The constraint, looked up afresh."""
        return self.armature.pose.bones[self.owner].constraints[self.constraint]

    @property
    def path(self) -> str:
        """The constraint's path from the object."""
        return str(self.ik.path_from_id())


def native_chains(armature: bpy.types.Object) -> Iterator[tuple[str, str, str]]:
    """(upper, lower, owner) of every IK constraint of the armature that moves two bones; both ways of reaching."""
    for bone in armature.pose.bones:
        for constraint in bone.constraints:
            lower = bone if constraint.type == 'IK' and constraint.use_tail else bone.parent
            if constraint.type == 'IK' and lower is not None and lower.parent is not None and _moves_two(constraint, lower):
                yield lower.parent.name, lower.name, bone.name


def find_native(armature: bpy.types.Object, name: str) -> Native:
    """The IK constraint of the limb whose lower bone is `name`, or that the bone `name` has.

    Of several the only one that is not muted. Refuses where there is none, or none that a limb can stand for.
    """
    found = list(_constraints(find_bone(armature, name)))
    if not found:
        raise Refusal(say('"{bone}" has no IK constraint. Select the lower bone of a limb that has', bone=name))
    for owner, constraint in found:
        _check_switch(owner, constraint)
    awake = [pair for pair in found if not pair[1].mute] or found
    if len(awake) > 1:
        raise Refusal(say('"{bone}" has several IK constraints: {names}. Mute all but one', bone=name,
                          names=", ".join(f'"{constraint.name}"' for _owner, constraint in awake)))
    (owner, constraint), = awake
    lower = owner if constraint.use_tail else owner.parent
    _check_chain(owner, constraint, lower)
    _check_target(owner, constraint)
    return Native(armature, lower.parent.name, lower.name, owner.name, constraint.name)


def _constraints(bone: bpy.types.PoseBone) -> Iterator[tuple[bpy.types.PoseBone, bpy.types.KinematicConstraint]]:
    for owner in (bone, *bone.children):
        for constraint in owner.constraints:
            if constraint.type == 'IK' and (owner == bone or not constraint.use_tail):
                yield owner, constraint


def _check_switch(owner: bpy.types.PoseBone, constraint: bpy.types.KinematicConstraint) -> None:
    if any(find_animation(owner.id_data, constraint.path_from_id(switch)) for switch in ("mute", "enabled")):
        raise Refusal(say('The IK constraint "{constraint}" of "{bone}" is switched by its mute, which is keyed or driven. '
                          'Remove that animation, and all IK constraints of the limb but the one to keep',
                          constraint=constraint.name, bone=owner.name))


def _check_chain(owner: bpy.types.PoseBone, constraint: bpy.types.KinematicConstraint, lower: bpy.types.PoseBone) -> None:
    if lower is None or lower.parent is None or not _moves_two(constraint, lower):
        raise Refusal(say('The IK constraint "{constraint}" of "{bone}" does not move two bones. Set its Chain Length to 2',
                          constraint=constraint.name, bone=owner.name))
    check_local(owner, constraint)


def check_local(owner: bpy.types.PoseBone, constraint: bpy.types.Constraint) -> None:
    """Refuse a constraint that an override has from its library: it would come back with the next reading of the file."""
    override = owner.id_data.override_library  # `is_override_data` says so too, but not in every version
    original = override.reference.pose.bones.get(owner.name) if override and override.reference else None
    if original is not None and constraint.name in original.constraints:
        raise Refusal(say('The constraint "{constraint}" of "{bone}" comes from the library and cannot be removed here. '
                          'Convert the limb in the file of the library', constraint=constraint.name, bone=owner.name))


def _moves_two(constraint: bpy.types.KinematicConstraint, lower: bpy.types.PoseBone) -> bool:
    return constraint.chain_count == 2 or (constraint.chain_count != 1 and lower.parent.parent is None)


def _check_target(owner: bpy.types.PoseBone, constraint: bpy.types.KinematicConstraint) -> None:
    if constraint.ik_type != 'COPY_POSE' or not constraint.use_location:
        raise Refusal(say('The IK constraint "{constraint}" of "{bone}" does not reach for a place, which is all that Two-Bone '
                          'IK does', constraint=constraint.name, bone=owner.name))
    if constraint.target is None:
        raise Refusal(say('The IK constraint "{constraint}" of "{bone}" has no target. Choose one first',
                          constraint=constraint.name, bone=owner.name))
    for object, bone in ((constraint.target, constraint.subtarget), (constraint.pole_target, constraint.pole_subtarget)):
        if object is not None and object.type != 'ARMATURE' and bone:
            raise Refusal(say('The IK constraint "{constraint}" of "{bone}" follows the vertex group "{group}". Let it follow '
                              'an object or a bone', constraint=constraint.name, bone=owner.name, group=bone))


def without_counterpart(native: Native) -> list[str]:
    """A sentence for everything of the constraint and its bones that a limb has no setting for."""
    ik, bones = native.ik, native.armature.pose.bones
    found = [_unused(native.owner, ik, name) for name, nothing in PLAIN_CONSTRAINT.items() if getattr(ik, name) != nothing]
    for name in (native.upper, native.lower):
        found += [_unused(name, bones[name], setting) for setting, nothing in PLAIN_BONE.items()
                  if getattr(bones[name], setting) != nothing and not (setting == "ik_stretch" and not ik.use_stretch)]
    found += [say('{setting} of the IK constraint "{constraint}" is animated; what it is now stays',
                  setting=ik.bl_rna.properties[name].name, constraint=ik.name)
              for name in ANIMATED if find_animation(native.armature, f"{native.path}.{name}")]
    return found


def _unused(bone: str, struct: bpy.types.bpy_struct, setting: str) -> str:
    """The sentence for one setting; its name is the one that the interface shows."""
    name, value = struct.bl_rna.properties[setting].name, getattr(struct, setting)
    if isinstance(value, bool):
        return say('"{bone}": {setting} has no counterpart in Two-Bone IK and is not used', bone=bone, setting=name)
    return say('"{bone}": {setting} {value:g} has no counterpart in Two-Bone IK and is not used', bone=bone, setting=name,
               value=value)
