# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of limbs where several are selected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import bpy

from .. import rig
from . import wording

MOST = 12
"""Limbs that are listed one by one."""


def listed(found: Sequence[bpy.types.PoseBone], active: bpy.types.PoseBone) -> list[bpy.types.PoseBone]:
    """Those of the lower bones `found` that the list has room for; the active one always among them."""
    shown = list(found[:MOST])
    return shown if active in shown else [active, *shown[:MOST - 1]]


def draw_list(layout: bpy.types.UILayout, context: bpy.types.Context,
              readings: Mapping[bpy.types.PoseBone, rig.Readings | rig.Refusal], active: bpy.types.PoseBone,
              left_out: int) -> None:
    """Names to click and what each limb does, and how many were left out."""
    column = layout.box().column(align=True)
    for bone in readings:
        row = column.split(factor=0.5, align=True)
        row.operator("pose.twobone_select_limb", text=bone.name, translate=False, icon='BONE_DATA',
                     depress=bone == active, emboss=bone == active).lower = bone.name
        status = wording.status(context.scene, bone, readings[bone], short=True)
        words = row.row()
        words.alert = status.alert
        words.label(text=status.text, icon=status.icon, translate=False)
    if left_out:
        column.label(text=wording.more(left_out), translate=False)
