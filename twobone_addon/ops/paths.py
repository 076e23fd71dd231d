# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators for the paths of joints and tips."""

from __future__ import annotations

import bpy

from .. import rig
from ..rig.frames import paths
from ..rig.frames.scan import finish
from ..rig.frames.walk import frame_range, scene_range
from ..rig.limb import limb_of
from ..rig.words import say
from .limbs import _OnSelectedLimbs
from .selection import selected_limbs
from .views import redraw_views


class TWOBONE_OT_paths_calculate(_OnSelectedLimbs, bpy.types.Operator):
    """Draw the paths that joint and tip of the selected limbs take, frames out of reach marked; again to refresh them"""

    bl_idname = "pose.twobone_paths_calculate"
    bl_label = "Calculate Two-Bone IK Paths"

    use_range: bpy.props.BoolProperty(
        name="Own Range", description="Choose the frames here instead of taking what the scene plays", default=False)
    start: bpy.props.IntProperty(name="Start", description="First frame", default=1)
    end: bpy.props.IntProperty(name="End", description="Last frame", default=250)
    step: bpy.props.IntProperty(name="Step", description="Frames from one point to the next", default=1, min=1)

    def draw(self, _context: bpy.types.Context) -> None:
        """The range, which counts where it is wanted."""
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "use_range")
        column = layout.column(align=True)
        column.active = self.use_range
        column.prop(self, "start")
        column.prop(self, "end")
        layout.prop(self, "step")

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Walk over the frames once for all selected limbs."""
        if not self.use_range:
            self.start, self.end = scene_range(context.scene)
        limbs = [limb_of(bone) for bone in selected_limbs(context)]
        progress = context.window_manager
        progress.progress_begin(0.0, 1.0)
        try:
            steps = paths.calculating(limbs, frame_range(self.start, self.end, self.step), context.scene)
            faults = finish(steps, progress.progress_update)
        except rig.Refusal as refusal:
            self.report({'ERROR'}, str(refusal))
            return {'CANCELLED'}
        finally:
            progress.progress_end()
        for fault in faults:
            self.report({'WARNING'}, fault)
        redraw_views(context)
        return {'FINISHED'}


class TWOBONE_OT_paths_clear(bpy.types.Operator):
    """Remove the paths of the selected limbs"""

    bl_idname = "pose.twobone_paths_clear"
    bl_label = "Clear Two-Bone IK Paths"
    bl_options = {'REGISTER', 'UNDO'}

    everything: bpy.props.BoolProperty(
        name="All", description="Remove the paths of all limbs, selected or not", default=False, options={'SKIP_SAVE'})

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """Say that there is no path."""
        if paths.Stored.paths:
            return True
        cls.poll_message_set(say("There are no paths. Calculate them first"))
        return False

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Forget them."""
        chosen = None if self.everything else [limb_of(bone) for bone in selected_limbs(context)]
        if not paths.clear(chosen):
            self.report({'WARNING'}, say("The selected limbs have no paths. Select others, or clear all"))
            return {'CANCELLED'}
        redraw_views(context)
        return {'FINISHED'}

