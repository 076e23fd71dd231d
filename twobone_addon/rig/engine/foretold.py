# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of frames before they are evaluated, and what the evaluation will then show if it comes true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .answers import Answers
from .glance import Glance
from .motions import Outcome
from .problem import Constants, Problem, steadiness
from .sample import NUMBERS, POINTS, SETTINGS, Reading

Array = NDArray[np.float64]

TOLERANCE = 3e-7
"""How far inputs may be from what was said, over the limb's length, where the limb is steady: the pose then differs by as
much as single precision leaves open."""

STANDS = 3e-6
"""How far a bone's axes, and its joint over the limb's length, may be from what was written and still be that."""

FIRST_SETTING = NUMBERS[next(iter(SETTINGS))]


@dataclass(frozen=True)
class Expected:
    """What bears a frame out: of M limbs, or of those of several frames one after the other.

    numbers, allowed (M, Glance.WIDTH): what a glance will show, and how far off it may be. settings: what the lower bones
    are set to, in the order of SETTINGS.
    """

    numbers: Array
    allowed: Array
    settings: Sequence[tuple[float, ...]]

    def part(self, rows: slice) -> Expected:
        """The same of some of the limbs."""
        return Expected(self.numbers[rows], self.allowed[rows], self.settings[rows])


def slack_of(problem: Problem, carriers: Sequence[tuple[int, NDArray[np.intp], Array]], frames: int = 1) -> tuple[Array, Array]:
    """How far inputs (M,), over the limb's length, and directions (M,) may be from what was said and the pose be as good as
    the same.

    carriers: what a prediction says of limbs on which others hang, which may not turn these by more either.
    """
    steady = steadiness(problem)
    share = np.ones_like(steady)
    if carriers:
        by_frame, shares = steady.reshape(frames, -1), share.reshape(frames, -1)
        for place, followers, lengths in carriers:
            shares[:, place] = (by_frame[:, followers] * lengths).min(1)
    return TOLERANCE * steady * share, TOLERANCE * share


def expected(answers: Answers, constants: Constants, slack: tuple[Array, Array]) -> Expected:
    """What will be seen of limbs that are as they were bound, at full influence; slack: what `slack_of` says."""
    reading, rotations = answers.reading, answers.rotations
    columns = reading.columns[:, :2]
    scale = np.sqrt(np.einsum('nbaj,nbaj->nba', columns, columns))
    length = constants.upper + constants.lower
    room = (slack[0] * length)[:, None]
    numbers, allowed = np.empty((2, len(length), Glance.WIDTH))
    bones, off = numbers[:, :24].reshape(-1, 2, 4, 3), allowed[:, :24].reshape(-1, 2, 4, 3)
    bones[:, :, :3] = rotations.swapaxes(2, 3) * scale[..., None]
    bones[:, 0, 3] = reading.numbers[:, :3]
    bones[:, 1, 3] = reading.numbers[:, :3] + (rotations[:, 0] @ constants.upper_vector[:, :, None])[:, :, 0]
    off[:, :, :3] = (STANDS * scale.max(2))[..., None, None]
    off[:, 0, 3] = room
    off[:, 1, 3] = STANDS * length[:, None]
    numbers[:, :24], allowed[:, :24] = bones.reshape(-1, 24), off.reshape(-1, 24)
    numbers[:, 24:30], allowed[:, 24:30] = reading.numbers[:, 3:9], room
    carried = ~reading.has_pole | (answers.problem.pole != reading.numbers[:, POINTS["pole"]]).any(1)  # so is the bend
    parent = reading.columns[:, 2].reshape(-1, 9)
    numbers[:, 30:] = parent
    allowed[:, 30:] = np.where(carried, slack[1] * np.abs(parent).max(1), np.inf)[:, None]
    return Expected(numbers, allowed, list(map(tuple, reading.numbers[:, FIRST_SETTING:].tolist())))


@dataclass(frozen=True)
class Foretold:
    """What is said of the M limbs `rows` of a plan at one frame.

    reading: what will be read of them, of the bones FK's pose. inputs (M, K), angles (6 each), rotations (M, 2, 3, 3): what
    was solved. places: the limbs of which something is said. hands: by place, what `turned_hands` says. slack (M,): how far
    inputs may be from these, over the limb's length. expected: what bears it out at a glance, None where a glance does not do.
    """

    rows: Sequence[int]
    reading: Reading
    inputs: Array
    angles: Sequence[list[float]]
    rotations: Array
    places: Sequence[int]
    hands: dict[int, tuple[list[float], float]]
    slack: Array
    expected: Expected | None

    @property
    def place_of(self) -> dict[int, int]:
        """The limbs' places by their rows."""
        return {row: place for place, row in enumerate(self.rows)}

    def outcome(self, place: int) -> Outcome:
        """What is made of one limb."""
        return Outcome("", self.angles[place], float(self.reading.numbers[place, NUMBERS["influence"]]),
                       *self.hands.get(place, ()))
