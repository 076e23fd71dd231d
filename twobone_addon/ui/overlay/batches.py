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

import bpy
import gpu
from gpu_extras.batch import batch_for_shader

from .path_segments import PathPicture
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
    """Lines, triangles or points on the graphics card; size: of lines and points, as a multiple of the usual width."""

    kind: str
    batch: Any
    size: float

    def draw(self, line_width: float) -> None:
        """Draw into the current view; line_width in pixels."""
        shader = shader_of(self.kind)
        shader.bind()
        if self.kind == 'LINES':
            shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
            shader.uniform_float("lineWidth", line_width * self.size)
        elif self.kind == 'POINTS':
            gpu.state.point_size_set(line_width * self.size)
        self.batch.draw(shader)


@dataclass(frozen=True)
class Prepared:
    """A picture ready to be drawn."""

    batches: tuple[Batch, ...]
    labels: tuple[Label, ...] = ()


@cache
def shader_of(kind: str) -> Any:
    """The shader of 'LINES' with a width, of 'TRIS' or of 'POINTS'."""
    if kind == 'POINTS' and bpy.app.version >= (4, 5):
        return gpu.shader.from_builtin('POINT_FLAT_COLOR')
    return gpu.shader.from_builtin('POLYLINE_FLAT_COLOR' if kind == 'LINES' else 'FLAT_COLOR')


def batch(kind: str, strokes: Strokes, size: float = 1.0) -> tuple[Batch, ...]:
    """Strokes as 'LINES', 'TRIS' or 'POINTS'; none where there is nothing."""
    if not len(strokes):
        return ()
    columns = {"pos": strokes.points, "color": strokes.colours}
    return (Batch(kind, batch_for_shader(shader_of(kind), kind, columns), size),)


def prepare(picture: Picture) -> Prepared:
    """Bring a picture of limbs to the graphics card."""
    return Prepared((*batch('TRIS', picture.filled), *batch('LINES', picture.fine), *batch('LINES', picture.bold, 2.0)),
                    picture.labels)


def prepare_paths(picture: PathPicture) -> Prepared:
    """Bring a picture of paths to the graphics card."""
    return Prepared((*batch('LINES', picture.joints, 0.7), *batch('LINES', picture.tips),
                     *batch('POINTS', picture.reached, 2.7), *batch('POINTS', picture.missed, 3.5),
                     *batch('POINTS', picture.keyed, 4.5)))
