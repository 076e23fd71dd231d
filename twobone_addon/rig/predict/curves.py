# SPDX-License-Identifier: GPL-3.0-or-later
"""F-curves at many frames at once, as Blender evaluates them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

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

    frames (K,): of the keys, each curve APART from the one before; spans (K,): to the next. time (3, K): coefficients of
    t³, t² and t, whose sum is the share of the span that has passed at t, from 0 to 1; value (4, K): those of t³ to 1, whose
    sum is the curve's value there. known (K,): whether the segment is of a kind that is worked out here, and nowhere upright.
    """

    frames: Array
    spans: Array
    time: Array
    value: Array
    known: NDArray[np.bool_]


def curve_values(curves: Sequence[bpy.types.FCurve], frames: Array) -> Array:
    """Values (C, F) of the curves at the frames (F,), in the single precision of the properties they set."""
    values = np.empty((len(curves), len(frames)))
    plain = [index for index, curve in enumerate(curves) if _is_plain(curve)]
    left = sorted(set(range(len(curves))) - set(plain))
    if plain:
        counts = np.array([len(curves[index].keyframe_points) for index in plain])
        segments = _segments([curves[index] for index in plain], counts)
        starts = np.cumsum(counts) - counts
        values[plain] = _evaluated(segments, starts, counts, frames)
        known = np.logical_and.reduceat(segments.known, starts)
        left += [index for index, is_known in zip(plain, known) if not is_known]
    for index in left:
        values[index] = [curves[index].evaluate(frame) for frame in frames.tolist()]
    return values.astype(np.float32).astype(float)


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
    key, into, out = pairs.astype(float).transpose(0, 2, 1)
    following = np.roll(key, -1, axis=1)
    span = np.where(kinds == constant, 1.0, following[0] - key[0])
    two, three = _shortened(key, out, span), _shortened(following, np.roll(into, -1, axis=1), span)
    time, value = np.zeros((3, len(kinds))), np.zeros((4, len(kinds)))
    time[2], value[3] = 1.0, key[1]
    value[2] = np.where(kinds == linear, following[1] - key[1], 0.0)
    curved = kinds == bezier
    for made, number, scale in ((time, 0, span), (value, 1, 1.0)):
        one, second, third, four = (place[number] / scale for place in (key, two, three, following))
        cubic = (four - one + 3.0 * (second - third), 3.0 * (one - 2.0 * second + third), 3.0 * (second - one))
        made[:3] = np.where(curved, cubic, made[:3])
    behind = np.repeat(np.arange(len(counts)) * APART, counts)
    return _Segments(key[0] + behind, span, time, value, np.isin(kinds, (constant, linear, bezier)) & (_slowest(time) > STEEP))


def _slowest(time: Array) -> Array:
    """The least slope (K,) of time in segments, where a curve is steepest."""
    cubic, square, linear = time
    with np.errstate(all='ignore'):
        turn = -square / (3.0 * cubic)
        between = np.where((cubic > 0.0) & (turn > 0.0) & (turn < 1.0), linear + square * turn, np.inf)
    return np.minimum(np.minimum(linear, 3.0 * cubic + 2.0 * square + linear), between)


def _shortened(key: Array, handle: Array, span: Array) -> Array:
    """The handles (2, K), no longer in time than the span, so that time does not run backwards."""
    way = handle - key
    long = np.abs(way[0])
    return key + way * np.where(long > span, span / np.where(long > 0.0, long, 1.0), 1.0)


def _evaluated(segments: _Segments, starts: NDArray[np.intp], counts: NDArray[np.intp], frames: Array) -> Array:
    """Values (C, F) of curves whose segments begin at `starts`, right where all of these are known."""
    asked = frames + np.arange(len(starts))[:, None] * APART
    before = np.searchsorted(segments.frames, asked + AT_KEY, side='right') - 1
    chosen = np.maximum(before, starts[:, None])
    passed = asked - segments.frames[chosen]
    passed = np.where(passed > AT_KEY, passed / segments.spans[chosen], 0.0)
    t = _share(segments.time[:, chosen], np.where(chosen == (starts + counts - 1)[:, None], 0.0, passed))
    cubic, square, linear, constant = segments.value[:, chosen]
    return ((cubic * t + square) * t + linear) * t + constant


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
