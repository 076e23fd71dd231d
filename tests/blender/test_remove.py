"""Removing leaves the armature exactly as it was."""

import bpy
import builders as b
import pytest
from snapshots import changes, snapshot

from twobone_addon import rig


@pytest.fixture
def leg():
    """A leg with a foot, a constraint of the user's own, a custom property and a keyed bone."""
    object = b.leg(1, 1, 10, extra=[("foot", (0, 0, -1.9923894), (0, -0.2, -2), "lo", 0)])
    object.pose.bones["lo"].constraints.new('COPY_SCALE').influence = 0.3
    object.pose.bones["lo"]["mood"] = 0.5
    b.keys(object.pose.bones["foot"], "rotation_quaternion", [(1, (1, 0, 0, 0)), (9, (0.9, 0.1, 0.2, 0.3))])
    b.update()
    return object


def test_everything_is_as_before(leg):
    before = snapshot(leg)
    rig.add_limb(leg, "lo", tip="foot")
    assert changes(before, snapshot(leg))
    bone = leg.pose.bones["lo"]
    bone.twobone_softness, bone.twobone_pole_angle = 0.1, 0.2
    bone.twobone_target.location.x += 0.3
    for name, value in (("influence", 0.4), ("softness", 0.2), ("pole_angle", 1.0)):
        setattr(bone, f"twobone_{name}", value)
        bone.keyframe_insert(f"twobone_{name}", frame=1)
    bpy.context.scene.frame_set(4)
    bpy.context.scene.frame_set(1)
    rig.remove_limb(leg, "lo")
    assert changes(before, snapshot(leg)) == []


def test_drivers_of_settings_go(leg):
    before = snapshot(leg)
    rig.add_limb(leg, "lo")
    leg.pose.bones["lo"].driver_add("twobone_influence").driver.expression = "0.5"
    b.update()
    rig.remove_limb(leg, "lo")
    assert changes(before, snapshot(leg)) == []


def test_again_and_again(leg):
    before, matrices = snapshot(leg), b.bone_matrices(leg)
    for _ in range(5):
        rig.add_limb(leg, "lo", tip="foot")
        rig.remove_limb(leg, "lo")
    assert changes(before, snapshot(leg)) == []
    for name, matrix in b.bone_matrices(leg).items():
        assert (matrix == matrices[name]).all()


def test_one_of_two_limbs():
    object = b.armature("Legs", [(name + side, head, tail, parent + side if parent else "", 0)
                                 for side, x in ((".L", 0.5), (".R", -0.5)) for name, head, tail, parent in (
                                     ("up", (x, 0, 0), (x, -0.1, -1), ""), ("lo", (x, -0.1, -1), (x, 0, -2), "up"))])
    b.update()
    rig.add_limb(object, "lo.L")
    before = snapshot(object)
    rig.add_limb(object, "lo.R")
    assert [limb.lower for limb in rig.limbs(object)] == ["lo.L", "lo.R"]
    rig.remove_limb(object, "lo.R")
    assert changes(before, snapshot(object)) == []
    object.pose.bones["lo.L"].twobone_target.location.z += 0.5
    b.update()
    assert b.tip_error(object, object.pose.bones["lo.L"].twobone_target, "lo.L") < 4e-6


def test_controls_of_the_user_stay():
    object, target, pole = b.rigged_leg(1, 1, 10)
    before = snapshot(target, pole)
    rig.remove_limb(object, "lo")
    assert changes(before, snapshot(target, pole)) == []


def test_created_controls_in_use_stay(leg):
    rig.add_limb(leg, "lo")
    target, pole = leg.pose.bones["lo"].twobone_target, leg.pose.bones["lo"].twobone_pole
    b.empty("User").constraints.new('COPY_LOCATION').target = target
    b.empty("Child", parent=pole)
    b.update()
    rig.remove_limb(leg, "lo")
    assert {"lo target", "lo pole"} <= set(bpy.data.objects.keys())


def test_created_target_of_another_limb_stays(leg):
    rig.add_limb(leg, "lo")
    other = b.leg(1, 1, 30, name="Other")
    b.update()
    rig.add_limb(other, "lo", leg.pose.bones["lo"].twobone_target)
    rig.remove_limb(leg, "lo")
    target = other.pose.bones["lo"].twobone_target
    assert target.name == "lo target"
    target.location = (0.1, 0.2, -1.4)
    b.update()
    assert b.tip_error(other, target) < 4e-6


def test_a_broken_limb_can_be_removed(leg):
    """Whatever went wrong with a limb, removing it still cleans up."""
    before = snapshot(leg)
    rig.add_limb(leg, "lo")
    bone = leg.pose.bones["lo"]
    bone.constraints.remove(bone.constraints["Two-Bone IK"])
    bone.twobone_bind = "nonsense"
    bpy.data.objects.remove(bone.twobone_pole)
    b.update()
    assert rig.problems(leg, "lo")
    rig.remove_limb(leg, "lo")
    assert changes(before, snapshot(leg)) == []
