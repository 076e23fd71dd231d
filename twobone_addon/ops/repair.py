# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators against what keeps a limb from its pose: the panel shows each beside the trouble that it ends."""

from __future__ import annotations

from functools import partial

import bpy

from ..rig.upkeep import repair
from .limbs import _OnSelectedLimbs, on_each
from .selection import selected_names


class TWOBONE_OT_output_last(_OnSelectedLimbs, bpy.types.Operator):
    """Move the constraints that deliver the pose of the selected limbs to the end, so that no other one changes it"""

    bl_idname = "pose.twobone_output_last"
    bl_label = "Move Two-Bone IK to the End"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Move them for every selected limb."""
        return on_each(self, selected_names(context), partial(repair.output_last, context.object),
                       "Two-Bone IK comes last on {bones}")


class TWOBONE_OT_free_output(_OnSelectedLimbs, bpy.types.Operator):
    """Remove keys and drivers from the constraints that deliver the pose of the selected limbs; the limbs keep their own"""

    bl_idname = "pose.twobone_free_output"
    bl_label = "Remove Keys from Constraints"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Remove them for every selected limb."""
        return on_each(self, selected_names(context), partial(repair.free_output, context.object),
                       "Removed keys and drivers from the constraints of {bones}")


class TWOBONE_OT_mute_rivals(_OnSelectedLimbs, bpy.types.Operator):
    """Mute every other IK constraint that moves the bones of the selected limbs, so that their own pose shows"""

    bl_idname = "pose.twobone_mute_rivals"
    bl_label = "Mute Other IK"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Mute them for every selected limb."""
        return on_each(self, selected_names(context), partial(repair.mute_rivals, context.object), "Muted other IK of {bones}")
