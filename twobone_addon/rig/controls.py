# SPDX-License-Identifier: GPL-3.0-or-later
"""The empties that are made for a limb where the user brings no target or pole, and their removal."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

Array = NDArray[np.float64]

TARGET_CREATED, POLE_CREATED = 1, 2
"""Bits of `twobone_created`."""

TARGET_SIZE, POLE_SIZE = 0.12, 0.06
"""Display sizes as shares of the limb's length."""


def create_target(armature: bpy.types.Object, lower: str, place: Array, axes: Array, limb: float) -> bpy.types.Object:
    """An empty at `place`, turned like `axes`, both in armature space; it moves with the armature object."""
    return _create(armature, f"{lower} target", place, axes, 'CUBE', TARGET_SIZE * limb)


def create_pole(armature: bpy.types.Object, lower: str, place: Array, limb: float) -> bpy.types.Object:
    """An empty at `place` in armature space; it moves with the armature object."""
    return _create(armature, f"{lower} pole", place, np.eye(3), 'SPHERE', POLE_SIZE * limb)


def _create(armature: bpy.types.Object, name: str, place: Array, axes: Array, display: str,
            size: float) -> bpy.types.Object:
    empty = bpy.data.objects.new(name, None)
    empty.empty_display_type = display
    empty.empty_display_size = size
    empty.show_in_front = True
    empty.parent = armature
    matrix = Matrix(axes.tolist()).to_4x4()
    matrix.translation = place.tolist()
    empty.matrix_basis = matrix
    for collection in _collections(armature):
        collection.objects.link(empty)
    return empty


def _collections(armature: bpy.types.Object) -> list[bpy.types.Collection]:
    """The armature's collections in this scene that can be added to, else the scene's own."""
    scene = bpy.context.scene
    here = {scene.collection, *scene.collection.children_recursive}
    usable = [collection for collection in armature.users_collection
              if collection in here and collection.library is None and collection.override_library is None]
    return usable or [scene.collection]


def remove_unused(empty: bpy.types.Object) -> bool:
    """Delete a created empty, unless something else has come to use it; tells whether it is gone."""
    if empty.children:
        return False
    users = bpy.data.user_map(subset={empty}).get(empty, set())
    if any(not isinstance(user, (bpy.types.Collection, bpy.types.Scene)) for user in users):
        return False
    bpy.data.objects.remove(empty)
    return True
