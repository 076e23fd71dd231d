# SPDX-License-Identifier: GPL-3.0-or-later
"""The overlay's switch, in the 3D View's Overlays popover.

Blender lets extensions store nothing on a 3D View: the switch belongs to the workspace, which is kept in the file.
"""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty

from ...ops.views import redraw_views
from ...rig.live import plan_of
from ..preferences import stored_preferences
from . import draw


class TWOBONE_PT_overlay(bpy.types.Panel):
    """Reach and targets of Two-Bone IK, drawn in the view"""

    bl_idname = "TWOBONE_PT_overlay"
    bl_label = "Two-Bone IK"
    bl_space_type = 'VIEW_3D'
    bl_region_type = 'HEADER'
    bl_parent_id = "VIEW3D_PT_overlay"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Where there is something to draw."""
        return bool(plan_of(context.scene).limbs)

    def draw_header(self, context: bpy.types.Context) -> None:
        """The switch."""
        self.layout.active = context.space_data.overlay.show_overlays
        self.layout.prop(context.workspace, "twobone_overlay", text=self.bl_label)

    def draw(self, context: bpy.types.Context) -> None:
        """Which limbs are drawn."""
        settings = stored_preferences()
        if settings is not None:
            row = self.layout.row()
            row.active = context.space_data.overlay.show_overlays and context.workspace.twobone_overlay
            row.prop(settings, "limbs", expand=True)


def _switched(_workspace: bpy.types.WorkSpace, context: bpy.types.Context) -> None:
    draw.start_again()
    redraw_views(context)


def register() -> None:
    """Put the switch on workspaces."""
    bpy.types.WorkSpace.twobone_overlay = BoolProperty(
        name="Two-Bone IK", description="Draw reach, target and pole of limbs with Two-Bone IK in this workspace",
        default=True, update=_switched)


def unregister() -> None:
    """Take it off again."""
    if hasattr(bpy.types.WorkSpace, "twobone_overlay"):
        del bpy.types.WorkSpace.twobone_overlay
