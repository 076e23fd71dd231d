"""The reach report: what it finds, where, and how it is told."""

import csv
import json
from math import degrees, radians

import bpy
import builders as b
import numpy as np
import pytest

from twobone_addon import rig
from twobone_addon.rig import live
from twobone_addon.rig.frames import report_files
from twobone_addon.solver import State


def reaching_leg():
    """Out of reach on frames 4 to 6 and 9, worst at 5 by 0.3; folded past its limit on 12."""
    object, target, _pole = b.rigged_leg(1, 0.8, 10)
    places = dict.fromkeys(range(1, 14), -1.5) | {4: -1.9, 5: -2.1, 6: -1.85, 9: -1.95, 12: -0.1}
    b.keys(target, "location", [(frame, (0, 0, z)) for frame, z in places.items()])
    return object


def test_frames_out_of_reach():
    [limb] = rig.reach_report(reaching_leg(), start=1, end=13).limbs
    assert limb.out_of_reach == 5
    assert [(miss.start, miss.end, miss.state, miss.frame) for miss in limb.misses] == [
        (4, 6, State.TOO_FAR, 5), (9, 9, State.TOO_FAR, 9), (12, 12, State.TOO_CLOSE, 12)]
    assert [miss.gap for miss in limb.misses] == pytest.approx([0.3, 0.15, 0.1], abs=1e-6)
    assert limb.worst == limb.misses[0]
    assert not limb.is_well


def test_lengths_are_the_worlds():
    object = reaching_leg()
    object.scale = (0.1, 0.1, 0.1)
    target = object.pose.bones["lo"].twobone_target
    target.parent = object
    b.update()
    [limb] = rig.reach_report(object, start=1, end=13).limbs
    assert limb.worst.gap == pytest.approx(0.03, abs=1e-6)


def test_too_far_and_too_close_in_a_row_are_told_apart():
    object, target, _pole = b.rigged_leg(1, 0.8, 10)
    b.keys(target, "location", [(1, (0, 0, -2.0)), (2, (0, 0, -0.1)), (3, (0, 0, -2.1))])
    [limb] = rig.reach_report(object, start=1, end=3).limbs
    assert [(miss.state.name, miss.frame) for miss in limb.misses] == [("TOO_FAR", 1), ("TOO_CLOSE", 2), ("TOO_FAR", 3)]


def test_well_limb():
    object, target, _pole = b.rigged_leg(1, 1, 10)
    b.keys(target, "location", [(1, (0, 0, -1.5)), (20, (0.5, 0, -1.2))])
    [limb] = rig.reach_report(object, start=1, end=20).limbs
    assert limb.is_well
    assert limb.worst is None


def test_pop_at_full_extension():
    """A foot that is planted while the hip walks away straightens the knee, which then pops; softness helps."""
    object, target, _pole = b.rigged_leg(1, 1, 10)
    b.keys(target, "location", [(frame, (0, 0, -1.9 - 0.03 * (frame - 1))) for frame in range(1, 12)])
    [limb] = rig.reach_report(object, start=1, end=11).limbs
    assert [pop.frame for pop in limb.pops] == [5]  # straight all of a sudden
    distances = [1.9 + 0.03 * (frame - 1) for frame in range(1, 12)]
    flexion = [2 * np.arccos(min(1.0, distance / 2)) for distance in distances]
    speed = np.diff(flexion)
    assert limb.pops[0].change == pytest.approx(np.abs(np.diff(speed)).max(), abs=1e-3)
    assert limb.top_speed == pytest.approx(np.abs(speed).max(), abs=1e-3)
    assert limb.top_frame == 2 + int(np.abs(speed).argmax())
    object.pose.bones["lo"].twobone_softness = 0.2
    [softer] = rig.reach_report(object, start=1, end=11).limbs
    assert softer.pops == ()
    assert rig.reach_report(object, start=1, end=11, pop=radians(0.05)).limbs[0].pops


def test_speed_is_per_frame_whatever_the_step():
    object, target, _pole = b.rigged_leg(1, 1, 10)
    b.keys(target, "location", [(1, (0, 0, -1.5)), (41, (0, 0, -1.0))])
    each, fourth = (rig.reach_report(object, start=1, end=41, step=step).limbs[0] for step in (1, 4))
    assert fourth.top_speed == pytest.approx(each.top_speed, rel=0.05)


def test_flip_of_the_plane():
    object, target, pole = b.rigged_leg(1, 1, 10, target=(0, 0, -1.5))
    b.keys(pole, "location", [(1, (0, -3, -1)), (5, (0, -3, -1)), (6, (0.5, 3, -1)), (10, (1, 3, -1))])
    [limb] = rig.reach_report(object, start=1, end=10).limbs
    assert [flip.frame for flip in limb.flips] == [6]
    assert degrees(limb.flips[0].angle) == pytest.approx(180 - degrees(np.arctan2(0.5, 3)), abs=0.1)


def test_limb_that_swings_round_fast_does_not_flip():
    object, target, _pole = b.rigged_leg(1, 1, 10, pole=(0, -3, 0))
    turn = [radians(40) * frame for frame in range(20)]
    b.keys(target, "location", [(frame + 1, (1.5 * np.sin(angle), 0, -1.5 * np.cos(angle))) for frame, angle in enumerate(turn)])
    [limb] = rig.reach_report(object, start=1, end=20).limbs
    assert limb.flips == ()


def test_armature_that_turns_round_does_not_flip():
    object, target, pole = b.rigged_leg(1, 1, 10, target=(0, 0, -1.5))
    target.parent = pole.parent = object
    b.keys(object, "rotation_euler", [(frame, (0, 0, 1.2 * frame)) for frame in range(1, 6)])
    [limb] = rig.reach_report(object, start=1, end=5).limbs
    assert limb.flips == ()


def test_frames_without_influence_do_not_count():
    object = reaching_leg()
    b.keys(object.pose.bones["lo"], "twobone_influence", [(4, 1.0), (5, 0.0), (9, 0.0), (10, 1.0)], 'CONSTANT')
    [limb] = rig.reach_report(object, start=1, end=13).limbs
    assert [(miss.start, miss.end) for miss in limb.misses] == [(4, 4), (12, 12)]


@pytest.mark.parametrize("frames", [[5], [5, 6], range(1, 50)])
def test_gap_at_partial_influence_is_that_of_the_readings(frames):
    """However many frames are looked at, and though the limb shows less of it."""
    object = reaching_leg()
    object.pose.bones["lo"].twobone_influence = 0.5
    [limb] = rig.reach_report(object, frames=frames).limbs
    bpy.context.scene.frame_set(5)
    assert limb.misses[0].gap == pytest.approx(rig.readings(object, "lo").gap, abs=1e-6) == pytest.approx(0.3, abs=1e-6)


def test_limbs_that_rest():
    object = reaching_leg()
    b.keys(object, "scale", [(2, (1, 1, 1)), (3, (0, 0, 0)), (4, (1, 1, 1))])
    assert rig.reach_report(object, start=1, end=13).limbs[0].rests == (3,)
    object.pose.bones["lo"].twobone_target = None
    b.update()
    [limb] = rig.reach_report(object, start=1, end=3).limbs
    assert "no target" in limb.fault
    assert (limb.rests, limb.misses, limb.pops, limb.flips, limb.top_speed) == ((), (), (), (), 0.0)


def test_each_frame_is_evaluated_once_for_all_limbs():
    rows = [(f"{part}{side}", (x, y, z), (x, y2, z2), f"up{side}" if part == "lo" else "", 0) for side, x in (("A", 0), ("B", 1))
            for part, y, z, y2, z2 in (("up", 0, 0, -0.1, -1), ("lo", -0.1, -1, 0, -2))]
    object = b.armature("Pair", rows)
    b.update()
    for lower in ("loA", "loB"):
        rig.add_limb(object, lower)
        b.unforeseeable(object.pose.bones[lower].twobone_target)
    b.update()
    live.counts.clear()
    calls = []
    bpy.app.handlers.frame_change_post.append(lambda *_args: calls.append(1))
    report = rig.reach_report(object, start=1, end=100)
    bpy.app.handlers.frame_change_post.pop()
    assert len(report.limbs) == 2
    assert len(calls) == 101  # and the way back
    assert live.counts.updates == 1


@pytest.fixture
def found():
    object = reaching_leg()
    pole = object.pose.bones["lo"].twobone_pole
    b.keys(pole, "location", [(1, (0, -3, -1)), (2, (0, -3, -1)), (3, (0, 3, -1))])
    return rig.reach_report(object, start=1, end=13)


def test_table(found, tmp_path):
    report_files.save(found, tmp_path / "reach.CSV")
    with (tmp_path / "reach.CSV").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["limb"] for row in rows} == {"lo"}
    assert [(row["kind"], float(row["frame"])) for row in rows if row["kind"] != "pop"] == [
        ("too_far", 5), ("too_far", 9), ("too_close", 12), ("flip", 3)]
    assert float(rows[0]["amount"]) == pytest.approx(0.3, abs=1e-6)


def test_document(found, tmp_path):
    report_files.save(found, tmp_path / "reach.json")
    document = json.loads((tmp_path / "reach.json").read_text())
    [limb] = document["limbs"]
    assert (document["frames"], document["frame_count"], limb["out_of_reach"]) == ([1, 13], 13, 5)
    assert (limb["worst"]["state"], limb["worst"]["frame"]) == ("TOO_FAR", 5)
    assert limb["flips"][0]["frame"] == 3


@pytest.mark.parametrize(("name", "words"), [("reach.txt", "neither"), ("nowhere/reach.csv", "could not be written")])
def test_bad_files_are_refused(found, tmp_path, name, words):
    with pytest.raises(rig.Refusal, match=words):
        report_files.save(found, tmp_path / name)


def test_markers_replace_those_of_an_earlier_report(found):
    scene = bpy.context.scene
    scene.timeline_markers.new("mine", frame=5)
    for _ in range(2):
        report_files.mark(scene, found)
    marks = {(marker.name, marker.frame) for marker in scene.timeline_markers}
    assert {("mine", 5), ("IK: lo too far", 5), ("IK: lo too far", 9), ("IK: lo too close", 12), ("IK: lo flip", 3)} <= marks
    assert len(marks) == len(scene.timeline_markers)
    report_files.unmark(scene)
    assert [marker.name for marker in scene.timeline_markers] == ["mine"]


def test_operators(tmp_path):
    report_files.latest.report = None
    object = reaching_leg()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 13
    b.select(object, "up")
    assert not bpy.ops.pose.twobone_reach_markers.poll()
    assert bpy.ops.pose.twobone_reach_report(markers=True, filepath=str(tmp_path / "a.csv")) == {'FINISHED'}
    assert (tmp_path / "a.csv").exists()
    assert len([marker for marker in scene.timeline_markers if "too far" in marker.name]) == 2
    assert bpy.ops.pose.twobone_reach_markers(clear=True) == {'FINISHED'}
    assert not len(scene.timeline_markers)
    assert bpy.ops.pose.twobone_reach_markers() == {'FINISHED'}
    assert len(scene.timeline_markers)
    assert bpy.ops.pose.twobone_reach_save(filepath=str(tmp_path / "a.json")) == {'FINISHED'}
    with pytest.raises(RuntimeError, match="neither"):
        bpy.ops.pose.twobone_reach_save(filepath=str(tmp_path / "a.txt"))
    assert bpy.ops.pose.twobone_reach_report(use_range=True, start=4, end=6) == {'FINISHED'}
    assert report_files.latest.report.frames == (4, 5, 6)
    with pytest.raises(RuntimeError, match="before its start"):
        bpy.ops.pose.twobone_reach_report(use_range=True, start=4, end=2)
