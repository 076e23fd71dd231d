# SPDX-License-Identifier: GPL-3.0-or-later
"""From solved limbs to what is drawn of them: coloured segments, triangles and labels in world space. Arrays only.

What is drawn of a limb lies in its bend plane: the circle of full reach, dashed, and for unequal bones the one of full
fold; the circle, dotted, from which on the reach is softened; the line from the root to the target with what is missed
of it; the line from the joint to the pole; the triangle of root, joint and tip.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ...rig.shown import Resting, Shown, Solved
from ...solver import State
from .colours import Palette

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

ALL = slice(None)

DASH, DOT = 0.6, 0.2
"""Share of each side of a circle that is drawn."""

FOLD_SHOWN = 0.01
"""A fold limit below this share of full reach is not drawn: nearly equal bones fold flat."""

FAINTEST = 0.35
"""How much of its opacity the picture of a limb keeps that has no influence."""


class Mark(Enum):
    """A sign drawn at a place, always of the same size on the screen."""

    NONE = 0
    CROSS = 1
    DIAMOND = 2


@dataclass(frozen=True)
class Label:
    """Words, and a sign, at a place (3,) of the world; colour (4,)."""

    text: str
    place: Array
    colour: tuple[float, ...]
    mark: Mark = Mark.NONE


@dataclass(frozen=True)
class Strokes:
    """Points (M, 3) that are joined by twos into lines, or by threes into triangles, with colours (M, 4); float32."""

    points: NDArray[np.float32]
    colours: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.points)


@dataclass(frozen=True)
class Picture:
    """All that is drawn: fine and bold lines, triangles, labels."""

    fine: Strokes
    bold: Strokes
    filled: Strokes
    labels: tuple[Label, ...]


@dataclass(frozen=True)
class Words:
    """What labels say: `length` puts a length in world units into words."""

    length: Callable[[float], str]
    resting: str
    pole_lost: str


def picture(shown: Shown, palette: Palette, sides: int, words: Words) -> Picture:
    """Everything to draw of the limbs; sides: dashes of the circle of full reach."""
    brushes = fine, bold, filled = Brush(), Brush(), Brush()
    labels: list[Label] = []
    if shown.solved is not None and shown.solved.limbs:
        labels += _draw_solved(shown.solved, palette, sides, words, *brushes)
    for resting in shown.resting:
        labels += _draw_resting(resting, palette, words, fine)
    return Picture(fine.strokes(), bold.strokes(), filled.strokes(), tuple(labels))


class Brush:
    """Collects strokes."""

    def __init__(self) -> None:
        self._points: list[Array] = []
        self._colours: list[Array] = []

    def add(self, points: Array, colours: Array) -> None:
        """Points (N, …, 3) of N things, each in its colour (N, 4)."""
        points = points.reshape(-1, 3)
        self._points.append(points)
        self._colours.append(np.repeat(colours, len(points) // max(1, len(colours)), axis=0))

    def strokes(self) -> Strokes:
        """What was added."""
        if not self._points:
            return Strokes(np.zeros((0, 3), np.float32), np.zeros((0, 4), np.float32))
        return Strokes(np.concatenate(self._points).astype(np.float32), np.concatenate(self._colours).astype(np.float32))


def _draw_solved(solved: Solved, palette: Palette, sides: int, words: Words, fine: Brush, bold: Brush,
                 filled: Brush) -> list[Label]:
    opacity = FAINTEST + (1.0 - FAINTEST) * solved.influence
    rgb = np.array(palette.states)[solved.state]
    planes = solved.directions(np.stack((solved.forward, solved.bend), axis=1))
    root, joint, end, target, pole = solved.world(
        np.stack((solved.root, solved.joint, solved.end, solved.target, solved.pole), axis=1)).swapaxes(0, 1)

    def coloured(alpha: float, which: Mask | slice) -> Array:
        return np.concatenate((rgb[which], (alpha * opacity[which])[:, None]), axis=-1)

    def add_circle(radius: Array, count: int, share: float, alpha: float, which: Mask | slice = ALL) -> None:
        fine.add(circles(root[which], planes[which], radius[which], count, share), coloured(alpha, which))

    def add(brush: Brush, corners: Sequence[Array], alpha: float, which: Mask | slice = ALL) -> None:
        brush.add(np.stack(corners, axis=1)[which], coloured(alpha, which))

    near = solved.reach_min > FOLD_SHOWN * solved.reach_max
    add_circle(solved.reach_max, sides, DASH, 0.9)
    add_circle(solved.reach_min, sides // 2, DASH, 0.6, near)
    add_circle(solved.exact_max, sides, DOT, 0.8, solved.exact_max < solved.reach_max)
    add_circle(solved.exact_min, sides // 2, DOT, 0.6, near & (solved.exact_min > solved.reach_min))

    missed = (solved.state == State.TOO_FAR) | (solved.state == State.TOO_CLOSE)
    add(fine, (root, np.where((solved.state == State.TOO_CLOSE)[:, None], target, end)), 0.6)
    add(bold, (end, target), 1.0, solved.state != State.REACHED)
    add(fine, (joint, pole), 0.6, solved.has_pole & ~solved.pole_lost)
    add(filled, (root, joint, end), 0.15)

    gap, colours = np.linalg.norm(target - end, axis=-1), coloured(1.0, ALL)
    labels = [Label(words.length(float(gap[row])), 0.5 * (end[row] + target[row]), tuple(colours[row].tolist()))
              for row in np.flatnonzero(missed)]
    return labels + [Label(words.pole_lost, pole[row], (*palette.trouble, 1.0), Mark.DIAMOND)
                     for row in np.flatnonzero(solved.pole_lost)]


def _draw_resting(resting: Resting, palette: Palette, words: Words, fine: Brush) -> list[Label]:
    if not np.isfinite(resting.points).all():
        return []
    parts = np.stack((resting.points[:-1], resting.points[1:]), axis=1)
    fine.add(parts, np.tile((*palette.trouble, 0.6), (len(parts), 1)))
    return [Label(words.resting, resting.points[-2], (*palette.trouble, 1.0), Mark.CROSS)]


def circles(centres: Array, planes: Array, radii: Array, sides: int, share: float) -> Array:
    """Dashes (N, sides, 2, 3) of circles about `centres` (N, 3) in the planes of two vectors each (N, 2, 3); radii (N,).

    share: how much of each side is drawn. The first dash is centred on the first vector.
    """
    points = _unit_circle(sides, share) @ (radii[:, None, None] * planes) + centres[:, None, :]
    return points.reshape(len(points), sides, 2, 3)


@cache
def _unit_circle(sides: int, share: float) -> Array:
    """Coordinates (2 sides, 2) of the dashes' ends."""
    angles = (2.0 * np.pi / sides) * (np.arange(sides)[:, None] + 0.5 * share * np.array((-1.0, 1.0)))
    return np.stack((np.cos(angles), np.sin(angles)), axis=-1).reshape(-1, 2)
