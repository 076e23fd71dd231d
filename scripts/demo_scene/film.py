# SPDX-License-Identifier: GPL-3.0-or-later
"""The film strip: pictures of eight frames side by side, targets as balls, what is out of reach as a rod."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from math import tan
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector
from numpy.typing import NDArray

from . import materials, shapes, stage
from .report import LimbReport, length
from .shown import Shown, standing
from .silence import silence

Picture = NDArray[np.float32]

PICTURES, MARGIN = 8, 6
ORANGE, RED, INK = (1.0, 0.3, 0.02), (0.85, 0.0, 0.03), (0.06, 0.08, 0.12)
BALL, ROD = 0.08, 0.025
"""Radii, as shares of the shortest limb's length."""


@dataclass
class Marks:
    """What a limb gets drawn: a ball at the target, a rod over the gap."""

    ball: bpy.types.Object
    rod: bpy.types.Object


def render(shown: Shown, reports: list[LimbReport], path: Path) -> None:
    """Render the strip into `path` with the scene's camera; what is drawn for it stays in the scene."""
    scene = bpy.context.scene
    shortest = min(report.reach_max for report in reports)
    orange, red = materials.plain("Target", ORANGE, glow=0.6), materials.plain("Gap", RED, glow=0.6)
    marks = {report.limb: Marks(shapes.ball(f"{report.limb} ball", BALL * shortest, orange),
                                shapes.rod(f"{report.limb} gap", ROD * shortest, red)) for report in reports}
    captions = _captions(scene.camera)
    pictures = []
    with tempfile.TemporaryDirectory() as folder:
        for frame in _frames(shown.frames):
            scene.frame_set(frame)
            for limb, mark in marks.items():
                _place(mark, shown, limb)
            gap = max(report.gaps[frame] if frame in report.missed else 0.0 for report in reports)
            captions[0].body = f"frame {frame}"
            captions[1].body = f"{length(gap)} out of reach" if gap else ""
            scene.render.filepath = str(Path(folder) / "picture.png")
            with silence():
                bpy.ops.render.render(write_still=True)
            pictures.append(_pixels(scene.render.filepath))
    _save(_side_by_side(pictures), path)


def _frames(frames: range) -> list[int]:
    """Evenly spread; the frame after the last would be the first again."""
    return [frames[len(frames) * picture // PICTURES] for picture in range(PICTURES)]


def _place(mark: Marks, shown: Shown, limb: str) -> None:
    found = standing(shown.armature, limb)
    tip, target = Vector(found.tip), Vector(found.target)
    mark.ball.location = target
    mark.rod.hide_render = found.gap < 0.5 * mark.ball.dimensions.x
    if not mark.rod.hide_render:
        shapes.stretch(mark.rod, tip, target)


def _captions(camera: bpy.types.Object) -> list[bpy.types.TextCurve]:
    """Two texts at the foot of the picture, just in front of the camera: ink on the left, red on the right."""
    near = 2.0 * camera.data.clip_start
    high = 2.0 * near * tan(0.5 * stage.FIELD)
    edge = 0.5 * high * stage.WIDTH / stage.HEIGHT - 0.03 * high
    texts = []
    for side, align, colour in ((-1.0, 'LEFT', INK), (1.0, 'RIGHT', RED)):
        text = bpy.data.curves.new("Caption", 'FONT')
        text.size, text.align_x = 0.042 * high, align
        text.materials.append(materials.lettering("Caption", colour))
        object = stage.link(bpy.data.objects.new("Caption", text))
        object.parent = camera
        object.location = (side * edge, -0.475 * high, -near)
        object.visible_shadow = False
        texts.append(text)
    return texts


def _pixels(path: str) -> Picture:
    image = bpy.data.images.load(path)
    values = np.empty(image.size[0] * image.size[1] * 4, dtype=np.float32)
    image.pixels.foreach_get(values)
    shape = image.size[1], image.size[0], 4
    bpy.data.images.remove(image)
    return values.reshape(shape)


def _side_by_side(pictures: list[Picture]) -> Picture:
    framed = [np.pad(picture, ((MARGIN, MARGIN), (MARGIN, 0), (0, 0)), constant_values=1.0) for picture in pictures]
    return np.pad(np.concatenate(framed, axis=1), ((0, 0), (0, MARGIN), (0, 0)), constant_values=1.0)


def _save(pixels: Picture, path: Path) -> None:
    image = bpy.data.images.new("Strip", pixels.shape[1], pixels.shape[0], alpha=False)
    image.pixels.foreach_set(np.ascontiguousarray(pixels, dtype=np.float32).reshape(-1))
    image.filepath_raw, image.file_format = str(path), 'PNG'
    image.save()
    bpy.data.images.remove(image)
