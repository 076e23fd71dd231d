# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators."""

import bpy

from .limbs import TWOBONE_OT_add, TWOBONE_OT_rebind, TWOBONE_OT_remove

CLASSES = (TWOBONE_OT_add, TWOBONE_OT_remove, TWOBONE_OT_rebind)


def register() -> None:
    """Register every operator."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    """Unregister them in the opposite order, as far as they are registered."""
    for cls in reversed(CLASSES):
        if cls.is_registered:
            bpy.utils.unregister_class(cls)
