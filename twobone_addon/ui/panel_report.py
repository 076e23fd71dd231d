# SPDX-License-Identifier: GPL-3.0-or-later
"""The reach report, as a panel that pops up."""

from __future__ import annotations

from math import degrees

import bpy

from ..rig.frames.report import LimbReport, Miss
from ..rig.frames.report_files import latest
from ..rig.words import length, retell, say
from ..solver import State

MOST = 6
"""Findings of one kind and limb that are listed; the rest is counted."""


class TWOBONE_PT_reach_report(bpy.types.Panel):
    """Where the limbs miss their targets, pop or flip"""

    bl_idname = "TWOBONE_PT_reach_report"
    bl_label = "Reach Report"
    bl_space_type = 'VIEW_3D'
    bl_region_type = 'HEADER'  # in the sidebar, a panel without a category would make a tab of its own
    bl_ui_units_x = 20

    def draw(self, context: bpy.types.Context) -> None:
        """The latest report, and what can be done with it."""
        layout = self.layout
        report = latest.report
        if report is None:
            layout.label(text=say("There is no reach report. Make one first"), translate=False)
            return
        layout.label(text=say("Frames {first:g} to {last:g}", first=report.frames[0], last=report.frames[-1]), translate=False)
        for limb in report.limbs:
            _draw_limb(layout.box(), context.scene, limb)
        row = layout.row(align=True)
        row.operator("pose.twobone_reach_markers", icon='MARKER')
        row.operator("pose.twobone_reach_save", text="Save", icon='FILE_TICK')


def _draw_limb(layout: bpy.types.UILayout, scene: bpy.types.Scene, limb: LimbReport) -> None:
    layout.label(text=limb.lower, icon='CHECKMARK' if limb.is_well else 'ERROR', translate=False)
    column = layout.column(align=True)
    for line in _lines(scene, limb):
        column.label(text=line, translate=False)


def _lines(scene: bpy.types.Scene, limb: LimbReport) -> list[str]:
    """What there is to say of a limb, line by line."""
    if limb.fault:
        return [retell(limb.fault)]
    lines: list[str] = []
    if limb.worst is not None:
        lines.append(say("Out of reach on {count} frames, by up to {gap} at frame {frame:g}", count=limb.out_of_reach,
                         gap=length(scene, limb.worst.gap), frame=limb.worst.frame))
        lines += _some([_miss(scene, miss) for miss in limb.misses])
    lines.append(say("Fastest at frame {frame:g}: {speed:.1f}° per frame", frame=limb.top_frame,
                     speed=degrees(limb.top_speed)))
    lines += _some([say("Pops at frame {frame:g}, by {change:.1f}° per frame", frame=pop.frame, change=degrees(pop.change))
                    for pop in limb.pops])
    lines += _some([say("Flips at frame {frame:g}, by {angle:.0f}°", frame=flip.frame, angle=degrees(flip.angle))
                    for flip in limb.flips])
    if limb.rests:
        lines.append(say("Rests on {count} frames, first at frame {frame:g}", count=len(limb.rests), frame=limb.rests[0]))
    return lines


def _miss(scene: bpy.types.Scene, miss: Miss) -> str:
    gap = length(scene, miss.gap)
    if miss.state == State.TOO_FAR:
        return say("Frames {start:g} to {end:g}: {gap} too far", start=miss.start, end=miss.end, gap=gap)
    return say("Frames {start:g} to {end:g}: {gap} too close", start=miss.start, end=miss.end, gap=gap)


def _some(lines: list[str]) -> list[str]:
    return lines if len(lines) <= MOST else [*lines[:MOST], say("and {count} more", count=len(lines) - MOST)]
