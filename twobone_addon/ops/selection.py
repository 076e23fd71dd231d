# SPDX-License-Identifier: GPL-3.0-or-later
"""Which limbs an operator means, from what is selected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy

from ..rig import live
from ..rig.limb import Control, Limb, limb_bones, upper_bone


@dataclass(frozen=True)
class Request:
    """One limb that the selection asks for: its lower bone, and the controls that were selected with it."""

    lower: str
    target: bpy.types.Object | None = None
    pole: bpy.types.Object | None = None
    target_bone: str = ""
    pole_bone: str = ""


def posed_armature(context: bpy.types.Context) -> bpy.types.Object | None:
    """The active armature in Pose Mode."""
    object = context.object
    return object if object is not None and object.type == 'ARMATURE' and object.mode == 'POSE' else None


def selected_bones(armature: bpy.types.Object) -> list[bpy.types.PoseBone]:
    """Selected, visible pose bones of `armature` in the order of its bones."""
    return [bone for bone in armature.pose.bones if bone_flag(bone, "select") and not bone_flag(bone, "hide")]


def bone_flag(bone: bpy.types.PoseBone, name: str) -> bool:
    """A selection or hiding flag, which moved from the bone to the pose bone in Blender 5.0."""
    return bool(getattr(bone if hasattr(bone, name) else bone.bone, name))


def select_bone(bone: bpy.types.PoseBone, select: bool) -> None:
    """Select or deselect a pose bone."""
    (bone if hasattr(bone, "select") else bone.bone).select = select


def is_hidden(control: Control) -> bool:
    """Whether an object, or the bone of an armature, cannot be seen and therefore not be selected."""
    if not control.object.visible_get():
        return True
    if not control.bone:
        return False
    bone = control.object.pose.bones[control.bone]
    collections = bone.bone.collections
    return bone_flag(bone, "hide") or bool(collections and not any(entry.is_visible_effectively for entry in collections))


def selected_limbs(context: bpy.types.Context) -> list[bpy.types.PoseBone]:
    """Lower bones of the limbs that a selected bone, the active one included, belongs to."""
    armature = posed_armature(context)
    if armature is None:
        return []
    active = context.active_pose_bone
    return [lower for lower in limb_bones(armature)
            if any(bone == active or (bone_flag(bone, "select") and not bone_flag(bone, "hide"))
                   for bone in (lower, upper_bone(lower, lower.twobone_upper_steps)) if bone is not None)]


def active_limb(context: bpy.types.Context, found: Sequence[bpy.types.PoseBone]) -> bpy.types.PoseBone | None:
    """Of the limbs `found` (lower bones) the one that the active bone belongs to, else the first, None where there is none."""
    active = context.active_pose_bone
    return next((bone for bone in found
                 if active is not None and active in (bone, upper_bone(bone, bone.twobone_upper_steps))),
                found[0] if found else None)


def followers(context: bpy.types.Context) -> list[Limb]:
    """The limbs of the scene whose target or pole is selected or active, as an object or as a bone in Pose Mode."""
    controls = {(object, "") for object in (*context.selected_objects, context.active_object) if object is not None}
    armature = posed_armature(context)
    if armature is not None:
        controls = {(armature, bone.name) for bone in selected_bones(armature)}
    if not controls or context.scene is None:
        return []
    try:
        return [planned.limb for planned in live.plan_of(context.scene).limbs
                if any(control is not None and (control.object, control.bone) in controls
                       for control in (planned.limb.target, planned.limb.pole))]
    except ReferenceError:  # an object was deleted, and the next update plans anew
        return []


def selected_names(context: bpy.types.Context) -> list[str]:
    """Their names."""
    return [bone.name for bone in selected_limbs(context)]


def requests(context: bpy.types.Context) -> list[Request]:
    """The limbs to add: one per selected bone, its parent being the upper bone; a selected upper bone adds nothing.

    Where only one limb is selected, up to two selected objects, or bones that stand by themselves, are its controls.
    """
    armature = posed_armature(context)
    if armature is None:
        return []
    chosen = selected_bones(armature)
    uppers = {bone.parent.name for bone in chosen if bone.parent is not None and not bone.twobone_control}
    ends = [bone for bone in chosen if bone.name not in uppers]
    lowers = [bone for bone in ends if not bone.twobone_control]
    jointed = [bone for bone in lowers if _continues_parent(bone)]
    main = lowers[0] if len(lowers) == 1 else jointed[0] if len(jointed) == 1 else None
    if main is not None:
        controls = [(armature, bone.name) for bone in ends if bone != main]
        controls += [(object, "") for object in context.selected_objects if object.type != 'ARMATURE']
        if len(controls) <= 2:
            return [_with_controls(armature, main, controls)]
    return [Request(bone.name) for bone in lowers]


def _continues_parent(bone: bpy.types.PoseBone) -> bool:
    """Whether the bone starts where its parent ends, as limbs do and control bones do not."""
    rest = bone.bone
    return rest.parent is not None and (rest.head_local - rest.parent.tail_local).length < 0.01 * rest.parent.length


def _with_controls(armature: bpy.types.Object, lower: bpy.types.PoseBone,
                   controls: list[tuple[bpy.types.Object, str]]) -> Request:
    """The nearer to the tip is the target, the other the pole."""
    tip = armature.matrix_world @ lower.tail

    def distance(control: tuple[bpy.types.Object, str]) -> float:
        object, bone = control
        place = object.matrix_world @ object.pose.bones[bone].head if bone else object.matrix_world.translation
        return (place - tip).length

    (target, target_bone), (pole, pole_bone) = [*sorted(controls, key=distance), (None, ""), (None, "")][:2]
    return Request(lower.name, target, pole, target_bone, pole_bone)
