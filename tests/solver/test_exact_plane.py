"""The planar contract against exact arithmetic, in units of the last place of the longer bone."""

import numpy as np
import pytest
from exact import U, distance_between, exact_planar, length_error
from samples import anywhere, at_the_limits, planar_grid

from twobone_addon.solver import joint_angles, solve_planar

COUNT = 12_000


def errors(a, b, target, bend):
    """Largest errors of a joint and of a bone's length."""
    solution = solve_planar(a, b, target, bend)
    joints, lengths = np.empty(len(a)), np.empty(len(a))
    for row, (joint, end) in enumerate(zip(solution.joint, solution.end)):
        unit = max(a[row], b[row]) * U
        joints[row] = distance_between(joint, exact_planar(a[row], b[row], target[row], bend[row])) / unit
        lengths[row] = max(length_error((0, 0), joint, a[row]), length_error(joint, end, b[row])) / unit
    return joints.max(), lengths.max()


def sample(sweep, seed):
    """COUNT limbs that the contract admits, the longer bone 999 so that ratios up to 1e6 are among them; their bends."""
    a, b, d = sweep(3 * COUNT, seed)
    size = 999.0 / np.maximum(a, b)
    a, b, d = a * size, b * size, d * size
    kept = np.flatnonzero((np.minimum(a, b) >= 1e-3) & (d >= 1e-6) & (d <= 1e4))[:COUNT]
    assert len(kept) == COUNT
    return a[kept], b[kept], d[kept], np.where(kept % 8 < 4, 1, -1)


@pytest.mark.parametrize("sweep", [anywhere, at_the_limits])
def test_on_the_axes(sweep):
    a, b, d, bend = sample(sweep, 1)
    axes = np.array(((1, 0), (0, 1), (-1, 0), (0, -1)))[np.arange(COUNT) % 4]
    joint, length = errors(a, b, d[:, None] * axes, bend)
    assert joint <= 4.0
    assert length <= 4.0


@pytest.mark.parametrize("sweep", [anywhere, at_the_limits])
def test_in_all_directions(sweep):
    a, b, d, bend = sample(sweep, 2)
    angle = np.random.default_rng(3).uniform(0, 2 * np.pi, COUNT)
    joint, length = errors(a, b, np.stack((d * np.cos(angle), d * np.sin(angle)), axis=1), bend)
    assert joint <= 8.0
    assert length <= 8.0


def test_absolute_length_error():
    a, b, x, y, bend = planar_grid()
    solution = solve_planar(a, b, np.stack((x, y), axis=1), bend)
    assert len(a) == 12_960
    worst = max(max(length_error((0, 0), joint, a[row]), length_error(joint, end, b[row]))
                for row, (joint, end) in enumerate(zip(solution.joint, solution.end)))
    assert worst < 3.4e-13


@pytest.mark.parametrize("bend", [1, -1])
def test_joint_angles_give_the_same_pose(bend):
    rng = np.random.default_rng(11)
    a, b = 10.0 ** rng.uniform(-3, 3, (2, 3000))
    d = (a + b) * rng.uniform(0.001, 1.2, 3000)
    angle = rng.uniform(-3, 3, 3000)
    target = np.stack((d * np.cos(angle), d * np.sin(angle)), axis=1)
    angles, solution = joint_angles(a, b, target, bend), solve_planar(a, b, target, bend)
    joint = a[:, None] * np.stack((np.cos(angles.root), np.sin(angles.root)), axis=1)
    total = angles.root + angles.relative
    end = joint + b[:, None] * np.stack((np.cos(total), np.sin(total)), axis=1)
    longer = np.maximum(a, b)[:, None]
    assert (np.abs(joint - solution.joint) < 1e-14 * longer).all()
    assert (np.abs(end - solution.end) < 2e-14 * longer).all()
    assert (np.sign(angles.relative) * bend <= 0).all()
