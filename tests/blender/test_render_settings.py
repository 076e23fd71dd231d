"""Lock Interface: said where limbs are solved while the interface draws, put right by a click."""

import bpy
import builders as b
import pytest

from twobone_addon import rig


def lock():
    return bpy.ops.pose.twobone_lock_interface('EXEC_DEFAULT', True)


def test_unlocked_scene_with_limbs_is_warned_of_and_put_right():
    object = b.leg()
    b.update()
    scene = bpy.context.scene
    scene.render.use_lock_interface = False
    assert rig.scene_problems(scene) == []
    rig.add_limb(object, "lo")
    (problem,) = rig.scene_problems(scene)
    assert "Lock Interface" in problem
    assert scene.name in problem
    assert lock() == {'FINISHED'}
    assert scene.render.use_lock_interface
    assert rig.scene_problems(scene) == []
    with pytest.raises(RuntimeError, match="locked"):
        lock()


def test_each_scene_by_itself():
    b.rigged_leg()
    scene, other = bpy.context.scene, bpy.data.scenes.new("Other")
    for each in (scene, other):
        each.render.use_lock_interface = False
    assert rig.scene_problems(scene)
    assert rig.scene_problems(other) == []
    other.collection.objects.link(bpy.data.objects["Leg"])
    b.update()
    assert rig.scene_problems(other)


def test_one_undo_step():
    b.rigged_leg()
    bpy.context.scene.render.use_lock_interface = False
    bpy.ops.ed.undo_push(message="Built")
    lock()
    bpy.ops.ed.undo()
    assert not bpy.context.scene.render.use_lock_interface
    assert rig.scene_problems(bpy.context.scene)


def test_linked_scene_is_refused(tmp_path):
    b.rigged_leg()
    bpy.context.scene.render.use_lock_interface = False
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_source, data):
        data.scenes = ["Scene"]
    linked = next(scene for scene in bpy.data.scenes if scene.library)
    with pytest.raises(rig.Refusal, match="linked"):
        rig.lock_interface(linked)
    assert not linked.render.use_lock_interface
