# SPDX-License-Identifier: GPL-3.0-or-later
"""Simple bodies as meshes: capsules, balls and rods."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, pi, sin

import bpy
from mathutils import Matrix, Vector

RINGS, SEGMENTS = 6, 20


@dataclass
class Pieces:
    """Vertices and faces of a mesh in the making."""

    vertices: list[Vector] = field(default_factory=list)
    faces: list[tuple[int, ...]] = field(default_factory=list)

    def capsule(self, place: Matrix, start: float, stop: float, radii: tuple[float, float]) -> range:
        """Add a tapered capsule with round ends along the Y axis of `place`; returns its vertices' indices."""
        quarter = [0.5 * pi * step / RINGS for step in range(1, RINGS + 1)]
        rings = [(start - radii[0] * cos(angle), radii[0] * sin(angle)) for angle in quarter]
        rings += [(stop + radii[1] * cos(angle), radii[1] * sin(angle)) for angle in reversed(quarter)]
        first = len(self.vertices)
        for along, around in ((start - radii[0], 0.0), *rings, (stop + radii[1], 0.0)):
            for segment in range(SEGMENTS if around else 1):
                angle = 2.0 * pi * segment / SEGMENTS
                self.vertices.append(place @ Vector((around * cos(angle), along, around * sin(angle))))
        last = len(self.vertices) - 1
        for segment in range(SEGMENTS):
            following = (segment + 1) % SEGMENTS
            for near in range(first + 1, last - SEGMENTS, SEGMENTS):
                self.faces.append((near + segment, near + SEGMENTS + segment,
                                   near + SEGMENTS + following, near + following))
            self.faces.append((first, first + 1 + segment, first + 1 + following))
            self.faces.append((last, last - SEGMENTS + following, last - SEGMENTS + segment))
        return range(first, last + 1)


def add_mesh(name: str, pieces: Pieces, material: bpy.types.Material | None = None) -> bpy.types.Object:
    """A new object in the active scene, shaded smooth."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(pieces.vertices, [], pieces.faces)
    mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    if material is not None:
        mesh.materials.append(material)
    object = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(object)
    return object


def ball(name: str, radius: float, material: bpy.types.Material) -> bpy.types.Object:
    """A ball about the origin."""
    pieces = Pieces()
    pieces.capsule(Matrix(), 0.0, 0.0, (radius, radius))
    return add_mesh(name, pieces, material)


def rod(name: str, radius: float, material: bpy.types.Material) -> bpy.types.Object:
    """A rod of unit length along Y, to be put between two points with `stretch`."""
    pieces = Pieces()
    pieces.capsule(Matrix(), 0.0, 1.0, (radius, radius))
    return add_mesh(name, pieces, material)


def stretch(rod: bpy.types.Object, start: Vector, stop: Vector) -> None:
    """Put a rod between two points."""
    line = stop - start
    turn = line.to_track_quat('Y', 'Z').to_matrix().to_4x4()
    rod.matrix_world = Matrix.Translation(start) @ turn @ Matrix.Diagonal((1.0, line.length, 1.0, 1.0))
