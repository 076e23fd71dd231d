# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones at many frames as Blender poses them, in single precision and with its order of sums: the same to the last digit.

Matrices are the columns (4, 3, ...) of axes and place, the trailing axes bones and frames.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import sqrt
from typing import TypeAlias

import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from .channels import Unpredictable, Values
from .nodes import Basis, BoneNode

Single = NDArray[np.float32]
Channels: TypeAlias = Callable[[Values], NDArray[np.float64]]
"""Says the numbers (n, F or 1) of values."""

ORDERS = {'XYZ': (0, 1, 2, False), 'XZY': (0, 2, 1, True), 'YXZ': (1, 0, 2, True), 'YZX': (1, 2, 0, False),
          'ZXY': (2, 0, 1, False), 'ZYX': (2, 1, 0, True)}
"""Axes in the order of turning, and whether that is an odd permutation."""


_WHOLE: Single = np.eye(4, 3, dtype=np.float32)[..., None]


def columns_of(matrix: Matrix) -> Single:
    """The columns (4, 3) of a matrix."""
    return np.array(matrix, dtype=np.float32).T[:, :3]


class Poses:
    """The poses of bones and of all that carries them, and the heads of further bones, whose own turning does not matter.

    Raises Unpredictable where one of them does not inherit all of its parent's transform.
    """

    def __init__(self, nodes: Iterable[BoneNode], heads: Sequence[BoneNode]) -> None:
        self.heads = _Level(heads) if heads else None
        nodes = [*nodes, *(node.parent for node in heads)]
        levels: dict[int, dict[int, BoneNode]] = {}
        for node in nodes:
            while node is not None and id(node) not in levels.setdefault(_depth(node), {}):
                levels[_depth(node)][id(node)] = node
                node = node.parent
        self.levels = [_Level(list(level.values())) for _depth_of, level in sorted(levels.items()) if level]

    def at(self, values: Channels, frames: int) -> dict[int, Single]:
        """By id of the node, the columns (4, 3, F) of its pose at so many frames; values: says the numbers of channels."""
        found: dict[int, Single] = {}
        for level in self.levels:
            poses = level.at(found, values, frames)
            found.update({id(node): poses[:, :, index] for index, node in enumerate(level.nodes)})
        return found

    def heads_at(self, poses: dict[int, Single], values: Channels, frames: int) -> Single:
        """Where the heads (3, H, F) are; poses: what `at` says."""
        return self.heads.places(self.heads.links_at(poses), values, frames)


class _Level:
    """Bones that are as far from their roots."""

    def __init__(self, nodes: Sequence[BoneNode]) -> None:
        if not all(node.plain for node in nodes):
            raise Unpredictable
        self.nodes = nodes
        self.links = np.stack([columns_of(node.to_parent) for node in nodes], axis=-1)[..., None]
        self.modes: dict[str, list[int]] = {}
        for index, node in enumerate(nodes):
            self.modes.setdefault(node.basis.mode, []).append(index)

    def links_at(self, poses: dict[int, Single]) -> Single:
        """What the bones' own transforms are relative to, in armature space."""
        parents = [_WHOLE if node.parent is None else poses[id(node.parent)] for node in self.nodes]
        if all(parent is _WHOLE for parent in parents):
            return self.links
        frames = max(parent.shape[2] for parent in parents)
        return chained(np.stack([np.broadcast_to(parent, (4, 3, frames)) for parent in parents], axis=2), self.links)

    def places(self, links: Single, values: Channels, frames: int) -> Single:
        """Where the bones (3, B, F) are."""
        return placed(links, _channels(values, [node.basis.location for node in self.nodes], frames))

    def at(self, poses: dict[int, Single], values: Channels, frames: int) -> Single:
        """The bones' columns (4, 3, B, F)."""
        links = self.links_at(poses)
        turns = np.empty((3, 3, len(self.nodes), frames), dtype=np.float32)
        for mode, indices in self.modes.items():
            rotations = [self.nodes[index].basis.rotation for index in indices]
            turns[:, :, indices] = turns_of(mode, _channels(values, rotations, frames))
        turns *= _channels(values, [node.basis.scale for node in self.nodes], frames)[:, None]
        return np.concatenate((turned(links, turns), self.places(links, values, frames)[None]))


def _channels(values: Channels, several: Sequence[Values], frames: int) -> Single:
    """Numbers (n, B, F) of the same property of several bones."""
    found = np.empty((len(several[0].constants), len(several), frames), dtype=np.float32)
    for index, one in enumerate(several):
        found[:, index] = values(one)
    return found


def _depth(node: BoneNode) -> int:
    depth = 0
    while node.parent is not None:
        node, depth = node.parent, depth + 1
    return depth


def turned(outer: Single, axes: Single) -> Single:
    """Columns (3, 3, ...) of axes, taken along by the matrix `outer`."""
    return (outer[0] * axes[:, 0, None] + outer[1] * axes[:, 1, None]) + outer[2] * axes[:, 2, None]


def placed(outer: Single, place: Single) -> Single:
    """A place (3, ...), taken along by the matrix `outer`, as a bone's is."""
    return ((place[0] * outer[0] + place[1] * outer[1]) + outer[2] * place[2]) + outer[3]


def chained(outer: Single, inner: Single) -> Single:
    """outer @ inner."""
    place = (outer[0] * inner[3, 0] + outer[1] * inner[3, 1]) + (outer[2] * inner[3, 2] + outer[3])
    return np.concatenate((turned(outer, inner[:3]), place[None]))


def basis_axes(basis: Basis, values: Channels, frames: int) -> Single:
    """Columns (3, 3, F) of an object's own transform without a delta."""
    turns = turns_of(basis.mode, _channels(values, [basis.rotation], frames))
    return (turns * _channels(values, [basis.scale], frames)[:, None])[:, :, 0]


def turns_of(mode: str, rotation: Single) -> Single:
    """Columns (3, 3, ...) of rotations (3 or 4, ...) in the rotation mode `mode`."""
    if mode == 'QUATERNION':
        return _of_quaternions(rotation)
    if mode == 'AXIS_ANGLE':
        return _of_axis_angles(rotation)
    return _of_eulers(mode, rotation)


def _of_eulers(mode: str, angles: Single) -> Single:
    i, j, k, odd = ORDERS[mode]
    signed = angles.astype(float) * (-1.0 if odd else 1.0)
    (ci, cj, ck), (si, sj, sk) = np.cos(signed[[i, j, k]]), np.sin(signed[[i, j, k]])
    cc, cs, sc, ss = ci * ck, ci * sk, si * ck, si * sk
    found = np.empty((3, *angles.shape), dtype=np.float32)
    found[i, i], found[j, i], found[k, i] = cj * ck, sj * sc - cs, sj * cc + ss
    found[i, j], found[j, j], found[k, j] = cj * sk, sj * ss + cc, sj * cs - sc
    found[i, k], found[j, k], found[k, k] = -sj, cj * si, cj * ci
    return found


def _of_quaternions(quaternions: Single) -> Single:
    w, x, y, z = quaternions
    size = np.sqrt(w * w + x * x + y * y + z * z)
    unit = np.where(size > 0.0, quaternions * (np.float32(1.0) / np.where(size > 0.0, size, np.float32(1.0))), 0.0)
    unit[0] = np.where(size > 0.0, unit[0], 1.0)
    w, x, y, z = sqrt(2.0) * unit.astype(float)
    found = np.empty((3, 3, *w.shape), dtype=np.float32)
    found[0, 0], found[0, 1], found[0, 2] = 1.0 - y * y - z * z, w * z + x * y, -w * y + x * z
    found[1, 0], found[1, 1], found[1, 2] = -w * z + x * y, 1.0 - x * x - z * z, w * x + y * z
    found[2, 0], found[2, 1], found[2, 2] = w * y + x * z, -w * x + y * z, 1.0 - x * x - y * y
    return found


def _of_axis_angles(rotation: Single) -> Single:
    angle, x, y, z = rotation
    size = np.sqrt(x * x + y * y + z * z)
    inverse = np.float32(1.0) / np.where(size > 0.0, size, np.float32(1.0))
    x, y, z = x * inverse, y * inverse, z * inverse
    sin, cos = (values.astype(np.float32) for values in (np.sin(angle.astype(float)), np.cos(angle.astype(float))))
    rest = np.float32(1.0) - cos
    found = np.empty((3, 3, *angle.shape), dtype=np.float32)
    found[0, 0], found[0, 1], found[0, 2] = x * x * rest + cos, x * y * rest + z * sin, z * x * rest - y * sin
    found[1, 0], found[1, 1], found[1, 2] = x * y * rest - z * sin, y * y * rest + cos, y * z * rest + x * sin
    found[2, 0], found[2, 1], found[2, 2] = z * x * rest + y * sin, y * z * rest - x * sin, z * z * rest + cos
    flat = size == 0.0
    if flat.any():
        for column in range(3):
            for row in range(3):
                found[column, row] = np.where(flat, float(column == row), found[column, row])
    return found
