"""From a limb to its target or pole and back, through whatever modes lie between."""

import bpy
import builders as b
import pytest
from test_operators import message

from twobone_addon import rig


def selected():
    return {object.name for object in bpy.context.selected_objects}


def selected_bones():
    return {bone.name for bone in bpy.context.selected_pose_bones or ()}


@pytest.fixture(params=[True, False], ids=["locked modes", "free modes"])
def lock(request):
    bpy.context.scene.tool_settings.lock_object_mode = request.param
    return request.param


@pytest.mark.parametrize(("role", "name"), [("target", "T"), ("pole", "P")])
def test_to_an_object_and_back(lock, role, name):
    object, _target, _pole = b.rigged_leg()
    b.select(object, "up")
    assert getattr(bpy.ops.pose, f"twobone_select_{role}")() == {'FINISHED'}
    assert bpy.context.active_object.name == name
    assert bpy.context.mode == 'OBJECT'
    assert selected() == {name}
    assert object.mode == ('OBJECT' if lock else 'POSE')
    assert bpy.ops.pose.twobone_select_limb() == {'FINISHED'}
    assert bpy.context.active_object == object
    assert bpy.context.mode == 'POSE'
    assert selected_bones() == {"lo"}
    assert bpy.context.active_pose_bone.name == "lo"
    assert selected() == {object.name}


def controlled_leg():
    object = b.leg(extra=[("hand_ik", (0, 0, -2), (0, -0.2, -2), "", 0), ("knee_ik", (0, -2, -1), (0, -2.2, -1), "", 0)])
    rig.add_limb(object, "lo", object, object, target_bone="hand_ik", pole_bone="knee_ik")
    return object


@pytest.mark.parametrize(("role", "name"), [("target", "hand_ik"), ("pole", "knee_ik")])
def test_to_a_bone_of_the_same_armature_and_back(lock, role, name):
    object = controlled_leg()
    b.select(object, "lo")
    assert getattr(bpy.ops.pose, f"twobone_select_{role}")() == {'FINISHED'}
    assert bpy.context.mode == 'POSE'
    assert selected_bones() == {name}
    assert bpy.context.active_pose_bone.name == name
    assert bpy.ops.pose.twobone_select_limb() == {'FINISHED'}
    assert selected_bones() == {"lo"}


def test_to_a_bone_of_another_armature_and_back(lock):
    object = b.leg()
    other = b.armature("Ball", [("ball", (0, 0, -1.9), (0, 0.2, -1.9), "", 0), ("rest", (1, 0, 0), (1, 0, 1), "", 0)])
    b.update()
    rig.add_limb(object, "lo", other, target_bone="ball")
    b.select(object, "lo")
    assert bpy.ops.pose.twobone_select_target() == {'FINISHED'}
    assert (bpy.context.active_object, bpy.context.mode) == (other, 'POSE')
    assert selected_bones() == {"ball"}
    assert bpy.ops.pose.twobone_select_limb() == {'FINISHED'}
    assert (bpy.context.active_object, bpy.context.mode) == (object, 'POSE')
    assert selected_bones() == {"lo"}


def test_several_limbs_at_once():
    object = b.armature("Legs", [(f"{name}.{x}", (x, knee, top), (x, end, top - 1), parent and f"{parent}.{x}", 0)
                                 for x in (0, 1) for name, knee, top, end, parent in (("up", 0, 2, -0.1, ""),
                                                                                      ("lo", -0.1, 1, 0, "up"))])
    for name in ("lo.0", "lo.1"):
        rig.add_limb(object, name)
    b.select(object, "lo.0", "up.1", active="up.1")
    bpy.ops.pose.twobone_select_target()
    assert selected() == {"lo.0 target", "lo.1 target"}
    assert bpy.context.active_object.name == "lo.1 target"
    bpy.ops.pose.twobone_select_limb()
    assert selected_bones() == {"lo.0", "lo.1"}


@pytest.mark.parametrize("hide", ["eye", "viewport", "collection"])
def test_hidden_control_is_refused_in_words(hide, capfd):
    object, target, _pole = b.rigged_leg()
    if hide == "eye":
        target.hide_set(True)
    elif hide == "viewport":
        target.hide_viewport = True
    else:
        collection = bpy.data.collections.new("Away")
        bpy.context.scene.collection.children.link(collection)
        bpy.context.scene.collection.objects.unlink(target)
        collection.objects.link(target)
        bpy.context.view_layer.layer_collection.children["Away"].exclude = True
    b.select(object, "lo")
    with pytest.raises(RuntimeError, match='"T" is hidden'):
        bpy.ops.pose.twobone_select_target()
    assert (bpy.context.active_object, bpy.context.mode, selected_bones()) == (object, 'POSE', {"lo"})


def test_hidden_control_bone_is_refused_in_words():
    object = controlled_leg()
    collection = object.data.collections.new("Controls")
    collection.assign(object.data.bones["hand_ik"])
    collection.is_visible = False
    b.select(object, "lo")
    with pytest.raises(RuntimeError, match='bone "hand_ik" is hidden'):
        bpy.ops.pose.twobone_select_target()
    assert selected_bones() == {"lo"}


def test_missing_controls_are_refused_in_words():
    object, _target, _pole = b.rigged_leg()
    object.pose.bones["lo"].twobone_pole = None
    b.select(object, "lo")
    with pytest.raises(RuntimeError, match='"lo" has no pole'):
        bpy.ops.pose.twobone_select_pole()
    object.pose.bones["lo"].twobone_target = object
    object.pose.bones["lo"].twobone_target_bone = "gone"
    with pytest.raises(RuntimeError, match='no bone "gone"'):
        bpy.ops.pose.twobone_select_target()


def test_nothing_to_lead_to():
    object, _target, _pole = b.rigged_leg(extra=[("other", (1, 0, 0), (1, 0, 1), "", 0)])
    b.select(object, "other")
    assert "has Two-Bone IK" in message(bpy.ops.pose.twobone_select_target)
    assert "Select a target or pole" in message(bpy.ops.pose.twobone_select_limb)


def test_selecting_is_one_step_to_undo():
    for name in ("target", "pole", "limb"):
        assert "UNDO" in getattr(bpy.ops.pose, f"twobone_select_{name}").bl_options


def test_deleted_target_is_no_way_back():
    object, target, _pole = b.rigged_leg()
    b.select(object, "lo")
    bpy.ops.object.mode_set(mode='OBJECT')
    bpy.data.objects.remove(target)
    assert "Select a target or pole" in message(bpy.ops.pose.twobone_select_limb)


@pytest.mark.parametrize("role", ["target", "pole"])
def test_from_a_hidden_armature_is_refused(role):
    object, _target, _pole = b.rigged_leg()
    b.select(object, "lo")
    object.hide_viewport = True
    b.update()
    assert "hidden" in message(getattr(bpy.ops.pose, f"twobone_select_{role}"))
