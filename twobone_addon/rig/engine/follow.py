# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands and feet that follow their target's rotation: arrays only, no bpy."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..binding import bone_axes

Array = NDArray[np.float64]

FLAT = 1e-9
"""Sine of the angle between two axes, or size of one, below which they span no plane."""


@dataclass(frozen=True)
class Turns:
    """What M hands of a sample follow; a limb whose hand follows nothing has no row here, and costs nothing.

    places (M,): rows of the sample. columns (M, axis, 3): the target's axes in armature space. follow (M,): how much of
    its rotation is taken over, in [0, 1], before the limb's influence.
    """

    places: tuple[int, ...]
    columns: Array
    follow: Array

    def moved(self, row: int, change: Array) -> Turns:
        """The same with the target of one row taken along by a motion (4, 4) of armature space."""
        columns = self.columns.copy()
        columns[row] = columns[row] @ change[:3, :3].T
        return replace(self, columns=columns)


def has_rotation(columns: Array) -> NDArray[np.bool_]:
    """Whether axes (..., axis, 3) are finite and their y and z span a plane: what is scaled flat is not turned any way."""
    y, z = columns[..., 1, :], columns[..., 2, :]
    with np.errstate(all='ignore'):
        span = np.linalg.norm(np.cross(y, z), axis=-1) > FLAT * np.linalg.norm(y, axis=-1) * np.linalg.norm(z, axis=-1)
    return np.isfinite(columns).all((-1, -2)) & span


def bound_rotation(columns: Array, hand: Array) -> Array:
    """The constant rotation (3, 3) from target to hand.

    columns: (axis, 3) of the target; hand: matrix (3 or 4, 3 or 4) of the bone; both in armature space.
    """
    return bone_axes(columns.T).T @ bone_axes(hand)


def turned(columns: Array, bound: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Armature-space rotations (M, 3, 3) of hands bound by `bound` (M, 3, 3), and where the target has a rotation at all."""
    usable = has_rotation(columns)
    axes = np.where(usable[:, None, None], columns, np.eye(3)).swapaxes(-1, -2)
    return bone_axes(axes) @ bound, usable


def dumps(rotation: Array) -> str:
    """Text of a rotation (3, 3) that keeps every bit."""
    return json.dumps(rotation.tolist())


def loads(text: str) -> Array:
    """The rotation that `dumps` wrote; raises ValueError on anything else."""
    try:
        rotation = np.array(json.loads(text), dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"not a rotation: {error}") from error
    if rotation.shape != (3, 3) or not np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-6):
        raise ValueError("not a rotation")
    return rotation
