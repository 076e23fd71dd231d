"""Bones renamed, added, lengthened, joined, deleted: a limb stays with its bones, whatever they are called."""

import bpy
import builders as b
import numpy as np
import pytest

from twobone_addon import rig


def test_bones_renamed():
    object, target, _pole = b.rigged_leg()
    object.data.bones["up"].name = "thigh"
    object.data.bones["lo"].name = "shin"
    b.update()
    target.location = (0.4, 0, -1.1)
    b.update()
    assert b.on_target(object, "shin")
    (limb,) = rig.limbs(object)
    assert (limb.upper, limb.lower) == ("thigh", "shin")
    bpy.context.scene.frame_set(7)
    assert b.on_target(object, "shin")


def test_bone_deleted(capfd):
    object, _target, _pole = b.rigged_leg()
    with b.edited(object) as bones:
        bones.remove(bones["up"])
    b.update()
    assert "upper bone" in rig.problems(object, "lo")[0]
    with b.edited(object) as bones:
        bones.remove(bones["lo"])
    b.update()
    bpy.context.scene.frame_set(3)
    assert rig.limbs(object) == []
    bpy.data.objects.remove(object)
    b.update()
    bpy.context.scene.frame_set(4)
    assert "Traceback" not in capfd.readouterr().err


def two_arms():
    """Arms of different lengths on both sides, each with IK to an empty of its own."""
    rows = []
    for side, x, size in ((".L", 1, 1.0), (".R", -1, 0.7)):
        rows += [(f"arm{side}", (x, 0, 0), (x, 0.1, -size), "", 0),
                 (f"forearm{side}", (x, 0.1, -size), (x, 0, -2 * size), f"arm{side}", 0)]
    object = b.armature("Arms", rows)
    b.update()
    for side in (".L", ".R"):
        rig.add_limb(object, f"forearm{side}")
    return object


@pytest.mark.parametrize("then", ["drag", "frame"])
def test_names_of_two_limbs_swapped(then):
    """Each limb stays with its own bones and target, whatever they are called and whichever handler comes first."""
    object = two_arms()
    target = object.pose.bones["forearm.L"].twobone_target
    bones = object.data.bones
    for part in ("arm", "forearm"):
        bones[f"{part}.L"].name = "spare"
        bones[f"{part}.R"].name = f"{part}.L"
        bones["spare"].name = f"{part}.R"
    if then == "drag":
        b.update()
    target.location = (1.2, 0.3, -1.1)
    if then == "drag":
        b.update()
    else:
        bpy.context.scene.frame_set(5)
    assert object.pose.bones["forearm.R"].twobone_target == target
    assert b.on_target(object, "forearm.R")
    assert b.on_target(object, "forearm.L")
    bpy.context.scene.frame_set(9)
    assert b.on_target(object, "forearm.R")
    assert b.on_target(object, "forearm.L")


def test_name_taken_over_by_another_bone():
    object = b.leg(1, 1, 10, extra=[("side", (1, 0, 0), (1, 0, 1), "", 0)])
    b.update()
    rig.add_limb(object, "lo")
    target, side = object.pose.bones["lo"].twobone_target, b.bone_matrices(object)["side"]
    object.data.bones["lo"].name = "shin"
    object.data.bones["side"].name = "lo"
    target.location = (0.3, 0.2, -1.2)
    b.update()
    assert b.on_target(object, "shin")
    assert (b.bone_matrices(object)["lo"] == side).all()
    assert not object.pose.bones["lo"].constraints


def test_bones_added_before_the_limb():
    object = two_arms()
    with b.edited(object) as bones:
        for name in ("forearm.L", "arm.R"):
            bone = bones.new(f"{name} first")
            bone.head, bone.tail = (0, 0, 1), (0, 0, 2)
            bone.parent = bones[name].parent
        chest = bones.new("chest")
        chest.head, chest.tail = (0, 0, 0), (0, 0, 1)
        for side in (".L", ".R"):
            bones[f"arm{side}"].parent = chest
    for x in (0.9, 1.1):
        object.pose.bones["forearm.L"].twobone_target.location = (x, 0.2, -1.4)
        object.pose.bones["forearm.R"].twobone_target.location = (-x, 0.2, -1)
        object.pose.bones["chest"].rotation_quaternion = (0.99, x / 20, 0, 0.1)
        b.update()
        assert b.on_target(object, "forearm.L")
        assert b.on_target(object, "forearm.R")


def test_lengths_edited():
    """Longer bones reach farther at once, without binding anew."""
    object, target, _pole = b.rigged_leg(1, 1, 10)
    target.location = (0, -0.5, -2.4)
    with b.edited(object) as bones:
        bones["lo"].tail = (0, 0, -3)
    b.update()
    assert b.on_target(object)
    assert rig.readings(object, "lo").reach_max > 2.9


@pytest.mark.parametrize("own", [True, False])
def test_target_bone_renamed_is_followed(own):
    object = b.leg(1, 1, 10, extra=[("hand", (0, 0, -1.6), (0, 0, -1.8), "", 0)])
    holder = object if own else b.armature("Controls", [("hand", (0, 0, -1.6), (0, 0, -1.8), "", 0)])
    b.update()
    rig.add_limb(object, "lo", holder, target_bone="hand")
    holder.data.bones["hand"].name = "hand.ik"
    b.update()
    bpy.context.scene.frame_set(3)
    assert object.pose.bones["lo"].twobone_target_bone == "hand.ik"
    assert rig.problems(object, "lo") == []
    holder.pose.bones["hand.ik"].location = (0.1, 0.2, 0.1)
    b.update()
    assert np.linalg.norm(b.ends(object)["lo"][1] - b.ends(holder)["hand.ik"][0]) < 4e-6


@pytest.mark.parametrize("own", [True, False])
def test_target_bone_renamed_in_edit_mode_is_followed(own):
    object = b.leg(1, 1, 10, extra=[("hand", (0, 0, -1.6), (0, 0, -1.8), "", 0)])
    holder = object if own else b.armature("Controls", [("hand", (0, 0, -1.6), (0, 0, -1.8), "", 0)])
    b.update()
    rig.add_limb(object, "lo", holder, target_bone="hand")
    with b.edited(holder) as bones:
        bones["hand"].name = "hand.ik"
    b.update()
    holder.pose.bones["hand.ik"].location = (0.1, 0.2, 0.1)
    b.update()
    assert object.pose.bones["lo"].twobone_target_bone == "hand.ik"
    assert np.linalg.norm(b.ends(object)["lo"][1] - b.ends(holder)["hand.ik"][0]) < 4e-6


def test_names_of_target_bones_swapped():
    """The limb stays with the bone it follows, as Blender's own constraints do."""
    object = b.leg(1, 1, 10, extra=[(name, (x, 0, -1.3), (x, 0, -1), "", 0) for name, x in (("near", 0.3), ("far", -0.5))])
    b.update()
    rig.add_limb(object, "lo", object, target_bone="near")
    for old, new in (("near", "spare"), ("far", "near"), ("spare", "far")):
        object.data.bones[old].name = new
    b.update()
    bpy.context.scene.frame_set(3)
    assert object.pose.bones["lo"].twobone_target_bone == "far"
    assert np.allclose(b.ends(object)["lo"][1], (0.3, 0, -1.3), atol=4e-6)


def test_target_bone_replaced_by_another_is_reported():
    """One bone deleted and another made in the same edit is no renaming."""
    object = b.leg(1, 1, 10, extra=[("hand", (0.3, 0, -1.3), (0.3, 0, -1), "", 0)])
    b.update()
    rig.add_limb(object, "lo", object, target_bone="hand")
    with b.edited(object) as bones:
        bones.remove(bones["hand"])
        hat = bones.new("hat")
        hat.head, hat.tail = (0, 0, 1), (0, 0, 2)
    b.update()
    bpy.context.scene.frame_set(3)
    (problem,) = rig.problems(object, "lo")
    assert '"hand"' in problem
    assert object.pose.bones["lo"].twobone_target_bone == "hand"


def test_target_bone_that_is_gone_is_reported():
    object = b.leg(1, 1, 10, extra=[("hand", (0, 0, -1.6), (0, 0, -1.8), "", 0)])
    b.update()
    rig.add_limb(object, "lo", object, target_bone="hand")
    fk = np.array(object.data.bones["lo"].matrix_local)
    with b.edited(object) as bones:
        bones.remove(bones["hand"])
    b.update()
    bpy.context.scene.frame_set(3)
    (problem,) = rig.problems(object, "lo")
    assert '"hand"' in problem
    assert np.abs(b.bone_matrices(object)["lo"] - fk).max() < 1e-6


def test_lower_bone_deleted_leaves_the_other_limb():
    object = two_arms()
    with b.edited(object) as bones:
        bones.remove(bones["forearm.L"])
    b.update()
    assert [limb.lower for limb in rig.limbs(object)] == ["forearm.R"]
    object.pose.bones["forearm.R"].twobone_target.location.x = -0.8
    b.update()
    assert b.on_target(object, "forearm.R")


def test_joined_armatures_keep_their_limbs():
    first, second = b.rigged_leg(name="First")[0], b.leg(name="Second")
    second.location = (1, 0, 0)
    for name in ("up", "lo"):
        second.data.bones[name].name = f"{name}.2"
    target = b.empty("T2", (1, 0, -1.6))
    b.update()
    rig.add_limb(second, "lo.2", target)
    bpy.ops.object.select_all(action='DESELECT')
    for object in (first, second):
        object.select_set(True)
    bpy.context.view_layer.objects.active = first
    bpy.ops.object.join()
    b.update()
    target.location = (1.2, 0.1, -1.4)
    b.update()
    assert len(rig.limbs(first)) == 2
    assert b.on_target(first, "lo")
    assert b.on_target(first, "lo.2")
