# SPDX-License-Identifier: GPL-3.0-or-later
"""Two-bone IK in the plane, with a strict contract, and the textbook's two joint angles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arithmetic import squared_norm
from .checks import as_numbers, refuse_first
from .triangle import BATCH, Lengths, excesses, lengths_of, reach_triangle

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

    lengths: Lengths
    x: Array
    y: Array
    high: Array
    low: Array
    bend: Array


def solve_planar(upper: ArrayLike, lower: ArrayLike, target: ArrayLike, bend: ArrayLike) -> PlanarSolution:
    """Place joint and end of two bones from the origin to `target`, the joint on the left (bend 1) or right (-1) of the line.

    upper, lower, bend: (...); target: (..., 2); they broadcast. Lengths in any one unit within [1e-3, 1e3],
    coordinates within 1e4, the target at least 1e-6 from the origin. Out of reach the distance is clamped to
    [|upper - lower|, upper + lower] and the direction kept; in reach `end` is the target itself.
    Raises ValueError naming the argument for anything outside this. Law of cosines in the form of `triangle`.
    """
    problem = _checked(upper, lower, target, bend)
    distance = np.sqrt(problem.high + problem.low)
    triangle = reach_triangle(BATCH, problem.lengths, problem.high, problem.low)
    x, y = problem.x / distance, problem.y / distance
    along = problem.lengths.upper * triangle.upper_cos
    across = problem.lengths.upper * triangle.upper_sin * problem.bend
    clamped = triangle.too_far | triangle.too_close
    end = np.where(clamped, triangle.reach, distance)
    return PlanarSolution(
        joint=np.stack(np.broadcast_arrays(along * x - across * y, along * y + across * x), axis=-1),
        end=np.stack(np.broadcast_arrays(np.where(clamped, end * x, problem.x), np.where(clamped, end * y, problem.y)),
                     axis=-1),
        clamped=np.asarray(clamped))


def joint_angles(upper: ArrayLike, lower: ArrayLike, target: ArrayLike, bend: ArrayLike = -1) -> JointAngles:
    """The joint angles of the pose that `solve_planar` finds; same inputs, limits and errors.

    cos(relative) = (d² - a² - b²) / 2ab with the sign of -bend, root = atan2(y, x) - atan2(b sin(relative),
    a + b cos(relative)); the default bend is the textbook's, with a relative angle of 0 to pi. Computed from F and G
    (see `triangle`), so that neither a nearly straight nor a nearly folded limb loses digits.
    """
    problem = _checked(upper, lower, target, bend)
    triangle = reach_triangle(BATCH, problem.lengths, problem.high, problem.low)
    far, near = excesses(problem.lengths, problem.high, problem.low)
    product4 = 4.0 * problem.lengths.upper * problem.lengths.lower
    far = np.where(triangle.too_close, product4, np.maximum(far, 0.0))
    near = np.where(triangle.too_far, product4, np.maximum(near, 0.0))
    flexion = np.arctan2(np.sqrt(far) * np.sqrt(near), 0.5 * (near - far))
    at_root = np.arctan2(triangle.upper_sin, triangle.upper_cos)
    return JointAngles(root=np.arctan2(problem.y, problem.x) + problem.bend * at_root, relative=-problem.bend * flexion)


def _checked(upper: ArrayLike, lower: ArrayLike, target: ArrayLike, bend: ArrayLike) -> _Problem:
    upper, lower, bend = as_numbers("upper", upper), as_numbers("lower", lower), as_numbers("bend", bend)
    target = as_numbers("target", target, components=2)
    for name, length in (("upper", upper), ("lower", lower)):
        refuse_first(name, ~((length >= SHORTEST) & (length <= LONGEST)), length,
                     f"is outside [{SHORTEST:g}, {LONGEST:g}]")
    refuse_first("bend", (bend != 1.0) & (bend != -1.0), bend, "is neither 1 nor -1")
    refuse_first("target", ~(np.abs(target) <= FARTHEST), target, f"is not within {FARTHEST:g}", vector=True)
    x, y = target[..., 0], target[..., 1]
    high, low = squared_norm(x, y, 0.0)
    refuse_first("target", np.sqrt(high + low) < NEAREST, np.sqrt(high + low), f"is nearer than {NEAREST:g} to the origin")
    try:
        np.broadcast_shapes(upper.shape, lower.shape, x.shape, bend.shape)
    except ValueError:
        raise ValueError(f"upper {upper.shape}, lower {lower.shape}, target {target.shape} and bend {bend.shape} "
                         f"do not broadcast") from None
    return _Problem(lengths_of(upper, lower), x, y, high, low, bend)
