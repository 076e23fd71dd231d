# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel in the 3D View's sidebar."""

from __future__ import annotations

from math import degrees

import bpy

from .. import rig
from ..ops.selection import selected_limbs
from ..rig.errors import Refusal
from ..rig.limb import limb_of
from . import wording


class TWOBONE_PT_limb(bpy.types.Panel):
    """Two-Bone IK of the active limb"""

    bl_idname = "TWOBONE_PT_limb"
    bl_label = "Two-Bone IK"
    bl_space_type = 'VIEW_3D'
    bl_region_type = 'UI'
    bl_category = "Animation"
    bl_context = "posemode"

    def draw(self, context: bpy.types.Context) -> None:
        """Settings, readings and problems of the active limb; how to begin where there is none."""
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = True
        found = selected_limbs(context)
        if not found:
            layout.operator("pose.twobone_add", icon='CON_KINEMATIC')
            return
        bone = _active(context, found)
        layout.label(text=bone.name, icon='BONE_DATA')
        _draw_readings(layout, context, bone)
        _draw_control(layout, bone, "target")
        _draw_control(layout, bone, "pole")
        layout.prop(bone, "twobone_influence")
        layout.prop(bone, "twobone_softness")
        layout.prop(bone, "twobone_pole_angle")
        layout.prop(bone, "twobone_follow_rotation")
        _draw_scene_problems(layout, context)
        row = layout.row(align=True)
        row.operator("pose.twobone_rebind", text="Rebind")
        row.operator("pose.twobone_remove", text="Remove", icon='X')


def _draw_scene_problems(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    problems = rig.scene_problems(context.scene)
    for problem in problems:
        _draw_text(layout, context, problem, 'ERROR')
    if problems:
        layout.operator("pose.twobone_lock_interface", icon='LOCKED')


def _active(context: bpy.types.Context, found: list[bpy.types.PoseBone]) -> bpy.types.PoseBone:
    """The limb of the active bone, else the first selected one."""
    active = context.active_pose_bone
    for bone in found:
        if active is not None and active.name in (bone.name, limb_of(bone).upper):
            return bone
    return found[0]


def _draw_readings(layout: bpy.types.UILayout, context: bpy.types.Context, bone: bpy.types.PoseBone) -> None:
    armature = bone.id_data
    problems = rig.problems(armature, bone.name)
    for problem in problems:
        _draw_text(layout, context, problem, 'ERROR')
    try:
        readings = rig.readings(armature, bone.name, context.evaluated_depsgraph_get())
    except Refusal as refusal:
        if str(refusal) not in problems:
            _draw_text(layout, context, str(refusal), 'ERROR')
        return
    icon = 'CHECKMARK' if readings.state in (0, 3) else 'INFO'
    layout.label(text=wording.sentence(context.scene, readings), icon=icon)
    column = layout.column(align=True)
    column.label(text=f"Distance {wording.length(context.scene, readings.distance)}, "
                      f"reach {wording.length(context.scene, readings.reach_min)} to "
                      f"{wording.length(context.scene, readings.reach_max)}")
    column.label(text=f"Root {degrees(readings.root_angle):.1f}°, joint {degrees(readings.relative_angle):.1f}°")


def _draw_text(layout: bpy.types.UILayout, context: bpy.types.Context, text: str, icon: str) -> None:
    """A sentence over as many lines as the region's width asks for."""
    width = max(20, int(context.region.width / (8.5 * context.preferences.system.ui_scale)) - 4)
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    column = layout.column(align=True)
    for place, part in enumerate([*lines, line]):
        column.label(text=part, icon=icon if place == 0 else 'BLANK1')


def _draw_control(layout: bpy.types.UILayout, bone: bpy.types.PoseBone, role: str) -> None:
    column = layout.column(align=True)
    column.prop(bone, f"twobone_{role}")
    control = getattr(bone, f"twobone_{role}")
    if control is not None and control.type == 'ARMATURE':
        column.prop_search(bone, f"twobone_{role}_bone", control.data, "bones", text="Bone")
