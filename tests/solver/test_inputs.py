"""Shapes that broadcast, and input that is refused by the argument's name and first bad index."""

import numpy as np
import pytest

from twobone_addon.solver import State, solve

pytestmark = pytest.mark.filterwarnings("error")


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
