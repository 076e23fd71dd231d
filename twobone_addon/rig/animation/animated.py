# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that animation sets, kept where they were edited and not keyed: evaluating the animation throws those away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from .fcurves import curves_of

Values = dict[str, Any]
"""Values by path."""


@contextmanager
def edits_kept(scene: bpy.types.Scene) -> Iterator[None]:
    """Put back what was edited and not keyed of the scene's objects and their data when the block ends."""
    owners: list[bpy.types.ID] = [owner for object in scene.objects for owner in (object, object.data) if owner is not None]
    values = [(owner, animated_values(owner)) for owner in dict.fromkeys(owners) if owner.animation_data is not None]
    try:
        yield
    finally:
        if put_back(values):
            bpy.context.view_layer.update()


def animated_values(owner: bpy.types.ID) -> Values:
    """Values of everything that the active action of `owner` animates."""
    values = {path: _value(owner, path) for path in {curve.data_path for curve in curves_of(owner) or ()}}
    return {path: value for path, value in values.items() if value is not None}


def put_back(values: Iterable[tuple[bpy.types.ID, Values]]) -> int:
    """Set what differs, where it still is; returns how many values that were."""
    written = 0
    for owner, paths in values:
        for path, value in paths.items():
            if _value(owner, path) not in (None, value):
                _set_value(owner, path, value)
                written += 1
    return written


def _value(owner: bpy.types.ID, path: str) -> Any:
    """The value at `path`, None where there is none."""
    try:
        value = owner.path_resolve(path)
    except ValueError:
        return None
    return value if isinstance(value, (bool, int, float, str)) or not hasattr(value, "__len__") else tuple(value)


def _set_value(owner: bpy.types.ID, path: str, value: Any) -> None:
    if path.endswith('"]'):
        start = path.rindex('["')
        (owner.path_resolve(path[:start]) if start else owner)[bpy.utils.unescape_identifier(path[start + 2:-2])] = value
    else:
        base, _dot, name = path.rpartition(".")
        setattr(owner.path_resolve(base) if base else owner, name, value)
