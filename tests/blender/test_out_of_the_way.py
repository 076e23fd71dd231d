"""What live limbs leave alone: keys, undo steps, other rigs. User case B7."""

import bpy
import builders as b
import pytest
from snapshots import changes, snapshot

from twobone_addon import rig


def keyed_rigs():
    """A keyed limb, and a rig without IK whose keyed bones were posed by hand since."""
    object, target, _pole = b.rigged_leg()
    b.keys(target, "location", [(1, (0, 0, -1)), (9, (0.5, 0.2, -1.5))])
    b.keys(object.pose.bones["up"], "rotation_quaternion", [(1, (1, 0, 0, 0)), (9, (0.9, 0.1, 0.2, 0.3))])
    other = b.leg(name="Other")
    b.keys(other.pose.bones["up"], "rotation_quaternion", [(1, (1, 0, 0, 0)), (9, (0.9, 0.3, 0, 0))])
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    bpy.context.scene.frame_set(1)
    return object, target, other


def key_count():
    return {action.name: sum(len(curve.keyframe_points) for object in bpy.data.objects
                             if object.animation_data and object.animation_data.action == action
                             for curve in b.curves(object)) for action in bpy.data.actions}


def stored(*objects):
    """Everything stored of the objects but what the engine delivers, where a zero may change its sign."""
    return {path: value for path, value in snapshot(*objects).items() if ".constraints[" not in path}


def drag(object, *offset):
    """Move an object as the G key does, auto-keying included."""
    bpy.ops.object.select_all(action='DESELECT')
    object.select_set(True)
    bpy.context.view_layer.objects.active = object
    assert bpy.ops.transform.translate(value=offset) == {'FINISHED'}


def test_playing_with_auto_key_makes_no_key():
    object, target, other = keyed_rigs()
    before, counted = stored(object, target, other), key_count()
    for _ in range(2):
        for frame in range(1, 101):
            bpy.context.scene.frame_set(frame)
    bpy.context.scene.frame_set(1)
    assert key_count() == counted
    assert changes(before, stored(object, target, other)) == []


def test_dragging_with_auto_key_keys_the_target_alone():
    object, target, other = keyed_rigs()
    before, counted = stored(object, other), key_count()
    bpy.context.scene.frame_set(5)
    drag(target, 0.1, 0.2, 0.1)
    assert b.on_target(object)
    for frame in (2, 7, 5):
        bpy.context.scene.frame_set(frame)
        assert b.on_target(object)
    bpy.context.scene.frame_set(1)
    after = key_count()
    target_action = target.animation_data.action.name
    assert after.pop(target_action) > counted.pop(target_action)
    assert after == counted
    assert changes(before, stored(object, other)) == []


def test_no_undo_step_is_added():
    """Undo after any number of frames and drags goes back by what the user did, not by what was solved since."""
    scene = bpy.context.scene
    _object, target, _other = keyed_rigs()
    target.animation_data_clear()
    for step in (1, 2):
        scene["step"] = step
        bpy.ops.ed.undo_push(message=f"Step {step}")
    for frame in range(1, 20):
        scene.frame_set(frame)
        bpy.data.objects["T"].location.x = 0.01 * frame
        b.update()
    assert b.on_target(bpy.data.objects["Leg"])
    bpy.ops.ed.undo()
    assert bpy.context.scene["step"] == 1
    bpy.ops.ed.redo()
    assert bpy.context.scene["step"] == 2


def test_a_drag_is_one_undo_step():
    object, target, _other = keyed_rigs()
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = False
    target.animation_data_clear()
    target.location = (0, 0, -1.5)
    bpy.ops.object.select_all(action='DESELECT')
    target.select_set(True)
    b.update()
    bpy.ops.ed.undo_push(message="Built")
    for step in (1, 2, 3):
        assert bpy.ops.transform.translate('EXEC_DEFAULT', True, value=(0.1, 0, 0)) == {'FINISHED'}
        assert b.on_target(bpy.data.objects["Leg"])
        assert bpy.data.objects["T"].location.x == pytest.approx(0.1 * step)
    for step in (2, 1, 0):
        bpy.ops.ed.undo()
        assert bpy.data.objects["T"].location.x == pytest.approx(0.1 * step)
        assert b.on_target(bpy.data.objects["Leg"])


def test_the_pose_of_other_rigs_is_untouched():
    """Also what was posed on keyed bones and not keyed: an update of another rig's animation would throw it away."""
    object, target, other = keyed_rigs()
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = False
    target.animation_data_clear()
    third, _target, _pole = b.rigged_leg(name="Third", target=(0, 0, -1.6))
    for bone in other.pose.bones:
        bone.rotation_quaternion = (0.6, 0.8, 0, 0)
    b.update()
    before, poses = snapshot(other, third), [b.bone_matrices(each) for each in (other, third)]
    for step in range(10):
        target.location = (0.05 * step, 0, -1.3)
        b.update()
        object.pose.bones["lo"].twobone_pole_angle = 0.1 * step
        b.update()
    assert b.on_target(object)
    assert changes(before, snapshot(other, third)) == []
    for each, pose in zip((other, third), poses):
        assert all((matrix == pose[name]).all() for name, matrix in b.bone_matrices(each).items())
    rig.remove_limb(object, "lo")
    assert changes({path: value for path, value in before.items() if not path.startswith("bpy.data")},
                   {path: value for path, value in snapshot(other, third).items() if not path.startswith("bpy.data")}) == []
