# SPDX-License-Identifier: GPL-3.0-or-later
"""What is remembered of a plan's prediction from frame to frame."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..predict import Prediction
from .foretold import Foretold
from .glance import Glance

if TYPE_CHECKING:
    from ..predict.ahead import Ahead
    from .block import Block

Mask = NDArray[np.bool_]

STEPS_ALIKE = 1
"""Frames must have advanced as evenly this often before several are foretold at once."""


class Foresight:
    """A plan's prediction, and what was said and written of the frame that is being evaluated.

    foretold: what was said of the prediction's limbs last; is_noted: whether what was solved is that. said (N,): of which
    limbs it was said, and written, for the frame that is being evaluated; is_whole: whether of all of the prediction.
    ahead (N,): whether it was written to the evaluated copy of the limb's armature rather than to the original; is_ahead:
    whether any was. stood: whether all was borne out at a glance, at full influence. glance: at the prediction's limbs.
    misses (N,): how often in a row a limb was foretold wrongly.

    laid_out: the prediction, for any number of frames at once, None until it is asked for; may_be_blocks: whether it may be.
    block: the frames that were foretold at once, None where none were. frame, step, alike: the last frame, how far it was
    from the one before, and how often in a row it was that far. enough: how often it has to be until several frames are
    foretold. pace: how far apart these are, not a number as long as frames advance unevenly.
    """

    def __init__(self, count: int) -> None:
        self.prediction: Prediction | None = None
        self.glance: Glance | None = None
        self.foretold: Foretold | None = None
        self.is_noted = True
        self.said: Mask = np.zeros(count, dtype=bool)
        self.ahead: Mask = np.zeros(count, dtype=bool)
        self.misses: NDArray[np.int64] = np.zeros(count, dtype=int)
        self.is_ahead = self.is_whole = self.stood = False
        self.laid_out: Ahead | None = None
        self.may_be_blocks = True
        self.block: Block | None = None
        self.frames = 0
        self.frame = self.step = self.pace = nan
        self.alike, self.enough = 0, STEPS_ALIKE

    def forget(self) -> None:
        """Look at what moves the limbs afresh."""
        self.prediction = self.laid_out = self.block = None
        self.may_be_blocks = True

    def moved_on(self, frame: float) -> None:
        """Note the frame that is about to be evaluated."""
        step = frame - self.frame
        if step == self.step:
            self.alike += 1
        else:  # who plays goes on playing after a jump back to the start
            self.pace = self.step if self.alike >= self.enough else nan
            self.alike = 0
        if self.alike >= self.enough:
            self.pace = step
        self.frame, self.step = frame, step
        self.frames += 1

    def next_frames(self, count: int) -> list[float]:
        """`count` frames from the present one on where whole frames advance evenly, else this one alone."""
        if self.pace.is_integer() and self.pace != 0.0 and self.frame.is_integer():
            return [self.frame + self.pace * place for place in range(count)]
        return [self.frame]

    def put_off_blocks(self) -> None:
        """Foretell several frames later each time that this was wrong: curves may be edited at every frame."""
        self.block = None
        self.alike, self.enough, self.pace = 0, 2 * self.enough, nan
