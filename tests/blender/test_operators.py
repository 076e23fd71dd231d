"""The operators take the selection, explain what they will not do, and leave nothing half done."""

import bpy
import builders as b
import numpy as np
import pytest
from snapshots import changes, snapshot

from twobone_addon import rig


def message(operator):
    """What Blender says when the operator's poll refuses."""
    with pytest.raises(RuntimeError) as caught:
        operator()
    return str(caught.value)


@pytest.mark.parametrize("chosen", [("lo",), ("up", "lo")])
def test_one_bone_or_two(chosen):
    object = b.leg()
    b.select(object, *chosen)
    assert bpy.ops.pose.twobone_add() == {'FINISHED'}
    (limb,) = rig.limbs(object)
    assert (limb.upper, limb.lower) == ("up", "lo")
    assert limb.target.object.name == "lo target"
    assert limb.pole.object.name == "lo pole"


def arms():
    rows = []
    for side, x in (("L", 1), ("R", -1)):
        rows += [(f"shoulder.{side}", (0, 0, 2), (x * 0.2, 0, 2), "", 0),
                 (f"arm.{side}", (x * 0.2, 0, 2), (x * 0.6, 0.05, 2), f"shoulder.{side}", 0),
                 (f"forearm.{side}", (x * 0.6, 0.05, 2), (x, 0, 2), f"arm.{side}", 0)]
    rows += [("hand_ik", (1.0, 0.1, 2), (1.2, 0.1, 2), "", 0), ("elbow_ik", (0.6, 1, 2), (0.6, 1.2, 2), "", 0)]
    return b.armature("Arms", rows)


def test_several_forearms():
    object = arms()
    b.select(object, "forearm.L", "forearm.R")
    assert bpy.ops.pose.twobone_add() == {'FINISHED'}
    assert [limb.lower for limb in rig.limbs(object)] == ["forearm.L", "forearm.R"]


def test_selected_bones_serve_as_controls():
    object = arms()
    b.select(object, "elbow_ik", "hand_ik", "forearm.L")
    assert bpy.ops.pose.twobone_add() == {'FINISHED'}
    (limb,) = rig.limbs(object)
    assert (limb.target.bone, limb.pole.bone) == ("hand_ik", "elbow_ik")


@pytest.mark.parametrize("names", [("near",), ("near", "far"), ("far", "near")])
def test_selected_empties_serve_as_controls(names):
    places = {"near": (0, 0, -2), "far": (0, -2, -1)}
    object = b.leg()
    controls = {name: b.empty(name, places[name]) for name in names}
    b.update()
    b.select(object, "lo")
    object.select_set(True)
    for control in controls.values():
        control.select_set(True)
    assert bpy.ops.pose.twobone_add() == {'FINISHED'}
    (limb,) = rig.limbs(object)
    assert limb.target.object == controls["near"]
    assert limb.pole.object == (controls["far"] if len(names) == 2 else bpy.data.objects["lo pole"])


def test_remove_and_rebind():
    object = arms()
    b.select(object, "forearm.L", "forearm.R")
    bpy.ops.pose.twobone_add()
    assert bpy.ops.pose.twobone_rebind() == {'FINISHED'}
    b.select(object, "arm.L")
    assert bpy.ops.pose.twobone_remove() == {'FINISHED'}
    assert [limb.lower for limb in rig.limbs(object)] == ["forearm.R"]


def test_tip_and_upper_bone_by_name():
    object = b.armature("Leg", [("up", (0, 0, 0), (0, -0.05, -0.5), "", 0), ("twist", (0, -0.05, -0.5), (0, -0.1, -1), "up", 0),
                                ("lo", (0, -0.1, -1), (0, 0, -2), "twist", 0), ("foot", (0, 0, -2), (0, -0.3, -2), "lo", 0)])
    b.select(object, "lo")
    assert bpy.ops.pose.twobone_add(upper="up", tip="foot") == {'FINISHED'}
    (limb,) = rig.limbs(object)
    assert (limb.upper, limb.lower) == ("up", "lo")
    limb.target.object.location = (0.2, 0.1, -1.5)
    b.update()
    assert b.on_target(object)
    b.select(object, "foot")
    assert bpy.ops.pose.twobone_remove.poll() is False


@pytest.mark.parametrize("chosen", [("arm.L",), ("forearm.L",), ("arm.L", "forearm.L"), ("forearm.L", "forearm.R")])
def test_remove_by_any_bone_of_the_limb(chosen):
    object = arms()
    b.select(object, "forearm.L", "forearm.R")
    bpy.ops.pose.twobone_add()
    b.select(object, *chosen)
    assert bpy.ops.pose.twobone_remove() == {'FINISHED'}
    left = {"forearm.L", "forearm.R"} - {name.replace("arm", "forearm").replace("foreforearm", "forearm") for name in chosen}
    assert {limb.lower for limb in rig.limbs(object)} == left
    assert len(bpy.data.objects) == 1 + 2 * len(left)


def test_rebind_takes_the_new_rest_pose():
    object = b.leg()
    b.select(object, "lo")
    bpy.ops.pose.twobone_add()
    bpy.ops.object.mode_set(mode='OBJECT')
    with b.edited(object) as bones:
        bones["up"].tail = bones["lo"].head = (0.3, 0.1, -1.1)
    b.select(object, "lo")
    target = object.pose.bones["lo"].twobone_target
    target.location = object.data.bones["lo"].tail_local
    b.update()
    assert bpy.ops.pose.twobone_rebind() == {'FINISHED'}
    rest = {bone.name: bone.head_local for bone in object.data.bones}
    for name, (head, _tail) in b.ends(object).items():
        assert np.allclose(head, rest[name], atol=2e-5)


def test_adding_by_hand_moves_nothing():
    object = arms()
    object.location, object.rotation_euler = (0.2, 0.1, -0.4), (0.1, 0.2, 0.3)
    for name in ("arm.L", "forearm.L", "arm.R"):
        object.pose.bones[name].rotation_quaternion = (0.9, 0.2, -0.1, 0.3)
    b.select(object, "forearm.L", "forearm.R")
    b.update()
    before, axes = b.ends(object), b.bone_matrices(object)
    assert bpy.ops.pose.twobone_add() == {'FINISHED'}
    assert b.moved(before, b.ends(object)) < 1e-5
    assert b.turned(axes, b.bone_matrices(object)) < 0.01


@pytest.mark.parametrize("hang", ["hand", "armature"])
def test_selected_control_that_cannot_be_followed(hang, capfd):
    """Refused in words, with nothing done: no undo step, no half limb, no empties."""
    object = b.leg()
    if hang == "hand":
        held = b.empty("Held", parent=object, bone="lo")
    else:
        held = b.empty("Held")
        held.constraints.new('COPY_TRANSFORMS').target = b.empty("Between", parent=object, bone="up")
    b.select(object, "lo")
    object.select_set(True)
    held.select_set(True)
    before = snapshot(object, held)
    assert bpy.ops.pose.twobone_add() == {'CANCELLED'}
    assert changes(before, snapshot(object, held)) == []
    assert '"Held"' in capfd.readouterr().out


def test_hidden_selected_bones_are_left_alone():
    object = arms()
    b.select(object, "forearm.L", "forearm.R")
    hidden = object.pose.bones["forearm.R"]
    (hidden if hasattr(hidden, "hide") else hidden.bone).hide = True
    assert bpy.ops.pose.twobone_add() == {'FINISHED'}
    assert [limb.lower for limb in rig.limbs(object)] == ["forearm.L"]


def test_created_controls_stand_where_the_armature_does():
    object = b.leg()
    collection = bpy.data.collections.new("Character")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(object)
    bpy.context.scene.collection.objects.unlink(object)
    b.select(object, "lo")
    bpy.ops.pose.twobone_add()
    for control in (bpy.data.objects["lo target"], bpy.data.objects["lo pole"]):
        assert tuple(control.users_collection) == (collection,)
        assert control.parent == object
        assert control.type == 'EMPTY'
    object.location = (1, 2, 3)
    b.update()
    assert b.on_target(object)
    assert b.moved({"lo": b.ends(object)["lo"]}, {"lo": [np.array(end) for end in (
        object.data.bones["lo"].head_local, object.data.bones["lo"].tail_local)]}) < 4e-6


def test_poll_messages():
    assert "Pose Mode" in message(bpy.ops.pose.twobone_add)
    object = arms()
    b.select(object)
    assert "Select the lower bone" in message(bpy.ops.pose.twobone_add)
    b.select(object, "hand_ik")
    assert '"hand_ik" has no parent bone' in message(bpy.ops.pose.twobone_add)
    assert '"hand_ik" has no Two-Bone IK' in message(bpy.ops.pose.twobone_remove)
    b.select(object, "forearm.L")
    bpy.ops.pose.twobone_add()
    assert "already has Two-Bone IK" in message(bpy.ops.pose.twobone_add)
    assert '"forearm.L"' in message(bpy.ops.pose.twobone_add)


def test_a_refusal_among_several_leaves_the_others():
    object = arms()
    b.select(object, "forearm.L")
    bpy.ops.pose.twobone_add()
    b.select(object, "forearm.L", "forearm.R")
    assert bpy.ops.pose.twobone_add() == {'FINISHED'}
    assert len(rig.limbs(object)) == 2


@pytest.mark.parametrize("name", ["twobone_add", "twobone_remove", "twobone_rebind"])
def test_described_and_undoable(name):
    kind = getattr(bpy.ops.pose, name).get_rna_type()
    assert len(kind.description) > 30
    assert not kind.description.endswith(".")
    assert "UNDO" in getattr(bpy.ops.pose, name).bl_options
