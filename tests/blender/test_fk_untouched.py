"""The bones' own channels are not touched, whatever the IK does."""

import bpy
import builders as b
import numpy as np
import pictures
import pytest
from snapshots import snapshot

from twobone_addon import rig

CHANNELS = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale", "rotation_mode")


def channels(object):
    return {bone.name: [tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value
                        for value in (getattr(bone, name) for name in CHANNELS)] for bone in object.pose.bones}


@pytest.mark.parametrize("mode", ['QUATERNION', 'XYZ', 'ZYX', 'AXIS_ANGLE'])
def test_channels_stay_bit_identical(mode):
    object = b.leg(1, 1, 10)
    for name in ("up", "lo"):
        object.pose.bones[name].rotation_mode = mode
        object.pose.bones[name].rotation_euler = (0.3, 0.1, -0.2)
        object.pose.bones[name].rotation_quaternion = (0.9, 0.1, 0.2, 0.3)
        object.pose.bones[name].rotation_axis_angle = (0.4, 0, 1, 0)
    b.update()
    before, pose = channels(object), b.bone_matrices(object)
    rig.add_limb(object, "lo")
    target = object.pose.bones["lo"].twobone_target
    assert channels(object) == before
    for frame in (1, 5, 9):
        target.location = (0.1 * frame, 0, -1.1)
        bpy.context.scene.frame_set(frame)
        assert channels(object) == before
    object.pose.bones["lo"].twobone_influence = 0.0
    b.update()
    for name, matrix in b.bone_matrices(object).items():
        assert np.abs(matrix - pose[name]).max() <= 1e-7
    rig.remove_limb(object, "lo")
    assert channels(object) == before
    for name, matrix in b.bone_matrices(object).items():
        assert (matrix == pose[name]).all()


def test_keyed_fk_comes_back_after_removing():
    object = b.leg(1, 1, 10)
    bone = object.pose.bones["up"]
    bone.rotation_mode = 'XYZ'
    b.keys(bone, "rotation_euler", [(1, (0, 0, 0)), (11, (0.8, 0.2, 0.1))])
    poses = {}
    for frame in (1, 6, 11):
        bpy.context.scene.frame_set(frame)
        poses[frame] = b.bone_matrices(object)
    rig.add_limb(object, "lo")
    for frame in (11, 1, 6):
        bpy.context.scene.frame_set(frame)
    rig.remove_limb(object, "lo")
    for frame, pose in poses.items():
        bpy.context.scene.frame_set(frame)
        for name, matrix in b.bone_matrices(object).items():
            assert (matrix == pose[name]).all()


def test_half_influence_keeps_lengths_and_joints():
    object, target, _pole = b.rigged_leg(1, 0.7, 25)
    target.location = (0.8, 0.1, -0.9)
    object.pose.bones["lo"].twobone_influence = 0.5
    b.update()
    at = b.ends(object)
    assert np.linalg.norm(at["lo"][0] - at["up"][0]) == pytest.approx(1.0, abs=1e-6)
    assert np.linalg.norm(at["lo"][1] - at["lo"][0]) == pytest.approx(0.7, abs=1e-6)
    assert np.allclose(at["up"][1], at["lo"][0], atol=1e-6)


def test_curves_stay_as_they_are(tmp_path):
    """Scrubbing, dragging with auto-key on, rendering and removing make, move and delete no key."""
    object, target, _pole = b.rigged_leg(1, 1, 10)
    for name in ("up", "lo"):
        b.keys(object.pose.bones[name], "rotation_quaternion", [(1, (1, 0, 0, 0)), (9, (0.9, 0.1, 0.2, 0.3))])
    b.keys(target, "location", [(1, (0, 0, -1)), (9, (0.5, 0.2, -1.5))])
    before = snapshot(object, target)
    scene = pictures.studio()
    scene.tool_settings.use_keyframe_insert_auto = True
    for frame in (9, 4, 1):
        scene.frame_set(frame)
    target.location = (0.1, 0.2, -1.4)
    b.update()
    pictures.film(tmp_path, 1, 3)
    rig.remove_limb(object, "lo")
    scene.frame_set(1)
    after = snapshot(object, target)
    curves = [path for path in before if ".animation_data." in path]
    assert len(curves) > 100
    assert [path for path in curves if after.get(path) != before[path]] == []
    assert [path for path in after if ".animation_data." in path and path not in before] == []
