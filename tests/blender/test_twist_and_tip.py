"""Limbs as rigs have them: twist bones in between, a hand whose head is the end, gaps and offsets between the bones."""

import bpy
import builders as b
import numpy as np
import pytest

from twobone_addon import rig

PLACES = [(0.5, 0.1, -1.2), (-0.3, -0.6, -0.9), (0.1, 0.9, -1.1), (0.0, -0.2, -1.6)]


def reached(object, target, point):
    """Distance from the target to `point` in armature space."""
    return np.linalg.norm(point - b.in_armature(object, b.place(target)))


def added(object, lower, **kwargs):
    """(target, pole) of a limb that was added without moving anything."""
    b.update()
    before, axes = b.ends(object), b.bone_matrices(object)
    limb = rig.add_limb(object, lower, **kwargs)
    assert b.moved(before, b.ends(object)) < 1e-5 * 2
    assert b.turned(axes, b.bone_matrices(object)) < 0.01
    return limb.target.object, limb.pole.object


@pytest.mark.parametrize("twists", [1, 3])
@pytest.mark.parametrize("roll", [0, 75])
def test_twist_bones_between(twists, roll):
    """The chain up, twist …, lo: IK from `up` to `lo` keeps the twist bones rigid on `up`."""
    knee, foot = np.array((0, -0.08, -1)), np.array((0, 0, -2))
    steps = [tuple(knee * k / (twists + 1)) for k in range(twists + 2)]
    rows = [("up", (0, 0, 0), steps[1], "", roll)]
    rows += [(f"twist{k}", steps[k], steps[k + 1], "up" if k == 1 else f"twist{k - 1}", roll) for k in range(1, twists + 1)]
    rows += [("lo", tuple(knee), tuple(foot), rows[-1][0], -roll)]
    object = b.armature("Leg", rows)
    b.update()
    own = b.segments(object)
    target, _pole = added(object, "lo", upper="up")
    (limb,) = rig.limbs(object)
    assert (limb.upper, limb.lower) == ("up", "lo")
    for place in PLACES:
        target.location = place
        b.update()
        at = b.ends(object)
        assert reached(object, target, at["lo"][1]) < 4e-6
        assert b.segments(object) == pytest.approx(own, rel=1e-6)
        for k in range(1, twists + 1):
            assert np.allclose(at[f"twist{k}"][0], at["lo"][0] * k / (twists + 1), atol=2e-6)


def test_twist_bone_off_the_line_and_turned():
    """A twist bone that is posed by itself carries the joint along; the limb still reaches."""
    rows = [("up", (0, 0, 0), (0, 0, -0.5), "", 0), ("twist", (0.05, 0, -0.5), (0.05, 0, -1), "up", 20),
            ("lo", (0, -0.1, -1), (0, 0, -2), "twist", 0)]
    object = b.armature("Leg", rows)
    object.pose.bones["twist"].rotation_quaternion = (0.95, 0.05, 0.3, 0)
    target, _pole = added(object, "lo", upper="up")
    own = b.segments(object)
    for place in PLACES:
        target.location = place
        b.update()
        assert reached(object, target, b.ends(object)["lo"][1]) < 4e-6
        assert b.segments(object) == pytest.approx(own, rel=2e-6)
    object.pose.bones["twist"].rotation_quaternion = (0.9, 0.1, -0.3, 0.1)
    b.update()
    assert reached(object, target, b.ends(object)["lo"][1]) < 4e-6


@pytest.mark.parametrize("head", [(0, 0, -2), (0.1, 0, -2), (0, 0.15, -1.8), (0, 0, -2.3)])
def test_tip_is_the_head_of_the_foot(head):
    """The foot's head may lie beside the shin's tail, as in rigs from games; the head is what reaches the target."""
    knee, foot = (0, -0.1, -1), ("foot", head, tuple(np.array(head) + (0, -0.3, -0.05)), "lo", 0)
    object = b.armature("Leg", [("up", (0, 0, 0), knee, "", 10), ("lo", knee, (0, 0, -2), "up", 50), foot])
    target, _pole = added(object, "lo", tip="foot")
    for place in PLACES:
        target.location = place
        b.update()
        assert reached(object, target, b.ends(object)["foot"][0]) < 4e-6
    target.location = (0, 0, -9)
    b.update()
    root, joint, tip = b.ends(object)["up"][0], b.ends(object)["lo"][0], b.ends(object)["foot"][0]
    assert np.allclose(b.direction(*(tip - root)), (0, 0, -1), atol=2e-6)
    assert np.linalg.norm(tip - root) == pytest.approx(np.linalg.norm(joint - root) + np.linalg.norm(tip - joint), rel=1e-6)


def test_created_target_is_turned_like_the_foot():
    knee, foot = (0, -0.1, -1), ("foot", (0, 0, -2), (0.1, -0.3, -2.05), "lo", 33)
    object = b.armature("Leg", [("up", (0, 0, 0), knee, "", 10), ("lo", knee, (0, 0, -2), "up", 50), foot])
    object.rotation_euler = (0.2, 0.3, 0.4)
    target, _pole = added(object, "lo", tip="foot")
    expected = b.world(object)[:3, :3] @ b.bone_matrices(object)["foot"][:3, :3]
    for axis in range(3):
        assert b.angle(b.world(target)[:3, axis], expected[:, axis]) < 0.01
    plain = b.leg(1, 1, 10, rolls=(20, 70), name="Plain")
    target, _pole = added(plain, "lo")
    for axis in range(3):
        assert b.angle(b.world(target)[:3, axis], b.bone_matrices(plain)["lo"][:3, axis]) < 0.01


@pytest.mark.parametrize("gap", [(0, 0, -0.3), (0.3, 0, 0), (0.1, -0.2, 0.2)])
def test_disconnected_bones_keep_their_gap(gap):
    """The lower bone does not begin where the upper ends: the segments run from joint to joint."""
    up_tail, head = np.array((0, -0.087, -0.996)), np.array((0, -0.087, -0.996)) + gap
    object = b.armature("Leg", [("up", (0, 0, 0), tuple(up_tail), "", 0),
                                ("lo", tuple(head), tuple(head + (0, 0.087, -0.996)), "up", 0)])
    target, pole = added(object, "lo")
    own, between = b.segments(object), np.linalg.norm(gap)
    for place in PLACES:
        target.location = place
        b.update()
        at = b.ends(object)
        assert reached(object, target, at["lo"][1]) < 4e-6
        assert b.segments(object) == pytest.approx(own, rel=1e-6)
        assert np.linalg.norm(at["lo"][0] - at["up"][1]) == pytest.approx(between, abs=1e-5)
        assert b.plane_error(at["lo"][0], at["up"][0], b.place(target), b.place(pole)) < 0.05


def test_lower_bone_moved_in_pose_mode():
    object = b.armature("Leg", [("up", (0, 0, 0), (0, -0.1, -1), "", 0), ("lo", (0, -0.1, -1), (0, 0, -2), "up", 0)])
    with b.edited(object) as bones:
        bones["lo"].use_connect = False
    object.pose.bones["lo"].location = (0.2, 0.1, 0.1)
    target, _pole = added(object, "lo")
    for place in PLACES:
        target.location = place
        b.update()
        assert reached(object, target, b.ends(object)["lo"][1]) < 4e-6
    object.pose.bones["lo"].location = (-0.1, 0.2, 0.15)
    b.update()
    assert reached(object, target, b.ends(object)["lo"][1]) < 4e-6


def test_bones_below_the_limb_follow_rigidly():
    object = b.leg(1, 1, 10, extra=[("foot", (0, 0, -1.9923894), (0, -0.3, -2), "lo", 0),
                                    ("toe", (0, -0.3, -2), (0, -0.4, -2), "foot", 0)])
    object.pose.bones["foot"].rotation_quaternion = (0.9, 0.2, 0.1, 0)
    target, _pole = added(object, "lo", tip="foot")
    before = b.bone_matrices(object)
    local = np.linalg.inv(before["lo"]) @ before["toe"]
    target.location = PLACES[0]
    b.update()
    after = b.bone_matrices(object)
    assert np.allclose(np.linalg.inv(after["lo"]) @ after["toe"], local, atol=2e-6)
    bpy.context.scene.frame_set(5)
    assert reached(object, target, b.ends(object)["foot"][0]) < 4e-6
