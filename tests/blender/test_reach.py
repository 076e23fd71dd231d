"""The tip is on the target, or on the point of the reach nearest to it; lengths and the bend's side hold."""

from math import radians

import bpy
import builders as b
import numpy as np
import pytest

from twobone_addon import rig
from twobone_addon.solver import State

DIRECTIONS = [(0, 0, -1), (0.2, -0.4, -0.9), (1, 0, 0), (-0.3, 0.8, 0.1), (0, 0, 1), (0.6, 0.6, -0.6)]
SHARES = [0.05, 0.3, 0.6, 0.9, 0.99, 0.9999, 1.0, 1.0001, 1.1, 2.0, 10.0, 1e6]


def lengths(object):
    at = b.ends(object)
    return np.linalg.norm(at["lo"][0] - at["up"][0]), np.linalg.norm(at["lo"][1] - at["lo"][0])


@pytest.mark.parametrize("size", [(1, 1), (1, 0.6), (0.45, 0.42), (0.3, 1)])
@pytest.mark.parametrize("towards", DIRECTIONS)
def test_sweep(size, towards):
    a, c = size
    object, target, pole = b.rigged_leg(a, c, 10, rolls=(20, -50), pole=(0, -3, -0.8))
    own = lengths(object)
    forward = b.direction(*towards)
    for share in SHARES:
        target.location = forward * share * (a + c)
        b.update()
        asked = np.linalg.norm(np.array(target.location, dtype=float))
        reach = min(max(asked, abs(a - c)), a + c)
        at = b.ends(object)
        assert np.linalg.norm(at["lo"][1] - forward * reach) <= 2e-6 * (a + c), share
        assert np.allclose(lengths(object), own, rtol=1e-6, atol=0)
        if abs(a - c) < asked < a + c:
            normal = np.cross(forward, np.array(pole.location, dtype=float))
            knee = at["lo"][0]
            off = knee - forward * (forward @ knee)
            if np.linalg.norm(off) > 0.01:
                assert abs(90.0 - b.angle(off, normal)) < 0.05
                assert off @ np.array(pole.location, dtype=float) > 0.0
        readings = rig.readings(object, "lo")
        assert readings.gap == pytest.approx(abs(asked - reach), abs=2e-6 * max(1.0, asked))
        if share >= 1.1:
            assert readings.state == State.TOO_FAR


@pytest.mark.parametrize("flex", [0, 0.001, 0.01])
def test_straight_rest_limb_bends(flex):
    object, target, _pole = b.rigged_leg(1, 1, flex)
    for place, knee in (((0, 0, -1.6), (0, -0.6, -0.8)), ((0, 0, -1), (0, -0.8660254, -0.5))):
        target.location = place
        b.update()
        assert np.allclose(b.ends(object)["lo"][0], knee, atol=2e-6)
    target.location = b.direction(0.2, -0.4, -0.9) * 1.6
    b.update()
    assert np.linalg.norm(b.ends(object)["lo"][1] - np.array(target.location)) < 4e-6


def test_straight_limb_without_a_pole_bends_about_its_own_x_axis():
    object = b.leg(1, 1, 0)
    b.update()
    rig.add_limb(object, "lo")
    bone = object.pose.bones["lo"]
    target, bone.twobone_pole = bone.twobone_target, None
    target.location = (0, 0, -1.2)
    b.update()
    knee = b.ends(object)["lo"][0]
    axis = np.array(object.pose.bones["up"].bone.matrix_local.col[0])[:3]
    assert np.linalg.norm(knee[:2]) == pytest.approx(0.8, abs=1e-6)
    assert abs(knee @ axis) < 1e-6


@pytest.mark.parametrize("pole", [(0, 0, -5), (0, 0, 3), (0, 0, 0), (0, 0, -1.5), (0, 1e-7, -5), (0, -1e-7, -5)])
def test_pole_that_says_nothing_keeps_the_bend(pole):
    object, _target, at = b.rigged_leg(1, 1, 10)
    at.location = pole
    b.update()
    assert np.allclose(b.ends(object)["lo"][0], (0, -0.6614378, -0.75), atol=2e-6)
    assert np.allclose(b.ends(object)["lo"][1], (0, 0, -1.5), atol=4e-6)


@pytest.mark.parametrize("side", [1, -1])
def test_pole_a_hair_off_the_line_decides(side):
    object, _target, at = b.rigged_leg(1, 1, 10)
    at.location = (0, side * 1e-4, -5)
    b.update()
    assert np.allclose(b.ends(object)["lo"][0], (0, side * 0.6614378, -0.75), atol=1e-5)


@pytest.mark.parametrize("lower, limit", [(0.6, 0.4), (1.0, 0.0)])
@pytest.mark.parametrize("distance", [0.41, 0.4, 0.39, 0.1, 0.01, 1e-4, 1e-7, 0.0])
def test_inside_the_fold(lower, limit, distance):
    object, target, _pole = b.rigged_leg(1, lower, 10)
    target.location = (0, 0, -distance)
    b.update()
    at = b.ends(object)
    assert np.isfinite(at["lo"]).all()
    assert np.allclose(lengths(object), (1, lower), rtol=1e-6)
    if distance > 0.0:
        assert np.allclose(at["lo"][1], (0, 0, -max(distance, limit)), atol=4e-6)
    else:
        assert np.linalg.norm(at["lo"][1]) == pytest.approx(limit, abs=4e-6)


def test_nothing_jumps_at_full_reach():
    object, target, _pole = b.rigged_leg(1, 1, 10, pole=(0, -3, -0.8))
    forward = b.direction(0.2, -0.4, -0.9)
    poses = []
    for share in (1.0, 1.0001, 10.0, 1e6):
        target.location = forward * 2 * share
        b.update()
        poses.append(b.bone_matrices(object))
    for pose in poses[1:]:
        assert b.turned(poses[0], pose) < 0.06  # one single-precision step of the distance is 0.03 degrees of bend
    assert b.turned(poses[1], poses[3]) < 0.001


@pytest.mark.parametrize("scale", [0.01, 100, 1e-4])
def test_scaled_armature(scale):
    object, target, pole = b.rigged_leg(1, 1, 10)
    object.location, object.scale = (12, -7, 3), (scale,) * 3
    object.rotation_euler = (radians(-65), 0, radians(40))
    b.update()
    matrix = object.matrix_world.copy()
    for towards in DIRECTIONS:
        target.location = matrix @ b.vector(b.direction(*towards) * 1.5)
        pole.location = matrix @ b.vector((0.1, -3, -1))
        b.update()
        tip = b.ends(object)["lo"][1]
        # Bones pass through world space in single precision on their way through any constraint.
        step = 2e-6 / scale
        assert np.linalg.norm(tip - b.in_armature(object, b.place(target))) < max(4e-6, step)


def test_pole_angle_turns_the_joint():
    object, _target, _pole = b.rigged_leg(1, 1, 10)
    object.pose.bones["lo"].twobone_pole_angle = radians(90)
    b.update()
    assert np.allclose(b.ends(object)["lo"][0], (-0.6614378, 0, -0.75), atol=2e-6)


def test_bone_as_target_and_pole():
    extra = [("hand", (0, 0, -1.4), (0, 0, -1.6), "", 0), ("elbow", (0, -2, -1), (0, -2, -1.2), "", 0)]
    object = b.leg(1, 1, 10, extra=extra)
    b.update()
    rig.add_limb(object, "lo", object, object, target_bone="hand", pole_bone="elbow")
    for location in ((0, 0, 0), (0.3, 0.1, 0.2)):
        object.pose.bones["hand"].location = location
        b.update()
        assert np.allclose(b.ends(object)["lo"][1], b.ends(object)["hand"][0], atol=4e-6)


def test_bone_of_another_armature_as_target():
    other = b.armature("Other", [("ctl", (0, 0, 0), (0, 0, 1), "", 0)])
    other.location, other.scale = (0.3, 0.2, -1.4), (2, 2, 2)
    object = b.leg(1, 1, 10)
    b.update()
    rig.add_limb(object, "lo", other, target_bone="ctl")
    other.pose.bones["ctl"].location = (0.1, 0.05, 0.1)
    b.update()
    bpy.context.view_layer.update()
    aim = (b.world(other) @ np.append(b.ends(other)["ctl"][0], 1.0))[:3]
    assert np.allclose(b.ends(object)["lo"][1], aim, atol=4e-6)
