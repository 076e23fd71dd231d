# SPDX-License-Identifier: GPL-3.0-or-later
"""The reach report: over many frames, where limbs miss their targets, and where their joints pop or flip."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from math import pi, radians

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver import State
from ..given import names, number
from ..limb import Limb, find_limb
from ..readings import limbs as limbs_of
from ..words import say
from . import walk as walk
from .scan import RESTS, Scan, finish, scanning

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

POP = radians(5.0)
"""Change of a joint's speed, in radians per frame, from one frame to the next that people see as a pop."""

FLIP = 0.5 * pi
"""Turn of the plane of a limb from one frame to the next, beyond what its line turns by, that counts as a flip."""


@dataclass(frozen=True)
class Miss:
    """Consecutive frames, from `start` to `end`, past one limit of reach.

    state: TOO_FAR or TOO_CLOSE. gap: what is missed of the target at the worst of them, `frame`, in world units.
    """

    start: float
    end: float
    state: State
    frame: float
    gap: float


@dataclass(frozen=True)
class Pop:
    """A frame at which the joint's speed jumps: `change`, and the `speed` it jumps to or from, in radians per frame."""

    frame: float
    change: float
    speed: float


@dataclass(frozen=True)
class Flip:
    """A frame at which the limb has come to bend another way: by `angle`, in radians, since the frame before."""

    frame: float
    angle: float


@dataclass(frozen=True)
class LimbReport:
    """The limb of the bone `lower` over all frames.

    fault: the sentence why it rests throughout, or ''. rests: frames in which it rests. out_of_reach: the number of frames
    past a limit, which `misses` groups; worst: the one with the largest gap, or None. top_speed: the joint's greatest speed in
    radians per frame, at top_frame. Frames in which the influence is 0 count for speed alone.
    """

    armature: str
    lower: str
    fault: str
    rests: tuple[float, ...]
    out_of_reach: int
    misses: tuple[Miss, ...]
    worst: Miss | None
    top_speed: float
    top_frame: float
    pops: tuple[Pop, ...]
    flips: tuple[Flip, ...]

    @property
    def is_well(self) -> bool:
        """Whether there is nothing to look at."""
        return not (self.fault or self.rests or self.misses or self.pops or self.flips)


@dataclass(frozen=True)
class ReachReport:
    """The frames that were looked at, and what each limb does in them."""

    frames: tuple[float, ...]
    limbs: tuple[LimbReport, ...]


def reach_report(armature_object: bpy.types.Object, lowers: str | Iterable[str] | None = None,
                 frames: Iterable[float] | None = None, *, start: float | None = None, end: float | None = None,
                 step: float = 1.0, pop: float = POP) -> ReachReport:
    """Look at the limbs of an armature over many frames, each of which is evaluated once.

    lowers: the limbs' lower bones, by default all. frames: which ones, or start, end and step, by default what the scene
    plays. pop: the change of a joint's speed, in radians per frame, that counts as one. Raises Refusal where that cannot be done.
    """
    limbs = limbs_of(armature_object) if lowers is None else [find_limb(armature_object, name) for name in names(lowers)]
    if frames is None:
        frames = walk.range_of(bpy.context.scene, start, end, step)
    return finish(reporting(limbs, frames, pop=pop))


def reporting(limbs: Sequence[Limb], frames: Iterable[float], *, pop: float = POP) -> Generator[float, None, ReachReport]:
    """The same for limbs of any armatures, step by step: yields the share that is done, returns the report."""
    pop = number(pop, say("pop"), least=0.0)
    found = yield from scanning(limbs, sorted(set(walk.checked(frames))))
    speed = _speed(found)
    angle = _plane_turns(found)
    return ReachReport(tuple(found.frames.tolist()), tuple(
        _limb_report(found, place, speed[:, place], angle[:, place], pop) for place in range(len(found.limbs))))


def _limb_report(found: Scan, place: int, speed: Array, angle: Array, pop: float) -> LimbReport:
    frames, state = found.frames, found.state[:, place]
    counts = (state != RESTS) & ~(found.influence[:, place] <= 0.0)
    misses = tuple(_misses(frames, np.where(counts, state, RESTS), found.gap[:, place]))
    top = int(np.abs(speed).argmax()) if speed.size else 0
    flips = np.flatnonzero((angle > FLIP) & counts[1:] & counts[:-1]) + 1
    return LimbReport(
        armature=found.limbs[place].armature.name, lower=found.limbs[place].lower, fault=found.faults[place],
        rests=() if found.faults[place] else tuple(frames[state == RESTS].tolist()),
        out_of_reach=int((counts & _is_past(state)).sum()), misses=misses,
        worst=max(misses, key=lambda miss: miss.gap, default=None),
        top_speed=float(np.abs(speed[top])) if speed.size else 0.0, top_frame=float(frames[min(top + 1, len(frames) - 1)]),
        pops=tuple(_pops(frames, speed, pop)),
        flips=tuple(Flip(float(frames[row]), float(angle[row - 1])) for row in flips))


def _is_past(state: NDArray[np.int8]) -> Mask:
    return (state == State.TOO_FAR) | (state == State.TOO_CLOSE)


def _misses(frames: Array, state: NDArray[np.int8], gap: Array) -> Iterable[Miss]:
    """Runs of frames past the same limit."""
    borders = np.flatnonzero(np.diff(state)) + 1
    for rows in np.split(np.arange(len(frames)), borders):
        if _is_past(state[rows]).all():
            worst = int(rows[gap[rows].argmax()])
            yield Miss(float(frames[rows[0]]), float(frames[rows[-1]]), State(int(state[worst])), float(frames[worst]),
                       float(gap[worst]))


def _speed(found: Scan) -> Array:
    """How fast joints open or close (F - 1, N), in radians per frame; 0 next to frames in which they rest."""
    step = np.diff(found.frames)[:, None]
    return np.nan_to_num(np.diff(found.flexion, axis=0) / step)


def _pops(frames: Array, speed: Array, limit: float) -> Iterable[Pop]:
    """The frames at which the speed changes by more than `limit`, and by more than at the frames around them."""
    change = np.abs(np.diff(speed))
    around = np.concatenate(((0.0,), change, (0.0,)))
    for row in np.flatnonzero((change > limit) & (change >= around[:-2]) & (change > around[2:])):
        yield Pop(float(frames[row + 1]), float(change[row]), float(np.abs(speed[row:row + 2]).max()))


def _plane_turns(found: Scan) -> Array:
    """Angles (F - 1, N) by which the limbs' planes turn about their lines from frame to frame, in world space.

    The bend of the frame before is first swung along by the shortest turn between the two lines.
    """
    line, bend = found.directions(found.target - found.root), found.directions(found.bend)
    before, after, carried = line[:-1], line[1:], bend[:-1]
    cosine = (before * after).sum(-1, keepdims=True)
    axis = np.cross(before, after)
    with np.errstate(invalid='ignore'):
        share = (axis * carried).sum(-1, keepdims=True) / np.maximum(1.0 + cosine, 1e-12)
    carried = carried * cosine + np.cross(axis, carried) + axis * share
    return np.nan_to_num(np.arctan2(np.linalg.norm(np.cross(carried, bend[1:]), axis=-1), (carried * bend[1:]).sum(-1)))
