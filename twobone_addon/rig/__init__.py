# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python API for scripts: limbs of armatures, added, read and removed.

Needs Blender. `armature_object` is an object, bones are given by name, and whatever cannot be done raises Refusal.
"""

from .bake import Baked, BakedLimb, bake
from .convert import from_native, to_native
from .errors import Refusal
from .frames.report import LimbReport, ReachReport, reach_report
from .limb import Control, Limb
from .match import match_fk, match_ik
from .readings import Readings, limbs, readings
from .setup import add_limb, rebind, remove_limb
from .upkeep.render_settings import lock_interface, scene_problems
from .upkeep.troubles import problems

__all__ = ["Baked", "BakedLimb", "Control", "Limb", "LimbReport", "ReachReport", "Readings", "Refusal", "add_limb",
           "bake", "from_native", "limbs", "lock_interface", "match_fk", "match_ik", "problems", "reach_report",
           "readings", "rebind", "remove_limb", "scene_problems", "to_native"]
