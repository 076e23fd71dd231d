"""Scanning many frames: right everywhere, one evaluation each, and back where it began."""

import bpy
import builders as b
import numpy as np
import pytest
from test_order import chained

from twobone_addon import rig
from twobone_addon.rig import live
from twobone_addon.rig.frames.scan import RESTS, scan, scanning
from twobone_addon.rig.frames.walk import frame_range, parse_frames, visit


def moving_leg(**kwargs):
    object, target, pole = b.rigged_leg(1, 0.8, 15, rolls=(35, -70), **kwargs)
    b.keys(target, "location", [(1, (-0.5, 0, -1.2)), (6, (0.4, -0.3, -1.7)), (11, (0.9, 0.3, -2.2))])
    b.keys(object, "location", [(1, (0, 0, 0)), (11, (1, 0.5, 0.2))])
    return object, target, pole


def plain():
    return [moving_leg()[0]]


def blended():
    object = moving_leg()[0]
    for name, rotation in (("up", (0.95, 0.2, -0.1, 0.2)), ("lo", (0.9, 0.3, 0.1, -0.1))):
        object.pose.bones[name].rotation_quaternion = rotation
    b.keys(object.pose.bones["lo"], "twobone_influence", [(1, 0.0), (11, 1.0)])
    return [object]


def scaled():
    object = moving_leg()[0]
    b.keys(object, "scale", [(1, (1, 1, 1)), (11, (0.3, 0.3, 0.3))])
    b.keys(object.pose.bones["up"], "scale", [(1, (1, 1, 1)), (11, (1.4, 1.4, 1.4))])
    return [object]


def twisted():
    rows = [("torso", (0, 0, 1), (0, 0, 0), "", 20), ("up", (0, 0, 0), (0, -0.1, -1), "torso", 10),
            ("twist", (0, -0.1, -1), (0, -0.08, -1.2), "up", 45), ("lo", (0, -0.08, -1.2), (0, 0, -2), "twist", 0)]
    object = b.armature("Twist", rows)
    target = b.empty("T", (0, 0, -1.5))
    b.update()
    rig.add_limb(object, "lo", target, upper="up")
    b.keys(object.pose.bones["torso"], "rotation_quaternion", [(1, (1, 0, 0, 0)), (11, (0.9, 0.3, 0.2, 0.1))])
    b.keys(object.pose.bones["twist"], "rotation_quaternion", [(1, (1, 0, 0, 0)), (11, (0.9, 0, 0.3, 0))])
    b.keys(object.pose.bones["lo"], "twobone_influence", [(1, 1.0), (11, 0.4)])
    b.keys(target, "location", [(1, (0, 0, -1.9)), (11, (0.8, -0.3, -1.2))])
    return [object]


def muted():
    object = moving_leg()[0]
    object.pose.bones["lo"].rotation_quaternion = (0.9, 0.3, 0.1, -0.1)
    object.pose.bones["lo"].constraints["Two-Bone IK"].mute = True
    return [object]


def own_inheritance(mode, rotation=True):
    def build():
        objects = twisted()
        for name in ("up", "lo"):
            objects[0].data.bones[name].inherit_scale = mode
            objects[0].data.bones[name].use_inherit_rotation = rotation
        objects[0].pose.bones["torso"].scale = (1.2, 1.2, 1.2)
        return objects
    return build


def hanging(share):
    def build():
        first, second, aim, held = chained("parent")
        rig.add_limb(second, "lo", held)
        rig.add_limb(first, "lo", aim)
        first.pose.bones["lo"].twobone_influence = share
        return [second, first]
    return build


SCENES = {"plain": plain, "blended": blended, "scaled": scaled, "twist bone": twisted, "muted by hand": muted,
          "no scale": own_inheritance('NONE'), "aligned": own_inheritance('ALIGNED'),
          "no rotation": own_inheritance('FULL', False), "carried": hanging(1.0), "carried by half a limb": hanging(0.5)}


@pytest.mark.parametrize("build", SCENES.values(), ids=SCENES)
def test_what_is_scanned_is_what_is_shown(build):
    objects = build()
    frames = [1, 2.5, 6, 9, 11]
    bpy.context.scene.frame_set(4)
    found = scan([rig.limbs(object)[0] for object in objects], frames)
    joint, end, root = (found.world(points) for points in (found.joint, found.end, found.root))
    for index, frame in enumerate(frames):
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1)
        for place, object in enumerate(objects):
            world = b.world(object)
            for shown, scanned in zip(b.joints(object), (root, joint, end), strict=True):
                assert np.abs((world @ np.append(shown, 1))[:3] - scanned[index, place]).max() < 6e-6
            matrices = b.bone_matrices(object)
            for name, rotations in (("up", found.upper_rotation), ("lo", found.lower_rotation)):
                shown = matrices[name][:3, :3] / np.linalg.norm(matrices[name][:3, :3], axis=0)
                assert np.abs(shown - rotations[index, place]).max() < 6e-6
            readings = rig.readings(object, "lo")
            assert found.state[index, place] == readings.state
            for name in ("distance", "reach_min", "reach_max", "gap"):
                assert getattr(found, name)[index, place] == pytest.approx(getattr(readings, name), abs=6e-6)


@pytest.fixture
def ticks():
    """The frames at which a leg's armature is evaluated, as they come; the leg's limb."""
    object, _target, _pole = moving_leg()
    bpy.context.preferences.filepaths.use_scripts_auto_execute = True
    found = []
    bpy.app.driver_namespace["tick"] = lambda frame: found.append(frame) or 0.0
    object.driver_add("pass_index").driver.expression = "tick(frame)"
    bpy.context.scene.frame_set(1)
    assert found
    found.clear()
    live.counts.clear()
    return found, rig.limbs(object)[0]


def test_each_frame_of_a_walk_is_evaluated_once(ticks):
    found, _limb = ticks
    list(visit(bpy.context.scene, range(1, 101), hold=True))
    assert found == [*range(1, 101), 1]


def test_each_frame_is_evaluated_once(ticks):
    found, limb = ticks
    b.unforeseeable(limb.target.object)
    b.update()
    found.clear()
    live.counts.clear()
    scan([limb], range(1, 101))
    assert found == [*range(1, 101), 1]
    assert live.counts.updates == 1  # the way back


def test_limbs_foretold_and_evaluated_together(ticks):
    """The frame that shows what can be foretold is not evaluated a second time."""
    found, limb = ticks
    other, target, _pole = b.rigged_leg(name="Other", target=(0, 0, -1.4))
    b.unforeseeable(target)
    b.keys(target, "location", [(1, (0, 0, -1.9)), (101, (0.4, 0.1, -1.2))])
    b.update()
    found.clear()
    both = scan([*rig.limbs(other), limb], range(1, 101))
    assert found == [*range(2, 101), 1]
    b.unforeseeable(limb.target.object)
    b.update()
    read = scan([*rig.limbs(other), limb], range(1, 101))
    for name in ("frames", "joint", "end", "target", "upper_rotation", "lower_rotation", "gap", "flexion", "to_world"):
        assert np.allclose(getattr(both, name), getattr(read, name), atol=3e-6), name


def test_frames_that_can_be_foretold_are_not_evaluated(ticks):
    found, limb = ticks
    scan([limb], range(1, 101))
    assert found == []
    scan([limb], range(11, 102))
    assert found == [56, 1]


def test_what_is_shown_without_a_key_is_not_scanned(ticks):
    found, limb = ticks
    keyed = scan([limb], range(1, 101))
    limb.target.object.location.x += 0.2
    b.update()
    found.clear()
    edited = scan([limb], range(1, 101))
    assert found[:2] == [51, 1]
    for name in ("joint", "end", "target"):
        assert np.allclose(getattr(edited, name), getattr(keyed, name), atol=3e-6), name


def test_engine_works_between_and_after_frames():
    object, target, _pole = moving_leg()
    b.unforeseeable(object)
    steps = scanning(rig.limbs(object), [3, 5, 7])
    next(steps)
    target.animation_data_clear()
    target.location = (0.3, 0, -1.1)
    b.update()
    assert b.on_target(object)
    steps.close()
    assert b.on_target(object)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_walk_comes_back_after_errors(error):
    object, _target, _pole = moving_leg()
    scene = bpy.context.scene
    scene.frame_set(4, subframe=0.25)
    pose = b.ends(object)
    with pytest.raises(error):
        for frame, _depsgraph in visit(scene, [1, 2, 3], hold=True):
            if frame == 2:
                raise error
    assert (scene.frame_current, scene.frame_subframe) == (4, 0.25)
    assert b.moved(pose, b.ends(object)) < 1e-6


def test_limbs_that_rest_are_nan():
    object, target, _pole = moving_leg()
    other, second, _pole = b.rigged_leg(name="Other")
    b.keys(object, "scale", [(5, (1, 1, 1)), (6, (0, 0, 0)), (7, (1, 1, 1))])
    other.pose.bones["lo"].twobone_target = None
    b.update()
    found = scan([*rig.limbs(object), *rig.limbs(other)], range(4, 9))
    assert (found.state == RESTS).tolist() == [[False, True], [False, True], [True, True], [False, True], [False, True]]
    for values in (found.joint, found.end, found.upper_rotation, found.gap, found.flexion, found.target):
        assert np.isnan(values[found.state == RESTS]).all()
        assert np.isfinite(values[found.state != RESTS]).all()
    assert found.faults[0] == ""
    assert "no target" in found.faults[1]


def test_batches_of_any_size_agree(monkeypatch):
    limbs = rig.limbs(blended()[0])
    whole = scan(limbs, range(1, 12))
    monkeypatch.setattr("twobone_addon.rig.frames.scan.ROWS", 3)
    parts = scan(limbs, range(1, 12))
    for name in ("joint", "end", "gap", "flexion", "bend"):
        assert np.allclose(getattr(whole, name), getattr(parts, name), atol=1e-12)


@pytest.mark.parametrize(("text", "frames"), [
    ("7", [7]), ("1:5", [1, 2, 3, 4, 5]), ("1:6:2", [1, 3, 5]), ("3:4:0.25", [3, 3.25, 3.5, 3.75, 4]),
    ("9, 1:3,2:4", [1, 2, 3, 4, 9]), ("-3:-1", [-3, -2, -1])])
def test_frames_as_text(text, frames):
    assert parse_frames(text) == frames


@pytest.mark.parametrize("text", ["", "a", "1:2:3:4", "5:1", "1:2:0", "1:2:-1", "nan", "1:inf", "0:9999999", "1:1000000:0.0001"])
def test_bad_frames_are_refused(text):
    with pytest.raises(rig.Refusal):
        parse_frames(text)


def test_range_includes_its_end_in_spite_of_rounding():
    assert len(frame_range(0, 1, 0.1)) == 11


def test_refusals():
    object, _target, _pole = moving_leg()
    with pytest.raises(rig.Refusal, match="no frames"):
        scan(rig.limbs(object), [])
    with pytest.raises(rig.Refusal, match="no limb"):
        scan([], [1])
