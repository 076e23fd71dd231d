# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators."""

from .bake import TWOBONE_OT_bake
from .convert import TWOBONE_OT_from_native, TWOBONE_OT_to_native
from .limbs import TWOBONE_OT_add, TWOBONE_OT_rebind, TWOBONE_OT_remove
from .match import TWOBONE_OT_match_fk, TWOBONE_OT_match_ik
from .paths import TWOBONE_OT_paths_calculate, TWOBONE_OT_paths_clear
from .render_settings import TWOBONE_OT_lock_interface
from .repair import TWOBONE_OT_free_output, TWOBONE_OT_mute_rivals, TWOBONE_OT_output_last
from .report import TWOBONE_OT_reach_markers, TWOBONE_OT_reach_report, TWOBONE_OT_reach_save
from .select import TWOBONE_OT_select_limb, TWOBONE_OT_select_pole, TWOBONE_OT_select_target

CLASSES = (
    TWOBONE_OT_add, TWOBONE_OT_remove, TWOBONE_OT_rebind,
    TWOBONE_OT_select_target, TWOBONE_OT_select_pole, TWOBONE_OT_select_limb,
    TWOBONE_OT_match_fk, TWOBONE_OT_match_ik,
    TWOBONE_OT_from_native, TWOBONE_OT_to_native,
    TWOBONE_OT_bake, TWOBONE_OT_reach_report, TWOBONE_OT_reach_markers, TWOBONE_OT_reach_save,
    TWOBONE_OT_output_last, TWOBONE_OT_free_output, TWOBONE_OT_mute_rivals,
    TWOBONE_OT_paths_calculate, TWOBONE_OT_paths_clear,
    TWOBONE_OT_lock_interface,
)
"""In the order in which they are registered."""
