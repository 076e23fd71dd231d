# SPDX-License-Identifier: GPL-3.0-or-later
"""From calculated paths to what is drawn of them: lines for tip and joint, a dot for every frame of the tip. Arrays only.

Stretches out of reach take the colour of their state, and so do their dots, which are larger; keyed frames are largest.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...rig.frames.paths import Path
from ...solver import State
from .colours import Palette
from .segments import Brush, Label, Mark, Strokes

Array = NDArray[np.float64]

WHITE = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class PathPicture:
    """Lines of tips and of joints, and dots of frames in reach, out of reach, and keyed."""

    tips: Strokes
    joints: Strokes
    reached: Strokes
    missed: Strokes
    keyed: Strokes


def path_picture(paths: Iterable[Path], palette: Palette) -> PathPicture:
    """Everything to draw of the paths."""
    tips, joints, reached, missed, keyed = brushes = [Brush() for _ in range(5)]
    colours = np.array(palette.states)
    # A softened limb is in reach: its path has the colour of one that reaches its target.
    colours[State.SOFTENED] = colours[State.REACHED]
    for path in paths:
        is_missed = (path.state == State.TOO_FAR) | (path.state == State.TOO_CLOSE)
        rgb = colours[path.state]
        stretch = np.where(is_missed[:-1, None], rgb[:-1], rgb[1:])
        _add_lines(tips, path.tip, stretch, 0.9)
        _add_lines(joints, path.joint, stretch, 0.45)
        there = np.isfinite(path.tip).all(-1)
        for brush, which, dots in ((reached, ~is_missed & ~path.keyed, rgb), (missed, is_missed & ~path.keyed, rgb),
                                   (keyed, path.keyed, np.where(is_missed[:, None], rgb, WHITE))):
            brush.add(path.tip[there & which], _opaque(dots[there & which], 1.0))
    return PathPicture(*(brush.strokes() for brush in brushes))


def current_marks(paths: Iterable[Path], frame: float) -> list[Label]:
    """A sign where each tip is at `frame`, where the path knows it."""
    marks = []
    for path in paths:
        place = int(np.argmin(np.abs(path.frames - frame)))
        if abs(path.frames[place] - frame) < 1e-3 and np.isfinite(path.tip[place]).all():
            marks.append(Label("", path.tip[place], (*WHITE, 1.0), Mark.DIAMOND))
    return marks


def _add_lines(brush: Brush, points: Array, colours: Array, alpha: float) -> None:
    """From each point to the next one, where both are finite."""
    pairs = np.stack((points[:-1], points[1:]), axis=1)
    there = np.isfinite(pairs).all((1, 2))
    brush.add(pairs[there], _opaque(colours[there], alpha))


def _opaque(colours: Array, alpha: float) -> Array:
    return np.concatenate((colours, np.full((len(colours), 1), alpha)), axis=-1)
