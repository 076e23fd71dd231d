# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python API for scripts: limbs of armatures, added, read and removed.

Needs Blender. `armature_object` is an object, bones are given by name, and whatever cannot be done raises Refusal.
"""

from .errors import Refusal
from .limb import Control, Limb
from .readings import Readings, limbs, readings
from .render_settings import lock_interface, scene_problems
from .setup import add_limb, rebind, remove_limb
from .troubles import problems

__all__ = ["Control", "Limb", "Readings", "Refusal", "add_limb", "limbs", "lock_interface", "problems", "readings", "rebind",
           "remove_limb", "scene_problems"]
