# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators between Blender's own IK constraint and limbs: thin, each calls rig/."""

from __future__ import annotations

from typing import Any

import bpy

from .. import rig
from ..rig.convert import native_chains
from ..rig.words import say
from .limbs import _OnSelectedLimbs, on_each, refused_armature
from .selection import selected_bones, selected_names


def _telling(operator: bpy.types.Operator, action: Any, armature: bpy.types.Object) -> Any:
    """The action on one bone, which reports what it says."""
    def act(name: str) -> None:
        for sentence in action(armature, name):
            operator.report({'WARNING'}, sentence)
    return act


class TWOBONE_OT_from_native(bpy.types.Operator):
    """Replace IK constraints that move two bones, on the selected bones, by Two-Bone IK that follows the same targets"""

    bl_idname = "pose.twobone_from_native"
    bl_label = "Convert from Native IK"
    bl_options = {'REGISTER', 'UNDO'}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Say why there is nothing to convert."""
        if refused_armature(cls, context):
            return False
        if _selected_chains(context):
            return True
        cls.poll_message_set(say("Select a bone of a limb whose IK constraint moves two bones"))
        return False

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Convert every selected limb."""
        armature = context.object
        return on_each(self, _selected_chains(context), _telling(self, rig.from_native, armature),
                       "Converted to Two-Bone IK: {bones}")


class TWOBONE_OT_to_native(_OnSelectedLimbs, bpy.types.Operator):
    """Replace the Two-Bone IK of the selected limbs by Blender's IK constraint, for files that go where it is missing"""

    bl_idname = "pose.twobone_to_native"
    bl_label = "Convert to Native IK"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Convert every selected limb."""
        return on_each(self, selected_names(context), _telling(self, rig.to_native, context.object),
                       "Converted to native IK: {bones}")


def _selected_chains(context: bpy.types.Context) -> list[str]:
    """Lower bones of the native IK chains of two that a selected bone belongs to, or has the constraint of."""
    chosen = {bone.name for bone in selected_bones(context.object)}
    return list(dict.fromkeys(lower for upper, lower, owner in native_chains(context.object)
                              if chosen & {upper, lower, owner}))
