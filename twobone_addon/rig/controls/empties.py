# SPDX-License-Identifier: GPL-3.0-or-later
"""Controls that are empties, and their removal."""

from __future__ import annotations

import bpy
from mathutils import Matrix

from . import POLE, TARGET, Wanted

DISPLAY = {TARGET: 'CUBE', POLE: 'SPHERE'}


def create(armature: bpy.types.Object, lower: str, wanted: Wanted) -> bpy.types.Object:
    """An empty that moves with the armature object, in the armature's collections."""
    empty = bpy.data.objects.new(f"{lower} {wanted.role}", None)
    empty.empty_display_type = DISPLAY[wanted.role]
    empty.empty_display_size = wanted.size
    empty.show_in_front = True
    empty.parent = armature
    empty.matrix_basis = Matrix(wanted.pose.tolist())
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
