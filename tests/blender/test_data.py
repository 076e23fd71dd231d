"""Renaming, duplicating, deleting, saving: the limb goes with its data, or says what is missing."""

import bpy
import builders as b
import numpy as np
import pytest

import twobone_addon
from twobone_addon import rig
from twobone_addon.rig import live


def on_target(object, name="lo"):
    target = object.pose.bones[name].twobone_target
    tip = (b.world(object) @ np.append(b.ends(object)[name][1], 1))[:3]
    return np.linalg.norm(tip - b.place(target)) < 4e-6


def test_bones_renamed():
    object, target, _pole = b.rigged_leg()
    object.data.bones["up"].name = "thigh"
    object.data.bones["lo"].name = "shin"
    b.update()
    target.location = (0.4, 0, -1.1)
    b.update()
    assert on_target(object, "shin")
    (limb,) = rig.limbs(object)
    assert (limb.upper, limb.lower) == ("thigh", "shin")
    bpy.context.scene.frame_set(7)
    assert on_target(object, "shin")


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
    assert on_target(copy)
    assert on_target(object)


def test_target_deleted_and_pole_deleted():
    object, target, pole = b.rigged_leg()
    fk = np.array(object.data.bones["lo"].matrix_local)
    bpy.data.objects.remove(pole)
    b.update()
    assert on_target(object)
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
    assert on_target(object)
    assert rig.problems(object, "lo") == []


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


def test_constraint_deleted_and_rebound():
    object, _target, _pole = b.rigged_leg()
    bone = object.pose.bones["lo"]
    bone.constraints.remove(bone.constraints["Two-Bone IK"])
    b.update()
    assert "Rebind" in rig.problems(object, "lo")[0]
    rig.rebind(object, "lo")
    assert rig.problems(object, "lo") == []
    assert on_target(object)


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


def test_saved_and_reopened(tmp_path):
    object, target, _pole = b.rigged_leg()
    b.keys(target, "location", [(1, (0, 0, -1)), (11, (1, 0, -1.5))])
    bpy.context.scene.frame_set(4)
    pose = b.bone_matrices(object)
    path = str(tmp_path / "rig.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    for _ in range(2):
        bpy.ops.wm.open_mainfile(filepath=path)
        object = bpy.data.objects["Leg"]
        for name, matrix in b.bone_matrices(object).items():
            assert np.abs(matrix - pose[name]).max() < 1e-6
        for frame in (9, 2):
            bpy.context.scene.frame_set(frame)
            assert on_target(object)
        bpy.data.objects["T"].animation_data_clear()
        bpy.data.objects["T"].location = (0.3, 0.3, -1)
        b.update()
        assert on_target(object)


def test_solved_right_after_loading(tmp_path):
    """A file whose pose was saved unsolved is right as soon as it is open."""
    object, target, _pole = b.rigged_leg()
    twobone_addon.unregister()
    target.location = (0.6, 0, -1)
    path = str(tmp_path / "stale.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    twobone_addon.register()
    bpy.ops.wm.open_mainfile(filepath=path)
    assert on_target(bpy.data.objects["Leg"])


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


def handlers():
    return {name: sum(getattr(entry, "__module__", "").endswith("rig.live") for entry in getattr(bpy.app.handlers, name))
            for name in live.HANDLERS}


def test_one_handler_each(tmp_path):
    path = str(tmp_path / "rig.blend")
    b.rigged_leg()
    bpy.ops.wm.save_as_mainfile(filepath=path)
    once = dict.fromkeys(live.HANDLERS, 1)
    for _ in range(3):
        twobone_addon.unregister()
        assert handlers() == dict.fromkeys(live.HANDLERS, 0)
        twobone_addon.register()
        assert handlers() == once
    for _ in range(2):
        bpy.ops.wm.open_mainfile(filepath=path)
        assert handlers() == once
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert handlers() == once


def test_enabled_again_follows_at_once():
    object, target, _pole = b.rigged_leg()
    twobone_addon.unregister()
    target.location = (0.4, 0.2, -1)
    b.update()
    twobone_addon.register()
    b.update()
    target.location.x += 0.01
    b.update()
    assert on_target(object)
