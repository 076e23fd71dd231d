# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones at many frames as Blender poses them, in single precision and with its order of sums: the same to the last digit.

Matrices are the columns (4, 3, ...) of axes and place, the trailing axes bones and frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt

import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from .channels import Unpredictable, Values
from .many import Asked, Many
from .nodes import Basis, BoneNode

Array = NDArray[np.float64]
Single = NDArray[np.float32]

ORDERS = {'XYZ': (0, 1, 2, False), 'XZY': (0, 2, 1, True), 'YXZ': (1, 0, 2, True), 'YZX': (1, 2, 0, False),
          'ZXY': (2, 0, 1, False), 'ZYX': (2, 1, 0, True)}
"""Axes in the order of turning, and whether that is an odd permutation."""


WHOLE = 0
"""The row of the pose that stands for the missing parent of a root bone."""


def columns_of(matrix: Matrix) -> Single:
    """The columns (4, 3) of a matrix."""
    return np.array(matrix, dtype=np.float32).T[:, :3]


class Poses:
    """The poses of bones and of all that carries them, and the heads of further bones, whose own turning does not matter.

    row_of: by id of a node, the row of its pose. Raises Unpredictable where one of them does not inherit all of its
    parent's transform, or where a constraint carries it.
    """

    def __init__(self, nodes: Iterable[BoneNode], heads: Sequence[BoneNode], asked: Asked) -> None:
        levels: dict[int, dict[int, BoneNode]] = {}
        for node in (*nodes, *(node.parent for node in heads)):
            while node is not None and id(node) not in levels.setdefault(_depth(node), {}):
                levels[_depth(node)][id(node)] = node
                node = node.parent
        self.row_of = {id(None): WHOLE}
        self.levels = []
        for _depth_of, level in sorted(levels.items()):
            if level:
                self.levels.append(_Level(list(level.values()), self.row_of, asked))
                first = len(self.row_of)
                self.row_of.update({key: first + index for index, key in enumerate(level)})
        self.heads = _Level(heads, self.row_of, asked) if heads else None

    def at(self, curves: Array) -> Single:
        """The columns (4, 3, rows, F) of all poses; curves (C, F): the values of those that were asked for."""
        found = np.empty((4, 3, len(self.row_of), curves.shape[1]), dtype=np.float32)
        found[:, :, WHOLE] = np.eye(4, 3)[..., None]
        first = 1
        for level in self.levels:
            level.pose(found, slice(first, first + len(level.parents)), curves)
            first += len(level.parents)
        return found

    def heads_at(self, poses: Single, curves: Array) -> Single:
        """Where the heads (3, H, F) are; poses: what `at` says."""
        return placed(self.heads.links_at(poses), self.heads.location.at(curves))


class _Level:
    """Bones that are as far from their roots; parents: the rows of their parents' poses."""

    def __init__(self, nodes: Sequence[BoneNode], row_of: dict[int, int], asked: Asked) -> None:
        if not all(node.plain and not node.follows for node in nodes):
            raise Unpredictable
        self.parents = np.array([row_of[id(node.parent)] for node in nodes], dtype=np.intp)
        self.links = np.stack([columns_of(node.to_parent) for node in nodes], axis=-1)[..., None]
        self.location = _Channel([node.basis.location for node in nodes], asked)
        self.scale = _Channel([node.basis.scale for node in nodes], asked)
        modes: dict[str, list[int]] = {}
        for index, node in enumerate(nodes):
            modes.setdefault(node.basis.mode, []).append(index)
        self.rotations = [(mode, indices, _Channel([nodes[index].basis.rotation for index in indices], asked))
                          for mode, indices in modes.items()]

    def links_at(self, poses: Single) -> Single:
        """What the bones' own transforms are relative to, in armature space."""
        return chained(poses[:, :, self.parents], self.links) if self.parents.any() else self.links

    def pose(self, poses: Single, rows: slice, curves: Array) -> None:
        """Put the bones' columns into their rows of all poses."""
        links = self.links_at(poses)
        turns = np.empty((3, 3, len(self.parents), curves.shape[1]), dtype=np.float32)
        for mode, indices, rotation in self.rotations:
            turns[:, :, indices] = turns_of(mode, rotation.at(curves))
        poses[:3, :, rows] = turned(links, turns * self.scale.at(curves)[:, None])
        poses[3, :, rows] = placed(links, self.location.at(curves))


class _Channel:
    """The numbers of one property of several bones."""

    def __init__(self, several: Sequence[Values], asked: Asked) -> None:
        self.constants = np.array([values.constants for values in several], dtype=np.float32).T[..., None]
        cells = [(index, bone, asked.rows[id(values.animation), place]) for bone, values in enumerate(several)
                 for index, place in values.curves if (id(values.animation), place) in asked.rows]
        self.indices, self.bones, self.rows = np.array(cells, dtype=np.intp).reshape(-1, 3).T

    def at(self, curves: Array) -> Single:
        """The numbers (n, B, F), or (n, B, 1) where no curve moves them."""
        if not self.rows.size:
            return self.constants
        found = np.repeat(self.constants, curves.shape[1], axis=2)
        found[self.indices, self.bones] = curves[self.rows]
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


def inverted(matrix: Single) -> Single:
    """The inverse of a matrix (4, 3, ...), not finite where there is none: by its quarters, as Eigen does (Intel's AP-929)."""
    whole = np.zeros((4, 4, *matrix.shape[2:]), dtype=np.float32)
    whole[:, :3], whole[3, 3] = matrix, 1.0
    a, b = np.concatenate((whole[0, :2], whole[1, :2])), np.concatenate((whole[0, 2:], whole[1, 2:]))
    c, d = np.concatenate((whole[2, :2], whole[3, :2])), np.concatenate((whole[2, 2:], whole[3, 2:]))
    ab = a[[3, 3, 0, 0]] * b - a[[1, 1, 2, 2]] * b[[2, 3, 0, 1]]
    dc = d[[3, 3, 0, 0]] * c - d[[1, 1, 2, 2]] * c[[2, 3, 0, 1]]
    of_a, of_b, of_c, of_d = (part[3] * part[0] - part[1] * part[2] for part in (a, b, c, d))
    trace = dc[[0, 2, 1, 3]] * ab
    volume = (of_a * of_d + of_b * of_c) - ((trace[0] + trace[2]) + (trace[1] + trace[3]))
    first = a * of_d - (b[[0, 0, 2, 2]] * dc[[0, 1, 0, 1]] + b[[1, 1, 3, 3]] * dc[[2, 3, 2, 3]])
    second = c * of_b - (d * ab[[3, 0, 3, 0]] - d[[1, 0, 3, 2]] * ab[[2, 1, 2, 1]])
    third = b * of_c - (a * dc[[3, 0, 3, 0]] - a[[1, 0, 3, 2]] * dc[[2, 1, 2, 1]])
    fourth = d * of_a - (c[[0, 0, 2, 2]] * ab[[0, 1, 0, 1]] + c[[1, 1, 3, 3]] * ab[[2, 3, 2, 3]])
    with np.errstate(all='ignore'):
        share = np.float32(1.0) / volume
        first, second, third, fourth = (np.stack((part[0] * share, part[1] * -share, part[2] * -share, part[3] * share))
                                        for part in (first, second, third, fourth))
    return np.stack((np.concatenate((first[[3, 1]], second[[3, 1]])), np.concatenate((first[[2, 0]], second[[2, 0]])),
                     np.concatenate((third[[3, 1]], fourth[[3, 1]])), np.concatenate((third[[2, 0]], fourth[[2, 0]]))))[:, :3]


def basis_axes(basis: Basis, many: Many) -> Single:
    """Columns (3, 3, F or 1) of an object's own transform without a delta."""
    turns = turns_of(basis.mode, many.values(basis.rotation).astype(np.float32))
    return turns * many.values(basis.scale).astype(np.float32)[:, None]


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
