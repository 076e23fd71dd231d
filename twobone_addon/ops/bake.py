# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator that bakes limbs."""

from __future__ import annotations

from collections.abc import Generator

import bpy

from .. import rig
from ..rig.bake import baking
from ..rig.limb import limb_of
from ..rig.words import length, say
from .limbs import _OnSelectedLimbs
from .selection import selected_limbs
from .steps import _OverFrames


class TWOBONE_OT_bake(_OverFrames, _OnSelectedLimbs, bpy.types.Operator):
    """Key what the selected limbs show as rotations of their own bones, and hand these over to FK; Esc stops it"""

    bl_idname = "pose.twobone_bake"
    bl_label = "Bake Two-Bone IK"

    after: bpy.props.EnumProperty(
        name="Afterwards", description="What becomes of the IK", default='KEY_INFLUENCE', items=(
            ('KEY_INFLUENCE', "Key Influence", "Key the influence to 0 in the baked range; outside of it the IK goes on"),
            ('ZERO_INFLUENCE', "Influence to 0", "Set the influence to 0 and remove its keys; at 1 the IK is back"),
            ('REMOVE', "Remove IK", "Remove the IK from the limbs")))
    tolerance: bpy.props.FloatProperty(
        name="Tolerance", description="Leave out keys where joint and tip move by no more than this; 0 keeps all",
        default=0.0, min=0.0, subtype='DISTANCE', precision=4)
    new_action: bpy.props.BoolProperty(
        name="New Action", description="Bake into a copy of the action and leave that as it is", default=False)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        """Ask what to do."""
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, _context: bpy.types.Context) -> None:
        """All settings."""
        self.draw_range()
        for name in ("after", "tolerance", "new_action"):
            self.layout.prop(self, name)

    def steps(self, context: bpy.types.Context) -> Generator[float, None, rig.Baked]:
        """Bake the selected limbs together."""
        limbs = [limb_of(bone) for bone in selected_limbs(context)]
        return baking(limbs, self.frames(context), after=self.after, tolerance=self.tolerance, new_action=self.new_action)

    def done(self, context: bpy.types.Context, result: rig.Baked) -> set[str]:
        """Say what came of it."""
        for note in dict.fromkeys(note for limb in result.limbs for note in limb.notes):
            self.report({'WARNING'}, note)
        worst = max(result.limbs, key=lambda limb: limb.slip)
        self.report({'INFO'}, say(
            "Baked {bones} on {count} frames. Between keys the tip slips by up to {slip}, at frame {frame:g}",
            bones=", ".join(limb.lower for limb in result.limbs), count=len(result.frames),
            slip=length(context.scene, worst.slip), frame=worst.slip_frame))
        return {'FINISHED'}
