# SPDX-License-Identifier: GPL-3.0-or-later
"""Animation data of an object, whatever way the running Blender stores it."""

from __future__ import annotations

import bpy


def curves_of(object: bpy.types.Object) -> bpy.types.ActionFCurves | None:
    """The F-curves that animate `object` through its active action and slot; None where there are none.

    Blender 4.4 and later keep them in the action's layers, per slot; earlier ones in the action itself.
    """
    data = object.animation_data
    action = data.action if data else None
    if action is None:
        return None
    if not hasattr(action, "layers"):
        return action.fcurves
    slot = data.action_slot
    for layer in action.layers if slot else ():
        for strip in layer.strips:
            bag = strip.channelbag(slot)
            if bag is not None:
                return bag.fcurves
    return None


def find_animation(object: bpy.types.Object, path: str) -> bool:
    """Whether keys or a driver set the property of `object` at exactly `path`; Blender looks it up, so it is quick."""
    data = object.animation_data
    return any(curves.find(path) is not None for curves in (curves_of(object), data.drivers if data else None)
               if curves is not None)


def remove_animation(object: bpy.types.Object, prefix: str) -> int:
    """Remove the keys and drivers of every property of `object` whose path starts with `prefix`; returns how many."""
    removed = 0
    data = object.animation_data
    for curves in (curves_of(object), data.drivers if data else None):
        for curve in [curve for curve in curves or () if curve.data_path.startswith(prefix)]:
            curves.remove(curve)
            removed += 1
    return removed


def clear_empty_animation(object: bpy.types.Object) -> None:
    """Take away animation data that animates nothing."""
    data = object.animation_data
    if data is not None and data.action is None and not data.drivers and not data.nla_tracks:
        object.animation_data_clear()
