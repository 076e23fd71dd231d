# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames: which ones are meant, and a walk over them that always comes back."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import islice
from math import floor, inf, isfinite, nan
from numbers import Real
from typing import Any

import bpy

from .. import live
from ..errors import Refusal
from ..words import say

FIRST, LAST = -1048574.0, 1048574.0
"""The frames that Blender can show."""

MOST = 1_000_000
"""More frames than anybody waits for."""


def frame_range(start: float, end: float, step: float = 1.0) -> list[float]:
    """The frames from `start` to `end`, both included where the step meets them; refuses what is no such range.

    A fractional step gives sub-frames.
    """
    start, end = checked((start, end))
    if not 0.0 < _number(step) < inf:
        raise Refusal(say('The step {step} is not above 0. Give 1 for every frame', step=step))
    if end < start:
        raise Refusal(say('The range ends at frame {end}, before its start {start}. Swap them', start=start, end=end))
    count = (end - start) / step + 1e-6
    if count >= MOST:
        raise Refusal(say('The range {start} to {end} in steps of {step} has more than {most} frames. Choose fewer',
                          start=start, end=end, step=step, most=MOST))
    return [start + index * step for index in range(floor(count) + 1)]


def scene_range(scene: bpy.types.Scene) -> tuple[int, int]:
    """First and last frame of what `scene` plays: the preview range where one is in use."""
    if scene.use_preview_range:
        return scene.frame_preview_start, scene.frame_preview_end
    return scene.frame_start, scene.frame_end


def range_of(scene: bpy.types.Scene, start: float | None, end: float | None, step: float = 1.0) -> list[float]:
    """The frames from `start` to `end`, each by default what `scene` plays; refuses what is no such range."""
    first, last = scene_range(scene)
    return frame_range(first if start is None else start, last if end is None else end, step)


def parse_frames(text: str) -> list[float]:
    """Frames from text such as "1:100", "1:100:2" or "1:10,24,30:40", in order, none twice; refuses anything else."""
    found: set[float] = set()
    for part in text.split(","):
        try:
            numbers = [float(number) for number in part.split(":")]
        except ValueError:
            numbers = []
        if not 1 <= len(numbers) <= 3:
            raise Refusal(say('"{text}" names no frames. Write 1:100, or 1:100:2 for every second, or 1:10,24', text=text))
        found.update(frame_range(*numbers) if len(numbers) > 1 else frame_range(numbers[0], numbers[0]))
    return sorted(found)


def checked(frames: Iterable[float]) -> list[float]:
    """The frames as a list, which may be in any order; refuses none at all, and those that Blender cannot show."""
    if isinstance(frames, str) or not isinstance(frames, Iterable):
        raise Refusal(say('{frames} are no frames. Give them as numbers, such as range(1, 101)', frames=repr(frames)))
    given = list(islice(frames, MOST + 1))
    listed = list(map(float if set(map(type, given)) <= {int, float} else _number, given))
    if not listed:
        raise Refusal(say('There are no frames to go through. Give at least one'))
    if len(listed) > MOST:
        raise Refusal(say('There are more than {most} frames to go through. Choose fewer', most=MOST))
    if isfinite(sum(listed)) and min(listed) >= FIRST and max(listed) <= LAST:
        return listed
    for frame in listed:
        if not FIRST <= frame <= LAST:
            raise Refusal(say('Blender has no frame {frame}. Choose frames between {first} and {last}',
                              frame=frame, first=int(FIRST), last=int(LAST)))
    return listed


def _number(given: Any) -> float:
    """The number, NaN for what is none."""
    return float(given) if isinstance(given, Real) else nan


def set_frame(scene: bpy.types.Scene, frame: float) -> None:
    """Go to `frame`, to its sub-frame where it has one."""
    whole = floor(frame)
    scene.frame_set(whole, subframe=frame - whole)


@contextmanager
def coming_back(scene: bpy.types.Scene) -> Iterator[None]:
    """Go back to the frame that `scene` shows when the block is left, however that is.

    No play goes on from there, so that nothing is foretold for it, which takes a while to begin with.
    """
    frame, subframe = scene.frame_current, scene.frame_subframe
    try:
        yield
    finally:
        predicting = live.state.predicting
        live.state.predicting = False
        try:
            scene.frame_set(frame, subframe=subframe)
        finally:
            live.state.predicting = predicting


def visit(scene: bpy.types.Scene, frames: Sequence[float], *, hold: bool = False, back: bool = True) -> Generator[
        tuple[float, bpy.types.Depsgraph], None, None]:
    """Go to each of the frames and yield it with the active view layer's evaluated depsgraph; then go back.

    The way back is taken also after an exception, Ctrl-C, or when the iterator is dropped; not at all without `back`,
    where somebody else sees to it. Every frame is evaluated once. hold: keep the live engine from writing meanwhile,
    which would cost a second evaluation; limbs then stand as they were delivered before, so that only inputs may be read.
    Between frames, and afterwards, the engine is free.
    """
    layer = bpy.context.view_layer if bpy.context.scene == scene else scene.view_layers[0]
    with coming_back(scene) if back else nullcontext():
        for frame in frames:
            with live.held() if hold else nullcontext():
                set_frame(scene, frame)
            yield frame, layer.depsgraph
