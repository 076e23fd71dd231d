"""A following hand over renames, copies, undo, files, overrides, edits and renders; and nothing of it left behind."""

import bpy
import builders as b
import numpy as np
import pictures
import pytest
from handed import (
    axes,
    bare_leg,
    follow,
    frames,
    handed_leg,
    outputs,
    pose,
    same,
    target_of,
    turn,
    turned_by,
)
from snapshots import changes, snapshot

from twobone_addon import rig


def follows(object):
    """Whether the hand turns with the target; leaves both turned."""
    before = pose(object)
    rotation = turn(target_of(object), (0.2, -0.1, 0.15))
    return turned_by(rotation, before, pose(object))


@pytest.mark.parametrize("tip", ["hand", None])
@pytest.mark.parametrize("name", ["up", "lo", "hand"])
def test_renamed_bone(name, tip):
    object = handed_leg(tip=tip)
    follow(object)
    object.data.bones[name].name = "Renamed"
    if name != "lo":
        b.update()
        assert follows_renamed(object, name)
    else:
        object.data.bones["Renamed"].name = "lo"
        b.update()
        assert follows(object)


def follows_renamed(object, name):
    """The hand under its new name, or the same hand on a renamed bone."""
    hand = "Renamed" if name == "hand" else "hand"
    before = pose(object)
    rotation = turn(target_of(object))
    return turned_by(rotation, before, pose(object), (hand, "finger"))


def test_swapped_names():
    object = handed_leg()
    follow(object)
    bones = object.data.bones
    bones["hand"].name, bones["finger"].name = "x", "hand"
    bones["x"].name = "finger"
    b.update()
    before = pose(object)
    rotation = turn(target_of(object))
    after = pose(object)
    assert turned_by(rotation, before, after)
    assert np.abs(after["finger"][:3, 3] - before["finger"][:3, 3]).max() < 3e-6  # the hand, which turns about its own head


@pytest.mark.parametrize("with_target", [True, False])
def test_duplicate(with_target):
    object = handed_leg()
    follow(object)
    bpy.ops.object.select_all(action='DESELECT')
    object.select_set(True)
    target_of(object).select_set(with_target)
    bpy.context.view_layer.objects.active = object
    bpy.ops.object.duplicate()
    copy = next(other for other in bpy.context.selected_objects if other.type == 'ARMATURE')
    assert copy != object
    assert (target_of(copy) != target_of(object)) == with_target
    b.update()
    assert follows(copy)
    assert follows(object)
    follow(copy, 0.0)
    assert outputs(copy) == {"up", "lo"}
    assert outputs(object) == {"up", "lo", "hand"}


def test_undo_and_redo():
    handed_leg()
    object = bpy.data.objects["Leg"]
    bpy.ops.ed.undo_push(message="Built")
    before = pose(object)
    turn(target_of(object))
    bpy.ops.ed.undo_push(message="Turned")
    follow(object)
    bpy.ops.ed.undo_push(message="Followed")
    turn(target_of(object))
    bpy.ops.ed.undo_push(message="Turned again")
    turned = pose(object)
    bpy.ops.ed.undo()
    object = bpy.data.objects["Leg"]
    assert outputs(object) == {"up", "lo", "hand"}
    assert same(before, pose(object))
    bpy.ops.ed.undo()
    object = bpy.data.objects["Leg"]
    assert outputs(object) == {"up", "lo"}
    assert not object.pose.bones["lo"].twobone_hand_bind
    assert same(before, pose(object))
    bpy.ops.ed.redo()
    bpy.ops.ed.redo()
    object = bpy.data.objects["Leg"]
    assert same(turned, pose(object))
    assert follows(object)


def test_saved_and_read_again(tmp_path):
    object = handed_leg()
    follow(object)
    turn(target_of(object))
    before = pose(object)
    path = str(tmp_path / "leg.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    object = bpy.data.objects["Leg"]
    assert same(before, pose(object))
    assert follows(object)


@pytest.mark.parametrize("on", ["in the library", "in the shot"])
def test_override(on, tmp_path):
    object = handed_leg()
    if on == "in the library":
        follow(object)
    collection = bpy.data.collections.new("Character")
    bpy.context.scene.collection.children.link(collection)
    for member in [object, *object.children]:
        collection.objects.link(member)
        bpy.context.scene.collection.objects.unlink(member)
    library, shot = str(tmp_path / "library.blend"), str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=library)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(library, link=True) as (_source, data):
        data.collections = ["Character"]
    instance = b.empty("Instance")
    instance.instance_type, instance.instance_collection = 'COLLECTION', bpy.data.collections["Character"]
    b.update()
    instance.instance_collection.override_hierarchy_create(
        bpy.context.scene, bpy.context.view_layer, reference=instance, do_fully_editable=True)
    b.update()
    object = own()
    before = pose(object)
    follow(object)
    assert same(before, pose(object))
    assert follows(object)
    before = pose(object)
    bpy.ops.wm.save_as_mainfile(filepath=shot)
    bpy.ops.wm.open_mainfile(filepath=shot)
    object = own()
    assert rig.problems(object, "lo") == []
    assert same(before, pose(object))
    assert follows(object)
    follow(object, 0.0)
    before = pose(object)
    turn(target_of(object))
    assert same(before, pose(object))
    follow(object, 1.0)
    assert same(before, pose(object))
    assert follows(object)


def own():
    return next(object for object in bpy.context.scene.objects if object.type == 'ARMATURE' and object.override_library)


def test_nothing_is_left_behind():
    object = bare_leg()
    before, matrices = snapshot(object), pose(object)
    rig.add_limb(object, "lo", tip="hand")
    follow(object, 0.5)
    object.pose.bones["lo"].keyframe_insert("twobone_follow_rotation", frame=1)
    turn(target_of(object))
    rig.remove_limb(object, "lo")
    left = [line for line in changes(before, snapshot(object)) if "animation_data" not in line and "actions" not in line]
    assert left == []
    assert same(matrices, pose(object))


def test_hand_deleted_and_edited():
    object = handed_leg()
    follow(object)
    with b.edited(object) as bones:
        bones["hand"].tail = (0.4, 0.1, -2.2)
        between = bones.new("between")
        between.head, between.tail = (0, 0, -1.9), (0, 0, -1.95)
        between.parent = bones["lo"]
    b.update()
    assert follows(object)
    with b.edited(object) as bones:
        bones["hand"].parent = bones["between"]
    b.update()
    assert follows(object)  # one bone further down
    with b.edited(object) as bones:
        bones["hand"].parent = None
    b.update()
    assert outputs(object) == {"up", "lo"}
    assert ["press Rebind" in problem for problem in rig.problems(object, "lo")] == [True]
    rig.rebind(object, "lo")
    assert outputs(object) == {"up", "lo", "between"}
    assert rig.problems(object, "lo") == []
    with b.edited(object) as bones:
        bones.remove(bones["hand"])
        bones.remove(bones["between"])
    b.update()
    assert ["no hand or foot bone" in problem for problem in rig.problems(object, "lo")] == [True]
    assert b.on_target(object)


def test_driven_without_a_binding_is_said():
    object = handed_leg()
    object.pose.bones["lo"].driver_add("twobone_follow_rotation").driver.expression = "1"
    b.update()
    assert ["press Rebind" in problem for problem in rig.problems(object, "lo")] == [True]
    rig.rebind(object, "lo")
    assert rig.problems(object, "lo") == []
    assert follows(object)


def test_render(tmp_path):
    """Right in the picture, and other keyed bones of the armature still move."""
    first, last = 1, 4
    pictures.studio()
    object = handed_leg(("flag", (-1, 0, -1), (-1, 0, -0.2), "", 0))
    for bone in ("up", "lo", "hand", "finger", "flag"):
        pictures.bar(object, bone, 0.5)
    follow(object)
    target, lower = target_of(object), object.pose.bones["lo"]
    b.keys(target, "rotation_euler", [(first, target.rotation_euler[:]), (last, (0.3, 2.0, -0.4))])
    b.keys(lower, "twobone_follow_rotation", [(first, 0.3), (last, 1.0)])
    b.keys(object.pose.bones["flag"], "rotation_quaternion", [(first, (1, 0, 0, 0)), (last, (0.924, 0, 0, 0.383))])
    b.keys(object.pose.bones["hand"], "rotation_quaternion", [(first, (1, 0, 0, 0)), (last, (0.8, 0.3, -0.4, 0.2))])
    poses = pictures.viewport_poses([object], range(first, last + 1))
    bpy.context.scene.frame_set(last)
    live = pictures.film(tmp_path, first, last)
    pictures.key_as_fk(poses)
    truth = pictures.film(tmp_path, first, last)
    for frame in truth:
        assert pictures.differ(live[frame], truth[frame]) <= 2 / pictures.SAMPLES, frame
        if frame > first:
            assert pictures.differ(truth[frame], truth[frame - 1]) > 20 / pictures.SAMPLES


def test_stateless():
    """Every frame is the same whatever came before."""
    object = handed_leg()
    follow(object)
    target = target_of(object)
    b.keys(target, "rotation_euler", [(1, target.rotation_euler[:]), (11, (0.3, 2.0, -0.4))])
    shown = {frame: pose(object) for frame in frames(1, 2, 3, 4, 5)}
    for frame in frames(5, 1, 4, 2, 3):
        assert same(shown[frame], pose(object), 1e-9)
    assert np.abs(axes(shown[1]["hand"]) - axes(shown[5]["hand"])).max() > 0.1
