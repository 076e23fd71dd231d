# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that their parents' scale, or their own, shears or mirrors: IK can put their ends in place, but not keep their shape."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from ..limb import Limb

Array = NDArray[np.float64]

SQUARE = 1e-3
"""Cosine of the angle between two axes below which nobody sees that they are not at right angles."""


def sheared_bone(limb: Limb, depsgraph: bpy.types.Depsgraph) -> str:
    """Name of the limb's first bone whose FK pose is sheared or mirrored, '' where none is."""
    bones = limb.armature.evaluated_get(depsgraph).pose.bones
    return next((bone.name for bone in limb.bones if _is_sheared(_fk_axes(bones[bone.name]))), "")


def _fk_axes(bone: bpy.types.PoseBone) -> Array:
    """Axes (3, 3) of the evaluated bone before its constraints, under its parent as it is shown."""
    parent = bone.parent
    hung = {"parent_matrix": parent.matrix, "parent_matrix_local": parent.bone.matrix_local} if parent else {}
    return np.array(bone.bone.convert_local_to_pose(bone.matrix_basis, bone.bone.matrix_local, **hung), dtype=float)[:3, :3]


def _is_sheared(axes: Array) -> bool:
    size = np.linalg.norm(axes, axis=0)
    if not size.all() or not np.isfinite(axes).all():
        return False
    unit = axes / size
    return bool(np.abs(unit.T @ unit - np.eye(3)).max() > SQUARE or np.linalg.det(unit) < 0.0)
