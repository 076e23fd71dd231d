"""Duplicating, deleting, exchanging: the limb goes with its data, or says what is missing."""

import bpy
import builders as b
import numpy as np
import pytest

from twobone_addon import rig
from twobone_addon.rig import live


@pytest.mark.parametrize("with_controls", [True, False])
def test_duplicated(with_controls):
    object, target, pole = b.rigged_leg()
    bpy.ops.object.select_all(action='DESELECT')
    for item in (object, target, pole) if with_controls else (object,):
        item.select_set(True)
    bpy.context.view_layer.objects.active = object
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    assert copy != object
    followed = copy.pose.bones["lo"].twobone_target
    assert (followed != target) == with_controls
    followed.location = (0.5, 0.1, -1.2)
    b.update()
    assert b.on_target(copy)
    assert b.on_target(object)


def test_target_deleted_and_pole_deleted():
    object, target, pole = b.rigged_leg()
    fk = np.array(object.data.bones["lo"].matrix_local)
    bpy.data.objects.remove(pole)
    b.update()
    assert b.on_target(object)
    bpy.ops.object.select_all(action='DESELECT')
    target.select_set(True)
    bpy.ops.object.delete()
    b.update()
    assert any("target" in problem for problem in rig.problems(object, "lo"))
    assert np.abs(b.bone_matrices(object)["lo"] - fk).max() < 1e-6
    for _ in range(20):
        b.update()
        bpy.context.scene.frame_set(bpy.context.scene.frame_current + 1)
    with pytest.raises(rig.Refusal, match="target"):
        rig.readings(object, "lo")
    object.pose.bones["lo"].twobone_target = b.empty("New", (0, 0, -1.3))
    b.update()
    assert b.on_target(object)
    assert rig.problems(object, "lo") == []


def test_constraint_deleted_and_rebound():
    object, _target, _pole = b.rigged_leg()
    bone = object.pose.bones["lo"]
    bone.constraints.remove(bone.constraints["Two-Bone IK"])
    b.update()
    assert "Rebind" in rig.problems(object, "lo")[0]
    rig.rebind(object, "lo")
    assert rig.problems(object, "lo") == []
    assert b.on_target(object)


def test_muted_by_the_user_stays_muted():
    object, target, _pole = b.rigged_leg()
    object.pose.bones["up"].constraints["Two-Bone IK"].mute = True
    target.location = (0.5, 0, -1)
    b.update()
    bpy.data.objects.remove(target)
    b.update()
    object.pose.bones["lo"].twobone_target = b.empty("New", (0, 0, -1.3))
    b.update()
    assert object.pose.bones["up"].constraints["Two-Bone IK"].mute
    assert not object.pose.bones["lo"].constraints["Two-Bone IK"].mute


def test_newer_data_is_left_alone():
    object, target, _pole = b.rigged_leg()
    bone = object.pose.bones["lo"]
    bone.twobone_version = 99
    b.update()
    pose = b.bone_matrices(object)
    live.counts.clear()
    target.location = (0.6, 0, -1)
    b.update()
    assert live.counts.writes == 0
    assert all((matrix == pose[name]).all() for name, matrix in b.bone_matrices(object).items())
    assert "newer" in rig.problems(object, "lo")[0]
    for action in (rig.remove_limb, rig.rebind):
        with pytest.raises(rig.Refusal, match="newer"):
            action(object, "lo")


def test_target_renamed_and_moved_to_another_collection():
    object, target, _pole = b.rigged_leg()
    target.name = "Something else"
    collection = bpy.data.collections.new("Controls")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(target)
    bpy.context.scene.collection.objects.unlink(target)
    b.update()
    target.location = (0.3, 0.1, -1.4)
    b.update()
    assert b.on_target(object)


def test_pole_deleted_keeps_the_bend():
    object, target, pole = b.rigged_leg(1, 1, 10, target=(0, 0, -1.5))
    bpy.ops.object.select_all(action='DESELECT')
    pole.select_set(True)
    bpy.ops.object.delete()
    b.update()
    assert any("pole" in problem for problem in rig.problems(object, "lo"))
    assert np.allclose(b.ends(object)["lo"][0], (0, -0.6614378, -0.75), atol=4e-6)
    target.location = (0, 0, -1)
    b.update()
    assert b.on_target(object)
    assert np.allclose(b.ends(object)["lo"][0], (0, -0.8660254, -0.5), atol=4e-6)


def test_one_broken_limb_among_five(capfd):
    """The four others are solved, the fifth says why it is not, and nothing is printed."""
    legs = [b.rigged_leg(name=f"Leg{index}") for index in range(5)]
    with b.edited(legs[2][0]) as bones:
        bones.remove(bones["up"])
    for step in range(100):
        for _object, target, _pole in legs:
            target.location = (0.005 * step, 0.1, -1.3)
        bpy.context.scene.frame_set(step)
        assert all(b.on_target(object) for object, _target, _pole in legs[:2] + legs[3:])
    assert len(rig.problems(legs[2][0], "lo")) == 1
    assert capfd.readouterr().err == ""


def test_pose_copied_from_one_object_to_another():
    """Two objects that share one armature each have their own limb."""
    object, target, _pole = b.rigged_leg()
    other = b.link(bpy.data.objects.new("Other", object.data))
    other.location = (1, 0, 0)
    b.update()
    assert rig.limbs(other) == []
    second = b.empty("T2", (1.2, 0, -1.4))
    b.update()
    rig.add_limb(other, "lo", second)
    target.location = (0.3, 0.2, -1.2)
    b.update()
    assert b.on_target(object)
    assert b.on_target(other)
