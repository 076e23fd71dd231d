# SPDX-License-Identifier: GPL-3.0-or-later
"""What an animator needs of a limb in one glance."""

from __future__ import annotations

import bpy

from .. import rig
from . import wording


def draw_status(layout: bpy.types.UILayout, context: bpy.types.Context, bone: bpy.types.PoseBone,
                readings: rig.Readings | rig.Refusal) -> None:
    """The limb's name and how it does."""
    status = wording.status(context.scene, bone, readings)
    column = layout.column(align=True)
    column.label(text=bone.name, icon='BONE_DATA', translate=False)
    words = column.row()
    words.alert = status.alert
    words.label(text=status.text, icon=status.icon, translate=False)


def draw_motion(layout: bpy.types.UILayout, bone: bpy.types.PoseBone) -> None:
    """The settings that are set and keyed while animating."""
    column = layout.column()
    row = column.row(align=True)
    row.prop(bone, "twobone_influence", slider=True)
    row.operator("pose.twobone_match_fk", text="FK", translate=False)
    row.operator("pose.twobone_match_ik", text="IK", translate=False)
    column.prop(bone, "twobone_softness", slider=True)
    column.prop(bone, "twobone_pole_angle")
    column.prop(bone, "twobone_follow_rotation", slider=True)
    limits = column.column(align=True)
    limits.prop(bone, "twobone_bend_min", text="Bend Min")
    limits.prop(bone, "twobone_bend_max", text="Max")


def draw_controls(layout: bpy.types.UILayout, bone: bpy.types.PoseBone) -> None:
    """Target and pole, each with a button that selects it."""
    for role in ("target", "pole"):
        column = layout.column(align=True)
        row = column.row(align=True)
        row.prop(bone, f"twobone_{role}")
        control = getattr(bone, f"twobone_{role}")
        button = row.row(align=True)
        button.enabled = control is not None
        button.operator(f"pose.twobone_select_{role}", text="", icon='RESTRICT_SELECT_OFF')
        if control is not None and control.type == 'ARMATURE':
            column.prop_search(bone, f"twobone_{role}_bone", control.data, "bones", text="Bone")
