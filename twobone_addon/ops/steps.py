# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that take their time: with a progress bar, and in a window so that Esc stops them."""

from __future__ import annotations

from collections.abc import Generator
from time import perf_counter
from typing import Any

import bpy

from .. import rig
from ..rig.frames.scan import finish
from ..rig.frames.walk import frame_range, scene_range
from ..rig.words import say

SLICE = 0.1
"""Seconds of work between two looks at the keyboard."""


class _InSteps:
    """Works through a generator that yields the share done: in a window slice by slice, else in one go.

    A subclass says what `steps` there are, and what becomes of their result when all is `done`. Whatever the generator
    has done by then must be undone by closing it.
    """

    def steps(self: Any, context: bpy.types.Context) -> Generator[float, None, Any]:
        """The work, begun."""
        raise NotImplementedError

    def done(self: Any, context: bpy.types.Context, result: Any) -> set[str]:
        """What to say of the result; the operator's status."""
        raise NotImplementedError

    def execute(self: Any, context: bpy.types.Context) -> set[str]:
        """Begin; where nobody is at the window, finish too."""
        context.window_manager.progress_begin(0.0, 1.0)
        try:
            self._steps = self.steps(context)
            if self._is_watched(context):
                self._timer = context.window_manager.event_timer_add(0.01, window=context.window)
                context.window_manager.modal_handler_add(self)
                context.workspace.status_text_set(say("Two-Bone IK is at work. Press Esc to stop it"))
                return {'RUNNING_MODAL'}
            result = finish(self._steps, context.window_manager.progress_update)
        except rig.Refusal as refusal:
            context.window_manager.progress_end()
            self.report({'ERROR'}, str(refusal))
            return {'CANCELLED'}
        except BaseException:
            context.window_manager.progress_end()
            raise
        context.window_manager.progress_end()
        return self.done(context, result)

    def _is_watched(self: Any, context: bpy.types.Context) -> bool:
        return (context.window is not None and not bpy.app.background and self.options.is_invoke
                and not self.options.is_repeat)

    def modal(self: Any, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Work for a moment; stop where Esc was pressed."""
        if event.type == 'ESC':
            self._end(context)
            self.report({'INFO'}, say("Stopped. Nothing was changed"))
            return {'CANCELLED'}
        if event.type != 'TIMER':
            return {'RUNNING_MODAL'}
        started = perf_counter()
        try:
            while perf_counter() - started < SLICE:
                context.window_manager.progress_update(next(self._steps))
        except StopIteration as stop:
            self._end(context)
            return self.done(context, stop.value)
        except rig.Refusal as refusal:
            self._end(context)
            self.report({'ERROR'}, str(refusal))
            return {'CANCELLED'}
        except BaseException:
            self._end(context)
            raise
        return {'RUNNING_MODAL'}

    def cancel(self: Any, context: bpy.types.Context) -> None:
        """Blender ends the operator, because the window is closed or a file is read."""
        self._end(context)

    def _end(self: Any, context: bpy.types.Context) -> None:
        self._steps.close()
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)


class _OverFrames(_InSteps):
    """Such an operator over a range of frames, by default what the scene plays."""

    use_range: bpy.props.BoolProperty(
        name="Own Range", description="Choose the frames here instead of taking what the scene plays", default=False)
    start: bpy.props.IntProperty(name="Start", description="First frame", default=1)
    end: bpy.props.IntProperty(name="End", description="Last frame", default=250)
    step: bpy.props.IntProperty(name="Step", description="Frames from one to the next", default=1, min=1)

    def frames(self: Any, context: bpy.types.Context) -> list[float]:
        """The frames that are meant."""
        if not self.use_range:
            self.start, self.end = scene_range(context.scene)
        return frame_range(self.start, self.end, self.step)

    def draw_range(self: Any) -> None:
        """The range, which counts where it is wanted."""
        self.layout.use_property_split = True
        self.layout.prop(self, "use_range")
        column = self.layout.column(align=True)
        column.active = self.use_range
        column.prop(self, "start")
        column.prop(self, "end")
        self.layout.prop(self, "step")
