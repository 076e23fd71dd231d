# SPDX-License-Identifier: GPL-3.0-or-later
"""Binding: what makes adding IK move nothing.

A binding holds, in double precision, everything that relates the solver's frames to one limb's bones: the constant
place of the joint and the tip in the bones' own frames, the bend normal in them, the pole angle that keeps the pose
at hand, and the bend that the limb falls back to where the pole says nothing. No bpy here: arrays in, a record out.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import lru_cache
from math import asin, atan2
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import solver

Array = NDArray[np.float64]

NOISE = 1e-6
"""Relative error of what is measured from evaluated, single-precision matrices, with a margin."""

POLE_ON_LINE = 1e-6
"""Radians off the root-target line below which single-precision noise would decide the bend instead of the pole."""

SNAP = 5e-6
"""A bound pole angle is dropped where that moves the joint by less than this share of the limb's length."""

NEAR_ROOT = 0.1
"""Share of the limb's length within which the bind residual is left out: there it would turn the limb."""


@dataclass(frozen=True)
class Binding:
    """One limb's constants. Vectors are (3,) tuples of float; lengths in armature units.

    `upper_vector` points from root to joint in the upper bone's frame, `lower_vector` from joint to tip in the
    lower's; the frames are the bones' axes made orthonormal, so the vectors include the bones' scale. `tip` is the
    tip in the lower bone's unscaled frame in units of that bone's length: (0, 1, 0) is its tail. `upper_normal` and
    `lower_normal` are the bend normal in the bones' frames. `forward` and `bend` are the root-tip line and the bend
    direction at bind in the frame of the root's parent. `residual` is what the target's single-precision place lacks.
    """

    upper_vector: tuple[float, float, float]
    lower_vector: tuple[float, float, float]
    tip: tuple[float, float, float]
    upper_normal: tuple[float, float, float]
    lower_normal: tuple[float, float, float]
    pole_angle: float
    forward: tuple[float, float, float]
    bend: tuple[float, float, float]
    residual: tuple[float, float, float]

    def dumps(self) -> str:
        """Text that keeps every bit."""
        return json.dumps(asdict(self))

    @staticmethod
    @lru_cache(maxsize=4096)
    def loads(text: str) -> Binding:
        """The record that `dumps` wrote; raises ValueError on anything else. Plans read the same texts again and again."""
        try:
            stored = json.loads(text)
            fields: dict[str, Any] = {}
            for name in Binding.__dataclass_fields__:
                value = np.asarray(stored[name], dtype=float)
                if value.shape != (() if name == "pole_angle" else (3,)) or not np.isfinite(value).all():
                    raise ValueError(name)
                fields[name] = float(value) if name == "pole_angle" else _tuple(value)
            return Binding(**fields)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"not a binding: {error}") from error


@dataclass(frozen=True)
class Posed:
    """A limb as it stands: points (3,) and orthonormal orientations (3, 3) in armature space, double precision."""

    root: Array
    joint: Array
    tip: Array
    upper_axes: Array
    lower_axes: Array
    parent_axes: Array

    @property
    def length(self) -> float:
        """The limb's length when straight."""
        return float(np.linalg.norm(self.joint - self.root) + np.linalg.norm(self.tip - self.joint))


def _tuple(vector: ArrayLike) -> tuple[float, float, float]:
    x, y, z = np.asarray(vector, dtype=float)
    return float(x), float(y), float(z)


def bone_axes(matrix: Array) -> Array:
    """Orthonormal, right-handed axes (..., 3, 3) of bone matrices (..., 3 or 4, 3 or 4): the y axis exactly, z next.

    A sheared or mirrored bone has no orientation of its own; this is the one the limb's direction survives in.
    """
    y = matrix[..., :3, 1] / np.linalg.norm(matrix[..., :3, 1], axis=-1, keepdims=True)
    z = matrix[..., :3, 2] - y * (y * matrix[..., :3, 2]).sum(-1, keepdims=True)
    z = z / np.linalg.norm(z, axis=-1, keepdims=True)
    return np.stack((np.cross(y, z), y, z), axis=-1)


def off_line(vector: Array, forward: Array) -> Array:
    """The part of `vector` (3,) perpendicular to the unit vector `forward` (3,)."""
    across = vector - forward * (forward @ vector)
    return across - forward * (forward @ across)


def rest_bend(posed: Posed, forward: Array) -> Array:
    """Bend direction (3,) of a straight limb: the joint turns about the upper bone's own X axis, as riggers roll them."""
    for axis in (-posed.upper_axes[:, 2], posed.upper_axes[:, 0], posed.upper_axes[:, 1]):
        across = off_line(axis, forward)
        size = np.linalg.norm(across)
        if size > 0.1:
            return across / size
    raise AssertionError("three perpendicular axes cannot all be parallel to one line")


def bend_of(posed: Posed) -> tuple[Array, Array, float]:
    """(forward, bend, height) of the pose: unit root-tip line, unit bend direction, the joint's distance off the line."""
    line = posed.tip - posed.root
    distance = float(np.linalg.norm(line))
    limb = posed.length
    forward = line / distance if distance > NOISE * limb else np.array((1.0, 0.0, 0.0))
    across = off_line(posed.joint - posed.root, forward)
    height = float(np.linalg.norm(across))
    if height > NOISE * limb:
        return forward, across / height, height
    return forward, rest_bend(posed, forward), height


def bind(posed: Posed, tip: ArrayLike, target: Array | None, pole: Array | None) -> Binding:
    """Measure the constants with which the solver, at this target and pole, returns the pose at hand.

    posed: the limb in its FK pose. tip: the tip in the lower bone's frame over its length. target, pole: (3,) in
    armature space as they will be read, or None. A target that is not at the tip binds the pose at hand all the same
    and then pulls the limb to itself; a pole on the root-tip line leaves the bend to the limb's own.
    """
    forward, bend, height = bend_of(posed)
    upper = float(np.linalg.norm(posed.joint - posed.root))
    lower = float(np.linalg.norm(posed.tip - posed.joint))
    limb = upper + lower
    angle = 0.0
    if pole is not None:
        towards = pole - posed.root
        across = off_line(towards, forward)
        size = float(np.linalg.norm(across))
        if size > POLE_ON_LINE * float(np.linalg.norm(towards)):
            across = across / size
            angle = atan2(float(forward @ np.cross(across, bend)), float(across @ bend))
            if height <= NOISE * limb or abs(angle) <= 2.0 * asin(min(1.0, SNAP * limb / (2.0 * height))):
                angle, bend = 0.0, across
    solution = solver.solve(posed.root, posed.tip, None, upper, lower, fallback=bend)
    residual = np.zeros(3) if target is None else posed.tip - target
    if np.linalg.norm(residual) > NOISE * limb:
        residual = np.zeros(3)
    return Binding(
        upper_vector=_tuple(posed.upper_axes.T @ (solution.joint - posed.root)),
        lower_vector=_tuple(posed.lower_axes.T @ (solution.end - solution.joint)),
        tip=_tuple(tip),
        upper_normal=_tuple(posed.upper_axes.T @ solution.upper_frame[:, 2]),
        lower_normal=_tuple(posed.lower_axes.T @ solution.lower_frame[:, 2]),
        pole_angle=angle,
        forward=_tuple(posed.parent_axes.T @ forward),
        bend=_tuple(posed.parent_axes.T @ bend),
        residual=_tuple(residual),
    )
