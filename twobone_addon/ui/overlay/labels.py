# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels and marks, drawn flat over the view."""

from __future__ import annotations

from collections.abc import Sequence

import blf
import bpy
import numpy as np
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Vector

from .batches import batch
from .segments import Label, Mark, Strokes

FONT = 0
OUTLINE = 6
"""Blender's number for a shadow that goes all round the letters."""

SIZE = 7.0
"""Half the size of a mark in pixels."""

SHAPES = {
    Mark.NONE: [],
    Mark.CROSS: [(-1, -1), (1, 1), (-1, 1), (1, -1)],
    Mark.DIAMOND: [(0, -1), (1, 0), (1, 0), (0, 1), (0, 1), (-1, 0), (-1, 0), (0, -1)],
}
"""Lines of each mark, two points each."""


def draw_labels(context: bpy.types.Context, labels: Sequence[Label], font_size: int, line_width: float) -> None:
    """Draw what is in view; sizes in points and pixels of an unscaled interface."""
    scale = context.preferences.system.ui_scale
    seen = [(label, place) for label in labels
            if (place := location_3d_to_region_2d(context.region, context.region_data, Vector(label.place)))]
    _draw_marks(seen, SIZE * scale, line_width)
    blf.size(FONT, font_size * scale)
    blf.enable(FONT, blf.SHADOW)
    blf.shadow(FONT, OUTLINE, 0.0, 0.0, 0.0, 0.8)
    blf.shadow_offset(FONT, 0, 0)
    for label, place in seen:
        blf.color(FONT, *(0.5 * (1.0 + channel) for channel in label.colour[:3]), label.colour[3])
        blf.position(FONT, place.x + 2.0 * SIZE * scale, place.y + SIZE * scale, 0.0)
        blf.draw(FONT, label.text)
    blf.disable(FONT, blf.SHADOW)


def _draw_marks(seen: Sequence[tuple[Label, Vector]], size: float, line_width: float) -> None:
    points = [(place.x + size * x, place.y + size * y, 0.0) for label, place in seen for x, y in SHAPES[label.mark]]
    colours = [label.colour for label, _place in seen for _point in SHAPES[label.mark]]
    strokes = Strokes(np.array(points, np.float32).reshape(-1, 3), np.array(colours, np.float32).reshape(-1, 4))
    for lines in batch('LINES', strokes, 1.5):
        lines.draw(line_width)
