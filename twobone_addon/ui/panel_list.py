# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of limbs where several are selected."""

from __future__ import annotations

from collections.abc import Mapping

import bpy

from .. import rig
from . import wording

MOST = 12
"""Limbs that are listed one by one."""


def draw_list(layout: bpy.types.UILayout, context: bpy.types.Context,
              readings: Mapping[bpy.types.PoseBone, rig.Readings | rig.Refusal], active: bpy.types.PoseBone) -> None:
    """Names to click and what each limb does; the active one always among them."""
    bones = list(readings)
    shown = bones[:MOST] if active in bones[:MOST] else [active, *bones[:MOST - 1]]
    column = layout.box().column(align=True)
    for bone in shown:
        row = column.split(factor=0.5, align=True)
        row.operator("pose.twobone_select_limb", text=bone.name, translate=False, icon='BONE_DATA',
                     depress=bone == active, emboss=bone == active).lower = bone.name
        status = wording.status(context.scene, bone, readings[bone], short=True)
        words = row.row()
        words.alert = status.alert
        words.label(text=status.text, icon=status.icon, translate=False)
    if len(bones) > MOST:
        column.label(text=wording.more(len(bones) - MOST), translate=False)
