# SPDX-License-Identifier: GPL-3.0-or-later
"""The 3D Views that are open."""

from __future__ import annotations

import bpy


def redraw_views(context: bpy.types.Context) -> None:
    """Have every 3D View drawn anew."""
    for window in context.window_manager.windows if context.window_manager else ():
        for area in window.screen.areas:
            if area.type == 'VIEW_3D':
                area.tag_redraw()
