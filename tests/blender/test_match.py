"""Going from IK to FK and back: what is shown stays."""

from math import pi, radians

import bpy
import builders as b
import numpy as np
import pytest
from snapshots import changes, snapshot

from twobone_addon import rig
from twobone_addon.rig import Refusal
from twobone_addon.rig.animation.fcurves import curves_of

MODES = ("QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
LENGTH = 1.8


def limb_of(flex=10.0, target=None, **kwargs):
    """(armature, limb) of a leg of 1 + 0.8 with controls of its own."""
    object = b.leg(1, 0.8, flex, **kwargs)
    b.update()
    limb = rig.add_limb(object, "lo")
    if target is not None:
        limb.target.object.location = target
    b.update()
    return object, limb


def pose_fk(object, up=(0.3, 0.2, -0.4), lo=(0.7, 0, 0)):
    """Show an FK pose."""
    object.pose.bones["lo"].twobone_influence = 0.0
    for name, angles in (("up", up), ("lo", lo)):
        object.pose.bones[name].rotation_mode = 'XYZ'
        object.pose.bones[name].rotation_euler = angles
    b.update()


def jump(before, after):
    """The farthest that root, joint or tip moved."""
    return max(float(np.linalg.norm(new - old)) for old, new in zip(before, after))


def stored_changes(before, after):
    """What differs of what users and files know; the limits that the engine delivers through follow from it."""
    return [line for line in changes(before, after) if "constraints[" not in line and "matrix_basis" not in line]


def switch(object, names="lo"):
    """Match FK, then IK: (farthest move of one switch, what was said)."""
    before = b.joints(object)
    said = rig.match_fk(object, names)
    assert object.pose.bones["lo"].twobone_influence == 0.0
    between = b.joints(object)
    said += rig.match_ik(object, names)
    assert object.pose.bones["lo"].twobone_influence == 1.0
    return max(jump(before, between), jump(between, b.joints(object))), said


def scaled(object, limb):
    object.rotation_euler, object.scale = (0.4, 0.2, -1.1), (0.01, 0.01, 0.01)


def softened(object, limb):
    object.pose.bones["lo"].twobone_softness = 0.2


def turned_pole(object, limb):
    object.pose.bones["lo"].twobone_pole_angle = 0.8


def unreachable(object, limb):
    limb.target.object.location *= 3.0


def folded(object, limb):
    limb.target.object.location *= 0.01


@pytest.mark.parametrize("flex", [10.0, 0.05, 0.0, 60.0])
@pytest.mark.parametrize("change, switches", [(None, 200), (scaled, 200), (softened, 20), (turned_pole, 20), (unreachable, 20),
                                              (folded, 20)])
def test_switching_creeps_nowhere(flex, change, switches):
    object, limb = limb_of(flex)
    if flex == 10.0:
        limb.target.object.location = 1.4 * b.direction(0, -0.4, -0.9)
    if change:
        change(object, limb)
    b.update()
    first, axes = b.joints(object), b.bone_matrices(object)
    worst = 0.0
    for _ in range(switches):
        moved, said = switch(object)
        assert said == []
        worst = max(worst, moved)
    assert worst < 1e-5 * LENGTH
    assert jump(first, b.joints(object)) < 2e-5 * LENGTH
    assert b.turned(axes, b.bone_matrices(object)) < 0.05


@pytest.mark.parametrize("softness", [0.0, 0.15])
@pytest.mark.parametrize("mode", MODES)
def test_fk_poses_become_ik_poses(mode, softness):
    object, _limb = limb_of()
    object.pose.bones["lo"].twobone_softness = softness
    rng = np.random.default_rng(5)
    for _ in range(10):
        pose_fk(object, rng.uniform(-1, 1, 3), (rng.uniform(0, 1.8), 0, 0))
        for name in ("up", "lo"):
            object.pose.bones[name].rotation_mode = mode
        b.update()
        before, axes = b.joints(object), b.bone_matrices(object)
        assert rig.match_ik(object, "lo") == []
        assert jump(before, b.joints(object)) < 1e-5 * LENGTH
        assert b.turned(axes, b.bone_matrices(object)) < 0.01
        assert rig.match_fk(object, "lo") == []
        assert object.pose.bones["up"].rotation_mode == mode
        assert jump(before, b.joints(object)) < 1e-5 * LENGTH
        assert b.turned(axes, b.bone_matrices(object)) < 0.01


def test_far_from_the_origin_nothing_creeps_either():
    """Constraints pass through world space: their bones, and with them a switch, are a few steps of its precision off."""
    object, limb = limb_of(target=(0.2, -0.3, -1.2))
    scaled(object, limb)
    object.location = (12, -7, 3)
    b.update()
    step = 2.0**-20 / 0.01
    first = b.joints(object)
    for _ in range(20):
        moved, said = switch(object)
        assert said == [] and moved < 2 * step
    assert jump(first, b.joints(object)) < 3 * step


def test_a_straight_limb_stays_straight_and_bends_as_it_did():
    object, limb = limb_of(0.0)
    pose_fk(object, (0.4, -0.3, 0.2), (0, 0, 0))
    before, axes = b.joints(object), b.bone_matrices(object)
    bend = -b.bone_matrices(object)["up"][:3, 2]  # as bones are rolled
    assert rig.match_ik(object, "lo") == []
    assert jump(before, b.joints(object)) < 1e-5 * LENGTH
    assert b.turned(axes, b.bone_matrices(object)) < 0.01
    assert rig.readings(object, "lo").relative_angle < 1e-6
    pole = np.array(limb.pole.object.location) - before[1]
    assert np.linalg.norm(pole) == pytest.approx(LENGTH, abs=1e-5)
    assert b.angle(pole, bend) < 0.01


def test_a_twisted_knee_keeps_its_places_and_says_how_it_turns():
    object, _limb = limb_of()
    pose_fk(object, (0.3, 0, 0))
    object.pose.bones["lo"].rotation_mode = 'YXZ'  # about its own length first
    object.pose.bones["lo"].rotation_euler = (0.5, radians(30), 0)
    b.update()
    before = b.joints(object)
    said = rig.match_ik(object, "lo")
    assert jump(before, b.joints(object)) < 1e-5 * LENGTH
    assert len(said) == 1 and '"lo"' in said[0] and "30.0°" in said[0] and "one axis" in said[0]


def test_softness_shrinks_nothing():
    object, limb = limb_of()
    object.pose.bones["lo"].twobone_softness = 0.3
    pose_fk(object, lo=(0.05, 0, 0))
    before = b.joints(object)
    assert rig.match_ik(object, "lo") == []
    assert jump(before, b.joints(object)) < 1e-5 * LENGTH
    tip = before[2] - before[0]
    place = np.array(limb.target.object.location)
    assert np.linalg.norm(place) > np.linalg.norm(tip) + 1e-3
    assert b.angle(place, tip) < 1e-3


def test_the_blend_that_is_shown_is_kept():
    object, _limb = limb_of(target=(0.2, -0.3, -1.2))
    pose_fk(object)
    for influence in (0.3, 0.7):
        object.pose.bones["lo"].twobone_influence = influence
        b.update()
        before = b.joints(object)
        assert rig.match_fk(object, "lo") == []
        assert jump(before, b.joints(object)) < 1e-5 * LENGTH


@pytest.mark.parametrize("way", [rig.match_fk, rig.match_ik])
def test_a_limb_that_stands_there_already_is_not_moved(way):
    object, limb = limb_of(target=(0.2, -0.3, -1.2))
    way(object, "lo")
    stored = snapshot(object, limb.target.object, limb.pole.object)
    way(object, "lo")
    assert changes(stored, snapshot(object, limb.target.object, limb.pole.object)) == []


def test_an_unreached_target_comes_to_the_tip():
    object, limb = limb_of(target=(0, -1, -5))
    assert rig.match_ik(object, "lo") == []
    assert b.tip_error(object, limb.target.object) < 1e-5


def test_fk_touches_rotations_and_the_influence_alone():
    object, limb = limb_of(target=(0.2, -0.3, -1.2))
    for name in ("up", "lo"):
        object.pose.bones[name].scale = (1.1, 1.1, 1.1)
    object.pose.bones["up"].location = (0.1, 0, 0.05)
    b.update()
    before, shown = snapshot(object, limb.target.object, limb.pole.object), b.joints(object)
    assert rig.match_fk(object, "lo") == []
    assert jump(shown, b.joints(object)) < 1e-5 * LENGTH
    after = snapshot(object, limb.target.object, limb.pole.object)
    assert {line.split(":")[0].split(".")[-1].split("[")[0] for line in stored_changes(before, after)} <= {
        "rotation_quaternion", "rotation_axis_angle", "rotation_euler", "twobone_influence"}


# Controls behind parents, transforms and constraints

def under_parent(object, control):
    parent = b.empty("Parent", (1, 2, 3))
    parent.rotation_euler, parent.scale = (0.3, 0.6, -0.9), (2, 2, 2)
    control.parent = parent
    b.update()
    control.matrix_parent_inverse = parent.matrix_world.inverted()


def uneven_parent(object, control):
    under_parent(object, control)
    control.parent.scale = (1, 2, 0.5)


def deltas(object, control):
    control.delta_location, control.delta_rotation_euler, control.delta_scale = (1, 0.5, 0), (0.5, 0.2, 1), (2, 1, 1)


def bone_parent(object, control):
    other = b.armature("Other", [("hip", (0, 0, 1), (0.3, 0.4, 1.5), "", 30)])
    other.rotation_euler = (0.2, 0.1, 0.4)
    control.parent, control.parent_type, control.parent_bone = other, 'BONE', "hip"


def child_of(object, control):
    carrier = b.empty("Carrier", (0.5, -0.5, 0.3))
    carrier.rotation_euler = (0.4, 0.4, 0.4)
    constraint = control.constraints.new('CHILD_OF')
    constraint.target = carrier


def copied_with_offset(object, control):
    constraint = control.constraints.new('COPY_LOCATION')
    constraint.target, constraint.use_offset = b.empty("Carrier", (0.5, -0.5, 0.3)), True


def half_copied(object, control):
    constraint = control.constraints.new('COPY_LOCATION')
    constraint.target, constraint.influence = b.empty("Carrier", (0.5, -0.5, 0.3)), 0.5


def far_limit(object, control):
    constraint = control.constraints.new('LIMIT_DISTANCE')
    constraint.target, constraint.distance = b.empty("Carrier", (0.5, -0.5, 0.3)), 20.0


@pytest.mark.parametrize("way", [under_parent, uneven_parent, deltas, bone_parent, child_of, copied_with_offset, half_copied,
                                 far_limit])
@pytest.mark.parametrize("role", ["target", "pole"])
def test_controls_are_moved_through_whatever_moves_them(way, role):
    object, target, pole = b.rigged_leg(1, 0.8)
    object.rotation_euler, object.location = (0.2, 0.5, 1.0), (1, -2, 0.5)
    way(object, target if role == "target" else pole)
    b.update()
    rig.rebind(object, "lo")
    pose_fk(object)
    before = b.joints(object)
    assert rig.match_ik(object, "lo") == []
    assert jump(before, b.joints(object)) < 1e-5 * LENGTH
    assert b.tip_error(object, target) < 1e-5 * LENGTH


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("inherit", [True, False])
def test_bones_as_controls(own, inherit):
    controls = [("hip", (0, 0.3, 0.2), (0, 0.3, 0.6), "", 20), ("T", (0.1, 0.2, -1.5), (0.1, 0.2, -1.2), "hip", 40),
                ("P", (0, -2, -1), (0, -2, -0.7), "T", -10)]
    object = b.leg(1, 0.8, extra=controls if own else ())
    other = object if own else b.armature("Other", controls)
    other.data.bones["T"].use_inherit_rotation = inherit
    object.rotation_euler = (0.2, 0.5, 1.0)
    for name in ("hip", "T"):
        other.pose.bones[name].rotation_mode = 'XYZ'
        other.pose.bones[name].rotation_euler = (0.3, -0.4, 0.5)
    b.update()
    rig.add_limb(object, "lo", other, other, target_bone="T", pole_bone="P")
    for _ in range(3):
        pose_fk(object)
        before = b.joints(object)
        assert rig.match_ik(object, "lo") == []
        assert jump(before, b.joints(object)) < 1e-5 * LENGTH
        assert switch(object)[0] < 1e-5 * LENGTH


def test_a_pole_that_hangs_on_the_target():
    object, target, pole = b.rigged_leg(1, 0.8)
    pole.parent = target
    b.update()
    pose_fk(object)
    before = b.joints(object)
    assert rig.match_ik(object, "lo") == []
    assert jump(before, b.joints(object)) < 1e-5 * LENGTH


def test_a_limb_without_a_pole_turns_by_its_pole_angle():
    object, limb = limb_of()
    object.pose.bones["lo"].twobone_pole = None
    bpy.data.objects.remove(limb.pole.object)
    b.update()
    pose_fk(object)
    before = b.joints(object)
    assert rig.match_ik(object, "lo") == []
    assert jump(before, b.joints(object)) < 1e-5 * LENGTH
    assert abs(object.pose.bones["lo"].twobone_pole_angle) > 0.01


def test_control_bones_made_for_the_limb():
    object = b.leg(1, 0.8)
    b.update()
    rig.add_limb(object, "lo", controls='BONES')
    pose_fk(object)
    before = b.joints(object)
    assert rig.match_ik(object, "lo") == []
    assert jump(before, b.joints(object)) < 1e-5 * LENGTH


# Refusals

def refused(object, match=rig.match_ik, *others):
    """What the refusal says; nothing may have changed."""
    stored = snapshot(object, *others)
    shown = b.joints(object)
    with pytest.raises(Refusal) as refusal:
        match(object, "lo")
    assert stored_changes(stored, snapshot(object, *others)) == []
    assert jump(shown, b.joints(object)) < 1e-6
    return str(refusal.value)


@pytest.mark.parametrize("kind", ['COPY_LOCATION', 'LIMIT_LOCATION'])
def test_a_constraint_that_holds_the_target_is_named(kind):
    object, target, pole = b.rigged_leg(1, 0.8)
    constraint = target.constraints.new(kind)
    constraint.name = "Holds"
    if kind == 'COPY_LOCATION':
        constraint.target = b.empty("Elsewhere", (0, -0.2, -1.4))
    else:
        constraint.use_max_z, constraint.max_z = True, -1.6
    b.update()
    pose_fk(object, lo=(1.2, 0, 0))
    assert '"Holds"' in refused(object, rig.match_ik, target, pole)


def test_locked_channels_are_named():
    object, target, pole = b.rigged_leg(1, 0.8)
    pose_fk(object)
    target.lock_location[2] = True
    assert "Z Location" in refused(object, rig.match_ik, target, pole)
    target.lock_location[2] = False
    assert rig.match_ik(object, "lo") == []
    object.pose.bones["up"].lock_rotation[1] = True
    target.location.x += 0.3
    b.update()
    assert "Y Euler Rotation" in refused(object, rig.match_fk, target, pole)


def test_a_lock_that_does_not_matter_is_respected_silently():
    object, limb = limb_of(rolls=(0.0, 0.0))
    for name in ("up", "lo"):
        bone = object.pose.bones[name]
        bone.rotation_mode = 'XYZ'
        bone.lock_rotation = (False, True, True)
    limb.target.object.location = (0, -0.4, -1.3)
    b.update()
    before = b.joints(object)
    assert rig.match_fk(object, "lo") == []
    assert jump(before, b.joints(object)) < 1e-5 * LENGTH
    assert tuple(object.pose.bones["lo"].rotation_euler)[1:] == (0.0, 0.0)


@pytest.mark.parametrize("owner, path, index, match, name", [
    ("target", "location", 1, rig.match_ik, "Y Location"), ("pole", "location", 0, rig.match_ik, "X Location"),
    ("lo", "twobone_influence", -1, rig.match_fk, "Influence"), ("up", "rotation_quaternion", 0, rig.match_fk, "W Quaternion")])
def test_driven_channels_are_named(owner, path, index, match, name):
    object, target, pole = b.rigged_leg(1, 0.8)
    driven = {"target": target, "pole": pole}.get(owner) or object.pose.bones[owner]
    driver = driven.driver_add(path, index) if index >= 0 else driven.driver_add(path)
    driver.driver.expression = "0.9"
    b.update()
    said = refused(object, match, target, pole)
    assert name in said and f'"{driven.name}"' in said


def test_linked_controls_are_named(tmp_path):
    path = str(tmp_path / "props.blend")
    bpy.data.libraries.write(path, {b.empty("T", (0, 0, -1.5))})
    bpy.data.objects.remove(bpy.data.objects["T"])
    with bpy.data.libraries.load(path, link=True) as (_there, here):
        here.objects = ["T"]
    target = b.link(bpy.data.objects["T"])
    object, pole = b.leg(1, 0.8), b.empty("P", (0, -3, -1))
    b.update()
    rig.add_limb(object, "lo", target, pole)
    pose_fk(object)
    assert '"T" is linked' in refused(object, rig.match_ik, pole)
    assert rig.match_fk(object, "lo") == []


def test_a_target_that_is_hidden_in_viewports():
    object, target, pole = b.rigged_leg(1, 0.8)
    target.hide_viewport = True
    pose_fk(object)
    before = b.joints(object)
    assert rig.match_ik(object, "lo") == []
    assert jump(before, b.joints(object)) < 1e-5 * LENGTH


@pytest.mark.parametrize("scales", ['FULL', 'FIX_SHEAR', 'ALIGNED', 'AVERAGE', 'NONE'])
@pytest.mark.parametrize("rotates", [True, False])
def test_whatever_bones_inherit(scales, rotates):
    object = b.armature("Leg", [("hip", (0, 0, 1), (0, 0.2, 0), "", 25), ("up", (0, 0.2, 0), (0, -0.2, -1), "hip", 10),
                                ("lo", (0, -0.2, -1), (0, 0, -1.8), "up", -30)])
    for name in ("up", "lo"):
        object.data.bones[name].inherit_scale, object.data.bones[name].use_inherit_rotation = scales, rotates
    hip = object.pose.bones["hip"]
    hip.rotation_mode, hip.rotation_euler, hip.scale = 'XYZ', (0.4, -0.3, 0.6), (1.5, 1.5, 1.5)
    object.pose.bones["up"].scale = (0.8, 0.8, 0.8)
    b.update()
    limb = rig.add_limb(object, "lo")
    limb.target.object.location = np.array(limb.target.object.location) + (0.3, -0.3, 0.4)
    b.update()
    before, axes = b.joints(object), b.bone_matrices(object)
    assert rig.match_fk(object, "lo") == []
    assert jump(before, b.joints(object)) < 1e-5 * LENGTH
    assert b.turned(axes, b.bone_matrices(object)) < 0.01
    object.pose.bones["up"].rotation_quaternion.x += 0.2
    b.update()
    before = b.joints(object)
    said = rig.match_ik(object, "lo")
    assert jump(before, b.joints(object)) < 1e-5 * LENGTH
    assert said == [] if rotates else not any("moved" in sentence for sentence in said)


def test_a_connected_bone_is_refused_as_target():
    object = b.leg(1, 0.8, extra=[("hip", (0, 1, 0), (0, 1, -1), "", 0), ("T", (0, 1, -1), (0, 1, -1.5), "hip", 0)])
    b.update()
    rig.add_limb(object, "lo", object, b.empty("P", (0, -3, -1)), target_bone="T")
    pose_fk(object)
    assert '"T"' in refused(object)


def test_a_constraint_on_the_bones_that_spoils_fk_is_named():
    object, limb = limb_of(target=(0.3, -0.4, -1.2))
    constraint = object.pose.bones["up"].constraints.new('LIMIT_ROTATION')
    constraint.name, constraint.use_limit_x, constraint.owner_space = "Stiff", True, 'LOCAL'
    object.pose.bones["up"].constraints.move(1, 0)
    b.update()
    assert '"Stiff"' in refused(object, rig.match_fk)


def test_limits_of_the_joint_refuse_what_they_do_not_allow():
    object, _limb = limb_of()
    object.pose.bones["lo"].twobone_bend_max = radians(40)
    pose_fk(object, lo=(radians(50), 0, 0))
    assert "60.0°" in refused(object) and "40.0°" in refused(object)
    pose_fk(object, lo=(radians(25), 0, 0))
    before = b.joints(object)
    assert rig.match_ik(object, "lo") == []
    assert jump(before, b.joints(object)) < 1e-5 * LENGTH


@pytest.mark.parametrize("softness", [0.0, 0.2])
@pytest.mark.parametrize("flexion", [20.0, 20.05, 60.0, 119.95, 120.0])
def test_poses_at_the_limits_of_the_joint(flexion, softness):
    object, _limb = limb_of()
    bone = object.pose.bones["lo"]
    bone.twobone_bend_min, bone.twobone_bend_max, bone.twobone_softness = radians(20), radians(120), softness
    pose_fk(object, lo=(radians(flexion - 10), 0, 0))
    before = b.joints(object)
    assert rig.match_ik(object, "lo") == []
    assert jump(before, b.joints(object)) < 1e-5 * LENGTH


def test_a_resting_limb_is_refused_with_its_reason():
    object, limb = limb_of()
    bpy.data.objects.remove(limb.target.object)
    b.update()
    for match in (rig.match_fk, rig.match_ik):
        assert "target" in refused(object, match)


def test_what_is_no_limb_is_refused():
    object = b.leg()
    for match in (rig.match_fk, rig.match_ik):
        with pytest.raises(Refusal, match='"lo" has no Two-Bone IK'):
            match(object, "lo")


def test_shear_is_said_not_hidden():
    object = b.armature("Leg", [("hip", (0, 0, 1), (0, 0, 0), "", 0), ("up", (0, 0, 0), (0, -0.2, -1), "hip", 0),
                                ("lo", (0, -0.2, -1), (0, 0, -2), "up", 0)])
    b.update()
    limb = rig.add_limb(object, "lo")
    object.pose.bones["hip"].scale = (1, 1, 2.5)
    limb.target.object.location = (0.5, 0.4, -1.2)
    b.update()
    assert rig.match_fk(object, "lo") != []


# Several limbs

def chain_of_limbs():
    """A limb, one that grows from its end, and one whose target hangs on the second."""
    object = b.armature("Chain", [("a1", (0, 0, 0), (0, -0.2, 1), "", 0), ("a2", (0, -0.2, 1), (0, 0, 2), "a1", 0),
                                  ("b1", (0, 0, 2), (0.2, 0, 3), "a2", 30), ("b2", (0.2, 0, 3), (0, 0, 4), "b1", 70),
                                  ("c1", (3, 0, 4), (3, -0.5, 3.2), "", 0), ("c2", (3, -0.5, 3.2), (2.5, 0, 2.5), "c1", 0)])
    b.update()
    target = b.empty("T", (0, 0, -0.5), object, "b2")
    b.update()
    rig.add_limb(object, "c2", target)
    rig.add_limb(object, "b2")
    limb = rig.add_limb(object, "a2")
    limb.target.object.location = (0.3, -0.3, 1.7)
    b.update()
    return object


def test_limbs_that_hang_on_each_other():
    object = chain_of_limbs()
    for _ in range(3):
        before = b.ends(object)
        assert rig.match_fk(object, ["c2", "b2", "a2"]) == []
        assert b.moved(before, b.ends(object)) < 1e-5 * 2
        for name in ("a1", "b1", "c1", "a2"):
            object.pose.bones[name].rotation_mode = 'XYZ'
            object.pose.bones[name].rotation_euler.x += 0.1
        b.update()
        before = b.ends(object)
        assert rig.match_ik(object, ["c2", "b2", "a2"]) == []
        assert b.moved(before, b.ends(object)) < 1e-5 * 2


def test_a_hand_that_follows_is_kept():
    object = b.leg(1, 0.8, extra=[("foot", (0, 0, -b.sqrt(1 + 0.64 + 1.6 * b.cos(radians(10)))), (0, -0.3, -1.8), "lo", 0)])
    b.update()
    limb = rig.add_limb(object, "lo", tip="foot")
    bone, foot = object.pose.bones["lo"], object.pose.bones["foot"]
    bone.twobone_follow_rotation = 1.0
    limb.target.object.rotation_euler = (0.5, 0.3, -0.8)
    limb.target.object.location = (0.2, -0.3, -1.2)
    b.update()
    for follow in (1.0, 0.6):
        bone.twobone_follow_rotation = follow
        b.update()
        axes = b.bone_matrices(object)
        assert rig.match_fk(object, "lo") == []
        assert b.turned(axes, b.bone_matrices(object)) < 0.01
        foot.rotation_mode = 'ZXY'
        foot.rotation_euler.x += 0.4
        object.pose.bones["up"].rotation_quaternion = (1, 0.2, 0.3, 0.1)
        b.update()
        axes, before = b.bone_matrices(object), b.joints(object)
        assert rig.match_ik(object, "lo") == []
        assert b.turned(axes, b.bone_matrices(object)) < 0.01
        assert jump(before, b.joints(object)) < 1e-5 * LENGTH


# Keys

def key_paths(*objects):
    return sorted((curve.data_path, curve.array_index) for object in objects for curve in b.curves(object))


SWITCH = 'pose.bones["lo"].twobone_influence'
ROTATIONS = [(f'pose.bones["{name}"].rotation_quaternion', index) for name in ("lo", "up") for index in range(4)]
PLACES = [("location", index) for index in range(3)]


def test_no_keys_without_being_asked():
    object, limb = limb_of(target=(0.2, -0.3, -1.2))
    switch(object)
    assert key_paths(object, limb.target.object, limb.pole.object) == []


@pytest.mark.parametrize("auto", [True, False])
def test_keys_of_what_was_set_at_the_current_frame(auto):
    object, limb = limb_of(target=(0.2, -0.3, -1.2))
    scene = bpy.context.scene
    scene.frame_set(10)
    scene.tool_settings.use_keyframe_insert_auto = auto
    rig.match_fk(object, "lo", key=not auto)
    assert key_paths(object) == sorted([*ROTATIONS, (SWITCH, 0)])
    assert key_paths(limb.target.object, limb.pole.object) == []
    rig.match_ik(object, "lo", key=not auto)
    assert key_paths(object) == sorted([*ROTATIONS, (SWITCH, 0)])
    assert key_paths(limb.target.object) == key_paths(limb.pole.object) == PLACES
    for owner in (object, limb.target.object, limb.pole.object):
        assert {point.co.x for curve in b.curves(owner) for point in curve.keyframe_points} == {10.0}


def test_the_keying_set_decides():
    object, limb = limb_of(target=(0.2, -0.3, -1.2))
    scene = bpy.context.scene
    scene.tool_settings.use_keyframe_insert_auto = scene.tool_settings.use_keyframe_insert_keyingset = True
    keying_set = scene.keying_sets.new(idname="Mine", name="Mine")
    keying_set.paths.add(object, 'pose.bones["up"].rotation_quaternion')
    scene.keying_sets_all.active = keying_set
    switch(object)
    assert key_paths(object) == [path for path in ROTATIONS if '"up"' in path[0]]
    assert key_paths(limb.target.object) == []
    scene.keying_sets_all.active = next(each for each in scene.keying_sets_all if each.bl_idname == 'Location')
    switch(object)
    assert key_paths(limb.target.object) == PLACES
    assert len(key_paths(object)) == 5


@pytest.mark.parametrize("preference", [True, False])
def test_a_switch_is_keyed_as_a_whole(preference):
    """Preferences of auto-key that would key a part of it do not count, the keying set Available does."""
    object, limb = limb_of(target=(0.2, -0.3, -1.2))
    scene, edit = bpy.context.scene, bpy.context.preferences.edit
    scene.tool_settings.use_keyframe_insert_auto = True
    edit.use_keyframe_insert_available = edit.use_auto_keyframe_insert_needed = preference
    limb.target.object.keyframe_insert("location", frame=5)
    scene.tool_settings.use_keyframe_insert_keyingset = True
    scene.keying_sets_all.active = next(each for each in scene.keying_sets_all if each.bl_idname == 'Available')
    switch(object)
    assert key_paths(object) == []
    assert {point.co.x for curve in b.curves(limb.target.object) for point in curve.keyframe_points} == {1.0, 5.0}
    scene.tool_settings.use_keyframe_insert_keyingset = False
    switch(object)
    assert key_paths(object) == sorted([*ROTATIONS, (SWITCH, 0)]) and key_paths(limb.pole.object) == PLACES


def test_a_match_of_what_is_keyed_says_that_it_will_not_last():
    object, limb = limb_of(target=(0.2, -0.3, -1.2))
    b.keys(object.pose.bones["lo"], "twobone_influence", [(1, 1.0), (20, 1.0)])
    said = rig.match_fk(object, "lo")
    assert len(said) == 1 and '"lo"' in said[0]
    assert rig.match_fk(object, "lo", key=True) == []


def at_frames(object, frames):
    found = {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found[frame] = b.joints(object)
    return found


def animated_ik():
    object, limb = limb_of()
    b.keys(limb.target.object, "location", [(1, (0, 0.3, -1.5)), (12, (0.5, -0.6, -0.8)), (24, (-0.2, -0.9, -1.1))])
    bpy.context.scene.frame_set(7)
    return object, limb


@pytest.mark.parametrize("mode", MODES)
def test_a_range_becomes_fk(mode):
    object, _limb = animated_ik()
    for name in ("up", "lo"):
        object.pose.bones[name].rotation_mode = mode
    before = at_frames(object, range(1, 25))
    bpy.context.scene.frame_set(7)
    assert rig.match_fk(object, "lo", frames=range(5, 21)) == []
    assert bpy.context.scene.frame_current == 7
    assert object.pose.bones["lo"].twobone_influence == 0.0
    after = at_frames(object, range(1, 25))
    assert max(jump(before[frame], after[frame]) for frame in before) < 1e-5 * LENGTH
    influence = next(curve for curve in b.curves(object) if curve.data_path == SWITCH)
    assert [influence.evaluate(frame) for frame in (1, 4, 4.5, 5, 13, 20, 20.5, 21, 24)] == [1, 1, 1, 0, 0, 0, 0, 1, 1]
    for curve in b.curves(object):
        if "rotation" in curve.data_path:
            steps = np.abs(np.diff([point.co.y for point in curve.keyframe_points]))
            assert steps.max() < 0.5


def test_a_range_becomes_ik():
    object, limb = limb_of()
    pose_fk(object)
    b.keys(object.pose.bones["up"], "rotation_euler", [(1, (0, 0, 0)), (12, (0.8, 0.4, -0.3)), (24, (-0.5, 0, 0.6))])
    b.keys(object.pose.bones["lo"], "rotation_euler", [(1, (0.4, 0, 0)), (12, (1.5, 0, 0)), (24, (0.2, 0, 0))])
    scene = bpy.context.scene
    before = at_frames(object, range(1, 25))
    scene.frame_set(30)
    assert rig.match_ik(object, "lo", frames=range(3, 22, 2)) == []
    assert scene.frame_current == 30
    after = at_frames(object, range(1, 25))
    assert max(jump(before[frame], after[frame]) for frame in [1, 2, *range(3, 22, 2), 22, 23, 24]) < 1e-5 * LENGTH
    assert {point.co.x for point in b.curves(limb.target.object)[0].keyframe_points} == set(range(3, 22, 2))


def test_there_and_back_over_a_range():
    object, _limb = animated_ik()
    frames = range(1, 25)
    before = at_frames(object, frames)
    rig.match_fk(object, "lo", frames=frames)
    assert rig.match_ik(object, "lo", frames=frames) == []
    after = at_frames(object, frames)
    assert max(jump(before[frame], after[frame]) for frame in frames) < 2e-5 * LENGTH


def test_keys_between_the_frames_of_a_range_go():
    object, _limb = animated_ik()
    frames = range(1, 25)
    before = at_frames(object, frames)
    rig.match_fk(object, "lo", frames=frames)
    rig.match_ik(object, "lo", frames=frames)
    object.pose.bones["up"].rotation_mode = 'XYZ'
    assert rig.match_fk(object, "lo", frames=range(1, 25, 4)) == []
    assert {point.co.x for curve in b.curves(object) if "euler" in curve.data_path
            for point in curve.keyframe_points} == {1, 5, 9, 13, 17, 21}
    after = at_frames(object, frames)
    assert max(jump(before[frame], after[frame]) for frame in (1, 5, 9, 13, 17, 21, 22, 23, 24)) < 2e-5 * LENGTH


def test_a_refused_range_leaves_everything():
    object, limb = animated_ik()
    target = limb.target.object
    rig.match_fk(object, "lo", frames=range(1, 25))
    constraint = target.constraints.new('LIMIT_LOCATION')
    constraint.use_max_x, constraint.max_x = True, 0.3
    bpy.context.scene.frame_set(3)
    stored = snapshot(object, target, limb.pole.object)
    with pytest.raises(Refusal, match="Limit Location"):
        rig.match_ik(object, "lo", frames=range(1, 25))
    assert bpy.context.scene.frame_current == 3
    assert changes(stored, snapshot(object, target, limb.pole.object)) == []


def test_a_range_says_where_the_limits_of_the_joint_were_broken():
    object, _limb = animated_ik()
    rig.match_fk(object, "lo", frames=range(1, 25))
    object.pose.bones["lo"].twobone_bend_max = radians(60)
    said = rig.match_ik(object, "lo", frames=range(1, 25))
    assert any("frame" in sentence for sentence in said)


def test_a_range_needs_frames():
    object, _limb = limb_of()
    with pytest.raises(Refusal):
        rig.match_fk(object, "lo", frames=[])


# Operators

def test_operators_switch_all_selected_limbs_and_are_undone():
    object = chain_of_limbs()
    b.select(object, "a1", "b2", "c2")
    bpy.ops.ed.undo_push(message="before")
    before = b.ends(object)
    assert bpy.ops.pose.twobone_match_fk('EXEC_DEFAULT', True) == {'FINISHED'}
    bones = bpy.data.objects["Chain"].pose.bones
    assert [bones[name].twobone_influence for name in ("a2", "b2", "c2")] == [0, 0, 0]
    assert b.moved(before, b.ends(object)) < 1e-5 * 2
    assert bpy.ops.pose.twobone_match_ik('EXEC_DEFAULT', True, key=True) == {'FINISHED'}
    assert bones["a2"].twobone_influence == 1.0 and key_paths(object)
    bpy.ops.ed.undo()
    object = bpy.data.objects["Chain"]
    assert object.pose.bones["a2"].twobone_influence == 0.0 and not key_paths(object)
    bpy.ops.ed.undo()
    object = bpy.data.objects["Chain"]
    assert object.pose.bones["a2"].twobone_influence == 1.0
    assert b.moved(before, b.ends(object)) < 1e-6


def test_an_operator_does_what_it_can_and_says_the_rest(capfd):
    object = chain_of_limbs()
    object.pose.bones["a2"].driver_add("twobone_influence")
    b.update()
    b.select(object, "a2", "b2")
    assert bpy.ops.pose.twobone_match_fk() == {'FINISHED'}
    assert "Influence" in capfd.readouterr().out
    assert object.pose.bones["b2"].twobone_influence == 0.0
    b.select(object, "a2")
    with pytest.raises(RuntimeError, match="Influence"):
        bpy.ops.pose.twobone_match_fk()


def test_an_operator_matches_a_range():
    object, _limb = animated_ik()
    b.select(object, "lo")
    assert bpy.ops.pose.twobone_match_fk(use_range=True, start=1, end=24, step=1) == {'FINISHED'}
    assert {point.co.x for point in b.curves(object)[0].keyframe_points} == set(range(1, 25))
    with pytest.raises(RuntimeError):
        bpy.ops.pose.twobone_match_fk(use_range=True, start=24, end=1)


def test_nothing_shown_by_pi_is_lost():
    """A pose angle past half a turn keeps its number of turns."""
    object, _limb = limb_of(target=(0.2, -0.3, -1.2))
    bone = object.pose.bones["up"]
    bone.rotation_mode = 'XYZ'
    rig.match_fk(object, "lo")
    bone.rotation_euler.y += 2 * pi
    object.pose.bones["lo"].twobone_influence = 1.0
    b.update()
    before = tuple(bone.rotation_euler)
    rig.match_fk(object, "lo")
    assert np.allclose(before, bone.rotation_euler, atol=1e-5)


def locked(curve):
    curve.lock = True


def muted(curve):
    curve.mute = True


def noisy(curve):
    curve.modifiers.new('NOISE')


@pytest.mark.parametrize("spoil", [locked, muted, noisy])
@pytest.mark.parametrize("action", [rig.match_fk, rig.match_ik])
def test_curves_that_would_not_show_the_keys_are_refused(action, spoil):
    object, limb = limb_of(target=(0.2, 0.1, -1.4))
    object.pose.bones["lo"].rotation_mode = 'XYZ'
    object.pose.bones["lo"].keyframe_insert("rotation_euler")
    limb.target.object.keyframe_insert("location")
    owner = object if action == rig.match_fk else limb.target.object
    spoil(curves_of(owner)[1])
    before = snapshot(object)
    for arguments in ({"key": True}, {"frames": range(1, 4)}):
        with pytest.raises(Refusal, match="curve"):
            action(object, "lo", **arguments)
    assert changes(before, snapshot(object)) == []
    action(object, "lo")


@pytest.mark.parametrize("keyed", [True, False])
def test_matching_ik_over_a_range_leaves_the_frames_around_alone(keyed):
    object, limb = limb_of(target=(0.2, 0.1, -1.4))
    target = limb.target.object
    for frame, place in ((1, (0.2, 0.1, -1.4)), (12, (0.5, -0.3, -1.0)), (24, (-0.3, 0.2, -1.2)), (40, (0.1, 0, -1.5))):
        target.location = place
        if keyed:
            target.keyframe_insert("location", frame=frame)

    def shown():
        poses = []
        for frame in range(1, 41):
            bpy.context.scene.frame_set(frame)
            poses.append(b.joints(object))
        return poses

    before = shown()
    rig.match_fk(object, "lo", frames=range(5, 31))
    rig.match_ik(object, "lo", frames=range(5, 31))
    assert max(map(jump, before, shown())) < 2e-5 * LENGTH
