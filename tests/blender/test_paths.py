"""Paths of joint and tip: where the bones are in each frame, what is marked, and when paths are forgotten."""

import bpy
import builders as b
import numpy as np
import pytest

from twobone_addon import rig
from twobone_addon.rig.frames import paths
from twobone_addon.rig.frames.scan import finish
from twobone_addon.rig.limb import limb_of
from twobone_addon.solver import State
from twobone_addon.ui.overlay import draw
from twobone_addon.ui.overlay.path_segments import current_marks, path_picture
from twobone_addon.ui.overlay.segments import Mark

RGB = np.eye(5)[:, :3] + np.arange(5)[:, None] * 0.1
PALETTE = draw.Palette(tuple(map(tuple, RGB[:4].tolist())), tuple(RGB[4].tolist()))


@pytest.fixture(autouse=True)
def no_paths():
    paths.clear()
    yield
    paths.clear()


def moving_leg(name="Leg", **kwargs):
    """A leg whose target leaves reach after frame 6, on an armature that moves too."""
    object, target, pole = b.rigged_leg(1, 1, 10, name=name, **kwargs)
    b.keys(target, "location", [(1, (0, 0, -1)), (11, (0.5, 0, -3))])
    b.keys(object, "location", [(1, (0, 0, 0)), (11, (1, 0.2, 0))])
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 11
    bpy.context.scene.frame_set(3)
    return object, target, pole


def limb(object, lower="lo"):
    return limb_of(object.pose.bones[lower])


def calculate(object, frames=range(1, 12)):
    finish(paths.calculating([limb(object)], frames))
    return paths.Stored.paths[paths.key_of(limb(object))]


def test_path_is_where_the_bones_are():
    object, target, _pole = moving_leg()
    path = calculate(object)
    assert path.frames.tolist() == list(range(1, 12))
    for place, frame in enumerate(path.frames):
        bpy.context.scene.frame_set(int(frame))
        _root, joint, tip = (world_point(object, point) for point in b.joints(object))
        assert path.joint[place] == pytest.approx(joint, abs=3e-6)
        assert path.tip[place] == pytest.approx(tip, abs=3e-6)
        missed = b.tip_error(object, target) > 1e-4
        assert path.state[place] == (State.TOO_FAR if missed else State.REACHED)
    assert 2 < (path.state == State.TOO_FAR).sum() < 9


def world_point(object, point):
    return (b.world(object) @ np.append(point, 1.0))[:3]


def test_the_frame_is_left_as_it_was():
    object, _target, _pole = moving_leg()
    before = b.bone_matrices(object)
    calculate(object)
    assert bpy.context.scene.frame_current == 3
    assert b.turned(before, b.bone_matrices(object)) < 1e-4


def test_edits_that_are_not_keyed_are_kept():
    object, target, _pole = moving_leg()
    b.keys(object.pose.bones["up"], "rotation_quaternion", [(1, (1, 0, 0, 0)), (11, (0.9, 0.1, 0, 0))])
    target["heat"] = 1.0
    b.keys(object.pose.bones["lo"], "twobone_softness", [(1, 0.0), (11, 0.1)])
    target.keyframe_insert('["heat"]', frame=1)
    b.update()  # a new key has the animation evaluated once more
    target.location, target["heat"] = (0.3, 0.2, -1.1), 5.0
    object.pose.bones["up"].rotation_quaternion = (0, 1, 0, 0)
    object.pose.bones["lo"].twobone_softness = 0.3
    b.update()
    before = b.bone_matrices(object)
    path = calculate(object)
    assert target.location == b.vector((0.3, 0.2, -1.1))
    assert target["heat"] == 5.0
    assert tuple(object.pose.bones["up"].rotation_quaternion) == (0, 1, 0, 0)
    assert object.pose.bones["lo"].twobone_softness == pytest.approx(0.3)
    assert b.turned(before, b.bone_matrices(object)) < 1e-4
    assert path.tip[2] != pytest.approx(world_point(object, b.joints(object)[2]), abs=1e-2)  # the path is of what is keyed


def test_keyed_frames_are_those_of_limb_target_and_pole():
    object, target, pole = moving_leg(target=(0, 0, -1.5))
    b.keys(object.pose.bones["lo"], "twobone_influence", [(4, 1.0)])
    b.keys(pole, "location", [(7, (0, -3, -1))])
    path = calculate(object)
    assert path.frames[path.keyed].tolist() == [1, 4, 7, 11]
    assert calculate(object, range(20, 23)).keyed.tolist() == [False] * 3


def test_a_limb_that_does_not_follow_its_target_misses_nothing():
    object, _target, _pole = moving_leg()
    object.pose.bones["lo"].twobone_influence = 0.0
    assert (calculate(object).state == State.REACHED).all()


def test_lines_dots_and_marks():
    object, _target, _pole = moving_leg()
    path = calculate(object)
    picture = path_picture([path], PALETTE)
    lines = picture.tips.points.reshape(-1, 2, 3)
    assert lines[:, 0] == pytest.approx(path.tip[:-1], abs=1e-5)
    assert lines[:, 1] == pytest.approx(path.tip[1:], abs=1e-5)
    missed = path.state == State.TOO_FAR
    red = np.isclose(picture.tips.colours[::2, :3], RGB[State.TOO_FAR]).all(-1)
    assert red.tolist() == (missed[:-1] | missed[1:]).tolist()
    assert (picture.joints.colours[:, 3] < picture.tips.colours[:, 3]).all()
    assert picture.keyed.points == pytest.approx(path.tip[[0, 10]], abs=1e-5)
    assert picture.missed.points == pytest.approx(path.tip[missed & ~path.keyed], abs=1e-5)
    assert picture.reached.points == pytest.approx(path.tip[~missed & ~path.keyed], abs=1e-5)
    mark, = current_marks([path], 3.0)
    assert (mark.mark, mark.place.tolist()) == (Mark.DIAMOND, path.tip[2].tolist())
    assert current_marks([path], 3.5) == []
    assert current_marks([path], 12.0) == []


def test_a_limb_that_rests_for_a_while_leaves_a_hole():
    object, _target, _pole = moving_leg()
    bone = object.pose.bones["up"]
    b.keys(bone, "scale", [(1, (1, 1, 1)), (5, (1, 1, 1)), (6, (0, 0, 0)), (7, (1, 1, 1))], 'CONSTANT')
    path = calculate(object)
    assert np.isfinite(path.tip).all(-1).tolist() == [frame != 6 for frame in range(1, 12)]
    picture = path_picture([path], PALETTE)
    assert len(picture.tips) == 2 * 8
    assert np.isfinite(picture.tips.points).all()
    assert len(picture.reached) + len(picture.missed) + len(picture.keyed) == 10


def test_one_frame_is_a_dot():
    object, _target, _pole = moving_leg()
    picture = path_picture([calculate(object, [2])], PALETTE)
    assert (len(picture.tips), len(picture.reached)) == (0, 1)
    assert all(len(strokes) == 0 for strokes in vars(path_picture([], PALETTE)).values())


def test_operators_calculate_over_what_the_scene_plays_and_clear():
    object, _target, _pole = moving_leg()
    other, *_controls = moving_leg("Other")
    b.select(object, "lo")
    assert not bpy.ops.pose.twobone_paths_clear.poll()
    assert bpy.ops.pose.twobone_paths_calculate() == {'FINISHED'}
    path, = paths.Stored.paths.values()
    assert (path.frames[0], path.frames[-1]) == (1, 11)
    assert bpy.ops.pose.twobone_paths_calculate(use_range=True, start=2, end=8, step=3) == {'FINISHED'}
    path, = paths.Stored.paths.values()
    assert path.frames.tolist() == [2, 5, 8]
    b.select(other, "lo")
    assert bpy.ops.pose.twobone_paths_clear() == {'CANCELLED'}  # the selected limb has none
    assert len(paths.Stored.paths) == 1
    assert bpy.ops.pose.twobone_paths_clear(everything=True) == {'FINISHED'}
    assert not paths.Stored.paths


def test_preview_range_counts():
    object, _target, _pole = moving_leg()
    scene = bpy.context.scene
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 4, 6
    b.select(object, "up")
    bpy.ops.pose.twobone_paths_calculate()
    path, = paths.Stored.paths.values()
    assert path.frames.tolist() == [4, 5, 6]


def test_refusals_say_what_to_do_and_keep_the_paths():
    object, target, _pole = moving_leg()
    b.select(object, "lo")
    bpy.ops.pose.twobone_paths_calculate()
    with pytest.raises(RuntimeError, match="before its start"):
        bpy.ops.pose.twobone_paths_calculate(use_range=True, start=8, end=2)
    bpy.data.objects.remove(target)
    b.update()
    with pytest.raises(RuntimeError, match='"lo" has no target'):
        bpy.ops.pose.twobone_paths_calculate()
    assert len(paths.Stored.paths) == 1


def test_paths_are_forgotten_with_their_limbs():
    object, _target, _pole = moving_leg()
    other, *_controls = moving_leg("Other")
    for each in (object, other):
        calculate(each)
    rig.remove_limb(object, "lo")
    paths.forget_lost()
    assert list(paths.Stored.paths) == [paths.key_of(limb(other))]
    bpy.data.objects.remove(other)
    paths.forget_lost()
    assert not paths.Stored.paths


def test_drawn_again_when_calculated_and_only_in_view():
    object, target, _pole = moving_leg()
    calculate(object)
    made = []

    def drawn():
        view = draw.view_of(bpy.context)
        found = draw.visible_paths(view)
        if found:
            draw.prepared_paths(view, found, make=lambda picture: made.append(picture) or picture)
        return len(made)

    draw.start_again()
    assert (drawn(), drawn()) == (1, 1)
    target.location.x = 0.1
    b.update()
    assert drawn() == 1
    calculate(object)
    assert drawn() == 2
    object.hide_set(True)
    assert draw.visible_paths(draw.view_of(bpy.context)) == {}
    draw.start_again()


def test_paths_are_not_kept_in_the_file(tmp_path):
    object, _target, _pole = moving_leg()
    calculate(object)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "leg.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "leg.blend"))
    paths.forget_lost()
    assert not paths.Stored.paths
