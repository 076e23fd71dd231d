# SPDX-License-Identifier: GPL-3.0-or-later
"""Several frames foretold and solved in one batch, for when they are played one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..dependencies import Carrier, Part
from ..predict import Unpredictable
from ..predict.ahead import Ahead
from ..predict.worlds import Worlds
from .answers import Answers, side_by_side
from .follow import Turns
from .foretold import Foretold, expected, slack_of
from .motions import turned_hands
from .plan import Plan
from .problem import pose_problem
from .sample import NUMBERS, Reading
from .solving import solve_all

Mask = NDArray[np.bool_]

LONGEST, SHORTEST, ROWS = 64, 8, 2048
"""Frames of a block at most and at least, and how many limbs times frames it holds in between."""


def length_for(limbs: int) -> int:
    """Frames that are worth foretelling at once for so many limbs: enough to share the work, without a hitch."""
    return max(SHORTEST, min(LONGEST, ROWS // max(limbs, 1)))


class Block:
    """The frames `frames`, foretold of all limbs of a prediction; raises Unpredictable."""

    def __init__(self, plan: Plan, ahead: Ahead, frames: Sequence[float]) -> None:
        prediction, count = ahead.prediction, len(frames)
        limbs = len(prediction.rows)
        worlds = ahead.at(np.array(frames, dtype=float))
        parts: list[Answers] = []
        partial = np.zeros((count, len(plan.limbs)), dtype=bool)
        for level in ahead.levels:
            reading = level.readings(worlds)
            problem = pose_problem(reading.sample(), level.constants(count), as_bound=True)
            solved = solve_all(problem) if problem.sane.all() else None
            if solved is None:
                raise Unpredictable
            parts.append(Answers(reading, problem, problem.inputs(), *solved))
            if len(parts) < len(ahead.levels):
                _tell(worlds, plan, level.level.rows, parts[-1], partial)
        answers = side_by_side(parts, count)
        self.plan, self.prediction, self.reading = plan, prediction, answers.reading
        self.place_of = {frame: place for place, frame in enumerate(frames)}
        self.inputs, self.angles, self.rotations = answers.inputs, answers.angles, answers.rotations
        slack = slack_of(answers.problem, prediction.carriers, count)
        self.slack = slack[0]
        self.expected = expected(answers, ahead.constants(count), slack)
        self.unsaid = _carried_by(plan, prediction.rows, partial)
        self.full = (self.reading.numbers[:, NUMBERS["influence"]] == 1.0).reshape(-1, limbs).all(1)

    def at(self, frame: float) -> Foretold:
        """What is said of one of the frames."""
        place, limbs = self.place_of[frame], len(self.prediction.rows)
        part = slice(place * limbs, (place + 1) * limbs)
        turns = self._turns(place)
        whole = self.reading
        reading = Reading(whole.numbers[part], whole.columns[part], whole.joint[part], whole.has_pole[part], turns)
        return Foretold(self.prediction.rows, reading, self.inputs[part], self.angles[part], self.rotations[part],
                        self._places(place), turned_hands(self.plan, self.prediction.rows, turns) if turns is not None else {},
                        self.slack[part], self.expected.part(part) if self.full[place] else None)

    def _places(self, place: int) -> Sequence[int]:
        """The limbs of which something is said of a frame."""
        places = range(len(self.prediction.rows))
        return [each for each in places if each not in self.unsaid[place]] if place in self.unsaid else places

    def _turns(self, place: int) -> Turns | None:
        turns, hands = self.reading.turns, self.prediction.hands
        if turns is None:
            return None
        part = slice(place * len(hands), (place + 1) * len(hands))
        return Turns(hands, turns.columns[part], turns.follow[part])


def _tell(worlds: Worlds, plan: Plan, rows: Sequence[int], answers: Answers, partial: Mask) -> None:
    """Have nodes know how the limbs `rows` turn the bones on which others may hang.

    partial (F, rows of the plan): set where they do so partly, which only Blender's evaluation tells to the last digit.
    """
    count, turns = len(partial), answers.reading.turns
    angles = np.array(answers.angles, dtype=np.float32).reshape(count, -1, 2, 3)
    influence = answers.reading.numbers[:, NUMBERS["influence"]].reshape(count, -1)
    partial[:, rows] = (influence > 0.0) & (influence < 1.0)
    for place, row in enumerate(rows):
        if plan.followers[row]:
            for part, own in zip((Part.UPPER, Part.LOWER), angles[:, place].transpose(1, 2, 0), strict=True):
                worlds.turns[Carrier(row, part)] = own, influence[:, place] > 0.0
    if turns is None:
        return
    hands = turned_hands(plan, list(rows) * count, turns)
    for place, row in enumerate(rows):
        if plan.followers[row] and place in hands:
            told = [hands[frame * len(rows) + place] for frame in range(count)]
            follow = np.array([share for _angles, share in told])
            partial[:, row] |= (follow > 0.0) & (follow < 1.0)
            worlds.turns[Carrier(row, Part.HAND)] = (np.array([own for own, _share in told], dtype=np.float32).T,
                                                     follow * influence[:, place] > 0.0)


def _carried_by(plan: Plan, rows: Sequence[int], partial: Mask) -> dict[int, set[int]]:
    """By frame, the places among `rows` of the limbs whose armature has one that hangs on a limb that is `partial` there."""
    found = {}
    for frame in np.flatnonzero(partial.any(1)).tolist():
        carried = {follower for row in np.flatnonzero(partial[frame]).tolist() for follower in plan.followers[row]}
        armatures = {plan.limbs[row].armature for row in carried}
        places = {place for place, row in enumerate(rows) if plan.limbs[row].armature in armatures}
        if places:
            found[frame] = places
    return found
