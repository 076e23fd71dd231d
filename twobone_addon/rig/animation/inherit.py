# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bone takes over from its parent: the axes that its own channels turn and scale in."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

Array = NDArray[np.float64]


def offset(bone: bpy.types.PoseBone) -> Array | None:
    """What the parent's axes are multiplied by to give those that the bone's channels act in, (3, 3).

    None where that is not all: where the bone does not inherit rotation, or scale in full. A bone without a parent goes
    with the identity for its parent's axes.
    """
    rest = np.array(bone.bone.matrix_local, dtype=float)[:3, :3]
    if bone.parent is None:
        return rest
    if not bone.bone.use_inherit_rotation or bone.bone.inherit_scale != 'FULL':
        return None
    return np.array(bone.parent.bone.matrix_local, dtype=float)[:3, :3].T @ rest


def inherited(bone: bpy.types.PoseBone, parent_axes: Array) -> tuple[Array, Array]:
    """(axes, scale) of `bone` under its parent's axes (..., 3, 3), in armature space.

    axes (..., 3, 3): what the matrix of the bone's own rotation and scale is multiplied to. scale (..., 3): what the
    columns of the product are multiplied by; 1 but for bones that inherit scale along their own axes ('ALIGNED').
    """
    plain = offset(bone)
    if plain is not None:
        axes = np.broadcast_to(plain, parent_axes.shape) if bone.parent is None else parent_axes @ plain
        return axes, np.ones(parent_axes.shape[:-1])
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
