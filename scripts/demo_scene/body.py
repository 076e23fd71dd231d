# SPDX-License-Identifier: GPL-3.0-or-later
"""A mannequin: one capsule a bone, skinned with an armature modifier."""

from math import cos, pi, sin

import bpy
from mathutils import Matrix, Vector

RADII = {
    "spine": 0.105, "spine.001": 0.1, "spine.002": 0.11, "spine.003": 0.115, "spine.004": 0.05, "spine.006": 0.1,
    "shoulder": 0.05, "upper_arm": 0.052, "forearm": 0.043, "hand": 0.036, "thigh": 0.078, "shin": 0.055, "foot": 0.042,
    "toe": 0.035,
}
"""Metres; sides share them."""

RINGS, SEGMENTS = 5, 16


def add(armature: bpy.types.Object) -> bpy.types.Object:
    """The body of the human metarig `armature`."""
    vertices, faces, groups = [], [], {}
    for bone in armature.data.bones:
        radius = RADII.get(bone.name.removesuffix(".L").removesuffix(".R"))
        if radius is None:
            continue
        first = len(vertices)
        _capsule(bone, radius, vertices, faces)
        groups[bone.name] = range(first, len(vertices))
    mesh = bpy.data.meshes.new("Body")
    mesh.from_pydata(vertices, [], faces)
    mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    body = bpy.data.objects.new("Body", mesh)
    bpy.context.scene.collection.objects.link(body)
    for name, indices in groups.items():
        body.vertex_groups.new(name=name).add(list(indices), 1.0, 'REPLACE')
    body.modifiers.new("Armature", 'ARMATURE').object = armature
    body.parent = armature
    mesh.materials.append(material("Body", (0.11, 0.24, 0.45), 0.5))
    return body


def _capsule(bone: bpy.types.Bone, radius: float, vertices: list, faces: list) -> None:
    """A capsule along `bone` from head to tail, in armature space."""
    turn = bone.matrix_local.to_3x3()
    start = bone.head_local
    length = bone.length
    if bone.name == "spine.006":  # a head, not a rod: its round ends stay inside the bone
        start, length = start + turn @ Vector((0.0, 0.6 * radius, 0.0)), length - 1.5 * radius
    first = len(vertices)
    rings = [(-radius * cos(0.5 * pi * step / RINGS), radius * sin(0.5 * pi * step / RINGS)) for step in range(1, RINGS + 1)]
    rings += [(length - along, around) for along, around in reversed(rings)]
    for along, around in [(-radius, 0.0), *rings, (length + radius, 0.0)]:
        for segment in range(SEGMENTS if around else 1):
            angle = 2.0 * pi * segment / SEGMENTS
            vertices.append(start + turn @ Vector((around * cos(angle), along, around * sin(angle))))
    last = len(vertices) - 1
    for ring in range(len(rings) - 1):
        near = first + 1 + ring * SEGMENTS
        for segment in range(SEGMENTS):
            following = (segment + 1) % SEGMENTS
            faces.append((near + segment, near + SEGMENTS + segment, near + SEGMENTS + following, near + following))
    for segment in range(SEGMENTS):
        following = (segment + 1) % SEGMENTS
        faces.append((first, first + 1 + segment, first + 1 + following))
        faces.append((last, last - SEGMENTS + following, last - SEGMENTS + segment))


def material(name: str, colour: tuple[float, float, float], roughness: float = 0.5, glow: float = 0.0) -> bpy.types.Material:
    """A plain material; `glow` makes it shine by itself."""
    made = bpy.data.materials.new(name)
    if made.node_tree is None:
        made.use_nodes = True
    shader = next(node for node in made.node_tree.nodes if node.type == 'BSDF_PRINCIPLED')
    shader.inputs["Base Color"].default_value = (*colour, 1.0)
    shader.inputs["Roughness"].default_value = roughness
    if glow:
        shader.inputs["Emission Color"].default_value = (*colour, 1.0)
        shader.inputs["Emission Strength"].default_value = glow
    return made


def ball(name: str, radius: float, colour: tuple[float, float, float]) -> bpy.types.Object:
    """A shining ball at the origin."""
    import bmesh

    mesh = bpy.data.meshes.new(name)
    build = bmesh.new()
    bmesh.ops.create_icosphere(build, subdivisions=3, radius=radius)
    build.to_mesh(mesh)
    build.free()
    mesh.materials.append(material(name, colour, glow=0.6))
    object = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(object)
    return object


def rod(name: str, radius: float, colour: tuple[float, float, float]) -> bpy.types.Object:
    """A shining rod of unit length along Z; `stretch` puts it between two points."""
    import bmesh

    mesh = bpy.data.meshes.new(name)
    build = bmesh.new()
    bmesh.ops.create_cone(build, cap_ends=True, segments=12, radius1=radius, radius2=radius, depth=1.0)
    build.to_mesh(mesh)
    build.free()
    mesh.materials.append(material(name, colour, glow=0.6))
    object = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(object)
    return object


def stretch(object: bpy.types.Object, start: Vector, stop: Vector) -> None:
    """Put a rod between two points; it vanishes where they meet."""
    line = stop - start
    object.hide_render = line.length == 0.0
    turn = line.to_track_quat('Z', 'Y').to_matrix().to_4x4()
    object.matrix_world = Matrix.Translation((start + stop) * 0.5) @ turn @ Matrix.Diagonal((1, 1, line.length or 1.0, 1))
