# SPDX-License-Identifier: GPL-3.0-or-later
"""What the live engine remembers between updates: it spares work, and losing it costs time, not a pose."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import bpy
import numpy as np
from numpy.typing import NDArray

from .foresight import Foresight
from .plan import Plan, make_plan

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass
class Counts:
    """What the engine has done since `clear`: handler calls with limbs, limbs read, foreseen and solved, properties written.

    borne_out: limbs whose foretold frame stood at a glance.
    """

    updates: int = 0
    reads: int = 0
    foreseen: int = 0
    solves: int = 0
    writes: int = 0
    borne_out: int = 0

    def clear(self) -> None:
        """Start again from zero."""
        self.updates = self.reads = self.foreseen = self.solves = self.writes = self.borne_out = 0


class Solved:
    """Per limb of a plan, the inputs (N, K) that were solved last, not a number where none were, and what came out:
    the angles (6) and the rotations (N, 2, 3, 3) of its bones."""

    def __init__(self, count: int) -> None:
        self.inputs: Array = np.zeros((count, 0))
        self.angles: list[list[float]] = [[] for _ in range(count)]
        self.rotations: Array = np.zeros((count, 2, 3, 3))

    def is_new(self, rows: Sequence[int], inputs: Array) -> Mask:
        """Whether other inputs than these (M, K) were solved last for the limbs `rows`."""
        self._make_room(inputs)
        return (self.inputs[rows] != inputs).any(1)

    def note(self, rows: Sequence[int], inputs: Array, angles: Sequence[list[float]], rotations: Array) -> None:
        """Remember what came out for the limbs `rows`."""
        self.inputs[rows], self.rotations[rows] = inputs, rotations
        for row, values in zip(rows, angles, strict=True):
            self.angles[row] = values

    def _make_room(self, inputs: Array) -> None:
        if self.inputs.shape[1] != inputs.shape[1]:
            self.inputs = np.full((len(self.angles), inputs.shape[1]), np.nan)

    def catch_up(self, foresight: Foresight) -> None:
        """Note what was foretold of a block's frame, which is not noted as long as all of it is borne out."""
        foretold = foresight.foretold
        if foretold is None or foresight.is_noted:
            return
        foresight.is_noted = True
        self._make_room(foretold.inputs)
        self.note(foretold.rows, foretold.inputs, foretold.angles, foretold.rotations)


@dataclass
class State:
    """All that the module remembers; losing it costs time, not a pose.

    behind: nothing was solved since the handlers were registered or a file was read, so that all limbs need a look.
    predicting: whether frames are predicted at all; turned off to compare poses and times.
    apart: session uids of armatures whose evaluated copy was given limits that the original does not have. A copy made
    anew would lose them: whoever writes to such an armature writes all its limbs.
    rendering: whether a render is under way, which evaluates copies of its own.
    """

    plans: dict[int, Plan] = field(default_factory=dict)
    solved: dict[int, Solved] = field(default_factory=dict)
    foresights: dict[int, Foresight] = field(default_factory=dict)
    faults: dict[tuple[int, str], str] = field(default_factory=dict)
    printed: set[str] = field(default_factory=set)
    behind: bool = True
    predicting: bool = True
    apart: set[int] = field(default_factory=set)
    rendering: bool = False

    def clear(self) -> None:
        """Forget everything."""
        self.forget_plans()
        self.faults.clear()
        self.printed.clear()
        self.apart.clear()
        self.behind = True

    def forget_plans(self) -> None:
        """Look at the scenes afresh at the next update."""
        self.plans.clear()
        self.solved.clear()
        self.foresights.clear()


counts = Counts()
state = State()
lock = threading.RLock()
"""Renders started from the interface call handlers on their own thread."""
_holding: set[int] = set()
"""The threads in which the engine is held."""


@contextmanager
def held() -> Iterator[None]:
    """Keep the engine from solving in this thread for the time of the block; renders in other threads are not held."""
    thread = threading.get_ident()
    free = thread not in _holding
    _holding.add(thread)
    try:
        yield
    finally:
        if free:
            _holding.discard(thread)


def plan_of(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None = None) -> Plan:
    """The plan of `scene`, made anew, with constraints as evaluated in `depsgraph`, where it was forgotten."""
    key = scene.session_uid
    plan = state.plans.get(key)
    if plan is None:
        plan = state.plans[key] = make_plan(scene, depsgraph)
        state.solved[key] = Solved(len(plan.limbs))
        state.foresights[key] = Foresight(len(plan.limbs))
    return plan


def is_held() -> bool:
    """Whether this thread is within a `held` block."""
    return threading.get_ident() in _holding


def print_once(error: Exception) -> None:
    """Print a traceback, unless one of the same error was printed before."""
    text = repr(error)
    if text not in state.printed:
        state.printed.add(text)
        traceback.print_exception(error)
