# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells whether anything may have moved since the last look: a count of Blender's updates.

Whatever changes a pose, a selection or a scene in the interface calls one of these handlers before it is drawn.
"""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent

NAMES = ("depsgraph_update_post", "frame_change_post", "undo_post", "redo_post", "load_post")


class Count:
    """How many updates there were."""

    updates = 0


@persistent
def note_change(*_args: object) -> None:
    """Something was updated."""
    Count.updates += 1


def register() -> None:
    """Count from now on."""
    unregister()
    for name in NAMES:
        getattr(bpy.app.handlers, name).append(note_change)


def unregister() -> None:
    """Stop counting."""
    for name in NAMES:
        handlers = getattr(bpy.app.handlers, name)
        if note_change in handlers:
            handlers.remove(note_change)
