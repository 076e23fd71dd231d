# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a limb, each with a button that puts it right."""

from __future__ import annotations

import bpy

from .. import rig
from ..rig.upkeep.troubles import Trouble, troubles
from .panel_text import draw_text


def draw_troubles(layout: bpy.types.UILayout, context: bpy.types.Context, bone: bpy.types.PoseBone,
                  readings: rig.Readings | rig.Refusal) -> None:
    """Sentences about the limb of the lower bone `bone`."""
    found = troubles(bone.id_data, bone.name)
    if isinstance(readings, rig.Refusal) and str(readings) not in [trouble.sentence for trouble in found]:
        found.insert(0, Trouble(str(readings)))
    for trouble in found:
        box = layout.box()
        draw_text(box, context, trouble.sentence, 'ERROR')
        if trouble.fix:
            box.operator(trouble.fix)


def draw_scene_troubles(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """A button where renders are not safe for limbs; its tooltip says why."""
    if rig.scene_problems(context.scene):
        layout.operator("pose.twobone_lock_interface", icon='ERROR')
