# SPDX-License-Identifier: GPL-3.0-or-later
"""What was foretold and solved of some limbs, and of several such lots side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .follow import Turns
from .problem import Problem
from .sample import Reading

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Answers:
    """Of M limbs, or of those of several frames one after the other: what will be read, what is asked of the solver as
    `problem` and as the numbers `inputs` (M, K), the angles (6 each) and the rotations (M, 2, 3, 3) of their bones."""

    reading: Reading
    problem: Problem
    inputs: Array
    angles: Sequence[list[float]]
    rotations: Array


def side_by_side(parts: Sequence[Answers], frames: int) -> Answers:
    """The same of all limbs at once, for so many frames."""
    if len(parts) == 1:
        return parts[0]
    counts = [len(part.inputs) // frames for part in parts]
    readings = [part.reading for part in parts]
    arrays = {name: _joined([getattr(each, name) for each in readings], frames)
              for name in ("numbers", "columns", "joint", "has_pole")}
    reading = Reading(**arrays, turns=_turns(readings, counts, frames))
    problem = Problem(_joined([part.problem.numbers for part in parts], frames),
                      _joined([part.problem.sane for part in parts], frames))
    angles = [row for frame in range(frames) for part, count in zip(parts, counts, strict=True)
              for row in part.angles[frame * count:(frame + 1) * count]]
    return Answers(reading, problem, problem.inputs(), angles,
                   _joined([part.rotations for part in parts], frames))


def _joined(arrays: Sequence[NDArray[Any]], frames: int) -> NDArray[Any]:
    """(F * N, ...) of arrays (F * n, ...), whose n add up to N."""
    whole = np.concatenate([array.reshape(frames, -1, *array.shape[1:]) for array in arrays], axis=1)
    return whole.reshape(-1, *whole.shape[2:])


def _turns(readings: Sequence[Reading], counts: Sequence[int], frames: int) -> Turns | None:
    first = np.cumsum((0, *counts))
    several = [(each.turns, count, start) for each, count, start in zip(readings, counts, first, strict=False) if each.turns]
    if not several:
        return None
    places = [(np.array(turns.places) // count) * first[-1] + start + np.array(turns.places) % count
              for turns, count, start in several]
    return Turns(tuple(_joined(places, frames).tolist()), _joined([turns.columns for turns, _count, _start in several], frames),
                 _joined([turns.follow for turns, _count, _start in several], frames))
