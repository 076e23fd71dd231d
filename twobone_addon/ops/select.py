# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that lead from a limb to its target or pole and back, through whatever modes lie between."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import bpy

from .. import rig
from ..rig.limb import Control, limb_of
from ..rig.words import say
from .selection import active_limb, followers, is_hidden, posed_armature, select_bone, selected_limbs


class _SelectControls:
    """What selecting the targets and selecting the poles have in common."""

    bl_options = {'REGISTER', 'UNDO'}
    role: ClassVar[str]

    @classmethod
    def poll(cls: Any, context: bpy.types.Context) -> bool:
        """Say why there is no limb."""
        if not selected_limbs(context):
            cls.poll_message_set(say("Select a bone that has Two-Bone IK"))
        elif not context.object.visible_get():  # Blender changes no mode of it
            cls.poll_message_set(say('"{object}" is hidden. Show it first', object=context.object.name))
        else:
            return True
        return False

    def execute(self: Any, context: bpy.types.Context) -> set[str]:
        """Select the controls of every selected limb; the active limb's becomes active."""
        found = selected_limbs(context)
        active = active_limb(context, found)
        limbs = sorted(map(limb_of, found), key=lambda limb: limb.lower != active.name)
        try:
            _select([_usable(limb, self.role) for limb in limbs])
        except rig.Refusal as refusal:
            self.report({'ERROR'}, str(refusal))
            return {'CANCELLED'}
        return {'FINISHED'}


class TWOBONE_OT_select_target(_SelectControls, bpy.types.Operator):
    """Select the targets of the selected limbs, leaving Pose Mode where the targets are objects"""

    bl_idname = "pose.twobone_select_target"
    bl_label = "Select Target"
    role = "target"


class TWOBONE_OT_select_pole(_SelectControls, bpy.types.Operator):
    """Select the poles of the selected limbs, leaving Pose Mode where the poles are objects"""

    bl_idname = "pose.twobone_select_pole"
    bl_label = "Select Pole"
    role = "pole"


class TWOBONE_OT_select_limb(bpy.types.Operator):
    """Select the limbs that follow the selected targets and poles, entering Pose Mode for it"""

    bl_idname = "pose.twobone_select_limb"
    bl_label = "Select Limb"
    bl_options = {'REGISTER', 'UNDO'}

    lower: bpy.props.StringProperty(
        name="Lower Bone", description="The limb to make active among the selected ones; empty for the limbs of the "
        "selected controls", options={'SKIP_SAVE'})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Say why there is nothing to lead back from."""
        if followers(context) or selected_limbs(context):
            return True
        cls.poll_message_set(say("Select a target or pole of a Two-Bone IK limb"))
        return False

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Select them, or make the one that was asked for active."""
        armature = posed_armature(context)
        if self.lower and armature is not None and self.lower in armature.data.bones:
            armature.data.bones.active = armature.data.bones[self.lower]
            return {'FINISHED'}
        limbs = followers(context)
        if not limbs:
            self.report({'ERROR'}, say("Select a target or pole of a Two-Bone IK limb"))
            return {'CANCELLED'}
        _select([Control(limb.armature, limb.lower) for limb in limbs])
        return {'FINISHED'}


def _usable(limb: rig.Limb, role: str) -> Control:
    """The target or pole of `limb`; refuses one that is missing or cannot be seen."""
    control = limb.target if role == "target" else limb.pole
    if control is None:
        raise rig.Refusal(say('"{bone}" has no target. Choose one in the panel', bone=limb.lower) if role == "target"
                          else say('"{bone}" has no pole. Choose one in the panel', bone=limb.lower))
    if control.bone and control.bone not in control.object.pose.bones:
        raise rig.Refusal(say('"{armature}" has no bone "{bone}". Check the name',
                              armature=control.object.name, bone=control.bone))
    if control.bone and control.object.mode != 'POSE' and not control.object.is_editable:
        raise rig.Refusal(say('"{armature}" is linked from another file. Make a library override of it first',
                              armature=control.object.name))
    if is_hidden(control):
        raise rig.Refusal(say('{control} is hidden. Show it first', control=control.label))
    return control


def _select(controls: Sequence[Control]) -> None:
    """Select exactly these, the first one active; of objects and bones only those that are what the first one is."""
    if controls[0].bone:
        _select_bones([control for control in controls if control.bone])
    else:
        _select_objects([control.object for control in controls if not control.bone])


def _select_objects(objects: Sequence[bpy.types.Object]) -> None:
    """Select objects in Object Mode. With Lock Object Modes off an armature may stay in Pose Mode meanwhile."""
    layer = bpy.context.view_layer
    if bpy.context.scene.tool_settings.lock_object_mode:
        _leave_mode()
    _choose(objects)
    if layer.objects.active.mode != 'OBJECT':
        _leave_mode()


def _select_bones(controls: Sequence[Control]) -> None:
    """Select bones in the Pose Mode of their armatures."""
    armatures = list(dict.fromkeys(control.object for control in controls))
    if any(armature.mode != 'POSE' for armature in armatures):
        _leave_mode()
        _choose(armatures)
        bpy.ops.object.mode_set(mode='POSE')
    elif bpy.context.view_layer.objects.active not in armatures:
        _choose(armatures)
    for armature in {*armatures, *bpy.context.objects_in_mode}:
        for bone in armature.pose.bones:
            select_bone(bone, Control(armature, bone.name) in controls)
    first = controls[0]
    bpy.context.view_layer.objects.active = first.object
    first.object.data.bones.active = first.object.data.bones[first.bone]


def _leave_mode() -> None:
    """Go to Object Mode, whatever is active."""
    active = bpy.context.view_layer.objects.active
    if active is not None and active.mode != 'OBJECT':
        bpy.ops.object.mode_set(mode='OBJECT')


def _choose(objects: Iterable[bpy.types.Object]) -> None:
    """Select exactly these objects, the first one active."""
    for object in bpy.context.selected_objects:
        object.select_set(False)
    chosen = list(objects)
    for object in chosen:
        object.select_set(True)
    bpy.context.view_layer.objects.active = chosen[0]
