"""A least and a greatest bend of the joint narrow the reach; without them nothing changes, to the last bit."""

import bpy
import builders as b
import numpy as np
import pytest

from twobone_addon import rig, solver
from twobone_addon.rig import live
from twobone_addon.rig.engine.problem import delivered_angles, pose_problem, solve
from twobone_addon.rig.engine.sample import read

A, B = 1.0, 0.8


def limited_leg(low=0.0, high=np.pi, **kwargs):
    object, target, pole = b.rigged_leg(A, B, 60, **kwargs)
    object.pose.bones["lo"].twobone_bend_min = low
    object.pose.bones["lo"].twobone_bend_max = high
    b.update()
    return object, target, pole


def flexion(object):
    """Radians between the bones as they are shown."""
    root, joint, tip = b.joints(object)
    return np.radians(b.angle(joint - root, tip - joint))


def side(angle):
    """Root to tip at this flexion."""
    return np.sqrt(A * A + B * B + 2 * A * B * np.cos(angle))


def place(object, target, distance, towards=(0.3, -0.2, -0.9)):
    target.location = b.joints(object)[0] + b.direction(*towards) * distance
    b.update()


@pytest.mark.parametrize(("low", "high"), [(0.3, np.pi), (0.0, 2.0), (0.4, 1.2), (1.0, 1.0)])
@pytest.mark.parametrize("softness", [0.0, 0.1])
def test_joint_keeps_to_them(low, high, softness):
    object, target, _pole = limited_leg(low, high)
    object.pose.bones["lo"].twobone_softness = softness
    own = b.segments(object)
    near, far = side(high), side(low)
    for share in np.linspace(0.05, 2.2, 25):
        place(object, target, share * (A + B) / 2)
        assert low - 3e-6 <= flexion(object) <= high + 3e-6
        assert b.segments(object) == pytest.approx(own, rel=1e-6)
        readings = rig.readings(object, "lo")
        assert readings.reach_min == pytest.approx(near, abs=1e-6)
        assert readings.reach_max == pytest.approx(far, abs=1e-6)
        assert low - 1e-6 <= readings.relative_angle <= high + 1e-6
        distance = np.linalg.norm(b.place(target) - b.joints(object)[0])
        if distance > far + 1e-5:
            assert readings.state == solver.State.TOO_FAR
            assert readings.gap == pytest.approx(distance - far, abs=1e-5 + softness)
        elif distance < near - 1e-5:
            assert readings.state == solver.State.TOO_CLOSE
            assert readings.gap == pytest.approx(near - distance, abs=1e-5 + softness)
        elif softness == 0.0 and near + 1e-5 < distance < far - 1e-5:
            assert readings.state == solver.State.REACHED
            assert b.tip_error(object, target) < 4e-6


def test_tip_stays_on_the_line_to_the_target():
    object, target, _pole = limited_leg(0.5, 2.0)
    for distance in (0.1, 0.5, 1.75, 3.0):
        place(object, target, distance)
        root, _joint, tip = b.joints(object)
        assert b.angle(tip - root, b.place(target) - root) < 1e-3
        assert np.linalg.norm(tip - root) == pytest.approx(np.clip(distance, side(2.0), side(0.5)), abs=4e-6)


def test_no_limits_are_the_same_to_the_last_bit_and_cost_nothing():
    legs = [b.rigged_leg(A, B, 60, name=f"Leg{index}", target=(0.1 * index, -0.1, -1.2)) for index in range(3)]
    b.update()
    plan = live.plan_of(bpy.context.scene)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    constants = plan.constants

    def posed():
        return delivered_angles(pose_problem(read(plan, depsgraph, [0, 1, 2]), constants))

    free = posed()
    problem = pose_problem(read(plan, depsgraph, [0, 1, 2]), constants)
    plain = solver.solve(problem.root, problem.target, problem.pole, problem.upper, problem.lower,
                         pole_angle=problem.pole_angle, softness=problem.softness, fallback=problem.fallback)
    for name in ("joint", "end", "upper_frame", "lower_frame", "reach"):
        assert (getattr(plain, name) == getattr(solve(problem), name)).all()
    legs[1][0].pose.bones["lo"].twobone_bend_min = 2.2
    b.update()
    plan, depsgraph = live.plan_of(bpy.context.scene), bpy.context.evaluated_depsgraph_get()
    mixed = posed()
    assert mixed[0] == free[0]
    assert mixed[2] == free[2]
    assert mixed[1] != free[1]


def test_setting_a_limit_that_is_kept_anyway_moves_nothing():
    object, target, _pole = limited_leg()
    place(object, target, 1.3)
    before = b.bone_matrices(object)
    object.pose.bones["lo"].twobone_bend_min, object.pose.bones["lo"].twobone_bend_max = 0.2, 2.8
    b.update()
    for name, matrix in b.bone_matrices(object).items():
        assert np.abs(matrix - before[name]).max() < 1e-6


def test_one_solve_and_six_writes_at_most():
    object, target, _pole = limited_leg(0.5, 2.0)
    live.counts.clear()
    place(object, target, 1.2)
    assert (live.counts.reads, live.counts.solves) == (1, 1)
    assert live.counts.writes <= 6
    live.counts.clear()
    object.pose.bones["lo"].twobone_bend_min = 1.9
    b.update()
    assert live.counts.solves == 1
    assert flexion(object) == pytest.approx(1.9, abs=3e-6)


def test_keyed_limits_follow_the_frame_and_nothing_else():
    object, target, _pole = limited_leg()
    place(object, target, 3.0)
    b.keys(object.pose.bones["lo"], "twobone_bend_min", [(1, 0.0), (11, 1.0)])
    b.keys(object.pose.bones["lo"], "twobone_bend_max", [(1, 0.0), (11, 3.0)])
    for frame in (1, 6, 11, 3, 1, 11):
        bpy.context.scene.frame_set(frame)
        assert flexion(object) == pytest.approx(0.1 * (frame - 1), abs=2e-3 if frame == 1 else 3e-6)


def test_crossed_limits_leave_the_joint_stiff_and_are_said():
    object, target, _pole = limited_leg(1.5, 0.5)
    for distance in (0.1, 1.0, 3.0):
        place(object, target, distance)
        assert flexion(object) == pytest.approx(1.0, abs=3e-6)
    problems = rig.problems(object, "lo")
    assert ['minimum bend of "lo" is greater' in problem for problem in problems] == [True]
    object.pose.bones["lo"].twobone_bend_max = 1.6
    b.update()
    assert rig.problems(object, "lo") == []


@pytest.mark.parametrize(("low", "high"), [(np.pi, np.pi), (np.pi, 0.0), (0.0, 0.0), (-1.0, 4.0)])
def test_limits_at_their_own_limits(low, high):
    object, target, _pole = limited_leg(low, high)
    for distance in (0.01, 1.0, 3.0):
        place(object, target, distance)
        assert np.isfinite(b.joints(object)).all()
        assert b.on_target(object) or rig.readings(object, "lo").gap > 1e-6
    assert live.state.faults == {}


def test_limb_that_hangs_on_a_limited_one():
    first, target, _pole = limited_leg(0.6, 2.0, name="First")
    held = b.empty("Held", parent=first, bone="lo")
    second = b.leg(name="Second")
    second.location = (1, 0, -1)
    b.update()
    rig.add_limb(second, "lo", held)
    b.keys(target, "location", [(1, (0, 0, -2.5)), (11, (0.3, -0.2, -0.2))])
    for frame in (1, 6, 11, 3):
        bpy.context.scene.frame_set(frame)
        assert b.tip_error(second, held) - rig.readings(second, "lo").gap < 1e-5


def test_straight_limb_bends_when_it_has_to():
    object = b.leg(1, 1, 0)
    b.update()
    rig.add_limb(object, "lo")
    object.pose.bones["lo"].twobone_bend_min = 0.4
    b.update()
    assert flexion(object) == pytest.approx(0.4, abs=3e-6)


def test_defaults_are_kept_by_remove():
    object, _target, _pole = limited_leg(0.5, 2.0)
    rig.remove_limb(object, "lo")
    bone = object.pose.bones["lo"]
    assert (bone.twobone_bend_min, bone.twobone_bend_max) == (0.0, pytest.approx(np.pi))
    assert not bone.is_property_set("twobone_bend_min")
