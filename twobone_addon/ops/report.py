# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators of the reach report: make it, mark it on the timeline, save it."""

from __future__ import annotations

from collections.abc import Generator
from math import radians

import bpy

from .. import rig
from ..rig.frames.report import POP, reporting
from ..rig.frames.report_files import latest, mark, save, unmark
from ..rig.limb import limb_of
from ..rig.words import say
from .limbs import _OnSelectedLimbs
from .selection import selected_limbs
from .steps import _OverFrames

PANEL = "TWOBONE_PT_reach_report"
"""The panel that shows the report, of the layer above."""


class TWOBONE_OT_reach_report(_OverFrames, _OnSelectedLimbs, bpy.types.Operator):
    """List the frames in which the selected limbs miss their targets, and those in which their joints pop or flip"""

    bl_idname = "pose.twobone_reach_report"
    bl_label = "Reach Report"

    pop: bpy.props.FloatProperty(
        name="Pop", description="Change of the joint's speed, per frame, from one frame to the next that counts as a pop",
        default=POP, min=radians(0.1), soft_max=radians(45.0), subtype='ANGLE')
    markers: bpy.props.BoolProperty(
        name="Timeline Markers", description="Mark what was found on the timeline, in place of earlier marks", default=False)
    filepath: bpy.props.StringProperty(
        name="File", description="A .csv or .json file to save the report to; empty for none", subtype='FILE_PATH',
        options={'SKIP_SAVE'})

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        """Begin at once; the settings can be changed afterwards."""
        return self.execute(context)

    def draw(self, _context: bpy.types.Context) -> None:
        """All settings."""
        self.draw_range()
        for name in ("pop", "markers", "filepath"):
            self.layout.prop(self, name)

    def steps(self, context: bpy.types.Context) -> Generator[float, None, rig.ReachReport]:
        """Look at the selected limbs together."""
        limbs = [limb_of(bone) for bone in selected_limbs(context)]
        return reporting(limbs, self.frames(context), pop=self.pop)

    def done(self, context: bpy.types.Context, result: rig.ReachReport) -> set[str]:
        """Keep the report for the panel, and do with it what was asked for."""
        latest.report = result
        if self.markers:
            mark(context.scene, result)
        try:
            if self.filepath:
                save(result, self.filepath)
        except rig.Refusal as refusal:
            self.report({'ERROR'}, str(refusal))
        well = sum(limb.is_well for limb in result.limbs)
        self.report({'INFO'}, say("Looked at {count} limbs on {frames} frames: {well} are well", count=len(result.limbs),
                                  frames=len(result.frames), well=well))
        if self._is_watched(context):
            bpy.ops.wm.call_panel(name=PANEL, keep_open=True)
        return {'FINISHED'}


class _OnReport:
    """What operators on the latest report have in common."""

    @classmethod
    def poll(cls: type[bpy.types.Operator], _context: bpy.types.Context) -> bool:
        """Say that there is none."""
        if latest.report is not None:
            return True
        cls.poll_message_set(say("There is no reach report. Make one first"))
        return False


class TWOBONE_OT_reach_markers(_OnReport, bpy.types.Operator):
    """Mark what the reach report has found on the timeline, in place of earlier marks"""

    bl_idname = "pose.twobone_reach_markers"
    bl_label = "Mark on Timeline"
    bl_options = {'REGISTER', 'UNDO'}

    clear: bpy.props.BoolProperty(
        name="Clear", description="Only take earlier marks away", default=False, options={'SKIP_SAVE'})

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Put the markers, or take them away."""
        if self.clear:
            unmark(context.scene)
            return {'FINISHED'}
        count = mark(context.scene, latest.report)
        self.report({'INFO'}, say("{count} markers on the timeline", count=count))
        return {'FINISHED'}


class TWOBONE_OT_reach_save(_OnReport, bpy.types.Operator):
    """Save the reach report as a table (CSV) or for programs (JSON)"""

    bl_idname = "pose.twobone_reach_save"
    bl_label = "Save Reach Report"

    filepath: bpy.props.StringProperty(name="File", description="A .csv or .json file", subtype='FILE_PATH')
    filter_glob: bpy.props.StringProperty(default="*.csv;*.json", options={'HIDDEN'})

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        """Ask where to."""
        if not self.filepath:
            self.filepath = "reach.csv"
        context.window_manager.fileselect_add(self)
        return {'RUNNING_MODAL'}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        """Write the file."""
        try:
            save(latest.report, self.filepath)
        except rig.Refusal as refusal:
            self.report({'ERROR'}, str(refusal))
            return {'CANCELLED'}
        self.report({'INFO'}, say("Saved {name}", name=self.filepath))
        return {'FINISHED'}
