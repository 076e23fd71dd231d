# SPDX-License-Identifier: GPL-3.0-or-later
"""Animation data of an object, whatever way the running Blender stores it."""

from __future__ import annotations

from typing import Any

import bpy


def curves_of(object: bpy.types.Object) -> bpy.types.ActionFCurves | None:
    """The F-curves that animate `object` through its active action and slot; None where there are none.

    Blender 4.4 and later keep them in the action's layers, per slot; earlier ones in the action itself.
    """
    data = object.animation_data
    action = data.action if data else None
    return None if action is None else curves_in(action, getattr(data, "action_slot", None))


def curves_in(action: bpy.types.Action, slot: Any) -> bpy.types.ActionFCurves | None:
    """The F-curves of `action` that animate what is in its `slot`; None where there are none."""
    if not hasattr(action, "layers"):
        return action.fcurves
    if not slot:
        return None
    layers = action.layers
    for layer in (layers[index] for index in range(len(layers))):  # iterating over Blender's own collections takes longer
        strips = layer.strips
        for strip in (strips[index] for index in range(len(strips))):
            bag = strip.channelbag(slot)
            if bag is not None:
                return bag.fcurves
    return None


def own_curves(object: bpy.types.Object) -> tuple[Any, Any]:
    """(F-curves, their groups) of what `curves_of` finds; made where there are none, action and slot included."""
    data = object.animation_data or object.animation_data_create()
    action = data.action
    if action is None:
        action = data.action = bpy.data.actions.new(f"{object.name}Action")
    if not hasattr(action, "layers"):
        return action.fcurves, action.groups
    if data.action_slot is None:
        data.action_slot = action.slots.new(id_type='OBJECT', name=object.name)
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type='KEYFRAME')
    bag = strip.channelbag(data.action_slot, ensure=True)
    return bag.fcurves, bag.groups


def other_users(object: bpy.types.Object) -> list[bpy.types.ID]:
    """What else the active action animates through the very curves that animate `object`."""
    data = object.animation_data
    action = data.action if data else None
    if action is None:
        return []
    if hasattr(action, "layers"):
        return [user for user in data.action_slot.users() if user != object] if data.action_slot else []
    return [other for other in bpy.data.objects
            if other != object and other.animation_data is not None and other.animation_data.action == action]


def find_animation(object: bpy.types.Object, path: str, index: int = 0) -> bool:
    """Whether keys or a driver set the property of `object` at exactly `path`; Blender looks it up, so it is quick.

    index: of the number that is meant, where the property has several.
    """
    data = object.animation_data
    return any(curves.find(path, index=index) is not None for curves in (curves_of(object), data.drivers if data else None)
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
