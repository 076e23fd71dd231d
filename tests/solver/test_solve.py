"""The contract of `solve`, as properties and as known values; samples crowd the singular places."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twobone_addon.solver import State, solve

pytestmark = pytest.mark.filterwarnings("error")
SETTINGS = settings(max_examples=200, deadline=None, derandomize=True)

length = st.one_of(st.floats(1e-3, 1e3), st.sampled_from([1.0, 0.6, 1e-3, 1e3]))
coordinate = st.one_of(st.floats(-10, 10), st.sampled_from([0.0, 1.0, -1.0, 1e-9, -1e-12]))
vector = st.tuples(coordinate, coordinate, coordinate).map(np.array)
share = st.one_of(st.floats(0, 2), st.sampled_from([0.0, 1.0, 1 - 1e-12, 1 + 1e-12, 1 - 1e-6, 1 + 1e-6, 1e-9]))
softness = st.sampled_from([0.0, 0.02, 0.1, 0.5, 0.99])


@st.composite
def problem(draw):
    a, b = draw(length), draw(length)
    direction = draw(vector)
    size = np.linalg.norm(direction)
    direction = direction / size if size > 0 else np.array((0.0, 0.0, 1.0))
    root = draw(vector)
    return root, root + direction * draw(share) * (a + b), root + draw(vector), a, b


@SETTINGS
@given(problem(), softness, st.floats(-4, 4))
def test_lengths_ends_and_frames(limb, soft, angle):
    root, target, pole, a, b = limb
    solution = solve(root, target, pole, a, b, softness=soft, pole_angle=angle)
    scale = a + b + np.abs(root).max()
    assert np.isfinite(solution.joint).all()
    assert np.linalg.norm(solution.joint - root) == pytest.approx(a, abs=4e-16 * scale, rel=0)
    assert np.linalg.norm(solution.end - solution.joint) == pytest.approx(b, abs=2e-15 * scale, rel=0)
    if solution.state == State.REACHED:
        assert (solution.end == target).all()
        assert solution.gap == 0.0
    assert solution.gap == pytest.approx(np.linalg.norm(target - solution.end), abs=2e-15 * scale + 1e-15 * solution.distance)
    for frame, start, stop in ((solution.upper_frame, root, solution.joint),
                               (solution.lower_frame, solution.joint, solution.end)):
        assert np.abs(frame.T @ frame - np.eye(3)).max() < 8e-16
        assert np.linalg.det(frame) > 0
        assert np.linalg.norm(frame[:, 0] * np.linalg.norm(stop - start) - (stop - start)) < 1e-14 * scale
    assert (solution.upper_frame[:, 2] == solution.lower_frame[:, 2]).all()


@SETTINGS
@given(problem(), softness)
def test_state(limb, soft):
    root, target, pole, a, b = limb
    solution = solve(root, target, pole, a, b, softness=soft)
    distance = np.linalg.norm(target - root)
    margin = 1e-12 * (a + b + np.abs(root).max())
    if distance > a + b + margin:
        assert solution.state == State.TOO_FAR
    elif distance < abs(a - b) - margin:
        assert solution.state == State.TOO_CLOSE
    elif abs(a - b) + margin < distance < a + b - margin:
        assert solution.state in (State.REACHED, State.SOFTENED)
    assert solution.reachable == (solution.state in (State.REACHED, State.SOFTENED))
    assert abs(a - b) - margin <= solution.reach <= a + b + margin


def rotation(quaternion):
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array(((1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
                     (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
                     (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))))


@SETTINGS
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_rigid_motion_and_mirroring(seed, mirror):
    rng = np.random.default_rng(seed)
    root, target, pole, shift = rng.normal(size=(4, 3))
    turn = rotation(rng.normal(size=4))
    if mirror:
        turn = turn * (-1, 1, 1)
    a, b = rng.uniform(0.3, 2, 2)
    angle = rng.uniform(-3, 3)
    here = solve(root, target, pole, a, b, pole_angle=angle, softness=0.1)
    there = solve(turn @ root + shift, turn @ target + shift, turn @ pole + shift, a, b,
                  pole_angle=-angle if mirror else angle, softness=0.1)
    assert np.allclose(there.end, turn @ here.end + shift, atol=1e-13)
    height = np.linalg.norm(np.cross(pole - root, target - root)) / np.linalg.norm(target - root)
    assert np.allclose(there.joint, turn @ here.joint + shift, atol=1e-13 / min(1.0, height) + 1e-7 * (here.gap > 0))


@pytest.mark.parametrize("a, b, edge", [(1, 1, 2), (1, 0.6, 1.6), (0.3, 2, 2.3), (1, 0.6, 0.4), (0.3, 2, 1.7)])
@pytest.mark.parametrize("soft", [0.0, 0.1])
def test_continuous_across_the_limits(a, b, edge, soft):
    steps = np.concatenate((-np.logspace(-1, -15, 40), [0.0], np.logspace(-15, -1, 40)))
    targets = np.array((0.0, 0.6, -0.8)) * (edge * (1 + steps))[:, None]
    solution = solve(np.zeros(3), targets, (1, 0, 0), a, b, softness=soft)
    allowed = np.sqrt(np.abs(np.diff(steps)) + 1e-15)
    assert (np.linalg.norm(np.diff(solution.joint, axis=0), axis=1) <= 3 * allowed * (a + b)).all()
    assert (np.linalg.norm(np.diff(solution.end, axis=0), axis=1) <= 3 * allowed**2 * (a + b)).all()
    assert (np.abs(np.diff(solution.upper_frame, axis=0)) <= 3 * allowed[:, None, None] * (a + b) / min(a, b)).all()


def test_reached_ends_are_the_targets_bit_for_bit():
    rng = np.random.default_rng(12)
    for count in (5, 5000):
        root, target = rng.normal(size=(2, count, 3)) * 10.0 ** rng.uniform(-3, 3, (2, count, 1))
        length = np.linalg.norm(target - root, axis=1)
        solution = solve(root, target, rng.normal(size=3), length * 0.7, length * 0.6)
        assert (solution.state == State.REACHED).all()
        assert solution.end.tobytes() == target.tobytes()
        assert (solution.gap == 0.0).all()
        assert (solution.reach == solution.distance).all()


@pytest.mark.parametrize("a, b", [(0.8, 0.6), (0.1, 0.2), (1 / 3, 1 / 7), (1e3, 1e-3)])
def test_a_target_at_the_limit_as_a_double_is_reached(a, b):
    far, near = solve((0, 0, 0), (0, a + b, 0), (1, 0, 0), a, b), solve((0, 0, 0), (0, abs(a - b), 0), (1, 0, 0), a, b)
    assert far.state == near.state == State.REACHED
    for step, state in ((np.inf, State.TOO_FAR), (-np.inf, State.REACHED)):
        assert solve((0, 0, 0), (0, np.nextafter(a + b, step), 0), (1, 0, 0), a, b).state == state


def test_known_values():
    straight = solve((0, 0, 0), (0, 0, -1.6), (0, -3, -1), 1, 1)
    assert np.allclose(straight.joint, (0, -0.6, -0.8), atol=1e-15)
    past = solve((1, 1, 1), (1, 1, 6), (1, 5, 1), 2, 1)
    assert (past.end == (1, 1, 4)).all()
    assert past.gap == 2.0
    assert past.state == State.TOO_FAR
    folded = solve((0, 0, 0), (0.5, 0, 0), (0, 1, 0), 2, 1)
    assert (folded.joint == (2, 0, 0)).all()
    assert (folded.end == (1, 0, 0)).all()
    assert folded.state == State.TOO_CLOSE


def test_pole_angle_is_right_handed_about_the_line():
    solution = solve((0, 0, 0), (0, 0, 1.2), (1, 0, 0), 1, 1, pole_angle=np.pi / 2)
    assert np.allclose(solution.joint, (0, 0.8, 0.6))
