# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn."""

from .panel import TWOBONE_PT_limb

CLASSES = (TWOBONE_PT_limb,)
"""In the order in which they are registered."""
