# SPDX-License-Identifier: GPL-3.0-or-later
"""A smooth skin around bones: capsules melted into one surface, and its weights."""

from __future__ import annotations

from dataclasses import dataclass, replace

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from . import shapes

Array = NDArray[np.float64]

VOXEL = 0.011
"""Metres between neighbouring vertices of a melted surface."""

BLEND = 30
"""Rounds of smoothing of the weights, each of which reaches a vertex further."""


@dataclass(frozen=True)
class Part:
    """A tapered capsule from one share of a bone's length to another, flattened or widened along the bone's X and Z.

    radii: at start and stop; shift: away from the bone, in armature space. Both in metres.
    """

    bone: str
    start: float
    stop: float
    radii: tuple[float, float]
    width: float = 1.0
    depth: float = 1.0
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def on(self, side: str) -> Part:
        """The same for the bone of the side "L" or "R"."""
        return replace(self, bone=f"{self.bone}.{side}")


def melt(name: str, armature: bpy.types.Object, parts: list[Part]) -> bpy.types.Object:
    """A new object in the scene: all parts as one closed surface, in armature space."""
    pieces = shapes.Pieces()
    for part in parts:
        bone = armature.data.bones[part.bone]
        place = Matrix.Translation(part.shift) @ bone.matrix_local @ Matrix.Diagonal((part.width, 1.0, part.depth, 1.0))
        pieces.capsule(place, part.start * bone.length, part.stop * bone.length, part.radii)
    rough = shapes.add_mesh(name, pieces)
    remesh = rough.modifiers.new("Melt", 'REMESH')
    remesh.mode, remesh.voxel_size, remesh.use_smooth_shade = 'VOXEL', VOXEL, True
    smooth = rough.modifiers.new("Smooth", 'SMOOTH')
    smooth.factor, smooth.iterations = 0.5, 6
    separate = rough.data
    rough.data = bpy.data.meshes.new_from_object(rough.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    rough.modifiers.clear()
    bpy.data.meshes.remove(separate)
    rough.data.name = name
    return rough


def weights(mesh: bpy.types.Mesh, armature: bpy.types.Object, parts: list[Part], names: list[str]) -> Array:
    """(vertices, names): every vertex goes with the bone of the nearest part, blended along the skin; rows sum to 1."""
    points = np.empty(len(mesh.vertices) * 3)
    mesh.vertices.foreach_get("co", points)
    depths = [_depth(points.reshape(-1, 3), armature.data.bones[part.bone], part) for part in parts]
    owners = np.array([names.index(part.bone) for part in parts])[np.argmin(depths, axis=0)]
    result = np.eye(len(names), dtype=np.float32)[owners]
    edges = np.empty(len(mesh.edges) * 2, dtype=np.int32)
    mesh.edges.foreach_get("vertices", edges)
    edges = edges.reshape(-1, 2)
    pairs = np.concatenate((edges, edges[:, ::-1]))
    pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
    _, first, count = np.unique(pairs[:, 0], return_index=True, return_counts=True)
    for _ in range(BLEND):
        result = 0.5 * (result + np.add.reduceat(result[pairs[:, 1]], first, axis=0) / count[:, None])
    return result


def _depth(points: Array, bone: bpy.types.Bone, part: Part) -> Array:
    """How far each of the points (n, 3) is outside a part, negative inside, as a share of its radius there."""
    origin = np.array(bone.head_local) + part.shift
    local = (points - origin) @ np.array(bone.matrix_local.to_3x3()) / (part.width, 1.0, part.depth)
    start, stop = part.start * bone.length, part.stop * bone.length
    share = np.clip((local[:, 1] - start) / max(stop - start, 1e-9), 0.0, 1.0)
    radius = part.radii[0] + share * (part.radii[1] - part.radii[0])
    local[:, 1] -= start + share * (stop - start)
    return np.linalg.norm(local, axis=1) / radius - 1.0
