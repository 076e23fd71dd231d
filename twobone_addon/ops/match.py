# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that go from IK to FK and back while the pose stays: thin, each calls rig/."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

from .. import rig
from ..rig.frames.walk import frame_range, scene_range
from ..rig.words import say
from .limbs import _OnSelectedLimbs
from .selection import selected_names


class _Match(_OnSelectedLimbs):
    """What both directions have in common."""

    key: bpy.props.BoolProperty(
        name="Set Keys", description="Set keys at the current frame even where auto-key is off", options={'SKIP_SAVE'})
    use_range: bpy.props.BoolProperty(
        name="Frame Range", description="Match every frame of a range by itself and key it", options={'SKIP_SAVE'})
    start: bpy.props.IntProperty(name="Start", description="First frame of the range", default=1)
    end: bpy.props.IntProperty(name="End", description="Last frame of the range", default=250)
    step: bpy.props.IntProperty(name="Step", description="Frames from one match to the next", default=1, min=1)

    def invoke(self: Any, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        """Offer the range that the scene plays."""
        for name, frame in zip(("start", "end"), scene_range(context.scene)):
            if not self.properties.is_property_set(name):
                setattr(self, name, frame)
        return self.execute(context)

    def draw(self: Any, _context: bpy.types.Context) -> None:
        """The range only where it is used."""
        layout = self.layout
        layout.use_property_split = True
        if not self.use_range:
            layout.prop(self, "key")
        layout.prop(self, "use_range")
        if self.use_range:
            column = layout.column(align=True)
            for name in ("start", "end", "step"):
                column.prop(self, name)

    def match(self: Any, context: bpy.types.Context, action: Callable[..., list[str]], what: str) -> set[str]:
        """Match all selected limbs together, or where one of them is refused each by itself; what: as for `on_each`."""
        chosen = set(selected_names(context))
        names = [limb.lower for limb in rig.limbs(context.object) if limb.lower in chosen]
        done: list[str] = []
        notes: list[str] = []
        try:
            frames = frame_range(self.start, self.end, self.step) if self.use_range else None
        except rig.Refusal as refusal:
            self.report({'ERROR'}, str(refusal))
            return {'CANCELLED'}
        try:
            notes += action(context.object, names, key=self.key, frames=frames)
            done += names
        except rig.Refusal as refusal:
            if len(names) == 1:
                self.report({'ERROR'}, str(refusal))
            for name in names if len(names) > 1 else ():
                try:
                    notes += action(context.object, name, key=self.key, frames=frames)
                    done.append(name)
                except rig.Refusal as own_refusal:
                    self.report({'WARNING'}, str(own_refusal))
        for note in notes:
            self.report({'WARNING'}, note)
        if not done:
            return {'CANCELLED'}
        self.report({'INFO'}, say(what, bones=", ".join(done)))
        return {'FINISHED'}


class TWOBONE_OT_match_fk(_Match, bpy.types.Operator):
    """Switch the selected limbs to FK and keep their pose: the bones' own rotations take it over"""

    bl_idname = "pose.twobone_match_fk"
    bl_label = "Match FK"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Switch every selected limb."""
        return self.match(context, rig.match_fk, "Matched FK of {bones}")


class TWOBONE_OT_match_ik(_Match, bpy.types.Operator):
    """Switch the selected limbs to IK and keep their pose: target and pole move to where it needs them"""

    bl_idname = "pose.twobone_match_ik"
    bl_label = "Match IK"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Switch every selected limb."""
        return self.match(context, rig.match_ik, "Matched IK of {bones}")
