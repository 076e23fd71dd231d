# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures on the graphics card, kept for as long as what they show stays the same.

Shaders are made when something is drawn for the first time: Blender has none in background.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar

import gpu
from gpu_extras.batch import batch_for_shader

from .segments import Label, Picture, Strokes

Thing = TypeVar("Thing")

KEPT = 8
"""As many different pictures are kept at a time: 3D Views of the same scene can show different limbs."""


class Kept(Generic[Thing]):
    """The things made last, by what they were made from."""

    def __init__(self) -> None:
        self._things: OrderedDict[Hashable, Thing] = OrderedDict()

    def get(self, signature: Hashable, make: Callable[[], Thing]) -> Thing:
        """The thing for this signature, made where it is not there yet."""
        if signature not in self._things:
            self._things[signature] = make()
            if len(self._things) > KEPT:
                self._things.popitem(last=False)
        self._things.move_to_end(signature)
        return self._things[signature]

    def clear(self) -> None:
        """Make everything anew from now on."""
        self._things.clear()


@dataclass(frozen=True)
class Batch:
    """Lines or triangles on the graphics card; width: of lines, as a multiple of the usual one, 0 for triangles."""

    batch: Any
    width: float

    def draw(self, line_width: float) -> None:
        """Draw into the current view; line_width in pixels."""
        shader = line_shader() if self.width else fill_shader()
        shader.bind()
        if self.width:
            shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
            shader.uniform_float("lineWidth", line_width * self.width)
        self.batch.draw(shader)


@dataclass(frozen=True)
class Prepared:
    """A picture ready to be drawn."""

    batches: tuple[Batch, ...]
    labels: tuple[Label, ...]


@cache
def line_shader() -> Any:
    """The shader of lines with a width."""
    return gpu.shader.from_builtin('POLYLINE_FLAT_COLOR')


@cache
def fill_shader() -> Any:
    """The shader of triangles."""
    return gpu.shader.from_builtin('FLAT_COLOR')


def forget_shaders() -> None:
    """Let the shaders go, which must not outlive the window."""
    line_shader.cache_clear()
    fill_shader.cache_clear()


def lines(strokes: Strokes, width: float) -> tuple[Batch, ...]:
    """Lines of `width` times the usual width; none where there is nothing."""
    if not len(strokes):
        return ()
    return (Batch(batch_for_shader(line_shader(), 'LINES', {"pos": strokes.points, "color": strokes.colours}), width),)


def triangles(strokes: Strokes) -> tuple[Batch, ...]:
    """Filled triangles; none where there is nothing."""
    if not len(strokes):
        return ()
    return (Batch(batch_for_shader(fill_shader(), 'TRIS', {"pos": strokes.points, "color": strokes.colours}), 0.0),)


def prepare(picture: Picture) -> Prepared:
    """Bring a picture to the graphics card."""
    return Prepared((*triangles(picture.filled), *lines(picture.fine, 1.0), *lines(picture.bold, 2.0)), picture.labels)
