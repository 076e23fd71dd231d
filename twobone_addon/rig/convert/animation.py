# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys and drivers that move along when a setting moves to another place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy

from ..animation.fcurves import curves_in, curves_of


def move_animation(object: bpy.types.Object, old: str, new: str) -> int:
    """Have what animates the property of `object` at `old` animate the one at `new`; returns how many curves.

    Keys of the active action and of those on NLA tracks, drivers, and drivers of the object that read the property.
    """
    moved = 0
    for curves in _all_curves(object):
        curve = curves.find(old)
        if curve is not None:
            curve.data_path = new
            moved += 1
    data = object.animation_data
    for driver in data.drivers if data else ():
        for variable in driver.driver.variables:
            for target in variable.targets:
                if target.id == object and target.data_path == old:
                    target.data_path = new
    return moved


def _all_curves(object: bpy.types.Object) -> Iterator[Any]:
    data = object.animation_data
    if data is None:
        return
    active = curves_of(object)
    if active is not None:
        yield active
    seen = {data.action}
    for track in data.nla_tracks:
        for strip in track.strips:
            if strip.action is not None and strip.action not in seen:
                seen.add(strip.action)
                curves = curves_in(strip.action, getattr(strip, "action_slot", None))
                if curves is not None:
                    yield curves
    yield data.drivers
