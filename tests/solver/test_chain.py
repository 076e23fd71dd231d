# SPDX-License-Identifier: GPL-3.0-or-later
"""Cyclic coordinate descent in space."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from twobone_addon.solver import solve_ccd, solve_chain

TAIL = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.2), (2.0, 0.0, 0.0), (3.0, 0.3, 0.0))

coordinate = st.floats(-3.0, 3.0)
point = st.tuples(coordinate, coordinate, coordinate).map(np.array)
chain = st.lists(point, min_size=3, max_size=7).map(np.array)


def bones(points):
    return np.linalg.norm(np.diff(points, axis=0), axis=1)


def in_space(points):
    return np.pad(points, ((0, 0), (0, 1)))


def across(vector, line):
    """The part of `vector` across `line`, of length 1."""
    along = line / np.linalg.norm(line)
    rest = vector - (vector @ along) * along
    return rest / np.linalg.norm(rest)


def test_a_chain_in_the_plane_moves_as_the_planar_solver_moves_it():
    lengths, angles, target = (0.7, 0.5, 0.3), (0.2, 0.5, -1.0), (0.4, 0.9)
    for damping in (1.0, 0.6):
        start = solve_ccd(lengths, angles, target, sweeps=0)
        planar = solve_ccd(lengths, angles, target, sweeps=12, damping=damping)
        spatial = solve_chain(in_space(start.points), (*target, 0.0), sweeps=12, damping=damping)
        assert spatial.points == pytest.approx(in_space(planar.points), abs=1e-12)
        assert spatial.errors == pytest.approx(planar.errors, abs=1e-12)
        assert spatial.angles is None


def test_the_start_stays_as_it_was():
    start = np.array(TAIL)
    solve_chain(start, (1.0, 1.0, 1.0), (0.0, 0.0, 1.0), sweeps=3)
    assert start.tolist() == [list(row) for row in TAIL]


@pytest.mark.parametrize("pole", [(0.0, 1.0, 0.0), (1.0, 0.0, -1.0), (5.0, -2.0, 0.3)])
@pytest.mark.parametrize("sweeps", [0, 1, 200])
def test_the_mean_inner_joint_lies_on_the_poles_side(pole, sweeps):
    target = np.array((1.2, 0.8, 0.5))
    solution = solve_chain(TAIL, target, pole, sweeps=sweeps)
    inner = solution.points[1:-1].mean(axis=0)
    assert across(inner, target) == pytest.approx(across(np.array(pole), target), abs=1e-12)


def test_turning_to_the_pole_leaves_the_error_as_it_is():
    target = (1.2, 0.8, 0.5)
    free, turned = (solve_chain(TAIL, target, pole, sweeps=8) for pole in (None, (0.0, 1.0, 0.0)))
    assert free.errors == pytest.approx(turned.errors, abs=1e-14)
    assert math.dist(turned.points[-1], target) == pytest.approx(turned.errors[-1], abs=1e-14)


@pytest.mark.parametrize("pole", [None, (2.0, 0.0, 0.0), (0.0, 0.0, 0.0), (-1.0, 0.0, 0.0)])
def test_a_pole_on_the_line_turns_nothing(pole):
    assert solve_chain(TAIL, (2.0, 0.0, 0.0), pole, sweeps=0).points == pytest.approx(np.array(TAIL), abs=0.0)


def test_for_a_target_at_the_root_the_line_is_x():
    points = solve_chain(TAIL, TAIL[0], (0.0, 1.0, 0.0), sweeps=0).points
    assert points[:, 0] == pytest.approx(np.array(TAIL)[:, 0])
    assert points[1:3].mean(axis=0) == pytest.approx((1.5, 0.1, 0.0), abs=1e-15)


def test_a_straight_start_in_line_with_the_target_is_stuck_pole_or_not():
    straight = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.0), (3.0, 0.0, 0.0)]
    for pole in (None, (0.0, 1.0, 0.0)):
        solution = solve_chain(straight, (2.5, 0.0, 0.0), pole, sweeps=30)
        assert solution.errors.tolist() == [0.5] * 31
        assert solution.points.tolist() == [list(row) for row in straight]


@pytest.mark.parametrize(("start", "way"), [
    ((1, 0, 0), (0, 1, 0)), ((0, 1, 0), (1, 0, 0)), ((0, 0, 1), (1, 0, 0))])
def test_half_a_turn_goes_by_way_of_the_least_aligned_axis(start, way):
    bone, behind = [(0.0, 0.0, 0.0), start], -np.array(start)
    assert solve_chain(bone, behind, sweeps=1, damping=0.5).points[1] == pytest.approx(way, abs=1e-15)
    assert solve_chain(bone, behind, sweeps=1).points[1] == pytest.approx(behind, abs=1e-15)


@pytest.mark.parametrize(("distance", "error"), [(4.0, 1.0), (6.5, 3.5), (0.2, 0.8)])
def test_out_of_reach_the_error_is_what_is_missing(distance, error):
    """Bones 2, 0.5 and 0.5 reach from 1 to 3."""
    start = [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (2.0, 0.5, 0.0), (2.0, 0.5, 0.5)]
    target = np.array((0.6, 0.0, 0.8)) * distance
    assert solve_chain(start, target, sweeps=400).errors[-1] == pytest.approx(error, abs=1e-9)


def test_three_bones_and_more_reach_the_target_from_any_start():
    random = np.random.default_rng(20)
    for _ in range(100):
        points = np.cumsum(random.normal(size=(random.integers(4, 8), 3)), axis=0)
        heading, sizes = random.normal(size=3), bones(points)
        nearest = max(0.0, 2.0 * sizes.max() - sizes.sum())
        distance = nearest + random.uniform(0.1, 0.9) * (sizes.sum() - nearest)
        target = points[0] + heading / np.linalg.norm(heading) * distance
        pole = points[0] + random.normal(size=3)
        assert solve_chain(points, target, pole, sweeps=2000, tolerance=1e-9).errors[-1] <= 1e-9


@given(points=chain, target=point, pole=st.none() | point, damping=st.floats(0.1, 1.0))
def test_bones_keep_their_lengths_and_the_error_never_grows(points, target, pole, damping):
    assume(bones(points).max() > 1e-3)
    solution = solve_chain(points, target, pole, sweeps=20, damping=damping)
    assert bones(solution.points) == pytest.approx(bones(points), abs=1e-14 * 20.0)
    assert np.diff(solution.errors).max(initial=0.0) <= 1e-14 * 20.0
    assert solution.points[0].tolist() == points[0].tolist()
    assert np.isfinite(solution.points).all()


def test_it_moves_with_its_inputs():
    random = np.random.default_rng(7)
    for _ in range(50):
        points, target, pole, shift = random.normal(size=(5, 3)), *random.normal(size=(3, 3))
        turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
        here = solve_chain(points, target, pole, sweeps=5)
        there = solve_chain(points @ turn.T + shift, turn @ target + shift, turn @ pole + shift, sweeps=5)
        assert there.points == pytest.approx(here.points @ turn.T + shift, abs=1e-9)


@pytest.mark.parametrize("scale", [1e-140, 1e140])
def test_the_unit_of_length_does_not_matter(scale):
    points, target, pole = np.array(TAIL), np.array((1.0, 2.0, 0.0)), np.array((0.0, 0.0, 1.0))
    usual = solve_chain(points, target, pole, sweeps=40)
    scaled = solve_chain(points * scale, target * scale, pole * scale, sweeps=40)
    assert scaled.points / scale == pytest.approx(usual.points, abs=1e-12)


@pytest.mark.parametrize(("change", "message"), [
    ({"points": [(0.0, 0.0, 0.0)]}, "points must hold a root"),
    ({"points": [(0.0, 0.0), (1.0, 0.0)]}, r"points must have shape \(n, 3\)"),
    ({"points": [(1.0, 2.0, 3.0)] * 3}, "points must hold a bone that is longer than 0"),
    ({"points": [(0.0, 0.0, 0.0), (1.0, math.nan, 0.0)]}, r"points at index \(1, 1\) is not finite"),
    ({"points": "tail"}, "points must be numbers"),
    ({"target": (1.0, 0.0)}, r"target must have shape \(3,\)"),
    ({"target": (1.0, 0.0, math.inf)}, "target at index 2 is not finite"),
    ({"pole": (1.0, 0.0)}, r"pole must have shape \(3,\)"),
    ({"pole": (math.nan, 0.0, 0.0)}, "pole at index 0 is not finite"),
    ({"sweeps": -1}, "sweeps is negative"),
    ({"sweeps": "many"}, "sweeps must be a whole number"),
    ({"damping": -0.5}, r"damping is outside \(0, 1\]"),
    ({"tolerance": math.nan}, "tolerance is not finite"),
])
def test_what_is_refused_is_named(change, message):
    given = {"points": TAIL, "target": (1.0, 1.0, 0.0), "pole": (0.0, 1.0, 0.0), "sweeps": 1, **change}
    with pytest.raises(ValueError, match=f"^{message}"):
        solve_chain(**given)
