# SPDX-License-Identifier: GPL-3.0-or-later
"""Which limbs are drawn: those that somebody is working on, or all."""

from __future__ import annotations

import bpy

from ...ops.selection import bone_flag
from ...rig.engine.plan import Plan
from ...rig.limb import Control, Limb


def visible_armatures(context: bpy.types.Context, plan: Plan) -> tuple[int, ...]:
    """Places in the plan of the armatures that the 3D View of `context` shows and whose limbs can be solved."""
    space = context.space_data if context.space_data and context.space_data.type == 'VIEW_3D' else None
    return tuple(index for index, armature in enumerate(plan.armatures)
                 if armature.object.visible_get(view_layer=context.view_layer, viewport=space)
                 and not armature.object.data.is_editmode and armature.object.is_editable)


def chosen_rows(context: bpy.types.Context, plan: Plan, armatures: tuple[int, ...], which: str) -> list[int]:
    """Rows of the limbs to draw, among those of `armatures`; which: 'ALL', or 'SELECTED'.

    A limb counts as selected by either of its bones, in Pose Mode, and by its target and pole in any mode.
    """
    return [row for row, planned in enumerate(plan.limbs)
            if planned.armature in armatures and (which == 'ALL' or _is_selected(context, planned.limb))]


def _is_selected(context: bpy.types.Context, limb: Limb) -> bool:
    own = [Control(limb.armature, name) for name in (limb.lower, limb.upper) if name]
    return any(_holds_selection(context, control) for control in (*own, limb.target, limb.pole) if control is not None)


def _holds_selection(context: bpy.types.Context, control: Control) -> bool:
    object = control.object
    if not control.bone:
        return object == context.object or object.select_get(view_layer=context.view_layer)
    bone = object.pose.bones.get(control.bone) if object.mode == 'POSE' else None
    return bone is not None and (bone_flag(bone, "select") or object.data.bones.active == bone.bone)
