# SPDX-License-Identifier: GPL-3.0-or-later
"""Two-bone IK in the plane, with a strict contract, and the textbook's two joint angles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arithmetic import BATCH, Pair, squared_norm_in_plane
from .bones import Bones, bones_of, excesses
from .checks import as_numbers, refuse_first
from .triangle import bone_directions, solve_triangle

Array = NDArray[np.float64]

SHORTEST, LONGEST = 1e-3, 1e3
FARTHEST, NEAREST = 1e4, 1e-6


@dataclass(frozen=True)
class PlanarSolution:
    """joint, end (..., 2) and clamped (...) bool: whether the target was out of reach; root at the origin."""

    joint: Array
    end: Array
    clamped: NDArray[np.bool_]


class JointAngles(NamedTuple):
    """root (...): the upper bone against +X; relative (...): the lower bone against the upper. Radians."""

    root: Array
    relative: Array


class _Problem(NamedTuple):
    """Checked and broadcast inputs, the target as components and as a squared distance in a pair."""

    bones: Bones
    x: Array
    y: Array
    square: Pair
    bend: Array


def solve_planar(upper: ArrayLike, lower: ArrayLike, target: ArrayLike, bend: ArrayLike) -> PlanarSolution:
    """Place joint and end of two bones from the origin to `target`, the joint on the left (bend 1) or right (-1) of the line.

    upper, lower, bend: (...); target: (..., 2); they broadcast. Lengths in any one unit within [1e-3, 1e3],
    coordinates within 1e4, the target at least 1e-6 from the origin. Out of reach the distance is clamped to
    [|upper - lower|, upper + lower] and the direction kept; in reach `end` is the target itself.
    Raises ValueError naming the argument for anything outside this. Law of cosines in the form of `bones`.
    """
    problem = _checked(upper, lower, target, bend)
    triangle = solve_triangle(BATCH, problem.bones, problem.square)
    cos, sin, _, _ = bone_directions(BATCH, problem.bones, triangle)
    along, across = problem.bones.upper * cos, problem.bones.upper * sin * problem.bend
    x, y = problem.x / triangle.distance, problem.y / triangle.distance
    clamped = triangle.reach != triangle.distance
    return PlanarSolution(
        joint=_points(along * x - across * y, along * y + across * x),
        end=_points(np.where(clamped, triangle.reach * x, problem.x), np.where(clamped, triangle.reach * y, problem.y)),
        clamped=np.broadcast_to(clamped, np.shape(across)).copy()[()])


def joint_angles(upper: ArrayLike, lower: ArrayLike, target: ArrayLike, bend: ArrayLike = -1) -> JointAngles:
    """The joint angles of the pose that `solve_planar` finds; same inputs, limits and errors.

    cos(relative) = (d² - a² - b²) / 2ab with the sign of -bend, root = atan2(y, x) - atan2(b sin(relative),
    a + b cos(relative)); the default bend is the textbook's, with a relative angle of 0 to pi. Computed as
    tan(relative / 2)² = F / G (see `bones`), so that neither a nearly straight nor a nearly folded limb loses digits.
    """
    problem = _checked(upper, lower, target, bend)
    triangle = solve_triangle(BATCH, problem.bones, problem.square)
    cos, sin, _, _ = bone_directions(BATCH, problem.bones, triangle)
    far, near = excesses(problem.bones, problem.square)
    flexion = 2.0 * np.arctan2(np.sqrt(np.maximum(far, 0.0)), np.sqrt(np.maximum(near, 0.0)))
    return JointAngles(root=np.arctan2(problem.y, problem.x) + problem.bend * np.arctan2(sin, cos),
                       relative=-problem.bend * flexion)


def _points(x: Array, y: Array) -> Array:
    return np.stack(np.broadcast_arrays(x, y), axis=-1)


def _checked(upper: ArrayLike, lower: ArrayLike, target: ArrayLike, bend: ArrayLike) -> _Problem:
    upper, lower, bend = as_numbers("upper", upper), as_numbers("lower", lower), as_numbers("bend", bend)
    target = as_numbers("target", target, components=2)
    for name, length in (("upper", upper), ("lower", lower)):
        refuse_first(name, ~((length >= SHORTEST) & (length <= LONGEST)), length,
                     f"is outside [{SHORTEST:g}, {LONGEST:g}]")
    refuse_first("bend", (bend != 1.0) & (bend != -1.0), bend, "is neither 1 nor -1")
    refuse_first("target", ~(np.abs(target) <= FARTHEST), target, f"is not within {FARTHEST:g}", vector=True)
    x, y = target[..., 0], target[..., 1]
    distance = np.hypot(x, y)
    refuse_first("target", distance < NEAREST, distance, f"is nearer than {NEAREST:g} to the origin")
    try:
        np.broadcast_shapes(upper.shape, lower.shape, x.shape, bend.shape)
    except ValueError:
        raise ValueError(f"upper {upper.shape}, lower {lower.shape}, target {target.shape} and bend {bend.shape} "
                         f"do not broadcast") from None
    return _Problem(bones_of(BATCH, upper, lower), x, y, squared_norm_in_plane(x, y), bend)
