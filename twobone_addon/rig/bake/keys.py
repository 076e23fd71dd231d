# SPDX-License-Identifier: GPL-3.0-or-later
"""Write: many keys at once into the F-curves of one object, and nothing but these."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

NUMBERS = {"co": (2, np.float32), "handle_left": (2, np.float32), "handle_right": (2, np.float32),
           "interpolation": (1, np.uint8), "handle_left_type": (1, np.uint8), "handle_right_type": (1, np.uint8),
           "easing": (1, np.uint8), "type": (1, np.uint8),
           "back": (1, np.float32), "amplitude": (1, np.float32), "period": (1, np.float32),
           "select_control_point": (1, np.bool_), "select_left_handle": (1, np.bool_), "select_right_handle": (1, np.bool_)}
"""All that is stored of a key: how many numbers of which kind. Enumerations are the numbers of their items, in bytes as
Blender has them, which it copies ten times as fast as other numbers."""


Keys = dict[str, NDArray[Any]]
"""Keys (K,) by the names of NUMBERS, or some of these."""


@dataclass(frozen=True)
class Track:
    """Keys to write, with straight lines between them, of the n numbers of the property at `path` of an object.

    points (n, K, 2): frames and values in single precision. group: of curves that are made.
    """

    path: str
    group: str
    points: NDArray[np.float32]


def points_of(frames: Array, values: Array) -> NDArray[np.float32]:
    """Keys (N, n, K, 2) of N properties with values (n, K, N) at the frames (K,)."""
    points = np.empty((*values.shape[2:], *values.shape[:2], 2), dtype=np.float32)
    points[..., 0], points[..., 1] = frames, values.transpose(2, 0, 1)
    return points


def write(curves: Any, groups: Any, track: Track, span: tuple[float, float]) -> None:
    """Put the keys of `track` in place of whatever keys lie within `span`.

    curves, groups: of the action, or of the slot's channels in it. Keys outside the span stay as they are, to the bit,
    handles included: Blender shapes these anew, if they are automatic, when a neighbour is edited next.
    """
    lines = np.full(track.points.shape[1], _linear(), dtype=np.uint8)
    for index, numbers in enumerate(track.points):
        curve = curves.find(track.path, index=index)
        old = None
        if curve is None:
            curve = _new(curves, groups, track, index)
        points = curve.keyframe_points
        if len(points):
            old = _read(points)
            points.clear()
        points.add(len(numbers))
        points.foreach_set("co", numbers.reshape(-1))
        points.foreach_set("interpolation", lines)
        points.handles_recalc()
        if old is not None:
            _surround(points, old, span)


@cache
def _linear() -> int:
    """The number of the interpolation along straight lines."""
    linear: int = bpy.types.Keyframe.bl_rna.properties["interpolation"].enum_items['LINEAR'].value
    return linear


def _surround(points: bpy.types.FCurveKeyframePoints, old: Keys, span: tuple[float, float]) -> None:
    """Put the old keys that lie outside the span before and after the new ones."""
    times = old["co"][:, 0]
    before, after = times < span[0], times > span[1]
    if before.any() or after.any():
        new = _read(points)
        points.add(int(before.sum() + after.sum()))
        _set(points, {name: np.concatenate((old[name][before], new[name], old[name][after])) for name in NUMBERS})


def _new(curves: Any, groups: Any, track: Track, index: int) -> bpy.types.FCurve:
    """A curve in the group of the track, which Blender 4.4 and 4.5 do not take while they make it."""
    name = _group_argument(curves.bl_rna.identifier)
    if name:
        return curves.new(track.path, index=index, **{name: track.group})
    curve = curves.new(track.path, index=index)
    curve.group = groups.get(track.group) or groups.new(track.group)
    return curve


@cache
def _group_argument(kind: str) -> str:
    """How a kind of collection of curves, as RNA knows it, calls the group of a curve that it makes, '' where it takes none."""
    known = getattr(bpy.types, kind).bl_rna.functions["new"].parameters
    return next((name for name in ("group_name", "action_group") if name in known), "")


def _read(points: bpy.types.FCurveKeyframePoints) -> Keys:
    count = len(points)
    keys = {name: np.empty((count, size) if size > 1 else count, dtype=kind) for name, (size, kind) in NUMBERS.items()}
    for name, numbers in keys.items():
        points.foreach_get(name, numbers.reshape(-1))
    return keys


def _set(points: bpy.types.FCurveKeyframePoints, keys: Keys) -> None:
    for name, numbers in keys.items():
        points.foreach_set(name, numbers.reshape(-1))


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Put Ctrl-C off until the end of the block, which would else leave half of the keys."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is None:
        yield
        return
    pressed = []
    before = signal.signal(signal.SIGINT, lambda *_args: pressed.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt
