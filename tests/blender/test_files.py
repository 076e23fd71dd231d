"""Saving, loading, appending, enabling: solved as soon as a file is open, with one handler each."""

import bpy
import builders as b
import numpy as np
import pytest

import twobone_addon
from twobone_addon import rig
from twobone_addon.rig import live


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
            assert b.on_target(object)
        bpy.data.objects["T"].animation_data_clear()
        bpy.data.objects["T"].location = (0.3, 0.3, -1)
        b.update()
        assert b.on_target(object)


def test_solved_right_after_loading(tmp_path):
    """A file whose pose was saved unsolved is right as soon as it is open."""
    object, target, _pole = b.rigged_leg()
    twobone_addon.unregister()
    target.location = (0.6, 0, -1)
    path = str(tmp_path / "stale.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    twobone_addon.register()
    bpy.ops.wm.open_mainfile(filepath=path)
    assert b.on_target(bpy.data.objects["Leg"])


def test_pose_is_in_the_file_without_the_extension(tmp_path):
    """Whoever opens the file without the extension sees the pose it was saved with, and nothing is lost."""
    object, target, _pole = b.rigged_leg()
    b.keys(target, "location", [(1, (0, 0, -1)), (80, (1, 0, -1.5))])
    bpy.context.scene.frame_set(40)
    pose = b.bone_matrices(object)
    path, again = str(tmp_path / "rig.blend"), str(tmp_path / "again.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    twobone_addon.unregister()
    bpy.ops.wm.open_mainfile(filepath=path)
    for frame in (40, 80):
        bpy.context.scene.frame_set(frame)
        for name, matrix in b.bone_matrices(bpy.data.objects["Leg"]).items():
            assert np.abs(matrix - pose[name]).max() < 1e-6
    bpy.ops.wm.save_as_mainfile(filepath=again)
    twobone_addon.register()
    bpy.ops.wm.open_mainfile(filepath=again)
    assert b.on_target(bpy.data.objects["Leg"])


def test_every_setting_is_saved(tmp_path):
    extra = [("hand", (0, 0, -1.6), (0, 0, -1.8), "", 0), ("elbow", (0, -2, -1), (0, -2, -1.2), "", 0)]
    object = b.leg(1, 1, 10, extra=extra)
    b.update()
    rig.add_limb(object, "lo", object, object, target_bone="hand", pole_bone="elbow")
    bone = object.pose.bones["lo"]
    bone.twobone_influence, bone.twobone_softness, bone.twobone_pole_angle = 0.75, 0.125, 0.5
    b.update()
    pose, stored = b.bone_matrices(object), b.settings(bone)
    path = str(tmp_path / "rig.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    object = bpy.data.objects["Leg"]
    assert b.settings(object.pose.bones["lo"]) == stored
    for name, matrix in b.bone_matrices(object).items():
        assert np.abs(matrix - pose[name]).max() < 1e-6


@pytest.mark.parametrize("enabled", [True, False])
def test_appended(enabled, tmp_path):
    """A rig appended from another file brings its controls and follows them."""
    b.rigged_leg()
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if not enabled:
        twobone_addon.unregister()
    with bpy.data.libraries.load(path) as (_source, data):
        data.objects = ["Leg"]
    if not enabled:
        twobone_addon.register()
    object = b.link(bpy.data.objects["Leg"])
    target = object.pose.bones["lo"].twobone_target
    b.link(target)
    b.link(object.pose.bones["lo"].twobone_pole)
    target.location = (0.3, 0.2, -1.2)
    b.update()
    assert b.on_target(object)
    assert rig.problems(object, "lo") == []


def test_reverted(tmp_path):
    object, target, _pole = b.rigged_leg(target=(0, 0, -1.5))
    path = str(tmp_path / "rig.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    target.location = (0.5, 0, -1)
    b.update()
    bpy.ops.wm.revert_mainfile()
    object = bpy.data.objects["Leg"]
    assert b.on_target(object)
    assert np.allclose(b.ends(object)["lo"][1], (0, 0, -1.5), atol=4e-6)


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
    assert b.on_target(object)


def test_enabling_solves_what_is_open():
    """Moved while the extension was off, right as soon as it is on."""
    object, target, _pole = b.rigged_leg()
    twobone_addon.unregister()
    target.location = (0.4, 0.2, -1)
    b.update()
    assert not b.on_target(object, target=target)
    twobone_addon.register()
    b.update()
    assert b.on_target(object)


def test_settings_survive_disabling():
    object, _target, _pole = b.rigged_leg()
    bone = object.pose.bones["lo"]
    bone.twobone_pole_angle = 0.7
    b.update()
    stored, pose = b.settings(bone), b.bone_matrices(object)
    for _ in range(3):
        twobone_addon.unregister()
        bpy.context.scene.frame_set(5)
        for name, matrix in b.bone_matrices(object).items():
            assert np.abs(matrix - pose[name]).max() < 1e-6
        twobone_addon.register()
        assert b.settings(object.pose.bones["lo"]) == stored


@pytest.mark.parametrize("how", ["new file", "empty file", "other file"])
def test_file_replaced_while_limbs_are_live(how, tmp_path, capfd):
    """Nothing of the old file is touched any more, and limbs of the new one work at once."""
    other = str(tmp_path / "other.blend")
    bpy.ops.wm.save_as_mainfile(filepath=other)
    _object, target, _pole = b.rigged_leg()
    b.keys(target, "location", [(1, (0, 0, -1)), (11, (1, 0, -1.5))])
    for frame in (3, 5, 7):
        bpy.context.scene.frame_set(frame)
    if how == "other file":
        bpy.ops.wm.open_mainfile(filepath=other)
    else:
        bpy.ops.wm.read_homefile(use_empty=how == "empty file")
    live.counts.clear()
    for frame in (1, 2, 3):
        bpy.context.scene.frame_set(frame)
        b.update()
    assert (live.counts.solves, live.counts.writes) == (0, 0)
    object, target, _pole = b.rigged_leg()
    target.location = (0.3, 0.2, -1.2)
    b.update()
    assert b.on_target(object)
    assert "Traceback" not in capfd.readouterr().err


def test_unsaved_file_recovered(tmp_path):
    """As after a crash: the autosaved file opens with its limbs solved, dragged or not since."""
    object, target, _pole = b.rigged_leg()
    target.location = (0.5, 0.1, -1.1)
    path = str(tmp_path / "autosave.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)  # the drag is in it, what the engine made of it is not
    assert not bpy.data.filepath
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.recover_auto_save(filepath=path)
    object = bpy.data.objects["Leg"]
    assert b.on_target(object)
    target = object.pose.bones["lo"].twobone_target
    target.location = (0.3, 0.2, -1.2)
    b.update()
    assert b.on_target(object)


def test_unsaved_edits_given_up(tmp_path):
    """A file is opened again over edits of itself that nobody saved: limbs added, removed and bound since are as saved."""
    object, _target, _pole = b.rigged_leg()
    path = str(tmp_path / "rig.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    stored, pose = b.settings(object.pose.bones["lo"]), b.bone_matrices(object)
    rig.remove_limb(object, "lo")
    rig.add_limb(object, "lo")
    object.pose.bones["lo"].twobone_target.location.x = 0.7
    b.update()
    bpy.ops.wm.open_mainfile(filepath=path)
    object = bpy.data.objects["Leg"]
    assert b.settings(object.pose.bones["lo"]) == stored
    for name, matrix in b.bone_matrices(object).items():
        assert np.abs(matrix - pose[name]).max() < 1e-6
    assert b.on_target(object)
