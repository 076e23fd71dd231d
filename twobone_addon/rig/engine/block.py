# SPDX-License-Identifier: GPL-3.0-or-later
"""Several frames foretold and solved in one batch, for when they are played one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..predict import Unpredictable
from ..predict.ahead import Ahead
from .follow import Turns
from .foretold import Foretold, expected
from .motions import turned_hands
from .plan import Plan
from .problem import pose_problem
from .sample import NUMBERS, Reading
from .solving import solve_all

LONGEST, SHORTEST, ROWS = 64, 8, 2048
"""Frames of a block at most and at least, and how many limbs times frames it holds in between."""


def length_for(limbs: int) -> int:
    """Frames that are worth foretelling at once for so many limbs: enough to share the work, without a hitch."""
    return max(SHORTEST, min(LONGEST, ROWS // max(limbs, 1)))


class Block:
    """The frames `frames`, foretold of all limbs of a prediction; raises Unpredictable."""

    def __init__(self, plan: Plan, ahead: Ahead, frames: Sequence[float]) -> None:
        prediction = ahead.prediction
        limbs = len(prediction.rows)
        reading = ahead.readings(np.array(frames, dtype=float))
        constants = ahead.constants(len(frames))
        problem = pose_problem(reading.sample(), constants, as_bound=True)
        solved = solve_all(problem) if problem.sane.all() else None
        if solved is None:
            raise Unpredictable
        self.plan, self.prediction, self.reading = plan, prediction, reading
        self.place_of = {frame: place for place, frame in enumerate(frames)}
        self.inputs = problem.inputs()
        self.angles, self.rotations = solved
        carries = np.tile([bool(plan.followers[row]) for row in prediction.rows], len(frames))
        self.expected = expected(reading, problem, constants, self.rotations, carries)
        self.full = (reading.numbers[:, NUMBERS["influence"]] == 1.0).reshape(-1, limbs).all(1)

    def at(self, frame: float) -> Foretold:
        """What is said of one of the frames."""
        place, limbs = self.place_of[frame], len(self.prediction.rows)
        part = slice(place * limbs, (place + 1) * limbs)
        turns = self._turns(place)
        whole = self.reading
        reading = Reading(whole.numbers[part], whole.columns[part], whole.joint[part], whole.has_pole[part], turns)
        return Foretold(self.prediction.rows, reading, self.inputs[part], self.angles[part], self.rotations[part], range(limbs),
                        turned_hands(self.plan, self.prediction.rows, turns) if turns is not None else {},
                        self.expected.part(part) if self.full[place] else None)

    def _turns(self, place: int) -> Turns | None:
        turns, hands = self.reading.turns, self.prediction.hands
        if turns is None:
            return None
        part = slice(place * len(hands), (place + 1) * len(hands))
        return Turns(hands, turns.columns[part], turns.follow[part])
