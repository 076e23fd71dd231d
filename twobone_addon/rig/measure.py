# SPDX-License-Identifier: GPL-3.0-or-later
"""A limb's evaluated pose, measured for binding."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from .binding import Posed, bone_axes
from .errors import Refusal
from .words import say

Array = NDArray[np.float64]


def measure(depsgraph: bpy.types.Depsgraph, armature: bpy.types.Object, upper: str, lower: str,
            tip: Array) -> Posed:
    """The limb as `depsgraph` shows it; tip: (3,) in the lower bone's frame over its length.

    Refuses bones that are scaled to zero or not at a finite place.
    """
    bones = armature.evaluated_get(depsgraph).pose.bones
    upper_matrix, lower_matrix = (np.array(bones[name].matrix, dtype=float) for name in (upper, lower))
    parent = bones[upper].parent
    parent_matrix = np.array(parent.matrix, dtype=float) if parent else np.eye(4)
    for name, matrix in ((upper, upper_matrix), (lower, lower_matrix)):
        if not np.isfinite(matrix).all() or abs(np.linalg.det(matrix[:3, :3])) <= 1e-12 * _size(matrix) ** 3:
            raise Refusal(say('"{bone}" is scaled to zero or not at a finite place. Clear its transform first', bone=name))
    lower_axes = bone_axes(lower_matrix)
    scale = np.linalg.norm(lower_matrix[:3, :3], axis=0)
    return Posed(
        root=upper_matrix[:3, 3], joint=lower_matrix[:3, 3],
        tip=lower_matrix[:3, 3] + lower_axes @ (scale * tip * bones[lower].bone.length),
        upper_axes=bone_axes(upper_matrix), lower_axes=lower_axes, parent_axes=_parent_axes(parent_matrix))


def measure_rest(armature: bpy.types.Object, upper: str, lower: str, tip: Array) -> Posed:
    """The limb in its rest pose, which has no bone without a place or size; tip: as in `measure`."""
    bones = armature.data.bones
    upper_matrix, lower_matrix = (np.array(bones[name].matrix_local, dtype=float) for name in (upper, lower))
    parent = bones[upper].parent
    lower_axes = bone_axes(lower_matrix)
    return Posed(
        root=upper_matrix[:3, 3], joint=lower_matrix[:3, 3], tip=lower_matrix[:3, 3] + lower_axes @ (tip * bones[lower].length),
        upper_axes=bone_axes(upper_matrix), lower_axes=lower_axes,
        parent_axes=bone_axes(np.array(parent.matrix_local, dtype=float)) if parent else np.eye(3))


def _size(matrix: Array) -> float:
    return float(np.abs(matrix[:3, :3]).max())


def _parent_axes(matrix: Array) -> Array:
    """The axes in which the bend is carried: a parent that has none (scaled to zero) does not turn it."""
    return bone_axes(matrix) if abs(np.linalg.det(matrix[:3, :3])) > 1e-12 * _size(matrix) ** 3 else np.eye(3)


def tip_point(depsgraph: bpy.types.Depsgraph, armature: bpy.types.Object, lower: str, tip: str) -> Array:
    """The head of bone `tip` as a point in the lower bone's frame, over the lower bone's length."""
    bones = armature.evaluated_get(depsgraph).pose.bones
    matrix = np.array(bones[lower].matrix, dtype=float)
    head = np.array(bones[tip].head, dtype=float)
    rest = bones[tip].bone
    if rest.use_connect and rest.parent == bones[lower].bone:
        return np.array((0.0, 1.0, 0.0))
    return np.linalg.solve(matrix[:3, :3], head - matrix[:3, 3]) / bones[lower].bone.length
