# SPDX-License-Identifier: GPL-3.0-or-later
"""Cyclic coordinate descent for any number of bones: `solve_ccd` in the plane, `solve_chain` in space.

One sweep goes from the bone at the tip to the bone at the root and turns each about its own joint until the
tip lies on the ray from that joint to the target. Source: Wang and Chen, IEEE Trans. Robotics and
Automation 7 (1991) 489.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import as_numbers, refuse_first

Array = NDArray[np.float64]

ON_LINE = 1e-12
"""Sine below which a direction counts as on a line, as for the pole of two bones."""


@dataclass(frozen=True)
class ChainSolution:
    """A chain after its last sweep, and the way there.

    angles (n,): each bone against the one before, in radians, or None in space. points (n + 1, 2), in space
    (n + 1, 3): root, joints, tip. errors (k + 1,): |tip - target| at the start and after each sweep done.
    """

    angles: Array | None
    points: Array
    errors: Array


def solve_ccd(lengths: ArrayLike, angles: ArrayLike, target: ArrayLike, *, sweeps: int, damping: float = 1.0,
              tolerance: float = 0.0) -> ChainSolution:
    """Bring the tip of a plane chain, its root at the origin, to `target` by cyclic coordinate descent.

    lengths (n,): the bones from root to tip, in any one unit. angles (n,): the start, in radians, each bone
    against the one before, the first against +X; the solution's are within [-pi, pi]. target (2,). At most
    `sweeps` sweeps, none once the error is at most `tolerance`. damping, in (0, 1], scales every turn. The
    error shrinks by a constant factor a sweep, which is close to 1 where the chain ends nearly straight or
    folded.

    A chain in line with a target ahead of every joint turns nothing and stays stuck: all its errors are
    alike, since descent has no way to choose a side. A joint with the tip or the target on it is not
    turned. Out of reach the error tends to max(0, d - S, 2M - S - d), d the target's distance, S the sum
    and M the largest of the lengths. Raises ValueError naming the argument for wrong shapes, anything not
    finite, negative or all zero lengths.
    """
    lengths = _numbers("lengths", lengths, (None,))
    _check_lengths("lengths", lengths)
    angles = _numbers("angles", angles, lengths.shape).copy()
    goal = complex(*_numbers("target", target, (2,)))
    sweeps, damping, tolerance = _check_steps(sweeps, damping, tolerance)
    points = _points_from_angles(lengths, angles)
    errors = [abs(points[-1] - goal)]
    while len(errors) <= sweeps and errors[-1] > tolerance:
        _sweep_plane(points, angles, goal, damping)
        points = _points_from_angles(lengths, angles)
        errors.append(abs(points[-1] - goal))
    angles -= 2.0 * np.pi * np.round(angles / (2.0 * np.pi))
    return ChainSolution(angles, np.column_stack((points.real, points.imag)), np.array(errors))


def solve_chain(points: ArrayLike, target: ArrayLike, pole: ArrayLike | None = None, *, sweeps: int,
                damping: float = 1.0, tolerance: float = 0.0) -> ChainSolution:
    """Bring the tip of a chain in space to `target` by cyclic coordinate descent, bent towards `pole`.

    points (n + 1, 3): root, joints and tip of the start, in any one unit; the bones keep its lengths.
    target, pole (3,). sweeps, damping and tolerance as for `solve_ccd`; the solution's angles are None.

    The chain is turned about the root-target line so that its mean inner joint lies on the pole's side,
    before the sweeps and after them, which leaves the error as it is. Nothing is turned that way where pole
    or mean joint is within 1e-12 rad of the line; for a target at the root the line is the X axis. A bone
    that has to turn straight back goes by way of the axis least aligned with it, X before Y before Z. A
    start in line with a target ahead of every joint stays stuck, pole or not. Raises ValueError naming the
    argument for wrong shapes, anything not finite and a chain without length.
    """
    points = _numbers("points", points, (None, 3))
    if len(points) < 2:
        raise ValueError("points must hold a root and at least one joint")
    root = points[0]
    goal = _numbers("target", target, (3,)) - root
    towards = None if pole is None else _numbers("pole", pole, (3,)) - root
    sweeps, damping, tolerance = _check_steps(sweeps, damping, tolerance)
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    _check_lengths("points", lengths)
    chain = _bent_towards(points - root, goal, towards)
    errors = [np.linalg.norm(chain[-1] - goal)]
    while len(errors) <= sweeps and errors[-1] > tolerance:
        chain = _sweep_space(chain, lengths, goal, damping)
        errors.append(np.linalg.norm(chain[-1] - goal))
    return ChainSolution(None, root + _bent_towards(chain, goal, towards), np.array(errors))


def _points_from_angles(lengths: Array, angles: Array) -> NDArray[np.complex128]:
    """Root, joints and tip as complex numbers."""
    return np.concatenate(([0.0], np.cumsum(lengths * np.exp(1j * np.cumsum(angles)))))


def _sweep_plane(points: NDArray[np.complex128], angles: Array, target: complex, damping: float) -> None:
    """Turn every bone once, tip first, and add the turns to `angles`.

    Turning a bone moves only what lies beyond it, and those bones have had their turn: of all points the
    tip alone has to be followed.
    """
    tip = points[-1]
    for joint in reversed(range(len(angles))):
        pivot = points[joint]
        if pivot in (tip, target):
            continue
        turn = damping * np.angle((target - pivot) / (tip - pivot))
        angles[joint] += turn
        tip = pivot + (tip - pivot) * np.exp(1j * turn)


def _sweep_space(points: Array, lengths: Array, target: Array, damping: float) -> Array:
    """Turn every bone once, tip first, by the shortest way."""
    bones = np.diff(points, axis=0)
    tip = points[-1]
    for joint in reversed(range(len(bones))):
        pivot = points[joint]
        turn = _turn_between(tip - pivot, target - pivot, damping)
        bones[joint:] = bones[joint:] @ turn.T
        tip = pivot + turn @ (tip - pivot)
    sizes = np.linalg.norm(bones, axis=1)
    bones *= (lengths / np.where(sizes > 0.0, sizes, 1.0))[:, None]
    return np.concatenate((points[:1], np.cumsum(bones, axis=0)))


def _turn_between(start: Array, goal: Array, share: float) -> Array:
    """Rotation matrix by `share` of the angle from `start` to `goal`; the identity where either is zero."""
    if not (start.any() and goal.any()):
        return np.eye(3)
    start, goal = _unit(start), _unit(goal)
    axis = np.cross(start, goal)
    sine, cosine = np.linalg.norm(axis), start @ goal
    if sine <= ON_LINE and cosine < 0.0:
        axis = np.cross(start, np.eye(3)[np.argmin(np.abs(start))])
    elif sine == 0.0:
        return np.eye(3)
    return _rotation(_unit(axis), share * float(np.arctan2(sine, cosine)))


def _bent_towards(points: Array, target: Array, pole: Array | None) -> Array:
    """Turn a chain at the origin about its root-target line: its mean inner joint goes to the pole's side."""
    if pole is None or len(points) < 3:
        return points
    mean = points[1:-1].mean(axis=0)
    if not (mean.any() and pole.any()):
        return points
    forward = _unit(target) if target.any() else np.array((1.0, 0.0, 0.0))
    start, goal = np.cross(forward, _unit(mean)), np.cross(forward, _unit(pole))
    if min(np.linalg.norm(start), np.linalg.norm(goal)) <= ON_LINE:
        return points
    angle = float(np.arctan2(forward @ np.cross(start, goal), start @ goal))
    return points @ _rotation(forward, angle).T


def _rotation(axis: Array, angle: float) -> Array:
    """Rotation matrix about a unit axis, right-handed (Rodrigues' formula)."""
    x, y, z = axis
    cross = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross


def _unit(vector: Array) -> Array:
    """`vector`, not zero, at length 1; brought near 1 first, since the square of a tiny one is zero."""
    scaled = vector / np.abs(vector).max()
    return scaled / np.linalg.norm(scaled)


def _numbers(name: str, value: ArrayLike, shape: tuple[int | None, ...]) -> Array:
    """`value` as finite float64 of the given shape, None for any length."""
    array = as_numbers(name, value)
    if array.ndim != len(shape) or any(want not in (None, have) for want, have in zip(shape, array.shape)):
        wanted = str(shape).replace("None", "n")
        raise ValueError(f"{name} must have shape {wanted}, not {array.shape}")
    refuse_first(name, ~np.isfinite(array), array, "is not finite")
    return array


def _check_lengths(name: str, lengths: Array) -> None:
    refuse_first(name, lengths < 0.0, lengths, "is negative")
    if not lengths.any():
        raise ValueError(f"{name} must hold a bone that is longer than 0")


def _check_steps(sweeps: Any, damping: Any, tolerance: Any) -> tuple[int, float, float]:
    try:
        sweeps = operator.index(sweeps)
    except TypeError:
        raise ValueError(f"sweeps must be a whole number, not {sweeps!r}") from None
    if sweeps < 0:
        raise ValueError(f"sweeps is negative ({sweeps})")
    damping, tolerance = float(_numbers("damping", damping, ())), float(_numbers("tolerance", tolerance, ()))
    if not 0.0 < damping <= 1.0:
        raise ValueError(f"damping is outside (0, 1] ({damping:g})")
    if tolerance < 0.0:
        raise ValueError(f"tolerance is negative ({tolerance:g})")
    return sweeps, damping, tolerance
