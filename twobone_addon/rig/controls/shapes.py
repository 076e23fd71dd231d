# SPDX-License-Identifier: GPL-3.0-or-later
"""What control bones look like: wire objects that all limbs of a file share, and that stand in no scene."""

from __future__ import annotations

from itertools import product
from math import cos, pi, sin

import bpy

SIDES = 24
"""Corners of a ring."""

Wires = tuple[list[tuple[float, float, float]], list[tuple[int, int]]]


def shape(role: str) -> bpy.types.Object:
    """The shape of a "target" (a cube) or a "pole" (a ball of three rings), one bone's length across, about the head."""
    found = _find(role)
    if found is None:
        points, edges = _cube() if role == "target" else _ball()
        mesh = bpy.data.meshes.new(_name(role))
        mesh.from_pydata(points, edges, [])
        found = bpy.data.objects.new(_name(role), mesh)
    return found


def remove_unused() -> None:
    """Delete the shapes that no bone shows any more."""
    for role in ("target", "pole"):
        found = _find(role)
        if found is not None and not found.users:
            mesh = found.data
            bpy.data.objects.remove(found)
            if not mesh.users:
                bpy.data.meshes.remove(mesh)


def _name(role: str) -> str:
    return f"Two-Bone IK {role} shape"


def _find(role: str) -> bpy.types.Object | None:
    """The shape in this file, not one that came with a library."""
    found = bpy.data.objects.get((_name(role), None))
    return found if found is not None and found.type == 'MESH' else None


def _cube() -> Wires:
    points = [(x, y, z) for x, y, z in product((-0.5, 0.5), repeat=3)]
    return points, [(a, b) for a in range(8) for b in range(a + 1, 8)
                    if sum(x != y for x, y in zip(points[a], points[b], strict=True)) == 1]


def _ball() -> Wires:
    points: list[tuple[float, float, float]] = []
    edges = []
    for axis in range(3):
        start = len(points)
        for corner in range(SIDES):
            ring = [0.5 * cos(2 * pi * corner / SIDES), 0.5 * sin(2 * pi * corner / SIDES)]
            ring.insert(axis, 0.0)
            points.append((ring[0], ring[1], ring[2]))
            edges.append((start + corner, start + (corner + 1) % SIDES))
    return points, edges
