# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn."""

from .menus import TWOBONE_MT_pose
from .overlay.popover import TWOBONE_PT_overlay
from .panel import TWOBONE_PT_constraints, TWOBONE_PT_limb
from .panel_report import TWOBONE_PT_reach_report
from .paths import TWOBONE_PT_paths
from .preferences import TWOBONE_preferences

CLASSES = (TWOBONE_preferences, TWOBONE_PT_limb, TWOBONE_PT_constraints, TWOBONE_PT_paths, TWOBONE_PT_overlay,
           TWOBONE_PT_reach_report, TWOBONE_MT_pose)
"""In the order in which they are registered."""
