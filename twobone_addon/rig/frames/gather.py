# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples of many frames, from whoever has them for less: foretold where that can be relied on, else evaluated.

One frame is seen all the same: the one that is shown, where it is among them, else one that is evaluated for it. It says how
the bones of a limb stand to each other, and whether what is told of it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Self

import bpy
import numpy as np
from numpy.typing import NDArray

from .. import live
from ..engine.plan import Plan
from ..engine.problem import Sample
from ..predict.samples import Teller
from . import walk
from .reading import reading, shown
from .samples import ARRAYS, SAMPLED, Samples

Array = NDArray[np.float64]

FEW = 4
"""So many frames are rather evaluated than told."""

NEAR = 2e-6
"""How far, over the limb's length, what was told may be from what is evaluated: single precision, with a margin."""

COMPARED = ("target_columns", "follow", "to_world", "channels")
"""Fields of Samples that have to be the same in the evaluated frame, those of its sample aside."""


class Gatherer:
    """Gathers samples of the limbs `rows` of `plan`, now at these frames, now at those, and goes back, where it has left it, to
    the frame that was shown as it was entered."""

    def __init__(self, plan: Plan, rows: Sequence[int], scene: bpy.types.Scene) -> None:
        self.plan, self.rows, self.scene = plan, list(rows), scene
        self.teller: Teller | None = None
        self.seen: Samples | None = None
        self._away = ExitStack()
        self._is_away = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._away.close()

    def samples(self, frames: Array) -> Generator[float, None, Samples]:
        """All limbs at the frames (F,); yields the share that is done."""
        place, told = len(frames) // 2, None
        fresh = self.teller is None and len(frames) > FEW and self._is_plain_scene()
        if fresh:
            self.teller = Teller(self.plan, self.rows)
            shown = self._shown(frames)
            if shown is not None:
                told = self._told_as_seen(frames, *shown)
            if told is not None:
                place = shown[0]
            elif self.teller.places:
                self.seen = yield from self._read(range(len(self.rows)), frames[place:place + 1])
                told = self._told(frames)
                if told is not None:
                    told = self._kept(told, place)
        else:
            told = self._told(frames)
        places = self.teller.places if told is not None else []
        left = sorted(set(range(len(self.rows))) - set(places))
        if not left:
            return told
        if fresh and self.seen is not None:  # that frame has been evaluated
            read = yield from self._read(left, np.delete(frames, place))
            read = _with_frame(read, _limbs(self.seen, left), place)
        else:
            read = yield from self._read(left, frames)
        return read if told is None else _joined((places, told), (left, read))

    def _is_plain_scene(self) -> bool:
        """Whether time runs as it is written."""
        return self.scene.render.frame_map_old == self.scene.render.frame_map_new

    def _shown(self, frames: Array) -> tuple[int, Samples] | None:
        """Which of the frames is shown, and what of all limbs; None for none of them, and where handlers of others may make
        every frame what they like, which shows in another frame alone."""
        place = np.flatnonzero(frames == self.scene.frame_current_final)
        if not place.size or self.scene != bpy.context.scene or not self.teller.places or live.others_handle_frames():
            return None
        depsgraph = bpy.context.evaluated_depsgraph_get()
        return int(place[0]), shown(self.plan, self.rows, self.scene.frame_current_final, depsgraph)

    def _told(self, frames: Array) -> Samples | None:
        return self.teller.samples(frames, self.seen) if self.teller is not None and self.teller.places else None

    def _told_as_seen(self, frames: Array, place: int, seen: Samples) -> Samples | None:
        """What is told, where that of one frame is what is seen of it; None where it is not, for edits without a key, say."""
        self.seen = seen
        told = self._told(frames)
        if told is not None and self._agree(told, place).all():
            return told
        self.seen = None
        return None

    def _agree(self, told: Samples, place: int) -> NDArray[np.bool_]:
        return _agree(told.take(slice(place, place + 1)), _limbs(self.seen, self.teller.places))

    def _kept(self, told: Samples, place: int) -> Samples | None:
        """Those of the limbs of which is told what is seen in the frame at `place`; the rest is told no more."""
        places = self.teller.places
        agree = self._agree(told, place)
        if agree.all():
            return told
        self.teller.forget([place for place, agrees in zip(places, agree) if not agrees])
        return _limbs(told, np.flatnonzero(agree).tolist()) if agree.any() else None

    def _read(self, places: Sequence[int], frames: Array) -> Generator[float, None, Samples]:
        if not self._is_away:
            self._away.enter_context(walk.coming_back(self.scene))
            self._is_away = True
        return (yield from reading(self.plan, [self.rows[place] for place in places], frames.tolist(), self.scene,
                                   back=False))


def _agree(told: Samples, seen: Samples) -> NDArray[np.bool_]:
    """For which limbs (N,) everything that is told is the same in the only frame of both."""
    limb = seen.sample.length[0] + np.linalg.norm(seen.sample.joint - seen.sample.root, axis=-1)[0]
    one, other = _numbers(told), _numbers(seen)
    starts = np.cumsum([0, *(values.shape[1] for values in one[:-1])])
    was, found = np.concatenate(other, axis=1), np.concatenate(one, axis=1)
    difference, size = (np.maximum.reduceat(np.abs(values), starts, axis=1) for values in (found - was, was))
    agree: NDArray[np.bool_] = (difference <= NEAR * (limb[:, None] + size)).all(1)
    return agree


def _numbers(samples: Samples) -> list[Array]:
    """What is told of N limbs in their only frame, field by field (N, ...)."""
    fields = [getattr(samples.sample, name) for name in SAMPLED if name != "has_pole"]
    fields += [getattr(samples, name) for name in COMPARED]
    return [values.reshape(len(samples.faults), -1) for values in fields]


def _limbs(samples: Samples, places: Sequence[int]) -> Samples:
    """The same for some of the limbs."""
    if list(places) == list(range(len(samples.faults))):
        return samples
    return samples.of_limbs(places)


def _with_frame(samples: Samples, one: Samples, place: int) -> Samples:
    """The same with another frame of the same limbs at `place`."""
    def inserted(arrays: Sequence[Array]) -> Array:
        return np.concatenate((arrays[0][:place], arrays[1], arrays[0][place:]))

    return replace(_combined([samples, one], inserted), frames=inserted((samples.frames, one.frames)))


def _joined(one: tuple[list[int], Samples], other: tuple[list[int], Samples]) -> Samples:
    """The limbs of both, each at the places that go with them."""
    both, order = [one[1], other[1]], np.argsort([*one[0], *other[0]])
    faults = [fault for samples in both for fault in samples.faults]
    return replace(_combined(both, lambda arrays: np.concatenate(arrays, axis=1)[:, order]), as_bound=False,
                   shares=np.concatenate([samples.shares for samples in both])[order],
                   faults=tuple(faults[place] for place in order))


def _combined(several: Sequence[Samples], function: Callable[[Sequence[Array]], Array]) -> Samples:
    """The first of several with `function` of all in place of every array (F, N, ...)."""
    sample: dict[str, Any] = {name: function([getattr(samples.sample, name) for samples in several]) for name in SAMPLED}
    arrays: dict[str, Any] = {name: function([getattr(samples, name) for samples in several]) for name in ARRAYS}
    return replace(several[0], sample=Sample(**sample), **arrays)
