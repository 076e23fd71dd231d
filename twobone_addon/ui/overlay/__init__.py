# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn of limbs in the 3D View.

Three steps: `segments` makes arrays from solved limbs, `batches` brings them to the graphics card and keeps them while
nothing changes, `draw` draws them.
"""

from __future__ import annotations

import bpy

from . import changes, draw, popover


def register() -> None:
    """Switch and draw handlers; without a window there is nothing to draw in."""
    popover.register()
    if not bpy.app.background:
        changes.register()
        draw.register()


def unregister() -> None:
    """Undo register()."""
    draw.unregister()
    changes.unregister()
    popover.unregister()
