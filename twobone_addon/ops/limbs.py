# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that add, rebind and remove limbs: thin, each calls rig/."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import partial
from typing import Any

import bpy

from .. import rig
from ..rig.checks import chain_of, check_armature, check_free
from ..rig.controls.bones import ROOT
from ..rig.words import say
from .defaults import CONTROLS, Defaults, defaults
from .selection import posed_armature, requests, selected_bones, selected_limbs, selected_names

DEFAULTS = Defaults()


def refused_armature(cls: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """Whether the active object does not allow limbs at all; says why in the poll message."""
    if posed_armature(context) is None:
        cls.poll_message_set(say("Select a bone of an armature in Pose Mode first"))
        return True
    try:
        check_armature(context.object)
    except rig.Refusal as refusal:
        cls.poll_message_set(str(refusal))
        return True
    return False


def on_each(operator: bpy.types.Operator, names: Iterable[str], action: Callable[[str], object], what: str) -> set[str]:
    """Run `action` for each name and report what was done and what was refused; returns the operator's status.

    what: the template of the sentence that says what was done to its field `bones`. An operator that did nothing is
    cancelled, so that it leaves no undo step.
    """
    done = []
    for name in names:
        try:
            action(name)
            done.append(name)
        except rig.Refusal as refusal:
            operator.report({'WARNING'}, str(refusal))
    if not done:
        return {'CANCELLED'}
    operator.report({'INFO'}, say(what, bones=", ".join(done)))
    return {'FINISHED'}


class TWOBONE_OT_add(bpy.types.Operator):
    """Add exact two-bone IK that follows a target without moving the pose: select a forearm or shin, or several"""

    bl_idname = "pose.twobone_add"
    bl_label = "Add Two-Bone IK"
    bl_options = {'REGISTER', 'UNDO'}

    tip: bpy.props.StringProperty(
        name="Tip Bone", description="Hand or foot bone whose head is the end of the limb; empty for the tail of the bone",
        options={'SKIP_SAVE'})
    upper: bpy.props.StringProperty(
        name="Upper Bone", description="First bone of the limb; empty for the parent of the selected bone",
        options={'SKIP_SAVE'})
    controls: bpy.props.EnumProperty(
        name="Controls", description="What is made where no target or pole is selected", items=CONTROLS,
        default=DEFAULTS.controls, options={'SKIP_SAVE'})
    control_parent: bpy.props.EnumProperty(
        name="Parent", description="What control bones hang on",
        items=[('NONE', "None", "They move with the armature object alone"),
               ('ROOT', "Root", "The topmost bone above the limb"),
               ('BONE', "Bone", "A bone of your choice")])
    parent_bone: bpy.props.StringProperty(
        name="Parent Bone", description="Bone that the control bones hang on; empty for none", options={'SKIP_SAVE'})
    control_size: bpy.props.FloatProperty(
        name="Size", description="How large controls are drawn, 1 for what suits the limb",
        default=DEFAULTS.control_size, min=0.01, soft_min=0.1, soft_max=10.0, options={'SKIP_SAVE'})
    softness: bpy.props.FloatProperty(
        name="Softness", description="Softness that the limb starts with; a target made for it stands where the pose is kept",
        default=DEFAULTS.softness, min=0.0, max=0.99, soft_max=0.2, subtype='FACTOR', options={'SKIP_SAVE'})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Say why there is nothing to add."""
        if refused_armature(cls, context):
            return False
        wanted = requests(context)
        if not wanted:
            cls.poll_message_set(say("Select the lower bone of a limb, such as a forearm or shin"))
            return False
        refusals = []
        for request in wanted:
            try:
                upper, _steps = chain_of(context.object, request.lower, None)
                check_free(context.object, upper.name, request.lower)
            except rig.Refusal as refusal:
                refusals.append(str(refusal))
        if len(refusals) == len(wanted):
            cls.poll_message_set(refusals[0])
            return False
        return True

    def draw(self, context: bpy.types.Context) -> None:
        """The settings, bones as searches."""
        layout, bones = self.layout, context.object.data
        layout.use_property_split = True
        layout.prop_search(self, "tip", bones, "bones")
        layout.prop_search(self, "upper", bones, "bones")
        layout.prop(self, "controls", expand=True)
        if self.controls == 'BONES':
            layout.prop(self, "control_parent")
            if self.control_parent == 'BONE':
                layout.prop_search(self, "parent_bone", bones, "bones")
        layout.prop(self, "control_size")
        layout.prop(self, "softness", slider=True)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        """Begin with what the preferences say."""
        for name, value in asdict(defaults(context)).items():
            if not self.properties.is_property_set(name):
                setattr(self, name, value)
        return self.execute(context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Add what the selection asks for."""
        armature = context.object
        parent = {'NONE': None, 'ROOT': ROOT, 'BONE': self.parent_bone}[self.control_parent] if self.controls == 'BONES' else None
        wanted = {request.lower: request for request in requests(context)}

        def add(lower: str) -> None:
            request = wanted[lower]
            rig.add_limb(armature, lower, request.target, request.pole, upper=self.upper or None,
                         tip=self.tip or None, target_bone=request.target_bone, pole_bone=request.pole_bone,
                         controls=self.controls, control_parent=parent, control_size=self.control_size,
                         softness=self.softness)

        return on_each(self, wanted, add, "Two-Bone IK added to {bones}")


class _OnSelectedLimbs:
    """What operators on limbs that exist have in common."""

    bl_options = {'REGISTER', 'UNDO'}

    @classmethod
    def poll(cls: Any, context: bpy.types.Context) -> bool:
        """Say why there is no limb to work on."""
        if refused_armature(cls, context):
            return False
        if selected_limbs(context):
            return True
        chosen = selected_bones(context.object)
        cls.poll_message_set(say('"{bone}" has no Two-Bone IK. Select a bone that has', bone=chosen[0].name) if chosen
                             else say("Select a bone that has Two-Bone IK"))
        return False


class TWOBONE_OT_remove(_OnSelectedLimbs, bpy.types.Operator):
    """Remove the two-bone IK of the selected limbs; the bones show their FK pose again"""

    bl_idname = "pose.twobone_remove"
    bl_label = "Remove Two-Bone IK"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Remove every selected limb."""
        return on_each(self, selected_names(context), partial(rig.remove_limb, context.object),
                       "Two-Bone IK removed from {bones}")


class TWOBONE_OT_rebind(_OnSelectedLimbs, bpy.types.Operator):
    """Bind the selected limbs anew to their FK pose, after the rest pose was edited or to keep another bend"""

    bl_idname = "pose.twobone_rebind"
    bl_label = "Rebind Two-Bone IK"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Rebind every selected limb."""
        return on_each(self, selected_names(context), partial(rig.rebind, context.object), "Two-Bone IK bound to {bones}")
