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


def unsheared_scale(axes: Array) -> Array:
    """Scale (..., 3) that a delivery constraint leaves bones with the axes (..., 3, 3), in columns.

    Blender lets the y axis be and projects the others off it; where these are not perpendicular to each other it turns
    both by the same angle and shortens both, so that their area stays.
    """
    x, y, z = (axes[..., column] for column in range(3))
    length = _dot(y, y)
    safe = np.where(length > 0.0, length, 1.0)
    x, z = x - y * (_dot(x, y) / safe), z - y * (_dot(z, y) / safe)
    area = np.sqrt(_dot(x, x) * _dot(z, z))
    cosine = np.abs(_dot(x, z)) / np.where(area > 0.0, area, 1.0)
    sheared = (cosine > 1e-4) & (cosine < 1.0 - 1e-7)
    shortened = np.where(sheared, (1.0 - np.minimum(cosine, 1.0) ** 2) ** 0.25, 1.0)
    return np.concatenate((shortened * np.sqrt(_dot(x, x)), np.sqrt(length), shortened * np.sqrt(_dot(z, z))), axis=-1)


def _dot(first: Array, second: Array) -> Array:
    return (first * second).sum(-1, keepdims=True)


def delivered(rotation: Array, before: Array, place: Array, influence: float) -> Array:
    """A bone's matrix (4, 4) once its constraint turns it to `rotation` (3, 3) with `influence`, at `place` (3,).

    before: its matrix without the constraint.
    """
    return affine(blended(rotation, before[:3, :3], np.asarray(influence)), place)


def blended(rotation: Array, before: Array, influence: Array) -> Array:
    """Axes (..., 3, 3) of bones once their constraints turn them to `rotation` (..., 3, 3) with `influence` (...).

    before: their axes (..., 3, 3) without the constraint. Blender keeps a bone's scale and blends by polar
    decomposition and slerp; both are the identity of a full influence.
    """
    scale = unsheared_scale(before)[..., None, :]
    solved = rotation * scale
    partial = influence < 1.0
    if not partial.any():
        return solved
    share = influence[..., None, None]
    own, stretch = _polar(before)
    turned = own @ partial_turn(own.swapaxes(-1, -2) @ rotation, influence)
    return np.where(partial[..., None, None], turned @ ((1.0 - share) * stretch + share * scale * np.eye(3)), solved)


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
    """(rotation, stretch), each (..., 3, 3), with matrix = rotation @ stretch; a mirrored matrix has a mirrored stretch."""
    left, _sizes, right = np.linalg.svd(matrix)
    rotation = left @ right
    rotation = rotation * np.where(np.linalg.det(rotation) < 0.0, -1.0, 1.0)[..., None, None]
    return rotation, rotation.swapaxes(-1, -2) @ matrix


def partial_turn(rotation: Array, share: Array) -> Array:
    """The rotations (..., 3, 3) about the same axes by `share` (...) of the angles (Rodrigues)."""
    axis = np.stack((rotation[..., 2, 1] - rotation[..., 1, 2], rotation[..., 0, 2] - rotation[..., 2, 0],
                     rotation[..., 1, 0] - rotation[..., 0, 1]), axis=-1)
    sine, cosine = 0.5 * np.linalg.norm(axis, axis=-1), 0.5 * (np.trace(rotation, axis1=-2, axis2=-1) - 1.0)
    angle = share * np.arctan2(sine, cosine)
    vague = sine < 1e-9
    if vague.any():
        half = vague & (cosine <= 0.0)
        axis[vague] = (1.0, 0.0, 0.0)
        axis[half] = np.linalg.svd(rotation[half] - np.eye(3))[2][..., -1, :]
        angle = np.where(vague & ~half, 0.0, angle)
    axis = axis / np.linalg.norm(axis, axis=-1, keepdims=True)
    cross = np.zeros_like(rotation)
    for row, column, component, sign in ((0, 1, 2, -1.0), (0, 2, 1, 1.0), (1, 0, 2, 1.0),
                                         (1, 2, 0, -1.0), (2, 0, 1, -1.0), (2, 1, 0, 1.0)):
        cross[..., row, column] = sign * axis[..., component]
    angle = angle[..., None, None]
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)
