"""Where root, target and pole leave a choice, and where numbers are very large or small."""

import numpy as np
import pytest

from twobone_addon.solver import State, solve

pytestmark = pytest.mark.filterwarnings("error")


def test_target_at_the_root():
    equal = solve((0, 0, 0), (0, 0, 0), (0, 3, 1), 1, 1)
    assert np.allclose(equal.joint, np.array((0, 3, 1)) / np.sqrt(10))
    assert equal.reachable
    for a, b, joint in ((1, 0.6, 1), (0.6, 1, -0.6)):
        other = solve((0, 0, 0), (0, 0, 0), (0, 3, 1), a, b)
        assert np.allclose(other.joint, (joint, 0, 0))
        assert np.allclose(other.end, (0.4, 0, 0))
        assert other.state == State.TOO_CLOSE


@pytest.mark.parametrize("pole", [None, (0, 0, -5), (0, 0, 3), (0, 0, 0), (0, 0, -1.5), (0, 1e-13, -5)])
def test_fallback_decides_where_the_pole_does_not(pole):
    solution = solve((0, 0, 0), (0, 0, -1.5), pole, 1, 1, fallback=(0, -2, 7))
    assert np.allclose(solution.joint, (0, -np.sqrt(1 - 0.75**2), -0.75))


@pytest.mark.parametrize("target, axis", [((0, 0, -1.5), 0), ((1.5, 0, 0), 1), ((0, 1.5, 0), 0), ((1, 0.2, 0.1), 2),
                                          ((0.8, 0.8, 0.8), 0), ((0.9, 0.5, 0.5), 1)])
def test_last_resort_is_the_least_aligned_axis(target, axis):
    for fallback in (None, target):
        bend = solve((0, 0, 0), target, target, 1, 1, fallback=fallback).upper_frame[:, 1]
        normal = np.cross(target, np.eye(3)[axis])
        assert abs(bend @ normal) < 1e-12
        assert solve((0, 0, 0), target, None, 1, 1).joint[axis] > 0.1


@pytest.mark.parametrize("off", [1e-11, 1e-8, 1e-4])
def test_a_pole_off_the_line_decides(off):
    solution = solve((0, 0, 0), (0, 0, -1.5), (0, -5 * off, -5), 1, 1, fallback=(0, 1, 0))
    assert solution.joint[1] < -0.6


@pytest.mark.parametrize("size", [1e-200, 1e-140, 1e-40, 1e40, 1e140, 1e200])
def test_a_pole_at_any_distance_decides(size):
    for count in (1, 50):
        solution = solve(np.zeros((count, 3)), (0, 0, -1.5), np.array((0, -0.8, -0.6)) * size, 1, 1, fallback=(0, 1, 0))
        assert np.allclose(solution.joint, (0, -np.sqrt(1 - 0.75**2), -0.75))


@pytest.mark.parametrize("a, b", [(0, 1), (1, 0)])
@pytest.mark.parametrize("target", [(0, 0, 1), (0, 0, 0.5), (0, 0, 3)])
def test_one_bone_chain(a, b, target):
    solution = solve((0, 0, 0), target, (1, 0, 0), a, b)
    assert np.allclose(solution.end, (0, 0, 1))
    assert np.allclose(solution.joint, (0, 0, a))
    for frame in (solution.upper_frame, solution.lower_frame):
        assert np.allclose(frame[:, 0], (0, 0, 1))


@pytest.mark.parametrize("size", [1e-30, 1e-100, 1e-150, 1.5e-162, 5e-324])
def test_a_target_however_near_the_root_gives_a_direction(size):
    for count in (1, 50):
        solution = solve(np.zeros(3), np.full((count, 3), np.array((0.0, 1.0, 1.0)) * size), (0, 3, 1), 1.0, 1.0)
        assert np.allclose(solution.joint, np.array((0, 1, -1)) / np.sqrt(2))
        assert np.allclose(solution.upper_frame[:, :, 2], (-1, 0, 0))
        assert (solution.state == State.REACHED).all()
        assert (solution.reach == solution.distance).all()
        assert np.allclose(solution.distance / size, np.sqrt(2), rtol=0.3 if size < 1e-300 else 1e-15)


@pytest.mark.parametrize("size", [1e-140, 1e-100, 1.0, 1e100, 1e140])
@pytest.mark.parametrize("other", [1e-140, 1.0, 1e140])
def test_extreme_coordinates(size, other):
    for count in (1, 50):
        target = np.full((count, 3), size)
        solution = solve(np.zeros(3), target, (0, other, 0), 1.0, other)
        for array in (solution.joint, solution.end, solution.reach, solution.gap, solution.upper_frame, solution.lower_frame):
            assert np.isfinite(array).all()


@pytest.mark.parametrize("count", [1, 50])
@pytest.mark.parametrize("a, b", [
    (1.0, 1e-140), (1e140, 1e-140), (1e-140, 1e140), (1e-140, 1e-140), (1e140, 1e140), (0.0, 1e-140)])
def test_bones_of_all_sizes(a, b, count):
    for share in (0.0, 0.3, 1.0, 1.5):
        target = np.full((count, 3), (0.0, 0.6 * share, 0.8 * share)) * (a + b)
        solution = solve(np.zeros(3), target, (0, 1, 0), a, b, softness=np.linspace(0, 0.5, count))
        for frame in (solution.upper_frame, solution.lower_frame):
            assert np.allclose(frame.swapaxes(1, 2) @ frame, np.eye(3), rtol=0, atol=1e-15)
        for place in (solution.joint, solution.end):
            assert (np.abs(place) <= 1.01 * (a + b)).all()


@pytest.mark.parametrize("power", [-400, -200, 200, 400])
def test_another_unit_of_length_gives_the_same_digits(power):
    rng = np.random.default_rng(13)
    for count in (10, 300):
        root, target, pole = rng.normal(size=(3, count, 3))
        a, b, soft = rng.uniform(0.2, 2, count), rng.uniform(0.2, 2, count), rng.choice((0, 0.2), count)
        here = solve(root, target, pole, a, b, softness=soft)
        there = solve(*(np.ldexp(values, power) for values in (root, target, pole, a, b)), softness=soft)
        for name in ("joint", "end", "reach", "distance", "gap"):
            assert (np.ldexp(getattr(here, name), power) == getattr(there, name)).all()
        for name in ("state", "reachable", "upper_frame", "lower_frame"):
            assert (getattr(here, name) == getattr(there, name)).all()
