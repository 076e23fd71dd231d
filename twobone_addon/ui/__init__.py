# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn."""

import bpy

from .panel import TWOBONE_PT_limb

CLASSES = (TWOBONE_PT_limb,)


def register() -> None:
    """Register every panel."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    """Unregister them in the opposite order, as far as they are registered."""
    for cls in reversed(CLASSES):
        if cls.is_registered:
            bpy.utils.unregister_class(cls)
