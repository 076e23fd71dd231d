# SPDX-License-Identifier: GPL-3.0-or-later
"""F-curves at many frames at once, as Blender evaluates them: in its single precision, with its order of sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Single = NDArray[np.float32]

EPSILON = np.finfo(np.float32).eps

AT_KEY = 1e-4
"""Frames within which Blender takes the key's own value."""

APART = 1e8
"""Frames by which the curves are laid one behind the other: more than Blender has."""

STEEP = 1e-3
"""Slope of time below which Blender's single precision decides the value of a curve that is nearly upright."""

NEWTON, HALVINGS = 6, 50
"""Steps that most times need, and those that leave nothing open for the rest."""

CLOSE = 1e-11
"""Share of a segment's span that decides nothing."""


@dataclass(frozen=True)
class _Segments:
    """What several curves do from each of their keys (K,) to the next, all curves one behind the other.

    frames (K,): of the keys, each curve APART from the one before; starts (K,): the same of each curve's own; spans (K,): to
    the next. time (3, K): coefficients of t³, t² and t, whose sum is the share of the span that has passed at t, from 0 to 1;
    value (4, K): those of 1 to t³, whose sum is the curve's value there. change (K,): by how much straight segments change
    it, else 0. known (K,): whether the segment is of a kind that is worked out here, and nowhere upright.
    """

    frames: Array
    starts: Single
    spans: Single
    time: Array
    value: Single
    change: Single
    known: NDArray[np.bool_]


class CurveTable:
    """What curves do between their keys, read once for many times, as long as nobody edits them."""

    def __init__(self, curves: Sequence[bpy.types.FCurve]) -> None:
        self.count = len(curves)
        self.plain = [index for index, curve in enumerate(curves) if _is_plain(curve)]
        left = set(range(self.count)) - set(self.plain)
        if self.plain:
            self.counts = np.array([len(curves[index].keyframe_points) for index in self.plain])
            self.starts = np.cumsum(self.counts) - self.counts
            self.segments = _segments([curves[index] for index in self.plain], self.counts)
            known = np.logical_and.reduceat(self.segments.known, self.starts)
            left |= {index for index, is_known in zip(self.plain, known) if not is_known}
        self.left = sorted(left)

    def at(self, frames: Array, curve: Callable[[int], bpy.types.FCurve]) -> Array:
        """Values (C, F) of the curves at the frames (F,), in single precision.

        curve: says which curve has an index, for those that only Blender can evaluate.
        """
        values = np.empty((self.count, len(frames)))
        if self.plain:
            values[self.plain] = _evaluated(self.segments, self.starts, self.counts, frames)
        for index in self.left:
            evaluate = curve(index).evaluate
            values[index] = [evaluate(frame) for frame in frames.tolist()]
        return values


def curve_values(curves: Sequence[bpy.types.FCurve], frames: Array) -> Array:
    """Values (C, F) of the curves at the frames (F,), in the single precision of the properties they set."""
    return CurveTable(curves).at(frames, curves.__getitem__)


def _is_plain(curve: bpy.types.FCurve) -> bool:
    return len(curve.keyframe_points) > 0 and not len(curve.modifiers) and curve.extrapolation == 'CONSTANT'


def _segments(curves: Sequence[bpy.types.FCurve], counts: NDArray[np.intp]) -> _Segments:
    """The segments of curves that have so many keys each; the one after a curve's last key stays at its value."""
    ends = np.cumsum(counts)
    pairs = np.empty((3, ends[-1], 2), dtype=np.float32)
    kinds = np.empty(ends[-1], dtype=np.uint8)
    for curve, start, end in zip(curves, (ends - counts).tolist(), ends.tolist(), strict=True):
        points = curve.keyframe_points
        points.foreach_get("co", pairs[0, start:end].reshape(-1))
        points.foreach_get("handle_left", pairs[1, start:end].reshape(-1))
        points.foreach_get("handle_right", pairs[2, start:end].reshape(-1))
        points.foreach_get("interpolation", kinds[start:end])
    items = bpy.types.Keyframe.bl_rna.properties["interpolation"].enum_items
    constant, linear, bezier = (items[name].value for name in ('CONSTANT', 'LINEAR', 'BEZIER'))
    kinds[ends - 1] = constant
    key, into, out = pairs.transpose(0, 2, 1)
    following = np.roll(key, -1, axis=1)
    span = np.where(kinds == constant, np.float32(1.0), following[0] - key[0])
    points = np.stack((key, _shortened(key, out, span), _shortened(following, np.roll(into, -1, axis=1), span), following))
    flat = (np.abs(key[1] - following[1]) < EPSILON) & (np.abs(out[1] - np.roll(into[1], -1)) < EPSILON) & (
        np.abs(np.roll(into[1], -1) - following[1]) < EPSILON)
    curved = kinds == bezier
    time = np.where(curved, _cubic(points[:, 0])[:0:-1], np.float32(0.0)).astype(float) / span
    time[2] = np.where(curved, time[2], 1.0)
    value = _cubic(points[:, 1])
    value[1:, ~curved | flat] = 0.0
    behind = np.repeat(np.arange(len(counts)) * APART, counts)
    change = np.where(kinds == linear, following[1] - key[1], np.float32(0.0))
    known = np.isin(kinds, (constant, linear, bezier)) & (_slowest(time) > STEEP)
    return _Segments(key[0] + behind, key[0], span, time, value, change, known)


def _cubic(points: Single) -> Single:
    """Coefficients (4, K), of 1 to t³, of the Bézier curve with the points (4, K)."""
    one, two, three, four = points
    factor = np.float32(3.0)
    return np.stack((one, factor * (two - one), factor * (one - np.float32(2.0) * two + three),
                     four - one + factor * (two - three)))


def _slowest(time: Array) -> Array:
    """The least slope (K,) of time in segments, where a curve is steepest."""
    cubic, square, linear = time
    with np.errstate(all='ignore'):
        turn = -square / (3.0 * cubic)
        between = np.where((cubic > 0.0) & (turn > 0.0) & (turn < 1.0), linear + square * turn, np.inf)
    return np.minimum(np.minimum(linear, 3.0 * cubic + 2.0 * square + linear), between)


def _shortened(key: Single, handle: Single, span: Single) -> Single:
    """The handles (2, K), no longer in time than the span, so that time does not run backwards."""
    way = key - handle
    long = np.abs(way[0])
    factor = span / np.where(long > 0.0, long, np.float32(1.0))
    return np.where(long > span, key - factor * way, handle)


def _evaluated(segments: _Segments, starts: NDArray[np.intp], counts: NDArray[np.intp], frames: Array) -> Single:
    """Values (C, F) of curves whose segments begin at `starts`, right where all of these are known."""
    asked = frames + np.arange(len(starts))[:, None] * APART
    before = np.searchsorted(segments.frames, asked + AT_KEY, side='right') - 1
    chosen = np.maximum(before, starts[:, None])
    passed = frames.astype(np.float32) - segments.starts[chosen]
    passed[(asked - segments.frames[chosen] <= AT_KEY) | (chosen == (starts + counts - 1)[:, None])] = 0.0
    spans = segments.spans[chosen]
    t = _share(segments.time[:, chosen], passed / spans.astype(float)).astype(np.float32)
    begin, linear, square, cubic = segments.value[:, chosen]
    curved = begin + t * linear + t * t * square + t * t * t * cubic
    change = segments.change[chosen]
    return np.where(change != 0.0, change * passed / spans + begin, curved)


def _share(time: Array, passed: Array) -> Array:
    """The t in [0, 1] at which cubics with coefficients (3, ...), which never fall from 0 to 1, are at `passed` (...)."""
    t = passed.copy()
    error = np.empty_like(t)
    cubic, square, linear = time
    with np.errstate(all='ignore'):
        for _ in range(NEWTON):
            error = ((cubic * t + square) * t + linear) * t - passed
            if np.abs(error).max(initial=0.0) < CLOSE:
                return t
            t = t - error / ((3.0 * cubic * t + 2.0 * square) * t + linear)
    far = ~(np.abs(error) < CLOSE)
    t[far] = _halved(time[:, far], passed[far])
    return t


def _halved(time: Array, passed: Array) -> Array:
    """The same by halving, for those that Newton's steps do not come to soon."""
    low, high = np.zeros_like(passed), np.ones_like(passed)
    cubic, square, linear = time
    for _ in range(HALVINGS):
        t = 0.5 * (low + high)
        late = ((cubic * t + square) * t + linear) * t > passed
        low, high = np.where(late, low, t), np.where(late, t, high)
    return 0.5 * (low + high)
