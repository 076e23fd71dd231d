# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure of sticks, one a bone, for armatures that deform no mesh."""

from __future__ import annotations

import bpy

from . import materials, shapes

BONE, LIMB = (0.62, 0.58, 0.53), (0.05, 0.22, 0.42)


def add(armature: bpy.types.Object, marked: set[str]) -> bpy.types.Object:
    """A mesh that follows the bones which deform and those `marked`, which have another colour."""
    pieces, groups = shapes.Pieces(), {}
    bones = [bone for bone in armature.data.bones if bone.name in marked or (bone.use_deform and not bone.hide)]
    for bone in bones:
        thin = 0.08 * bone.length
        groups[bone.name] = pieces.capsule(bone.matrix_local, 0.0, bone.length, (thin, 0.6 * thin))
    figure = shapes.add_mesh("Sticks", pieces, materials.plain("Bones", BONE))
    figure.data.materials.append(materials.plain("Limb", LIMB))
    for name, vertices in groups.items():
        figure.vertex_groups.new(name=name).add(list(vertices), 1.0, 'REPLACE')
    limb = {vertex for name in marked for vertex in groups[name]}
    for face in figure.data.polygons:
        face.material_index = int(face.vertices[0] in limb)
    figure.parent = armature
    figure.modifiers.new("Armature", 'ARMATURE').object = armature
    return figure
