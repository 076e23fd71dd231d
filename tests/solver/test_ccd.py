# SPDX-License-Identifier: GPL-3.0-or-later
"""Cyclic coordinate descent in the plane."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twobone_addon.solver import solve_ccd

ARM = (0.8, 0.6)
SPAN = 1.4

BENT_STARTS = [(root, relative) for root in (0.1, 0.2, 0.3, 0.4) for relative in (-0.5, -1.0)]
"""Angles of the arm, the root a little off the line to a target on +X."""

angles = st.floats(-math.pi, math.pi)
lengths = st.floats(0.1, 10.0)


def sweeps_to(error, start, target):
    """Sweeps until the error is at most `error`, as the next power of two, the way they are counted."""
    solution = solve_ccd(ARM, start, target, sweeps=4096, tolerance=error)
    assert solution.errors[-1] <= error
    return 2 ** math.ceil(math.log2(len(solution.errors) - 1))


def bones(points):
    return np.linalg.norm(np.diff(points, axis=0), axis=1)


def test_one_bone_turns_onto_the_target_in_one_sweep():
    solution = solve_ccd([2.0], [0.3], (0.0, 2.0), sweeps=1)
    assert solution.angles == pytest.approx([math.pi / 2])
    assert solution.points == pytest.approx(np.array([(0.0, 0.0), (0.0, 2.0)]))


def test_one_sweep_by_hand():
    """Bones 1 and 1 along +X, target (1, 1): the last bone turns up by 90 degrees, and the tip is there."""
    solution = solve_ccd([1.0, 1.0], [0.0, 0.0], (1.0, 1.0), sweeps=1)
    assert solution.angles == pytest.approx([0.0, math.pi / 2], abs=1e-15)
    assert solution.errors == pytest.approx([1.0 * math.sqrt(2.0), 0.0], abs=1e-15)


def test_the_tip_turns_before_the_root():
    """Target (0, 1): the last bone turns by 135 degrees, then the first until its tip is on the Y axis."""
    solution = solve_ccd([1.0, 1.0], [0.0, 0.0], (0.0, 1.0), sweeps=1)
    tip = (1.0 + math.cos(0.75 * math.pi), math.sin(0.75 * math.pi))
    assert solution.angles == pytest.approx([math.pi / 2 - math.atan2(tip[1], tip[0]), 0.75 * math.pi])
    assert solution.points[-1] == pytest.approx((0.0, math.hypot(*tip)), abs=1e-15)


def test_damping_scales_the_turns():
    assert solve_ccd([2.0], [0.0], (0.0, 1.0), sweeps=1, damping=0.25).angles == pytest.approx([math.pi / 8])


def test_the_solution_is_one_piece():
    solution = solve_ccd((0.7, 0.5, 0.3), (0.2, 0.5, -1.0), (0.4, 0.9), sweeps=5)
    assert solution.angles.shape == (3,)
    assert solution.points.shape == (4, 2)
    assert solution.errors.shape == (6,)
    headings = np.cumsum(solution.angles)
    along = np.column_stack((np.cos(headings), np.sin(headings)))
    laid_out = np.cumsum(np.array((0.7, 0.5, 0.3))[:, None] * along, axis=0)
    assert not solution.points[0].any()
    assert solution.points[1:] == pytest.approx(laid_out, abs=1e-15)
    assert solution.errors[-1] == pytest.approx(math.dist(solution.points[-1], (0.4, 0.9)), abs=1e-16)


def test_the_start_stays_as_it_was():
    start = np.array((0.2, -0.5))
    solve_ccd(ARM, start, (1.0, 0.0), sweeps=3)
    assert start.tolist() == [0.2, -0.5]


def test_angles_come_back_within_half_a_turn():
    solution = solve_ccd(ARM, (0.2 + 2.0 * math.pi, -0.5), (1.0, 0.0), sweeps=400, tolerance=1e-12)
    usual = solve_ccd(ARM, (0.2, -0.5), (1.0, 0.0), sweeps=400, tolerance=1e-12)
    assert solution.angles == pytest.approx(usual.angles, abs=1e-9)


def test_no_sweep_returns_the_start():
    solution = solve_ccd(ARM, (0.2, -0.5), (1.0, 0.0), sweeps=0)
    assert solution.angles.tolist() == [0.2, -0.5]
    assert len(solution.errors) == 1


def test_a_start_within_the_tolerance_is_left_alone():
    solution = solve_ccd(ARM, (0.0, 0.0), (1.5, 0.0), sweeps=9, tolerance=0.11)
    assert solution.angles.tolist() == [0.0, 0.0]
    assert len(solution.errors) == 1


def test_it_stops_at_the_first_error_within_the_tolerance():
    errors = solve_ccd(ARM, (0.2, -0.5), (1.0, 0.0), sweeps=99, tolerance=1e-3).errors
    assert errors[-1] <= 1e-3 < errors[-2]


def test_a_start_in_line_with_the_target_is_stuck():
    solution = solve_ccd(ARM, (0.0, 0.0), (1.0, 0.0), sweeps=2048)
    assert len(solution.errors) == 2049
    assert solution.errors == pytest.approx(np.full(2049, 0.4), abs=1e-15)
    assert solution.angles.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("start", BENT_STARTS)
@pytest.mark.parametrize(("share", "sweeps"), [(0.73, 32), (0.75, 32), (0.77, 32), (0.958, 256), (0.988, 512),
                                              (0.995, 2048)])
def test_sweeps_to_a_billionth(share, sweeps, start):
    assert sweeps_to(1e-9, start, (share * SPAN, 0.0)) == sweeps


@pytest.mark.parametrize("distance", [0.42, 0.7, 1.05, 1.26, 1.34, 1.38])
def test_it_contracts_by_the_squared_cosine_at_the_tip(distance):
    """The angle at the tip is that of the triangle root, joint, tip, by the law of cosines."""
    errors = solve_ccd(ARM, (0.2, -0.5), (distance, 0.0), sweeps=600).errors
    last = int(np.argmax(errors < 1e-7))
    cosine = (distance ** 2 + ARM[1] ** 2 - ARM[0] ** 2) / (2.0 * distance * ARM[1])
    assert errors[last] / errors[last - 1] == pytest.approx(cosine ** 2, abs=1e-3)


@pytest.mark.parametrize("start", BENT_STARTS)
def test_two_bones_end_in_one_of_the_two_poses_of_the_triangle(start):
    relative = math.acos((1.0 - 0.8 ** 2 - 0.6 ** 2) / (2.0 * 0.8 * 0.6))
    root = math.atan2(0.6 * math.sin(relative), 0.8 + 0.6 * math.cos(relative))
    solution = solve_ccd(ARM, start, (1.0, 0.0), sweeps=400, tolerance=1e-14)
    side = math.copysign(1.0, solution.angles[1])
    assert solution.angles == pytest.approx([-side * root, side * relative], abs=1e-12)


def test_damping_can_change_which_of_the_two_poses_it_ends_in():
    freely, damped = (solve_ccd(ARM, (-2.6, -2.2), (1.0, 0.0), sweeps=500, damping=damping, tolerance=1e-12)
                      for damping in (1.0, 0.5))
    assert max(freely.errors[-1], damped.errors[-1]) <= 1e-12
    assert freely.angles == pytest.approx(-damped.angles, abs=1e-9)


@pytest.mark.parametrize(
    ("distance", "error"), [(2.0, 0.6), (1.5, 0.1), (0.15, 0.05), (0.1, 0.1), (0.0, 0.2)])
def test_out_of_reach_the_error_is_what_is_missing(distance, error):
    """Nearer than 0.8 - 0.6 is out of reach too."""
    solution = solve_ccd(ARM, (0.3, 0.5), (distance, 0.0), sweeps=500)
    assert solution.errors[-1] == pytest.approx(error, abs=1e-12)


def test_a_target_past_the_reach_is_missed_alike_in_every_direction():
    for heading in np.linspace(-3.0, 3.0, 13):
        target = (2.0 * math.cos(heading), 2.0 * math.sin(heading))
        solution = solve_ccd(ARM, (0.3, 0.5), target, sweeps=500)
        assert solution.errors[-1] == pytest.approx(0.6, abs=1e-12)
        assert solution.points[-1] == pytest.approx(np.array(target) * 0.7, abs=1e-12)


@pytest.mark.parametrize("target", [(0.8, 0.0), (1.4, 0.0), (0.0, 0.0)])
def test_a_target_on_the_root_a_joint_or_the_tip_gives_finite_angles(target):
    solution = solve_ccd(ARM, (0.0, 0.0), target, sweeps=50)
    assert np.isfinite(solution.angles).all()
    assert np.isfinite(solution.points).all()


def test_a_bone_of_length_zero_is_no_bone():
    with_zero = solve_ccd((0.8, 0.0, 0.6, 0.0), (0.2, 0.0, -0.5, 0.0), (1.0, 0.0), sweeps=60)
    assert with_zero.errors[-1] < 1e-9
    assert bones(with_zero.points) == pytest.approx((0.8, 0.0, 0.6, 0.0), abs=1e-15)


@pytest.mark.parametrize("scale", [1e-140, 1e140])
def test_the_unit_of_length_does_not_matter(scale):
    solution = solve_ccd(np.array(ARM) * scale, (0.2, -0.5), (scale, 0.0), sweeps=60)
    usual = solve_ccd(ARM, (0.2, -0.5), (1.0, 0.0), sweeps=60)
    assert solution.angles == pytest.approx(usual.angles, abs=1e-12)


def test_three_bones_reach_the_target_from_any_start():
    random = np.random.default_rng(20)
    for _ in range(200):
        heading, distance = random.uniform(-math.pi, math.pi), random.uniform(0.1, 1.35)
        target = (distance * math.cos(heading), distance * math.sin(heading))
        start = random.uniform(-math.pi, math.pi, 3)
        assert solve_ccd((0.6, 0.5, 0.4), start, target, sweeps=1000, tolerance=1e-9).errors[-1] <= 1e-9


def test_the_inner_joints_of_three_bones_differ_by_start():
    ends, middles = [], []
    for start in ((0.2, 0.3, 0.4), (1.2, -0.8, -0.9), (-0.5, 1.5, -0.5)):
        points = solve_ccd((0.6, 0.5, 0.4), start, (0.9, 0.3), sweeps=4096, tolerance=1e-9).points
        ends.append(points[-1])
        middles.append(points[1])
    assert np.ptp(ends, axis=0).max() < 1e-8
    assert min(math.dist(*pair) for pair in itertools.combinations(middles, 2)) > 0.01


@given(chain=st.lists(st.tuples(lengths, angles), min_size=1, max_size=6), x=st.floats(-30.0, 30.0),
       y=st.floats(-30.0, 30.0), damping=st.floats(0.1, 1.0))
def test_undamped_or_damped_the_error_never_grows_and_lengths_stay(chain, x, y, damping):
    sizes, start = zip(*chain)
    solution = solve_ccd(sizes, start, (x, y), sweeps=20, damping=damping)
    total = sum(sizes)
    assert np.diff(solution.errors).max(initial=0.0) <= 1e-14 * (total + math.hypot(x, y))
    assert bones(solution.points) == pytest.approx(np.array(sizes), abs=1e-15 * total)


@pytest.mark.parametrize(("change", "message"), [
    ({"lengths": []}, "lengths must hold a bone"),
    ({"lengths": [0.0, 0.0]}, "lengths must hold a bone"),
    ({"lengths": 0.8}, "lengths must have shape"),
    ({"lengths": ["long", "short"]}, "lengths must be numbers"),
    ({"lengths": [0.8, -0.6]}, r"lengths at index 1 is negative \(-0\.6\)"),
    ({"lengths": [math.inf, 0.6]}, r"lengths at index 0 is not finite"),
    ({"angles": [0.0]}, r"angles must have shape \(2,\), not \(1,\)"),
    ({"angles": [0.0, math.nan]}, "angles at index 1 is not finite"),
    ({"target": (1.0, 0.0, 0.0)}, r"target must have shape \(2,\)"),
    ({"target": (math.nan, 0.0)}, "target at index 0 is not finite"),
    ({"target": None}, "target"),
    ({"sweeps": -1}, "sweeps is negative"),
    ({"sweeps": 2.5}, "sweeps must be a whole number"),
    ({"damping": 0.0}, r"damping is outside \(0, 1\]"),
    ({"damping": 1.5}, r"damping is outside \(0, 1\]"),
    ({"damping": math.nan}, "damping is not finite"),
    ({"damping": "half"}, "damping must be numbers"),
    ({"tolerance": -1e-9}, "tolerance is negative"),
    ({"tolerance": math.inf}, "tolerance is not finite"),
])
def test_what_is_refused_is_named(change, message):
    given = {"lengths": ARM, "angles": (0.2, -0.5), "target": (1.0, 0.0), "sweeps": 1, **change}
    with pytest.raises(ValueError, match=f"^{message}"):
        solve_ccd(**given)
