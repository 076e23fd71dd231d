# SPDX-License-Identifier: GPL-3.0-or-later
"""Carrying solved limbs forward: where a hand will be, before Blender has evaluated it.

A limb whose root, target or pole hangs on another limb is solved after it, in the same frame. What it needs is the
rigid motion from the other limb's pose as read to its pose as solved. Arrays only, no bpy.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .problem import Sample

Array = NDArray[np.float64]


def affine(axes: Array, place: Array) -> Array:
    """Matrix (4, 4) of axes (3, 3) in columns at `place` (3,)."""
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = axes, place
    return matrix


def delivered(rotation: Array, before: Array, place: Array, influence: float) -> Array:
    """A bone's matrix (4, 4) once its constraint turns it to `rotation` (3, 3) with `influence`, at `place` (3,).

    before: its matrix without the constraint. Blender keeps the bone's scale and blends by polar decomposition and
    slerp; both are the identity of a full influence.
    """
    scale = np.linalg.norm(before[:3, :3], axis=0)
    if influence >= 1.0:
        return affine(rotation * scale, place)
    own, stretch = _polar(before[:3, :3])
    turned = own @ _partial_turn(own.T @ rotation, influence)
    return affine(turned @ ((1.0 - influence) * stretch + influence * np.diag(scale)), place)


def motion(new: Array, old: Array) -> Array:
    """The motion (4, 4) that takes what hung on the matrix `old` to where it hangs on `new`."""
    return new @ np.linalg.inv(old)


def in_world(to_world: Array, change: Array, outer: Array | None) -> Array:
    """A motion of armature space as one of world space, after the armature itself has moved by `outer`."""
    moved = to_world @ change @ np.linalg.inv(to_world)
    return moved if outer is None else outer @ moved


def moved_sample(sample: Sample, place: int, *, root: Array | None, target: Array | None, pole: Array | None) -> Sample:
    """The sample with one limb's root, target and pole taken along by motions (4, 4) of armature space, or left."""
    changed = {name: getattr(sample, name).copy() for name in (
        "root", "joint", "upper_columns", "lower_columns", "parent_columns", "target", "pole")}
    if root is not None:
        for name in ("root", "joint"):
            changed[name][place] = _point(root, changed[name][place])
        for name in ("upper_columns", "lower_columns", "parent_columns"):
            changed[name][place] = changed[name][place] @ root[:3, :3].T
    for name, change in (("target", target), ("pole", pole)):
        if change is not None:
            changed[name][place] = _point(change, changed[name][place])
    return replace(sample, **changed)


def _point(change: Array, place: Array) -> Array:
    return change[:3, :3] @ place + change[:3, 3]


def _polar(matrix: Array) -> tuple[Array, Array]:
    """(rotation, stretch) with matrix = rotation @ stretch; the stretch of a mirrored matrix is mirrored."""
    left, _sizes, right = np.linalg.svd(matrix)
    rotation = left @ right
    if np.linalg.det(rotation) < 0.0:
        rotation = -rotation
    return rotation, rotation.T @ matrix


def _partial_turn(rotation: Array, share: float) -> Array:
    """The rotation (3, 3) about the same axis by `share` of the angle (Rodrigues)."""
    axis = np.array((rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]))
    sine, cosine = 0.5 * np.linalg.norm(axis), 0.5 * (np.trace(rotation) - 1.0)
    angle = share * np.arctan2(sine, cosine)
    if sine < 1e-9:
        if cosine > 0.0:
            return np.eye(3)
        axis = np.linalg.svd(rotation - np.eye(3))[2][-1]
    axis = axis / np.linalg.norm(axis)
    cross = np.array(((0.0, -axis[2], axis[1]), (axis[2], 0.0, -axis[0]), (-axis[1], axis[0], 0.0)))
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)
