"""`solve` against exact arithmetic, in units of the last place of the longer bone."""

import numpy as np
import pytest
from exact import U, distance_between, exact_spatial, length_error
from samples import anywhere, at_the_limits, in_space

from twobone_addon.solver import solve

COUNT = 12_000
CLEAR = 0.1
"""Sine of a pole's angle off the line from which its own last digits do not turn the joint."""
LEFT_OVER = 2.0**-77
"""Share of d² that rounding may leave, of which the joint's height at a limit is the square root."""


def joint_error(a, b, target, pole, joint):
    """Error of a joint; one above 8 counts less what LEFT_OVER explains."""
    unit = max(a, b) * U
    exact = exact_spatial(a, b, target, pole)
    found = distance_between(joint, exact) / unit
    if found > 8.0:
        found -= max(distance_between(exact_spatial(a, b, target, pole, shift), exact)
                     for shift in (LEFT_OVER, -LEFT_OVER)) / unit
    return found


@pytest.mark.parametrize("sweep", [anywhere, at_the_limits])
def test_joints_and_lengths(sweep):
    a, b, d = sweep(COUNT, 5)
    target, pole = in_space(a, d, 6)
    solution = solve(np.zeros(3), target, pole, a, b)
    off = np.linalg.norm(np.cross(target, pole), axis=1) / np.linalg.norm(target, axis=1) / np.linalg.norm(pole, axis=1)
    joints, lengths = np.zeros(COUNT), np.zeros(COUNT)
    for row, (joint, end) in enumerate(zip(solution.joint, solution.end)):
        if off[row] > CLEAR:
            joints[row] = joint_error(a[row], b[row], target[row], pole[row], joint)
        lengths[row] = max(length_error((0, 0, 0), joint, a[row]), length_error(joint, end, b[row])) / max(a[row], b[row]) / U
    assert (joints > 0).sum() > COUNT / 20
    assert joints.max() <= 8.0
    assert lengths.max() <= 6.0


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("sweep", [anywhere, at_the_limits])
def test_frames(sweep, turned):
    a, b, d = sweep(COUNT, 7)
    target, pole = in_space(a, d, 8)
    angle = np.random.default_rng(9).uniform(-3, 3, COUNT) if turned else 0.0
    solution = solve(np.zeros(3), target, pole, a, b, pole_angle=angle)
    for frame in (solution.upper_frame, solution.lower_frame):
        exact = frame.astype(np.longdouble)
        assert np.abs(np.einsum("nij,nik->njk", exact, exact) - np.eye(3)).max() <= (12 if turned else 8) * U
        assert (np.linalg.det(frame) > 0).all()
    longer = np.maximum(a, b)[:, None]
    assert (np.abs(solution.joint - a[:, None] * solution.upper_frame[:, :, 0]) <= 8 * U * longer).all()
    end = solution.joint + b[:, None] * solution.lower_frame[:, :, 0]
    clear = np.linalg.norm(np.cross(target, pole), axis=1) > 0
    assert (np.abs(end - solution.end)[clear] <= 16 * U * longer[clear]).all()
    assert (solution.upper_frame[:, :, 2] == solution.lower_frame[:, :, 2]).all()
