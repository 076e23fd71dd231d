# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on the scene's render settings."""

from __future__ import annotations

import bpy

from .. import rig
from ..rig.words import say


class TWOBONE_OT_lock_interface(bpy.types.Operator):
    """Lock the interface while this scene renders, so that solving limbs meanwhile is safe"""

    bl_idname = "pose.twobone_lock_interface"
    bl_label = "Lock Interface"
    bl_options = {'REGISTER', 'UNDO'}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Say why there is nothing to do."""
        if context.scene.render.use_lock_interface:
            cls.poll_message_set(say("The interface is locked during renders already"))
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Turn the setting on."""
        try:
            rig.lock_interface(context.scene)
        except rig.Refusal as refusal:
            self.report({'ERROR'}, str(refusal))
            return {'CANCELLED'}
        return {'FINISHED'}
