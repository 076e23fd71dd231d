# SPDX-License-Identifier: GPL-3.0-or-later
"""What is folded away under the limb."""

from __future__ import annotations

import bpy

from .. import rig
from ..rig.words import length
from . import wording


def draw_readings(layout: bpy.types.UILayout, context: bpy.types.Context, readings: rig.Readings | rig.Refusal) -> None:
    """Everything that was measured."""
    header, body = layout.panel("twobone_readings", default_closed=True)
    header.label(text="Readings")
    if body is None or isinstance(readings, rig.Refusal):
        return
    scene = context.scene
    column = body.column(align=True)
    _draw_reading(column, length(scene, readings.distance), text="Distance")
    _draw_reading(column, wording.share_of_reach(readings), text="Share of Reach")
    _draw_reading(column, length(scene, readings.reach_min), text="Shortest Reach")
    _draw_reading(column, length(scene, readings.reach_max), text="Longest Reach")
    _draw_reading(column, length(scene, readings.gap), text="Gap")
    _draw_reading(column, wording.angle(readings.root_angle), text="Root Angle")
    _draw_reading(column, wording.angle(readings.relative_angle), text="Joint Angle")
    _draw_reading(column, wording.sweeps(readings), text="CCD Sweeps")


def _draw_reading(layout: bpy.types.UILayout, value: str, *, text: str) -> None:
    """A name on the left, what was measured on the right."""
    row = layout.split(factor=0.5)
    name = row.row()
    name.alignment = 'RIGHT'
    name.label(text=text)
    row.label(text=value, translate=False)


def draw_tools(layout: bpy.types.UILayout) -> None:
    """What is done to limbs now and then."""
    header, body = layout.panel("twobone_tools", default_closed=True)
    header.label(text="Tools")
    if body is None:
        return
    column = body.column(align=True)
    column.operator("pose.twobone_bake", icon='ACTION')
    column.operator("pose.twobone_reach_report", icon='VIEWZOOM')
    column.operator("pose.twobone_to_native", icon='CON_KINEMATIC')
    column = body.column(align=True)
    column.operator("pose.twobone_rebind", icon='FILE_REFRESH')
    column.operator("pose.twobone_remove", icon='X')
