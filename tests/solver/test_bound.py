"""Few limbs' rotations in floats are those that arrays make, to the last bit, or there are none."""

import math

import numpy as np
import pytest

from twobone_addon.solver import bound, solve

COUNT = 4000


def table(seed):
    """COUNT random limbs as `bound` takes them, one in three with each setting, and which of them keep to flexions: in and out of
    reach, nearly straight, folded."""
    rng = np.random.default_rng(seed)
    root, towards, pole, fallback = rng.normal(size=(4, COUNT, 3))
    upper, lower = rng.uniform(0.2, 2, (2, COUNT))
    lower[::5] = upper[::5]
    reach = np.choose(rng.integers(0, 4, COUNT), (
        (upper + lower) * (1 - 10.0 ** rng.uniform(-16, -3, COUNT)), (upper + lower) * (1 + 10.0 ** rng.uniform(-16, 0, COUNT)),
        np.abs(upper - lower) + 1e-3, (upper + lower) * rng.uniform(0.1, 0.99, COUNT)))
    target = root + towards * (reach / np.linalg.norm(towards, axis=1))[:, None]
    some = rng.random((3, COUNT)) < 1 / 3
    least, greatest = np.sort(rng.uniform(0, math.pi, (2, COUNT)), axis=0)
    bases = np.linalg.qr(rng.normal(size=(2, COUNT, 3, 3)))[0].reshape(2, COUNT, 9)
    angle, softness = np.where(some[:2], rng.uniform((-4, 0), (4, 0.9), (COUNT, 2)).T, 0.0)
    numbers = [root, target, pole, upper, lower, angle, softness, np.where(some[2], least, 0.0),
               np.where(some[2], greatest, math.pi), fallback, *bases]
    return np.concatenate([np.reshape(column, (COUNT, -1)) for column in numbers], axis=1), some[2]


def by_arrays(rows, limited):
    limits = {"bend_min": rows[:, bound.BEND_MIN], "bend_max": rows[:, bound.BEND_MAX]} if limited else {}
    solution = solve(rows[:, bound.ROOT], rows[:, bound.TARGET], rows[:, bound.POLE], rows[:, bound.UPPER], rows[:, bound.LOWER],
                     pole_angle=rows[:, bound.POLE_ANGLE], softness=rows[:, bound.SOFTNESS], fallback=rows[:, bound.FALLBACK],
                     **limits)
    found = np.zeros((len(rows), 2, 3, 3))
    for bone, frame, place in ((0, solution.upper_frame, bound.UPPER_BASIS), (1, solution.lower_frame, bound.LOWER_BASIS)):
        basis = rows[:, place].reshape(-1, 3, 3)
        for i in range(3):
            for j in range(3):
                found[:, bone, i, j] = (frame[:, i, 0] * basis[:, j, 0] + frame[:, i, 1] * basis[:, j, 1]
                                        + frame[:, i, 2] * basis[:, j, 2])
    return found


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_limb_has_the_bits_that_arrays_make(seed):
    rows, limited = table(seed)
    for part, kind in ((rows[limited], True), (rows[~limited], False)):
        expected = by_arrays(part, kind)
        for row, own in zip(part.tolist(), expected):
            found = bound.rotations([row])
            assert found is not None
            assert np.array(found).tobytes() == own.tobytes()


def test_limbs_come_out_in_their_order():
    rows, _limited = table(4)
    rows = rows[:7].tolist()
    assert bound.rotations(rows) == [number for row in rows for number in bound.rotations([row])]
    assert bound.rotations([]) == []


@pytest.mark.parametrize(("place", "value"), [
    (3, math.nan), (6, math.inf), (0, 1e200), (bound.UPPER, -1.0), (bound.LOWER, math.nan), (bound.POLE_ANGLE, math.inf),
    (bound.POLE_ANGLE, math.nan), (bound.SOFTNESS, 1.0), (bound.SOFTNESS, -0.1), (bound.SOFTNESS, math.nan)])
def test_what_is_out_of_the_ordinary_is_left_to_arrays(place, value):
    rows, _limited = table(5)
    rows = rows[:3].tolist()
    rows[1][place] = value
    assert bound.rotations(rows) is None


def test_a_pole_on_the_line_is_left_to_arrays():
    rows, _limited = table(6)
    row = rows[0]
    row[bound.POLE] = 2.0 * row[bound.TARGET] - row[bound.ROOT]
    assert bound.rotations([row.tolist()]) is None
