# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs that Blender's Symmetrize has copied to the other side, where they still follow the control bones of their own."""

from __future__ import annotations

import bpy

from ..properties import is_limb


def take_own_controls(lower: bpy.types.PoseBone) -> bool:
    """Have a copied limb follow its own side's control bones, which were copied along; whether anything was changed.

    Symmetrize flips the names in constraints alone. The limb is to be bound anew then, as `rest.py` says of it.
    """
    bones = lower.id_data.pose.bones
    other = bones.get(bpy.utils.flip_name(lower.name))
    if other is None or other == lower or not is_limb(other):
        return False
    changed = False
    for role in ("target", "pole"):
        setting = f"twobone_{role}_bone"
        name = getattr(lower, setting)
        shared, own = bones.get(name), bones.get(bpy.utils.flip_name(name))
        if (shared is None or own is None or own == shared or getattr(other, setting) != name
                or any(getattr(limb, f"twobone_{role}") != lower.id_data for limb in (lower, other))
                or not (shared.twobone_control and own.twobone_control)
                or _distance(shared, lower) <= _distance(shared, other)):
            continue
        setattr(lower, setting, own.name)
        changed = True
    return changed


def _distance(control: bpy.types.PoseBone, lower: bpy.types.PoseBone) -> float:
    """From a control's head to the lower bone's tail, at rest."""
    return float((control.bone.head_local - lower.bone.tail_local).length)
