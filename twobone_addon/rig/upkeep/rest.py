# SPDX-License-Identifier: GPL-3.0-or-later
"""The rest pose that a limb was bound to, and whether it is still the armature's.

Where the bones are longer the limb simply reaches farther. Where they were turned about themselves or against each
other, a binding in the bones' own axes turns them elsewhere, until it is made anew.
"""

from __future__ import annotations

import json

import bpy
import numpy as np
from numpy.typing import NDArray

from ..limb import Limb

Array = NDArray[np.float64]

SAME = 1e-4
"""How far two records of one rest pose may differ: radians, and shares of the lower bone's length."""


def rest_record(limb: Limb) -> str:
    """The limb's rest pose as text: rotations of its bones in their parents', the joint's place; '' without an upper bone.

    Moving, turning or scaling the whole armature changes none of these, except for a limb whose root has no parent.
    """
    return json.dumps([round(number, 6) for number in _numbers(limb)]) if limb.upper else ""


def rest_changed(limb: Limb) -> bool:
    """Whether the rest pose is another one than that which the limb was bound to; False where that is not known."""
    stored = limb.armature.pose.bones[limb.lower].twobone_rest
    if not stored or not limb.upper:
        return False
    now = _numbers(limb)
    try:
        bound = np.asarray(json.loads(stored), dtype=float)
    except (TypeError, ValueError):
        return False
    return bound.shape == now.shape and bool(np.abs(bound - now).max() > SAME)


def _numbers(limb: Limb) -> Array:
    upper, lower = (bone.bone for bone in limb.bones)
    root = _axes(upper.parent) if upper.parent else np.eye(3)
    joint = np.array(lower.head_local - upper.head_local, dtype=float) / lower.length
    return np.concatenate([(root.T @ _axes(upper)).ravel(), (_axes(upper).T @ _axes(lower)).ravel(), _axes(upper).T @ joint])


def _axes(bone: bpy.types.Bone) -> Array:
    return np.array(bone.matrix_local, dtype=float)[:3, :3]
