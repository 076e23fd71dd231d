# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators."""

from .limbs import TWOBONE_OT_add, TWOBONE_OT_rebind, TWOBONE_OT_remove

CLASSES = (TWOBONE_OT_add, TWOBONE_OT_remove, TWOBONE_OT_rebind)
"""In the order in which they are registered."""
