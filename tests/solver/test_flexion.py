"""Limits of the joint's flexion narrow the interval of reach; everything else follows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twobone_addon.solver import State, soften, solve, unsoften

pytestmark = pytest.mark.filterwarnings("error")


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


bone = st.one_of(st.floats(1e-3, 1e3), st.sampled_from([1.0, 1.0 + 2.0**-52, 0.6]))
angle = st.one_of(st.floats(0, np.pi), st.sampled_from([0.0, 1e-9, 0.5 * np.pi, np.pi - 1e-9, np.pi]))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(bone, bone, angle, angle, st.floats(0, 2), st.sampled_from([0.0, 1e-6, 0.1, 0.999]))
def test_flexion_is_kept_and_the_reach_invertible(a, b, first, second, share, soft):
    least, greatest = sorted((first, second))
    span = a + b
    solution = solve((0, 0, 0), (0, 0, share * span), (1, 0, 0), a, b, softness=soft, bend_min=least, bend_max=greatest)
    cos = solution.upper_frame[:, 0] @ solution.lower_frame[:, 0]
    assert np.cos(greatest) - 1e-14 <= cos <= np.cos(least) + 1e-14
    assert np.linalg.norm(solution.end - solution.joint) == pytest.approx(b, abs=2e-15 * span)
    reach = soften(share * span, a, b, soft, bend_min=least, bend_max=greatest)
    assert solution.reach == pytest.approx(reach, abs=1e-15 * span)
    back = soften(unsoften(reach, a, b, soft, bend_min=least, bend_max=greatest), a, b, soft, bend_min=least, bend_max=greatest)
    assert back == pytest.approx(reach, abs=1e-12 * span)
    many = solve(np.zeros((30, 3)), (0, 0, share * span), (1, 0, 0), a, b, softness=soft, bend_min=least, bend_max=greatest)
    assert (many.joint == solution.joint).all()


def test_a_stiff_joint():
    stiff = solve((0, 0, 0), np.linspace(0.1, 3, 50)[:, None] * (0, 0, 1), (1, 0, 0), 1, 1, bend_min=1.0, bend_max=1.0)
    assert np.allclose(stiff.reach, 2 * np.cos(0.5))
    assert not stiff.reachable.any()
