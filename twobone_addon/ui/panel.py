# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels: in the 3D View's sidebar, and under Bone Constraints in the Properties editor."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from .. import rig
from ..ops.selection import active_limb, followers, posed_armature, selected_limbs
from ..rig.limb import limb_bones, upper_bone
from ..rig.readings import readings_of
from .panel_folded import draw_readings, draw_tools
from .panel_limb import draw_controls, draw_motion, draw_status
from .panel_list import draw_list, listed
from .panel_troubles import draw_scene_troubles, draw_troubles


class TWOBONE_PT_limb(bpy.types.Panel):
    """Two-Bone IK of the active limb"""

    bl_idname = "TWOBONE_PT_limb"
    bl_label = "Two-Bone IK"
    bl_space_type = 'VIEW_3D'
    bl_region_type = 'UI'
    bl_category = "Animation"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """In Pose Mode, and where a target or pole is selected."""
        return posed_armature(context) is not None or bool(followers(context))

    def draw(self, context: bpy.types.Context) -> None:
        """The selected limbs, or those that follow the selected controls; how to begin where there are none."""
        found = selected_limbs(context)
        active = active_limb(context, found)
        if not found:
            found = [limb.armature.pose.bones[limb.lower] for limb in followers(context)]
            active = found[0] if found else None
            if found:
                self.layout.operator("pose.twobone_select_limb", icon='BONE_DATA')
        if active is None:
            column = self.layout.column(align=True)
            column.operator("pose.twobone_add", icon='CON_KINEMATIC')
            column.operator("pose.twobone_from_native")
        else:
            draw_limbs(self.layout, context, found, active)


class TWOBONE_PT_constraints(bpy.types.Panel):
    """Two-Bone IK of the limb that the active bone belongs to"""

    bl_idname = "TWOBONE_PT_constraints"
    bl_label = "Two-Bone IK"
    bl_space_type = 'PROPERTIES'
    bl_region_type = 'WINDOW'
    bl_context = "bone_constraint"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Where the shown bone belongs to a limb."""
        return _limb_with(getattr(context, "pose_bone", None)) is not None

    def draw(self, context: bpy.types.Context) -> None:
        """That limb."""
        bone = _limb_with(context.pose_bone)
        if bone is not None:
            draw_limbs(self.layout, context, [bone], bone)


def draw_limbs(layout: bpy.types.UILayout, context: bpy.types.Context, found: Sequence[bpy.types.PoseBone],
               bone: bpy.types.PoseBone) -> None:
    """A list where several lower bones are `found`, and everything about the limb of `bone`, which is one of them."""
    if context.scene is None:
        return
    try:
        shown = listed(found, bone)
        readings = dict(zip(shown, _measured(shown, context), strict=True))
    except (ReferenceError, KeyError):  # something was deleted, and the next redraw finds it gone
        return
    if len(found) > 1:
        draw_list(layout, context, readings, bone, len(found) - len(shown))
    layout.use_property_split = True
    layout.use_property_decorate = True
    draw_status(layout, context, bone, readings[bone])
    draw_troubles(layout, context, bone, readings[bone])
    draw_motion(layout, bone)
    draw_controls(layout, bone)
    draw_scene_troubles(layout, context)
    draw_readings(layout, context, readings[bone])
    draw_tools(layout)


def _measured(found: Sequence[bpy.types.PoseBone], context: bpy.types.Context) -> list[rig.Readings | rig.Refusal]:
    """Readings in the order of `found`, those of one armature together."""
    depsgraph = context.evaluated_depsgraph_get()
    by_name = {}
    for armature in dict.fromkeys(bone.id_data for bone in found):
        names = [bone.name for bone in found if bone.id_data == armature]
        by_name.update({(armature, name): readings
                        for name, readings in zip(names, readings_of(armature, names, depsgraph), strict=True)})
    return [by_name[bone.id_data, bone.name] for bone in found]


def _limb_with(bone: bpy.types.PoseBone | None) -> bpy.types.PoseBone | None:
    """The lower bone of the limb that `bone` is the upper or lower bone of."""
    if bone is None:
        return None
    return next((lower for lower in limb_bones(bone.id_data)
                 if bone in (lower, upper_bone(lower, lower.twobone_upper_steps))), None)
