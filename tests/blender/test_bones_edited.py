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


def outputs(object):
    """Names of the bones that have a delivery constraint."""
    return [bone.name for bone in object.pose.bones if "Two-Bone IK" in bone.constraints]


def says_rebind(object, lower="lo"):
    return [problem for problem in rig.problems(object, lower) if "rest pose" in problem and "Rebind" in problem]


def test_lower_bone_deleted_leaves_nothing_on_the_upper():
    object, _target, _pole = b.rigged_leg()
    with b.edited(object) as bones:
        bones.remove(bones["lo"])
    b.update()
    assert outputs(object) == []
    fk = np.array(object.data.bones["up"].matrix_local)
    assert np.abs(b.bone_matrices(object)["up"] - fk).max() < 1e-6


def test_one_of_two_lower_bones_deleted():
    object = two_arms()
    with b.edited(object) as bones:
        bones.remove(bones["forearm.L"])
    b.update()
    assert outputs(object) == ["arm.R", "forearm.R"]
    object.pose.bones["forearm.R"].twobone_target.location.x = -0.8
    b.update()
    assert b.on_target(object, "forearm.R")
    assert rig.problems(object, "forearm.R") == []


def test_limit_rotation_of_the_users_own_stays():
    object, _target, _pole = b.rigged_leg(extra=[("side", (1, 0, 0), (1, 0, 1), "", 0)])
    own = object.pose.bones["side"].constraints.new('LIMIT_ROTATION')
    own.name = "Two-Bone IK"
    with b.edited(object) as bones:
        bones.remove(bones["lo"])
    b.update()
    assert outputs(object) == ["side"]


def insert_between(object, upper="up", lower="lo"):
    with b.edited(object) as bones:
        bone = bones.new("twist")
        bone.head, bone.tail = bones[upper].head.lerp(bones[upper].tail, 0.5), bones[upper].tail
        bone.parent = bones[upper]
        bones[lower].use_connect = False
        bones[lower].parent = bone
    b.update()


def test_bone_inserted_between_upper_and_lower():
    """The limb stays with its upper bone; the bone between stays rigid."""
    object, target, _pole = b.rigged_leg()
    insert_between(object)
    (limb,) = rig.limbs(object)
    assert (limb.upper, limb.lower) == ("up", "lo")
    assert rig.problems(object, "lo") == []
    assert outputs(object) == ["up", "lo"]
    for place in ((0.3, 0.2, -1.2), (0, 0, -1.9)):
        target.location = place
        b.update()
        assert b.on_target(object)
        assert b.segments(object) == pytest.approx([1, 1], abs=1e-6)


def test_bone_between_upper_and_lower_dissolved():
    object, target, _pole = b.rigged_leg()
    insert_between(object)
    with b.edited(object) as bones:
        bones["lo"].parent = bones["up"]
        bones.remove(bones["twist"])
    b.update()
    assert [limb.upper for limb in rig.limbs(object)] == ["up"]
    target.location = (0.3, 0.2, -1.2)
    b.update()
    assert b.on_target(object)
    assert rig.problems(object, "lo") == []


@pytest.mark.parametrize("change", ["roll of the upper", "roll of the lower", "joint", "parent inserted"])
def test_rebind_is_offered_when_the_rest_pose_was_edited(change):
    object, target, _pole = b.rigged_leg(extra=[("hip", (0, 0, 0.5), (0, 0.1, 0.2), "", 0)])
    with b.edited(object) as bones:
        if change == "roll of the upper":
            bones["up"].roll += 0.7
        elif change == "roll of the lower":
            bones["lo"].roll -= 0.4
        elif change == "joint":
            bones["up"].tail = (0, -0.3, -1.1)
        else:
            bones["up"].parent = bones["hip"]
    b.update()
    assert says_rebind(object)
    target.location = (0.2, 0.1, -1.4)
    b.update()
    assert b.on_target(object)
    shown = [constraint.mute for name in ("up", "lo") for constraint in object.pose.bones[name].constraints]
    rig.rebind(object, "lo")
    assert shown == [False, False]
    assert rig.problems(object, "lo") == []
    assert b.on_target(object)


def test_rebinding_after_a_new_roll_keeps_the_rest_pose():
    """The bones do not turn about themselves any more where they are skinned to."""
    object = b.leg(extra=[("hip", (0, 0, 0.5), (0, 0, 0), "", 0)])
    b.update()
    rig.add_limb(object, "lo")
    with b.edited(object) as bones:
        bones["up"].roll += 0.7
        bones["lo"].roll -= 0.4
    b.update()
    rest = {bone.name: np.array(bone.matrix_local) for bone in object.data.bones}
    assert b.turned(rest, b.bone_matrices(object)) > 20
    rig.rebind(object, "lo")
    assert b.turned(rest, b.bone_matrices(object)) < 0.01


@pytest.mark.parametrize("harmless", ["nothing", "renamed", "child added", "whole armature moved and scaled", "between"])
def test_rebind_is_not_offered_for_nothing(harmless):
    object = b.leg(extra=[("hip", (0, 0, 0.5), (0, 0, 0), "", 0)])
    with b.edited(object) as bones:
        bones["up"].parent = bones["hip"]
    b.update()
    rig.add_limb(object, "lo")
    with b.edited(object) as bones:
        if harmless == "renamed":
            bones["up"].name = "thigh"
        elif harmless == "child added":
            foot = bones.new("foot")
            foot.head, foot.tail, foot.parent = bones["lo"].tail, (0, -0.4, -2), bones["lo"]
        elif harmless == "whole armature moved and scaled":
            for bone in bones:
                bone.use_connect = False
            for bone in bones:
                axis = bone.z_axis.copy()
                bone.head, bone.tail = [2.5 * b.vector((end.z + 1, end.x, end.y)) for end in (bone.head, bone.tail)]
                bone.align_roll(b.vector((axis.z, axis.x, axis.y)))
    if harmless == "between":
        insert_between(object)
    b.update()
    assert says_rebind(object) == []


def test_symmetrized():
    """The other side has a limb as well, which needs no more than binding and a target of its own."""
    rows = [("chest", (0, 0, 1), (0, 0, 2), "", 0), ("arm.L", (1, 0, 0), (1, 0.1, -1), "chest", 0),
            ("forearm.L", (1, 0.1, -1), (1.2, 0, -2), "arm.L", 30)]
    object = b.armature("Arms", rows)
    b.update()
    rig.add_limb(object, "forearm.L")
    target = object.pose.bones["forearm.L"].twobone_target
    with b.edited(object) as bones:
        for bone in bones:
            bone.select = bone.select_head = bone.select_tail = bone.name.endswith(".L")
        bpy.ops.armature.symmetrize()
    b.update()
    assert {limb.lower for limb in rig.limbs(object)} == {"forearm.L", "forearm.R"}
    assert b.on_target(object, "forearm.L")
    assert says_rebind(object, "forearm.R")
    object.pose.bones["forearm.R"].twobone_target = b.empty("R", (-1.2, 0, -2))
    rig.rebind(object, "forearm.R")
    rest = {bone.name: np.array(bone.matrix_local) for bone in object.data.bones}
    shown = b.bone_matrices(object)
    assert b.turned({name: rest[name] for name in ("arm.R", "forearm.R")}, shown) < 0.01
    for x in (-1.0, -0.7):
        object.pose.bones["forearm.R"].twobone_target.location.x = x
        target.location.x = -x
        b.update()
        assert b.on_target(object, "forearm.L")
        assert b.on_target(object, "forearm.R")


def test_duplicated_in_edit_mode():
    object, target, _pole = b.rigged_leg()
    with b.edited(object) as bones:
        for bone in bones:
            bone.select = bone.select_head = bone.select_tail = True
        bpy.ops.armature.duplicate()
    b.update()
    target.location = (0.3, 0.2, -1.2)
    b.update()
    for lower in ("lo", "lo.001"):
        assert rig.problems(object, lower) == []
        assert b.on_target(object, lower, target)


def test_bone_renamed_right_before_a_frame():
    """No update is called between the two: the frame itself shows that a bone has another name."""
    object = b.leg(1, 1, 10, extra=[("hand", (0, 0, -1.6), (0, 0, -1.8), "", 0)])
    b.update()
    rig.add_limb(object, "lo", object, target_bone="hand")
    for frame in range(1, 4):
        bpy.context.scene.frame_set(frame)
    object.data.bones["hand"].name = "hand.ik"
    object.data.bones["lo"].name = "shin"
    bpy.context.scene.frame_set(4)
    assert object.pose.bones["shin"].twobone_target_bone == "hand.ik"
    object.pose.bones["hand.ik"].location = (0.1, 0.2, 0.1)
    bpy.context.scene.frame_set(5)
    assert rig.problems(object, "shin") == []
    assert np.linalg.norm(b.ends(object)["shin"][1] - b.ends(object)["hand.ik"][0]) < 4e-6
