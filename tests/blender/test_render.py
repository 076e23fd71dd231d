"""Renders show what the viewport shows: each film is compared with the viewport's motion keyed as FK."""

import bpy
import builders as b
import numpy as np
import pictures
import pytest

from twobone_addon import rig

FIRST, LAST = 1, 5
SAME = 2 / pictures.SAMPLES
"""What two renders of the same geometry may differ by: a sample or two on an edge, out of 2560 pixels."""


def moving_leg(name="Leg", **kwargs):
    """The leg of user case R1 with a flag beside it: a keyed bone of the same armature that is no part of the limb."""
    flag = ("flag", (-1, 0, -1), (-1, 0, -0.2), "", 0)
    object, target, pole = b.rigged_leg(1, 1, 10, name=name, extra=[flag], **kwargs)
    b.keys(target, "location", [(FIRST, (0, 0, -1.5)), (LAST, (0.8, 0, -1.5))])
    for bone in ("up", "lo", "flag"):
        pictures.bar(object, bone, 0.5)
    return object, target, pole


def key_flag(object):
    b.keys(object.pose.bones["flag"], "rotation_quaternion", [(FIRST, (1, 0, 0, 0)), (LAST, (0.924, 0, 0, 0.383))])


def key_fk(object):
    for bone, end in (("up", (0.98, 0.1, 0.1, 0.1)), ("lo", (0.9, 0.3, -0.2, 0.1))):
        b.keys(object.pose.bones[bone], "rotation_quaternion", [(FIRST, (1, 0, 0, 0)), (LAST, end)])


def plain():
    return [moving_leg()[0]]


def other_bones_keyed():
    object, _target, _pole = moving_leg()
    key_flag(object)
    key_fk(object)
    return [object]


def influence_keyed():
    [object] = other_bones_keyed()
    b.keys(object.pose.bones["lo"], "twobone_influence", [(FIRST, 0.0), (LAST, 1.0)])
    return [object]


def pole_angle_keyed():
    [object] = other_bones_keyed()
    b.keys(object.pose.bones["lo"], "twobone_pole_angle", [(FIRST, 0.0), (LAST, 2.0)])
    return [object]


def bones_as_controls():
    extra = [("hand", (0.3, 0, -1.5), (0.3, 0, -1.2), "", 0), ("elbow", (0, -2, -1), (0, -2, -1.2), "", 0),
             ("flag", (-1, 0, -1), (-1, 0, -0.2), "", 0)]
    object = b.leg(1, 1, 10, extra=extra)
    b.update()
    rig.add_limb(object, "lo", object, object, target_bone="hand", pole_bone="elbow")
    b.keys(object.pose.bones["hand"], "location", [(FIRST, (0, 0, 0)), (LAST, (0.5, 0.2, 0.3))])
    b.keys(object.pose.bones["elbow"], "location", [(FIRST, (0, 0, 0)), (LAST, (2, 0, 0))])
    key_flag(object)
    for bone in ("up", "lo", "flag"):
        pictures.bar(object, bone, 0.5)
    return [object]


def moving_armature_with_created_controls():
    object = b.leg(1, 1, 40, extra=[("flag", (-1, 0, -1), (-1, 0, -0.2), "", 0)])
    b.update()
    rig.add_limb(object, "lo")
    target = object.pose.bones["lo"].twobone_target
    b.keys(target, "location", [(FIRST, target.location[:]), (LAST, (0.3, 0.4, -1.3))])
    b.keys(object, "location", [(FIRST, (-0.5, 0, 0)), (LAST, (0.7, 0, -0.1))])
    b.keys(object, "rotation_euler", [(FIRST, (0, 0, 0)), (LAST, (0, 0.4, 0.2))])
    key_flag(object)
    for bone in ("up", "lo", "flag"):
        pictures.bar(object, bone, 0.5)
    return [object]


def limb_on_a_limb():
    first, _target, _pole = moving_leg("First")
    key_flag(first)
    held = b.empty("Held", (0, 0, 0), parent=first, bone="lo")
    second = b.leg(0.8, 0.8, 30, name="Second")
    second.location = (1.2, 0, -0.2)
    pole = b.empty("Second pole", (1.2, -3, -1))
    b.update()
    rig.add_limb(second, "lo", held, pole)
    for bone in ("up", "lo"):
        pictures.bar(second, bone, 0.5)
    return [first, second]


def limb_on_keyed_hips():
    """What is written to evaluated copies in the viewport, whose originals are left behind when the render begins."""
    object = b.armature("Leg", [("hips", (0, 0, 0.2), (0, 0, 0), "", 0), ("up", (0, 0, 0), (0, -0.1, -1), "hips", 0),
                                ("lo", (0, -0.1, -1), (0, 0, -2), "up", 0), ("flag", (-1, 0, -1), (-1, 0, -0.2), "", 0)])
    target, pole = b.empty("T", (0, 0, -1.5)), b.empty("P", (0, -3, -1))
    b.update()
    rig.add_limb(object, "lo", target, pole)
    b.keys(target, "location", [(FIRST, (0, 0, -1.5)), (LAST, (0.8, 0, -1.5))])
    b.keys(object.pose.bones["hips"], "location", [(FIRST, (0, 0, 0)), (LAST, (0.3, 0, 0.1))])
    key_flag(object)
    for bone in ("up", "lo", "flag"):
        pictures.bar(object, bone, 0.5)
    return [object]


SCENES = [plain, other_bones_keyed, influence_keyed, pole_angle_keyed, bones_as_controls,
          moving_armature_with_created_controls, limb_on_a_limb, limb_on_keyed_hips]


def assert_moves(pictures_by_frame):
    """The comparison can fail: every picture differs from the one before by far more than SAME."""
    shown = [pictures_by_frame[frame] for frame in sorted(pictures_by_frame)]
    for before, after in zip(shown, shown[1:]):
        assert pictures.differ(before, after) > 10 * SAME


@pytest.mark.parametrize("started_from", [FIRST, LAST])
@pytest.mark.parametrize("build", SCENES)
def test_animation(build, started_from, tmp_path):
    scene = pictures.studio()
    objects = build()
    poses = pictures.viewport_poses(objects, range(FIRST, LAST + 1))
    scene.frame_set(started_from)
    live = pictures.film(tmp_path, FIRST, LAST)
    assert scene.frame_current == started_from
    for object in objects:
        for name, matrix in b.bone_matrices(object).items():
            assert np.allclose(matrix, poses[started_from][object, name], atol=1e-6)
    pictures.key_as_fk(poses)
    truth = pictures.film(tmp_path, FIRST, LAST)
    assert_moves(truth)
    for frame in truth:
        assert pictures.differ(live[frame], truth[frame]) <= SAME, frame


@pytest.mark.parametrize("build", SCENES)
def test_single_frames(build, tmp_path):
    scene = pictures.studio()
    objects = build()
    frames = (4, 1, 5, 2)
    poses = pictures.viewport_poses(objects, frames)
    shown = {}
    for frame in frames:
        scene.frame_set(frame)
        shown[frame] = pictures.still(tmp_path)
    pictures.key_as_fk(poses)
    truth = pictures.film(tmp_path, FIRST, LAST)
    assert_moves(truth)
    for frame in frames:
        assert pictures.differ(shown[frame], truth[frame]) <= SAME, frame


@pytest.mark.parametrize("build", SCENES)
def test_motion_blur(build, tmp_path):
    scene = pictures.studio()
    scene.render.use_motion_blur, scene.render.motion_blur_shutter = True, 1.0
    objects = build()
    poses = pictures.viewport_poses(objects, (2.5, 3, 3.5, 4, 4.5))
    scene.frame_set(1)
    live = pictures.film(tmp_path, 3, 4)
    assert (scene.frame_current, scene.frame_subframe) == (1, 0.0)
    scene.frame_set(3)
    for object in objects:
        for name, matrix in b.bone_matrices(object).items():
            assert np.allclose(matrix, poses[3][object, name], atol=1e-6)
    pictures.key_as_fk(poses)
    blurred = pictures.film(tmp_path, 3, 4)
    scene.render.use_motion_blur = False
    sharp = pictures.film(tmp_path, 3, 4)
    for frame in (3, 4):
        assert pictures.differ(blurred[frame], sharp[frame]) > 10 * SAME
        assert pictures.differ(live[frame], blurred[frame]) <= SAME, frame


def test_edits_since_the_last_frame_change_are_rendered(tmp_path):
    """A target that was dragged but not keyed stands in the render where the viewport shows it."""
    pictures.studio()
    object = b.leg(1, 1, 10)
    b.update()
    rig.add_limb(object, "lo")
    pictures.bar(object, "lo")
    before = pictures.still(tmp_path)
    object.pose.bones["lo"].twobone_target.location = (0.8, 0, -1.2)
    b.update()
    poses = pictures.viewport_poses([object], [bpy.context.scene.frame_current])
    live = pictures.still(tmp_path)
    pictures.key_as_fk(poses)
    assert pictures.differ(before, live) > 10 * SAME
    assert pictures.differ(live, pictures.still(tmp_path)) <= SAME


def cancelled_film(folder, last_good):
    """Start an animation render over all frames that ends itself after the frame `last_good`, as one that cannot write."""
    scene, calls = bpy.context.scene, []

    def obstruct(_scene, *_rest):
        calls.append(scene.frame_current)
        if len(calls) == last_good:
            scene.render.filepath = str(blocked / "film_####")

    def cancelled(*_args):
        calls.append("cancelled")

    blocked = folder / "a file"
    blocked.write_text("no folder")
    scene.frame_start, scene.frame_end = FIRST, LAST
    scene.render.filepath = str(folder / "film_####")
    bpy.app.handlers.render_write.append(obstruct)
    bpy.app.handlers.render_cancel.append(cancelled)
    try:
        bpy.ops.render.render(animation=True)
    except RuntimeError as error:
        calls.append(str(error))
    finally:
        bpy.app.handlers.render_write.remove(obstruct)
        bpy.app.handlers.render_cancel.remove(cancelled)
    return calls


@pytest.mark.parametrize("started_from", [FIRST, 3])
def test_cancelled(started_from, tmp_path):
    """User case R9: the pose right after it, further edits, and what is saved, are as if nothing had been rendered."""
    scene = pictures.studio()
    [object] = other_bones_keyed()
    scene.frame_set(started_from)
    pose, stored = b.bone_matrices(object), b.settings(object.pose.bones["lo"])
    seen = cancelled_film(tmp_path, 2)
    assert "cancelled" in seen
    assert len(list(tmp_path.glob("film_*.png"))) == 2
    assert scene.frame_current == started_from
    assert b.settings(object.pose.bones["lo"]) == stored
    assert rig.problems(object, "lo") == []
    for name, matrix in b.bone_matrices(object).items():
        assert np.allclose(matrix, pose[name], atol=1e-6)
    b.update()
    for name, matrix in b.bone_matrices(object).items():
        assert np.allclose(matrix, pose[name], atol=1e-6)
    path = str(tmp_path / "after.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    for reopened in (False, True):
        if reopened:
            bpy.ops.wm.open_mainfile(filepath=path)
        object = bpy.data.objects["Leg"]
        target = object.pose.bones["lo"].twobone_target
        target.animation_data_clear()
        target.location = (0.3, 0.2, -1.1)
        b.update()
        assert b.on_target(object)
