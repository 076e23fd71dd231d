# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of the paths of joints and tips, under that of the limb."""

from __future__ import annotations

import bpy

from ..ops.selection import selected_limbs
from ..rig.frames.paths import Stored, key_of
from ..rig.limb import limb_of
from ..rig.words import say


class TWOBONE_PT_paths(bpy.types.Panel):
    """Paths of the joint and the tip, which Blender's own motion paths cannot show"""

    bl_idname = "TWOBONE_PT_paths"
    bl_label = "Paths"
    bl_space_type = 'VIEW_3D'
    bl_region_type = 'UI'
    bl_category = "Animation"
    bl_parent_id = "TWOBONE_PT_limb"
    bl_options = {'DEFAULT_CLOSED'}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Where a limb is selected, or a path is left to clear."""
        return bool(Stored.paths or selected_limbs(context))

    def draw(self, context: bpy.types.Context) -> None:
        """Buttons, and what was calculated."""
        layout = self.layout
        found = [path for bone in selected_limbs(context) if (path := Stored.paths.get(key_of(limb_of(bone))))]
        for path in found[:1]:
            layout.label(text=say("Frames {first} to {last}", first=f"{path.frames[0]:g}", last=f"{path.frames[-1]:g}"))
        column = layout.column(align=True)
        column.operator("pose.twobone_paths_calculate", text="Update" if found else "Calculate", icon='ANIM_DATA')
        row = column.row(align=True)
        row.operator("pose.twobone_paths_clear", text="Clear", icon='X')
        row.operator("pose.twobone_paths_clear", text="Clear All").everything = True
