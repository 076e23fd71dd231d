# SPDX-License-Identifier: GPL-3.0-or-later
"""Entries in Blender's Pose menu."""

from __future__ import annotations

import bpy

ENTRIES: tuple[tuple[str, ...], ...] = (
    ("pose.twobone_add", "pose.twobone_rebind", "pose.twobone_remove"),
    ("pose.twobone_match_fk", "pose.twobone_match_ik", "pose.twobone_bake"),
    ("pose.twobone_from_native", "pose.twobone_to_native"),
    ("pose.twobone_reach_report",),
    ("pose.twobone_select_target", "pose.twobone_select_pole", "pose.twobone_select_limb"),
)
"""Operators in groups, which lines part."""


class TWOBONE_MT_pose(bpy.types.Menu):
    """Two-bone IK of the selected bones"""

    bl_idname = "TWOBONE_MT_pose"
    bl_label = "Two-Bone IK"

    def draw(self, _context: bpy.types.Context) -> None:
        """All operators on limbs."""
        for place, group in enumerate(ENTRIES):
            if place:
                self.layout.separator()
            for name in group:
                self.layout.operator(name)


def draw_entry(self: bpy.types.Menu, _context: bpy.types.Context) -> None:
    """The submenu, drawn at the end of the Pose menu."""
    self.layout.separator()
    self.layout.menu(TWOBONE_MT_pose.bl_idname, icon='CON_KINEMATIC')


def register() -> None:
    """Put the submenu into the Pose menu."""
    bpy.types.VIEW3D_MT_pose.append(draw_entry)


def unregister() -> None:
    """Take it out again."""
    bpy.types.VIEW3D_MT_pose.remove(draw_entry)
