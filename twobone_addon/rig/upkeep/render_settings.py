# SPDX-License-Identifier: GPL-3.0-or-later
"""What a scene's render settings have to be for limbs that are solved while Blender renders."""

from __future__ import annotations

import bpy

from .. import live
from ..errors import Refusal
from ..words import say


def scene_problems(scene: bpy.types.Scene) -> list[str]:
    """Sentences that say what is wrong with the settings of `scene` and what to do; empty if all is well, or without limbs.

    A render that was started from the interface calls handlers on its own thread. What they write while the interface
    draws the same data can end Blender, unless the interface is locked meanwhile. Renders without a window are safe.
    """
    if scene.render.use_lock_interface or not live.plan_of(scene).limbs:
        return []
    return [say('Rendering "{scene}" from the interface may crash while limbs are solved: turn on Lock Interface in the '
                'Render menu', scene=scene.name)]


def lock_interface(scene: bpy.types.Scene) -> None:
    """Have the interface locked while `scene` renders. Raises Refusal for a scene that cannot be edited."""
    if not scene.is_editable:
        raise Refusal(say('"{scene}" is linked from another file. Turn on Lock Interface there', scene=scene.name))
    scene.render.use_lock_interface = True
