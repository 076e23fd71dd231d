"""A batch is nothing but its limbs: each comes out as if it were alone, to the last bit."""

import numpy as np
import pytest

from twobone_addon.solver import State, solve

pytestmark = pytest.mark.filterwarnings("error")

FIELDS = ("joint", "end", "reach", "distance", "gap", "state", "reachable", "upper_frame", "lower_frame")


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
        for name in FIELDS:
            assert np.array_equal(getattr(single, name), getattr(batch, name)[row]), name


@pytest.mark.parametrize("per_limb", [True, False])
def test_plain_batches_equal_single_limbs_to_the_last_bit(per_limb):
    rng = np.random.default_rng(6)
    count = 40_000
    root, target, pole = rng.normal(size=(3, count, 3))
    a, b = rng.uniform(0.2, 2, (2, count)) if per_limb else np.array((1.1, 0.7))
    batch = solve(root, target, pole, a, b)
    assert set(batch.state.tolist()) == {State.REACHED, State.TOO_FAR, State.TOO_CLOSE}
    for row in rng.choice(count, 500, replace=False):
        own = (a[row], b[row]) if per_limb else (a, b)
        single = solve(root[row], target[row], pole[row], *own)
        for name in FIELDS:
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


@pytest.mark.parametrize("count", [60, 20_000])
def test_the_order_of_limbs_does_not_matter(count):
    rng = np.random.default_rng(14)
    root, target, pole = rng.normal(size=(3, count, 3)) * 10.0 ** rng.uniform(-100, 100, (count, 1))
    a, b = np.linalg.norm(root - target, axis=1) * rng.uniform(0.3, 1, (2, count))
    least, greatest = np.sort(rng.uniform(0, np.pi, (2, count)), axis=0)
    target[::17], pole[::19] = root[::17], target[::19]
    shuffled = rng.permutation(count)

    def solved(rows):
        return solve(root[rows], target[rows], pole[rows], a[rows], b[rows], bend_min=least[rows], bend_max=greatest[rows])

    straight, mixed = solved(np.arange(count)), solved(shuffled)
    for name in FIELDS:
        assert np.array_equal(getattr(straight, name)[shuffled], getattr(mixed, name)), name
    for row in rng.choice(count, 50, replace=False):
        single = solved(np.array([row]))
        for name in FIELDS:
            assert np.array_equal(getattr(straight, name)[row], getattr(single, name)[0]), name


def test_inputs_are_left_as_they_are():
    rng = np.random.default_rng(15)
    for count in (3, 300):
        arguments = [*rng.normal(size=(3, count, 3)), *rng.uniform(0.5, 1, (2, count))]
        before = [argument.copy() for argument in arguments]
        solution = solve(*arguments, softness=0.2)
        solution.joint[:] = solution.end[:] = np.nan
        assert all((argument == copy).all() for argument, copy in zip(arguments, before))
