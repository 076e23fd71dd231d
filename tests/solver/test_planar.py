"""The strict planar contract and the joint angles: known values and refusals."""

import numpy as np
import pytest

from twobone_addon.solver import joint_angles, solve_planar


@pytest.mark.parametrize("target, bend, joint, end, clamped", [
    ((4, 0), 1, (2, 0), (3, 0), True), ((2, 1), 1, (1.2, 1.6), (2, 1), False), ((0.5, 0), 1, (2, 0), (1, 0), True),
    ((2, 1), -1, (2, 0), (2, 1), False)])
def test_known_values(target, bend, joint, end, clamped):
    solution = solve_planar(2, 1, target, bend)
    assert np.allclose(solution.joint, joint, atol=2e-15)
    assert np.allclose(solution.end, end, atol=1e-15)
    assert solution.clamped == clamped


def test_reached_end_is_the_target_bit_for_bit():
    rng = np.random.default_rng(0)
    target = rng.uniform(-1, 1, (500, 2))
    solution = solve_planar(1.1, 0.9, target, 1)
    assert (solution.end[~solution.clamped] == target[~solution.clamped]).all()


def test_angles_at_full_reach():
    angles = joint_angles(0.8, 0.6, (1.4, 0))
    assert abs(angles.root) < 3e-8
    assert abs(angles.relative) < 3e-8
    exact = joint_angles(0.75, 0.5, (1.25, 0))
    assert exact.root == 0.0
    assert exact.relative == 0.0
    assert joint_angles(0.8, 0.6, (2.0, 0)) == (0.0, 0.0)


def test_default_bend_is_the_textbooks():
    angles = joint_angles(1, 1, (1, 1))
    assert angles.relative == pytest.approx(np.pi / 2)
    assert angles.root == pytest.approx(0.0, abs=1e-15)


def test_broadcast():
    solution = solve_planar(np.ones((4, 1)), np.ones(5), np.ones((4, 5, 2)), 1)
    assert solution.joint.shape == (4, 5, 2)
    assert solution.clamped.shape == (4, 5)
    assert joint_angles(np.ones((4, 1)), np.ones(5), (1, 1)).root.shape == (4, 5)
    assert solve_planar(1, 1, (1, 1), 1).joint.shape == (2,)


@pytest.mark.parametrize("function", [solve_planar, joint_angles])
@pytest.mark.parametrize("arguments, words", [
    ((1e-4, 1, (1, 0), 1), "^upper .*is outside"), ((1, 1e4, (1, 0), 1), "^lower .*is outside"),
    ((np.nan, 1, (1, 0), 1), "^upper"), ((1, 1, (2e4, 0), 1), "^target .*is not within"),
    ((1, 1, (np.nan, 0), 1), "^target"), ((1, 1, (1e-7, 0), 1), "^target .*is nearer than"),
    ((1, 1, (1, 0), 0), "^bend .*neither"), ((1, 1, (1, 0), np.nan), "^bend"), ((1, 1, (1, 0), 0.5), "^bend"),
    ((1, 1, (1, 0, 0), 1), r"^target must have shape"), (("a", 1, (1, 0), 1), "^upper must be numbers"),
    ((np.ones(2), np.ones(3), (1, 0), 1), "do not broadcast"),
    (((1, 1, 2e3), 1, (1, 0), 1), "^upper at index 2"), ((1, 1, ((1, 0), (np.inf, 0)), 1), "^target at index 1")])
def test_refusals(function, arguments, words):
    with pytest.raises(ValueError, match=words):
        function(*arguments)
