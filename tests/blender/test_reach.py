"""The tip is on the target, or on the point of the reach nearest to it; lengths and the bend's side hold."""

from math import radians

import bpy
import builders as b
import numpy as np
import pytest
from mathutils import Quaternion

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


def turned_leg(turn, size, flex):
    """A leg with IK whose joints lie anywhere in space, rounded as they come: (armature, rotation, target, pole)."""
    rotation = np.array(Quaternion(np.random.default_rng(turn).normal(size=4)).normalized().to_matrix())
    root, joint, tip = (rotation @ point for point in b.joints(b.leg(size, size, flex, name="Upright")))
    object = b.armature("Leg", [("up", root, joint, "", 20), ("lo", joint, tip, "up", 70)])
    target, pole = b.empty("T", rotation @ (0, 0, -1.9 * size)), b.empty("P", rotation @ (0, -3, -1))
    b.update()
    rig.add_limb(object, "lo", target, pole)
    return object, rotation, target, pole


@pytest.mark.parametrize("flex", [0, 0.001, 0.01, 30])
@pytest.mark.parametrize("turn", range(6))
def test_straight_limb_in_any_direction(flex, turn):
    """Rounding must not decide the bend: a straight limb turned any way bends in the pole's plane, to the digit."""
    object, rotation, target, _pole = turned_leg(turn, 1, flex)
    for place, knee in (((0, 0, -1.6), (0, -0.6, -0.8)), ((0, 0, -1), (0, -0.8660254, -0.5))):
        target.location = rotation @ place
        b.update()
        assert np.linalg.norm(b.ends(object)["lo"][0] - rotation @ knee) < 5e-6
        assert np.linalg.norm(b.ends(object)["lo"][1] - rotation @ place) < 4e-6


def test_without_a_pole_the_bend_swings_with_the_limb():
    """The leg raised forward: the knee goes along in the same plane, by the shortest turn and without a jump."""
    object = b.leg(1, 1, 10)
    b.update()
    rig.add_limb(object, "lo")
    bone = object.pose.bones["lo"]
    target, bone.twobone_pole = bone.twobone_target, None
    for angle in np.radians(np.arange(0, 176, 5)):
        forward, bend = np.array((0, -np.sin(angle), -np.cos(angle))), np.array((0, -np.cos(angle), np.sin(angle)))
        target.location = 1.6 * forward
        b.update()
        assert np.linalg.norm(b.ends(object)["lo"][0] - (0.8 * forward + 0.6 * bend)) < 5e-6, np.degrees(angle)


@pytest.mark.parametrize("turn", range(4))
@pytest.mark.parametrize("place", [(0, 0, 0), (0, 0, -1e-7), (1e-7, 1e-7, 0)])
def test_target_at_the_root_of_equal_bones(turn, place):
    """The limb folds flat towards the pole, whatever rounding left between the two lengths and of the target's place."""
    size = (1, 0.3, 0.7, 0.45)[turn]
    object, _rotation, target, pole = turned_leg(turn, size, 0)
    target.location = place
    for towards in ((0, -3, 0), (0.1, 2, 0.2), (0, 1, 0)):
        pole.location = towards
        b.update()
        root, joint, tip = b.joints(object)
        assert np.linalg.norm(tip - root) < 4e-6 * size
        assert b.segments(object) == pytest.approx([size, size], rel=1e-6)
        line = place if any(place) else (1, 0, 0)  # at the root itself, forward is +X
        assert b.angle(joint - root, b.off_line(np.array(towards), np.array(line))) < 0.05
