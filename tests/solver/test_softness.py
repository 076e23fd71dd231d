"""Softened reach: smooth, monotone, and invertible."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twobone_addon.solver import State, exact_reach, soften, solve, unsoften

pytestmark = pytest.mark.filterwarnings("error")

LIMBS = [(1.0, 1.0), (0.45, 0.42), (1.0, 0.6), (0.3, 1.0), (1.0, 0.05)]
SOFTNESS = [0.02, 0.05, 0.2, 0.5, 0.9]


def distances(a, b, count=20_001):
    return np.linspace(0.0, 1.6 * (a + b), count)


@pytest.mark.parametrize("a, b", LIMBS)
@pytest.mark.parametrize("soft", SOFTNESS)
def test_monotone_slope_and_limits(a, b, soft):
    d = distances(a, b)
    r = soften(d, a, b, soft)
    slope = np.diff(r) / np.diff(d)
    assert slope.min() >= -1e-9
    assert slope.max() <= 1.0 + 1e-9
    assert r.min() >= abs(a - b) - 1e-15
    assert r.max() <= a + b + 1e-15
    assert soften(100.0, a, b, soft) == pytest.approx(a + b, abs=1e-15)
    inside = (d > abs(a - b)) & (d < a + b)
    assert (r[inside & (d > np.hypot(a, b))] <= d[inside & (d > np.hypot(a, b))] + 1e-15).all()


@pytest.mark.parametrize("a, b", LIMBS)
@pytest.mark.parametrize("soft", SOFTNESS)
def test_twice_differentiable_in_reach_and_knee(a, b, soft):
    """Second differences shrink with the square of the step everywhere, so no kink in value or slope is left.

    From the soft zone's far end on the limb is straight; the knee angle is followed up to a hair before.
    """
    span = a + b
    start, stop = abs(a - b) + 1e-3 * span, 1.2 * span

    def knee(r):
        return np.arccos(np.clip((r * r - a * a - b * b) / (2 * a * b), -1, 1))

    for measure in (lambda r: r, knee):
        steps = []
        for count in (2_000, 4_000, 8_000):
            d = np.linspace(start, stop, count)
            values = measure(soften(d, a, b, soft))
            inside = (values[1:-1] > 0.02) if measure is knee else np.ones(count - 2, bool)
            second = np.diff(values, 2)[inside] / (d[1] - d[0]) ** 2
            steps.append(np.abs(second).max())
        assert steps[2] < 1.5 * steps[0] + 1.0


@pytest.mark.parametrize("a, b", LIMBS)
@pytest.mark.parametrize("soft", [0.0, *SOFTNESS])
def test_inverse(a, b, soft):
    span = a + b
    reach = np.concatenate((np.linspace(abs(a - b), span, 5_001), span * (1 - np.logspace(-1, -15, 100)),
                            abs(a - b) + span * np.logspace(-15, -1, 100)))
    reach = np.clip(reach, abs(a - b), span)
    assert np.abs(soften(unsoften(reach, a, b, soft), a, b, soft) - reach).max() < 1e-12 * span
    d = distances(a, b)
    r = soften(d, a, b, soft)
    slope = np.gradient(r, d)
    steep = slope > 1e-3
    steep[1:-1] &= (slope[2:] > 1e-3) & (slope[:-2] > 1e-3)
    assert np.abs(unsoften(r, a, b, soft) - d)[steep & (r > abs(a - b)) & (r < span)].max() < 1e-12 * span


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.floats(-3, 3), st.floats(1e-3, 0.999))
def test_any_ratio_and_softness(power, soft):
    a, b = min(1.0, 10.0**power), min(1.0, 10.0**-power)
    span, near = a + b, abs(a - b)
    crowded = np.logspace(-12, -1, 60) * min(a, b)
    d = np.unique(np.concatenate((np.linspace(0, 1.5 * span, 400), near + crowded, near - crowded[crowded < near],
                                  span + crowded, span - crowded)))
    reach = soften(d, a, b, soft)
    steps, distances = np.diff(reach), np.diff(d)
    assert (steps >= -1e-15 * span).all()
    assert (steps <= distances + 1e-15 * span).all()
    assert reach.min() >= near
    assert reach.max() <= span
    assert np.abs(soften(unsoften(reach, a, b, soft), a, b, soft) - reach).max() <= 1e-12 * span
    untouched = reach == d
    assert (unsoften(reach, a, b, soft)[untouched] == pytest.approx(d[untouched], abs=1e-12 * span))


def test_solve_agrees_with_soften():
    d = distances(1.0, 0.7, 501)[1:]
    for soft in SOFTNESS:
        solution = solve((0, 0, 0), d[:, None] * (0, 0.6, 0.8), (1, 0, 0), 1.0, 0.7, softness=soft)
        assert np.abs(solution.reach - soften(d, 1.0, 0.7, soft)).max() < 4e-16 * 2
        softened = solution.state == State.SOFTENED
        assert softened.any()
        assert (solution.gap[softened] > 0).all()
        assert (solution.reachable[softened]).all()
        assert ((solution.state == State.TOO_FAR) == (d > 1.7)).all()


def test_loss_at_full_reach():
    for soft in (0.02, 0.05):
        assert 2.0 - soften(2.0, 1.0, 1.0, soft) == pytest.approx(0.22 * soft * 2.0, rel=0.1)


def test_hard_is_the_clamp():
    assert (soften(np.array((0.1, 0.4, 1.0, 1.6, 9.0)), 1.0, 0.6, 0.0) == (0.4, 0.4, 1.0, 1.6, 1.6)).all()
    assert (unsoften(np.array((0.1, 1.0, 9.0)), 1.0, 0.6, 0.0) == (0.4, 1.0, 1.6)).all()


@pytest.mark.parametrize("arguments, name", [
    ((np.nan, 1, 1, 0), "distance"), ((-1, 1, 1, 0), "distance"), ((1, -1, 1, 0), "upper"), ((1, 1, np.inf, 0), "lower"),
    ((1, 1, 1, 1.0), "softness"), ((1, 0, 0, 0), "upper and lower")])
def test_refusals(arguments, name):
    with pytest.raises(ValueError, match=f"^{name} "):
        soften(*arguments)
    with pytest.raises(ValueError, match=f"^{name.replace('distance', 'reach')} "):
        unsoften(*arguments)


@pytest.mark.parametrize("a, b", LIMBS)
@pytest.mark.parametrize("soft", [0.0, *SOFTNESS])
@pytest.mark.parametrize("limits", [{}, {"bend_min": 0.2, "bend_max": 2.0}])
def test_reaches_exactly_up_to_where_softening_begins(a, b, soft, limits):
    nearest, farthest = exact_reach(a, b, soft, **limits)
    least, greatest = soften(0.0, a, b, soft, **limits), soften(9.0, a, b, soft, **limits)
    assert least - 1e-15 <= nearest < farthest <= greatest + 1e-15
    d = np.linspace(nearest, farthest, 100)
    assert soften(d, a, b, soft, **limits) == pytest.approx(d, rel=1e-14)
    if soft:
        outside = farthest + 0.2 * (greatest - farthest)
        assert farthest < soften(outside, a, b, soft, **limits) < outside - 1e-9
    else:
        assert (nearest, farthest) == pytest.approx((least, greatest), rel=1e-15)


def test_softening_begins_row_by_row():
    nearest, farthest = exact_reach([1.0, 1.0, 1.0], [1.0, 0.5, 0.0], [0.1, 0.0, 0.1])
    assert (nearest[0], nearest[1:].tolist()) == (0.0, [0.5, 1.0])
    assert farthest[0] < 2.0
    assert farthest[1:].tolist() == [1.5, 1.0]
