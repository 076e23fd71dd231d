# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bone takes over from its parent: the axes that its own channels turn and scale in."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

Array = NDArray[np.float64]


def inherited(bone: bpy.types.PoseBone, parent_axes: Array) -> tuple[Array, Array]:
    """(axes, scale) of `bone` under its parent's axes (..., 3, 3), in armature space.

    axes (..., 3, 3): what the matrix of the bone's own rotation and scale is multiplied to. scale (..., 3): what the
    columns of the product are multiplied by; 1 but for bones that inherit scale along their own axes ('ALIGNED').
    """
    rest = np.array(bone.bone.matrix_local, dtype=float)[:3, :3]
    if bone.parent is None:
        return np.broadcast_to(rest, parent_axes.shape), np.ones(parent_axes.shape[:-1])
    parent_rest = np.array(bone.parent.bone.matrix_local, dtype=float)[:3, :3]
    if bone.bone.use_inherit_rotation and bone.bone.inherit_scale == 'FULL':
        return parent_axes @ (parent_rest.T @ rest), np.ones(parent_axes.shape[:-1])
    axes = np.stack([_by_blender(bone, matrix) for matrix in parent_axes.reshape(-1, 3, 3)]).reshape(parent_axes.shape)
    if bone.bone.inherit_scale != 'ALIGNED':
        return axes, np.ones(parent_axes.shape[:-1])
    scale = np.linalg.norm(axes, axis=-2)
    return axes / scale[..., None, :], scale


def posed_axes(bone: bpy.types.PoseBone, parent_axes: Array, channels: Array) -> Array:
    """Axes (..., 3, 3) of `bone` in its FK pose; channels (..., 3, 3): its own rotation and scale."""
    axes, scale = inherited(bone, parent_axes)
    return axes @ channels * scale[..., None, :]


def _by_blender(bone: bpy.types.PoseBone, parent_axes: Array) -> Array:
    if not np.isfinite(parent_axes).all():
        return np.full((3, 3), np.nan)
    matrix = Matrix(parent_axes.tolist()).to_4x4()
    return np.array(bone.bone.convert_local_to_pose(
        Matrix(), bone.bone.matrix_local, parent_matrix=matrix, parent_matrix_local=bone.parent.bone.matrix_local),
        dtype=float)[:3, :3]
