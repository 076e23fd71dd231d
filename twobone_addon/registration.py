# SPDX-License-Identifier: GPL-3.0-or-later
"""What is registered, in which order; undone in the opposite one, also when a step fails half-way."""

from __future__ import annotations

from typing import Any

import bpy

from . import cli, ops, ui
from .rig import hand, live, properties
from .ui import menus, overlay, translations

CLASSES: tuple[Any, ...] = (*ops.CLASSES, *ui.CLASSES)


def register() -> None:
    """Register everything; where a step fails, what was done before is undone and the error goes on."""
    try:
        properties.register()
        for cls in CLASSES:
            bpy.utils.register_class(cls)
        hand.register()
        live.register()
        overlay.register()
        menus.register()
        cli.register()
        translations.register()
    except Exception:
        unregister()
        raise


def unregister() -> None:
    """Undo register(), as far as it went."""
    translations.unregister()
    cli.unregister()
    menus.unregister()
    overlay.unregister()
    live.unregister()
    hand.unregister()
    for cls in reversed(CLASSES):
        if cls.is_registered:
            bpy.utils.unregister_class(cls)
    properties.unregister()
