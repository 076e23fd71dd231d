"""The contract of `solve`, as properties and as known values; samples crowd the singular places."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twobone_addon.solver import State, solve

warnings.simplefilter("error")
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
def test_continuous_across_the_limits(a, b, edge):
    steps = np.concatenate((-np.logspace(-1, -15, 40), [0.0], np.logspace(-15, -1, 40)))
    targets = np.array((0.0, 0.6, -0.8)) * (edge * (1 + steps))[:, None]
    solution = solve(np.zeros(3), targets, (1, 0, 0), a, b)
    jumps = np.linalg.norm(np.diff(solution.joint, axis=0), axis=1)
    assert (jumps <= 3 * np.sqrt(np.abs(np.diff(steps)) + 1e-15) * (a + b)).all()


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


@pytest.mark.parametrize("size", [1e-140, 1e-100, 1.0, 1e100, 1e140])
@pytest.mark.parametrize("other", [1e-140, 1.0, 1e140])
def test_extreme_coordinates(size, other):
    for count in (1, 50):
        target = np.full((count, 3), size)
        solution = solve(np.zeros(3), target, (0, other, 0), 1.0, other)
        for array in (solution.joint, solution.end, solution.reach, solution.gap, solution.upper_frame, solution.lower_frame):
            assert np.isfinite(array).all()


def test_batches_equal_single_limbs_to_the_last_bit():
    rng = np.random.default_rng(3)
    count = 20_000
    root, target, pole, fallback = rng.normal(size=(4, count, 3))
    target[::7], pole[::11], pole[::13] = root[::7], target[::11], root[::13]
    a, b, angle = rng.uniform(0.2, 2, (3, count))
    b[::5] = a[::5]
    soft = np.where(np.arange(count) % 3 == 0, 0.0, 0.2)
    batch = solve(root, target, pole, a, b, pole_angle=angle, softness=soft, fallback=fallback)
    rows = rng.choice(count, 300, replace=False)
    for row in (*rows, 0, 7, 11, 13, 77):
        single = solve(root[row], target[row], pole[row], a[row], b[row], pole_angle=angle[row], softness=soft[row],
                       fallback=fallback[row])
        for name in ("joint", "end", "reach", "distance", "gap", "state", "reachable", "upper_frame", "lower_frame"):
            assert np.array_equal(getattr(single, name), getattr(batch, name)[row]), name


@pytest.mark.parametrize("per_limb", [True, False])
def test_plain_batches_equal_single_limbs_to_the_last_bit(per_limb):
    """Batches without anything degenerate take the in-place path: the same arithmetic in the same order."""
    rng = np.random.default_rng(6)
    count = 40_000
    root, target, pole = rng.normal(size=(3, count, 3))
    a, b = rng.uniform(0.2, 2, (2, count)) if per_limb else np.array((1.1, 0.7))
    batch = solve(root, target, pole, a, b)
    assert set(batch.state.tolist()) == {State.REACHED, State.TOO_FAR, State.TOO_CLOSE}
    for row in rng.choice(count, 500, replace=False):
        own = (a[row], b[row]) if per_limb else (a, b)
        single = solve(root[row], target[row], pole[row], *own)
        for name in ("joint", "end", "reach", "distance", "gap", "state", "reachable", "upper_frame", "lower_frame"):
            assert np.array_equal(getattr(single, name), getattr(batch, name)[row]), name
    positions = solve(root, target, pole, a, b, frames=False)
    assert (positions.joint == batch.joint).all()
    assert (positions.end == batch.end).all()


def test_hard_rows_of_a_mixed_batch_are_those_of_a_hard_batch():
    rng = np.random.default_rng(4)
    for count in (10, 500):
        root, target, pole = rng.normal(size=(3, count, 3))
        soft = np.where(np.arange(count) % 2 == 0, 0.0, 0.3)
        mixed, hard = solve(root, target, pole, 1, 0.8, softness=soft), solve(root, target, pole, 1, 0.8)
        assert (mixed.joint[::2] == hard.joint[::2]).all()
        assert (mixed.upper_frame[::2] == hard.upper_frame[::2]).all()
        assert (mixed.state != hard.state).any()


def test_shapes_broadcast():
    solution = solve((0, 0, 0), np.ones((4, 1, 3)), np.ones((5, 3)) * (1, 2, 3), np.ones((4, 5)), 1.0)
    assert solution.joint.shape == (4, 5, 3)
    assert solution.upper_frame.shape == (4, 5, 3, 3)
    assert solution.gap.shape == solution.state.shape == (4, 5)
    single = solve((0, 0, 0), (1, 0, 0), (0, 1, 0), 1, 1, frames=False)
    assert single.joint.shape == (3,)
    assert single.upper_frame is None
    assert single.state == State.REACHED
    assert single.gap.shape == ()


def test_empty_batch():
    solution = solve(np.empty((0, 3)), np.empty((0, 3)), (0, 1, 0), 1, 1)
    assert solution.joint.shape == (0, 3)
    assert solution.upper_frame.shape == (0, 3, 3)


GOOD = {"root": np.zeros((3, 3)), "target": np.ones((3, 3)), "pole": np.ones((3, 3)) * (1, 2, 3), "upper": np.ones(3),
        "lower": np.ones(3), "pole_angle": np.zeros(3), "softness": np.zeros(3), "fallback": np.ones((3, 3))}


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("count", [3, 300])
def test_not_finite_is_refused_by_name_and_index(name, bad, count):
    arguments = {key: np.repeat(value[:1], count, axis=0) for key, value in GOOD.items()}
    arguments[name][2] = bad
    before = {key: value.copy() for key, value in arguments.items()}
    with pytest.raises(ValueError, match=rf"^{name} at index 2 "):
        solve(**arguments)
    for key, value in arguments.items():
        assert np.array_equal(value, before[key], equal_nan=True)


@pytest.mark.parametrize("change, words", [
    ({"upper": (1, -1, 1)}, "upper at index 1 is negative"), ({"lower": (1, 1, -2)}, "lower at index 2 is negative"),
    ({"upper": (1, 1, 0), "lower": (1, 1, 0)}, "upper and lower at index 2 are both zero"),
    ({"softness": (0, 1, 0)}, "softness at index 1"), ({"softness": (0, 0, -0.1)}, "softness at index 2"),
    ({"root": np.zeros((3, 2))}, r"root must have shape \(..., 3\)"), ({"target": 1.0}, "target must have shape"),
    ({"pole": "x"}, "pole must be numbers"), ({"upper": np.ones(4)}, "upper of shape"),
    ({"bend_min": 4.0}, "bend_min"), ({"bend_min": 2.0, "bend_max": 1.0}, "bend_min"),
])
def test_refusals(change, words):
    with pytest.raises(ValueError, match=words):
        solve(**{**GOOD, **change})


@pytest.mark.parametrize("least, most", [(0.3, None), (None, 2.0), (0.3, 2.0)])
@pytest.mark.parametrize("soft", [0.0, 0.1])
def test_bend_limits_narrow_the_reach(least, most, soft):
    a, b = 1.0, 0.7
    targets = np.linspace(0.01, 3, 200)[:, None] * (0.6, 0, -0.8)
    solution = solve((0, 0, 0), targets, (0, 1, 0), a, b, softness=soft, bend_min=least, bend_max=most)
    upper, lower = solution.upper_frame[..., 0], solution.lower_frame[..., 0]
    flexion = np.arctan2(np.linalg.norm(np.cross(upper, lower), axis=1), (upper * lower).sum(1))
    assert flexion.min() >= (least or 0.0) - 1e-7
    assert flexion.max() <= (most or np.pi) + 1e-7
    far = np.sqrt(a * a + b * b + 2 * a * b * np.cos(least or 0.0))
    assert ((solution.state == State.TOO_FAR) == (solution.distance > far)).all()
    assert np.allclose(np.linalg.norm(solution.end - solution.joint, axis=1), b)
