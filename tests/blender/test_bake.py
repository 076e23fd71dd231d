"""Baking: the pose that played live, as keys of the limb's own bones, and nothing else."""

from itertools import pairwise
from math import cos, pi, radians, sin

import bpy
import builders as b
import handed
import numpy as np
import pytest
import snapshots
from mathutils import Matrix

from twobone_addon import rig
from twobone_addon.rig import live
from twobone_addon.rig.bake import baking, compute
from twobone_addon.rig.frames.samples import current_plan, rows_of
from twobone_addon.rig.frames.scan import finish

MODES = ['QUATERNION', 'AXIS_ANGLE', 'XYZ', 'XZY', 'YXZ', 'YZX', 'ZXY', 'ZYX']


def circling_leg():
    """User case B1: the target circles the root twice in 96 frames."""
    object, target, pole = b.rigged_leg(1, 1, 10, pole=(0, -3, 0))
    turn = [4 * pi * frame / 96 for frame in range(97)]
    b.keys(target, "location", [(frame + 1, (1.5 * sin(angle), 0, -1.5 * cos(angle))) for frame, angle in enumerate(turn)])
    return object


def planted_leg():
    """User case B4: an animated hip over a planted foot."""
    object, target, pole = b.rigged_leg(0.45, 0.42, 10, target=(0, 0, -0.8), pole=(0, -2, -0.4))
    b.keys(object, "location", [(1, (0, -0.15, 0)), (7, (0.02, 0, 0.03)), (13, (0, 0.15, 0))], 'BEZIER')
    b.keys(object, "rotation_euler", [(1, (0, 0, -0.2)), (13, (0.1, 0, 0.2))], 'BEZIER')
    return object


def carried_leg():
    """The other half of B4: a keyed parent bone, in an object a hundred times too small."""
    rows = [("hip", (0, 0, 0.3), (0, 0, 0), "", 30), ("up", (0, 0, 0), (0, -0.04, -0.45), "hip", 10),
            ("lo", (0, -0.04, -0.45), (0, 0, -0.87), "up", -50)]
    object = b.armature("Small", rows)
    object.scale = (0.01, 0.01, 0.01)
    object.location = (0.3, 0.1, 0.2)
    target = b.empty("T", (0.3, 0.1, 0.192))
    b.update()
    rig.add_limb(object, "lo", target)
    b.keys(object.pose.bones["hip"], "rotation_quaternion", [(1, (1, 0, 0, 0)), (13, (0.95, 0.2, 0.1, -0.1))], 'BEZIER')
    b.keys(object.pose.bones["hip"], "location", [(1, (0, 0, 0)), (13, (0.1, 0, 0.05))], 'BEZIER')
    return object


def fast_arm(seed):
    """An arm whose target darts about."""
    object, target, _pole = b.rigged_leg(0.35, 0.3, 10, target=(0.1, -0.2, -0.45), pole=(0, -2, -0.4))
    random = np.random.default_rng(seed)
    phases, sizes, speeds = random.uniform(0, 2 * pi, (3, 3)), random.normal(size=(3, 3)) * 0.2, random.integers(2, 7, (3, 3))
    b.keys(target, "location", [
        (frame, np.array((0, -0.1, -0.42)) + (sizes * np.sin(2 * pi * speeds * (frame - 1) / 48 + phases)).sum(1))
        for frame in range(1, 50)], 'BEZIER')
    return object


def twisted_leg():
    """A twist bone in between that turns, FK under a keyed influence, softness."""
    rows = [("torso", (0, 0, 1), (0, 0, 0), "", 20), ("up", (0, 0, 0), (0, -0.1, -1), "torso", 10),
            ("twist", (0, -0.1, -1), (0, -0.08, -1.2), "up", 45), ("lo", (0, -0.08, -1.2), (0, 0, -2), "twist", 0)]
    object = b.armature("Twist", rows)
    target = b.empty("T", (0, 0, -1.5))
    b.update()
    rig.add_limb(object, "lo", target, upper="up")
    bones = object.pose.bones
    bones["lo"].twobone_softness = 0.1
    b.keys(bones["torso"], "rotation_quaternion", [(1, (1, 0, 0, 0)), (13, (0.9, 0.3, 0.2, 0.1))])
    b.keys(bones["twist"], "rotation_quaternion", [(1, (1, 0, 0, 0)), (13, (0.9, 0, 0.3, 0))])
    b.keys(bones["up"], "rotation_quaternion", [(1, (1, 0, 0, 0)), (20, (0.9, 0.3, -0.2, 0.1))])
    b.keys(bones["lo"], "twobone_influence", [(1, 1.0), (13, 0.0)])
    b.keys(target, "location", [(1, (0, 0, -1.9)), (13, (0.8, -0.3, -1.2))])
    return object


def spun_hand():
    object = handed.handed_leg()
    handed.follow(object)
    target = handed.target_of(object)
    b.keys(target, "location", [(1, target.location), (13, (0.5, -0.3, -1.2))])
    b.keys(target, "rotation_euler", [(1, target.rotation_euler), (13, (0.4, -0.7, 1.3))])
    return object


RIGS = (planted_leg, carried_leg, spun_hand)


def length(object):
    return sum(b.segments(object)) * object.scale.x


def sampled(object, frames):
    """World heads and tails of all bones, by frame."""
    found = {}
    for frame in frames:
        bpy.context.scene.frame_set(int(frame // 1), subframe=frame % 1)
        world = b.world(object)
        found[frame] = {name: [(world @ np.append(end, 1))[:3] for end in ends] for name, ends in b.ends(object).items()}
    return found


def apart(before, after):
    return max(b.moved(before[frame], after[frame]) for frame in before)


def path(bone, mode):
    name = {'QUATERNION': "rotation_quaternion", 'AXIS_ANGLE': "rotation_axis_angle"}.get(mode, "rotation_euler")
    return f'pose.bones["{bone}"].{name}'


def values(object, data_path):
    """Values (K, n) of a property's keys, and their frames."""
    found = sorted((curve for curve in b.curves(object) if curve.data_path == data_path), key=lambda curve: curve.array_index)
    return (np.array([[point.co.y for point in curve.keyframe_points] for curve in found]).T,
            [point.co.x for point in found[0].keyframe_points])


def curve_bytes(object, but=()):
    """Everything stored of the object's curves, those excepted whose paths start so."""
    return {(curve.data_path, curve.array_index): {**snapshots.dump(curve), "group": curve.group and curve.group.name}
            for curve in b.curves(object) if not curve.data_path.startswith(tuple(but))}


def points_at(object, data_path, frames):
    """Everything stored of the keys of a property at these frames."""
    return {(curve.array_index, point.co.x): repr(snapshots.dump(point)) for curve in b.curves(object)
            for point in curve.keyframe_points if curve.data_path == data_path and point.co.x in frames}


def evaluated(build):
    """The same rig where no frame can be foretold."""
    def built():
        object = build()
        for other in bpy.context.scene.objects:
            b.unforeseeable(other)
        b.update()
        return object
    return built


@pytest.mark.parametrize(("build", "mode"), [
    *((twisted_leg, mode) for mode in MODES),
    *((build, mode) for build in RIGS for mode in ('QUATERNION', 'AXIS_ANGLE', 'YZX')),
    *((evaluated(build), 'QUATERNION') for build in RIGS)])
def test_baked_pose_is_the_live_pose(build, mode):
    """User cases B1, B2 and B4: on frames exact, between frames near, in every rotation mode."""
    object = build()
    for name in ("up", "lo", "hand"):
        if name in object.pose.bones:
            object.pose.bones[name].rotation_mode = mode
    frames = range(1, 14)
    live, live_between = sampled(object, frames), sampled(object, [frame + 0.5 for frame in frames[:-1]])
    result = rig.bake(object, "lo", start=1, end=13, after='ZERO_INFLUENCE')
    assert result.frames == tuple(frames)
    assert apart(live, sampled(object, frames)) < 1e-5 * length(object)
    between = sampled(object, live_between)
    assert apart(live_between, between) < 0.01 * length(object)
    [limb] = result.limbs
    tip_slip = max(np.linalg.norm(between[frame]["lo"][1] - ends["lo"][1]) for frame, ends in live_between.items())
    assert limb.slip == pytest.approx(tip_slip, rel=0.05, abs=1e-6 * length(object))
    assert limb.error < 1e-5 * length(object)
    assert limb.keys == 13
    assert limb.notes == ()


@pytest.mark.parametrize("mode", ['QUATERNION', 'AXIS_ANGLE', 'XYZ', 'YXZ', 'ZYX'])
def test_no_channel_jumps(mode):
    object = circling_leg()
    for name in ("up", "lo"):
        object.pose.bones[name].rotation_mode = mode
    live_between = sampled(object, [frame + 0.5 for frame in range(1, 97)])
    live = sampled(object, range(1, 98, 5))
    rig.bake(object, "lo", start=1, end=97, after='ZERO_INFLUENCE')
    assert apart(live, sampled(object, live)) < 2e-5
    for name in ("up", "lo"):
        keys, _frames = values(object, path(name, mode))
        if mode == 'QUATERNION':
            assert all(first @ second > 0 for first, second in pairwise(keys))
        elif mode == 'AXIS_ANGLE':
            axes = keys[:, 1:] / np.linalg.norm(keys[:, 1:], axis=1, keepdims=True)
            assert all(first @ second > 0.9 for first, second in pairwise(axes))
            assert np.abs(np.diff(keys[:, 0])).max() < 0.5
        else:
            assert np.abs(np.diff(keys, axis=0)).max() < 0.8 * pi
    if mode == 'QUATERNION':
        assert apart(live_between, sampled(object, live_between)) <= 4e-3


@pytest.mark.parametrize("seed", [0, 2, 3, 7])
def test_axes_and_angles_slip_hardly_more_than_quaternions(seed):
    """A fast arm whose bones pass near their rest pose, where axes swing round."""
    slips = {}
    for mode in ('QUATERNION', 'AXIS_ANGLE'):
        object = fast_arm(seed)
        for name in ("up", "lo"):
            object.pose.bones[name].rotation_mode = mode
        [limb] = rig.bake(object, "lo", start=1, end=49, after='ZERO_INFLUENCE').limbs
        assert limb.error < 1e-5 * length(object)
        slips[mode] = limb.slip
    assert slips['AXIS_ANGLE'] < 1.5 * slips['QUATERNION']


def test_lines_between_keys():
    object = circling_leg()
    rig.bake(object, "lo", start=1, end=20)
    for curve in b.curves(object):
        if "rotation" in curve.data_path:
            assert {point.interpolation for point in curve.keyframe_points} == {'LINEAR'}


def test_only_rotations_of_the_two_bones_are_keyed():
    """User case B8."""
    object = planted_leg()
    rig.bake(object, "lo", start=1, end=13, after='ZERO_INFLUENCE')
    assert {curve.data_path for curve in b.curves(object)} == {
        "location", "rotation_euler", path("up", 'QUATERNION'), path("lo", 'QUATERNION')}


def test_keys_outside_and_other_curves_stay():
    """User case B3: hand-made keys before and after the range, a tail bone, the controls and an earlier bake."""
    object, target, pole = b.rigged_leg(1, 1, 10, extra=[("tail", (0, 0.5, 0), (0, 1, 0), "", 0)])
    random = np.random.default_rng(3)
    bones = object.pose.bones
    for frame in range(1, 51):
        for channel in ("location", "rotation_quaternion", "scale"):
            setattr(bones["tail"], channel, random.normal(size=len(getattr(bones["tail"], channel))))
            bones["tail"].keyframe_insert(channel, frame=frame)
    for frame, rotation in ((-10, (0.9, 0.1, 0.3, 0)), (5, (0.5, 0.5, 0.5, 0.5)), (40, (0.8, -0.4, 0, 0.3))):
        bones["up"].rotation_quaternion = rotation
        bones["up"].keyframe_insert("rotation_quaternion", frame=frame)
        bones["up"].keyframe_insert("location", frame=frame)
    for control, place in ((target, (0, 0, -1.9)), (target, (0.5, 0.2, -1.4)), (pole, (0, -3, -1)), (pole, (1, -3, 0))):
        control.location = place
        control.keyframe_insert("location", frame=1 if place in ((0, 0, -1.9), (0, -3, -1)) else 13)
    outside = points_at(object, path("up", 'QUATERNION'), (-10, 40))
    others = curve_bytes(object, but=[path("up", 'QUATERNION')]), curve_bytes(target), curve_bytes(pole)
    rig.bake(object, "lo", start=1, end=13)
    baked = [path("up", 'QUATERNION'), path("lo", 'QUATERNION'), 'pose.bones["lo"].twobone_influence']
    assert repr((curve_bytes(object, but=baked), curve_bytes(target), curve_bytes(pole))) == repr(others)
    _keys, frames = values(object, path("up", 'QUATERNION'))
    assert frames == [-10, *range(1, 14), 40]
    assert points_at(object, path("up", 'QUATERNION'), (-10, 40)) == outside


def test_baking_twice_is_baking_once():
    object = planted_leg()
    rig.bake(object, "lo", start=1, end=13, after='ZERO_INFLUENCE')
    first = curve_bytes(object)
    rig.bake(object, "lo", start=1, end=13, after='ZERO_INFLUENCE')
    second = curve_bytes(object)
    assert second.keys() == first.keys()
    keys = [values(object, path(name, 'QUATERNION'))[1] for name in ("up", "lo")]
    assert keys == [list(range(1, 14))] * 2


def test_bake_goes_on_from_keys_before_and_leads_to_keys_after():
    for frame, sign in ((-5, -1), (30, -1)):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        object = planted_leg()
        bone = object.pose.bones["up"]
        bone.rotation_quaternion = (sign, 0, 0, 0)
        bone.keyframe_insert("rotation_quaternion", frame=frame)
        bone.rotation_quaternion = (1, 0, 0, 0)
        rig.bake(object, "lo", start=1, end=13)
        keys, _frames = values(object, path("up", 'QUATERNION'))
        assert all(first @ second > 0 for first, second in pairwise(keys))


@pytest.mark.parametrize("frame", [-5, 30])
def test_euler_angles_are_those_nearest_to_the_keys_around(frame):
    object = planted_leg()
    bone = object.pose.bones["up"]
    bone.rotation_mode = 'XYZ'
    bone.rotation_euler = (4 * pi, 0, -2 * pi)
    bone.keyframe_insert("rotation_euler", frame=frame)
    bone.rotation_euler = (0, 0, 0)
    rig.bake(object, "lo", start=1, end=13)
    keys, _frames = values(object, path("up", 'XYZ'))
    assert np.abs(np.diff(keys, axis=0)).max() < pi


def test_step_and_subframes():
    object = planted_leg()
    assert rig.bake(object, "lo", start=1, end=13, step=3).frames == (1, 4, 7, 10, 13)
    assert values(object, path("lo", 'QUATERNION'))[1] == [1, 4, 7, 10, 13]
    assert rig.bake(object, "lo", [2, 2.5, 3], after='ZERO_INFLUENCE').limbs[0].keys == 3
    assert values(object, path("lo", 'QUATERNION'))[1] == [1, 2, 2.5, 3, 4, 7, 10, 13]


def test_shares_of_limbs_come_out_as_all_at_once(monkeypatch):
    objects = [build() for build in (circling_leg, spun_hand, twisted_leg, planted_leg)]
    objects[0].pose.bones["lo"].rotation_mode = 'XYZ'
    objects[3].pose.bones["up"].rotation_mode = 'AXIS_ANGLE'
    b.update()
    scene = bpy.context.scene
    plan = current_plan(scene)
    rows = rows_of(plan, [limb for object in objects for limb in rig.limbs(object)])

    def computed(at_once):
        monkeypatch.setattr(compute, "ROWS", at_once)
        found = finish(compute.computing(plan, rows, np.arange(1.0, 31.0), 0.0, scene))
        values = {(part, place): (block.mode, block.values[..., row].tolist()) for part, blocks in enumerate(found.values)
                  for block in blocks for row, place in enumerate(block.places.tolist())}
        return values, found.error.tolist(), found.slip.tolist(), found.slip_frame.tolist(), found.rested.tolist()

    whole, shared = computed(10_000), computed(60)
    assert len(whole[0]) == 2 * len(rows) + 1
    assert shared == whole


def test_range_is_what_the_scene_plays():
    object = planted_leg()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 2, 5
    assert rig.bake(object, "lo").frames == (2, 3, 4, 5)


class TestAfterwards:
    def test_influence_is_keyed_in_the_range_alone(self):
        object = planted_leg()
        live = sampled(object, [-3, 0, 14, 20])
        rig.bake(object, "lo", start=1, end=13)
        influence = {}
        for frame in (-3, 0, 1, 7, 13, 14, 20):
            bpy.context.scene.frame_set(frame)
            influence[frame] = b.evaluated(object).pose.bones["lo"].twobone_influence
        assert influence == {-3: 1, 0: 1, 1: 0, 7: 0, 13: 0, 14: 1, 20: 1}
        assert apart(live, sampled(object, [-3, 0, 14, 20])) < 1e-6

    def test_edited_key_is_honoured_and_ik_comes_back_by_one_setting(self):
        """User case B9."""
        object = planted_leg()
        live = sampled(object, range(1, 14))
        handlers = [len(getattr(bpy.app.handlers, name)) for name in ("frame_change_post", "depsgraph_update_post")]
        rig.bake(object, "lo", start=1, end=13, after='ZERO_INFLUENCE')
        bpy.context.scene.frame_set(5)
        bone = object.pose.bones["lo"]
        bone.rotation_quaternion @= Matrix.Rotation(radians(20), 4, 'X').to_quaternion()
        bone.keyframe_insert("rotation_quaternion", frame=5)
        for frame in (9, 5):
            bpy.context.scene.frame_set(frame)
        assert b.moved(live[5], sampled(object, [5])[5]) > 0.1
        bone.twobone_influence = 1.0
        assert b.moved(live[5], sampled(object, [5])[5]) < 2e-6
        bone.twobone_influence = 0.0
        rig.remove_limb(object, "lo")
        assert b.moved(live[7], sampled(object, [7])[7]) < 1e-5
        assert snapshots.custom_data(bone) == {}
        assert handlers == [len(getattr(bpy.app.handlers, name)) for name in ("frame_change_post", "depsgraph_update_post")]

    def test_limb_is_removed(self):
        object = planted_leg()
        live = sampled(object, range(1, 14))
        rig.bake(object, "lo", start=1, end=13, after='REMOVE')
        assert rig.limbs(object) == []
        assert not len(object.pose.bones["lo"].constraints)
        assert apart(live, sampled(object, range(1, 14))) < 1e-5 * 0.87

    def test_keyed_influence_is_set_to_zero_for_good(self):
        object = planted_leg()
        b.keys(object.pose.bones["lo"], "twobone_influence", [(1, 1.0), (13, 0.5)])
        rig.bake(object, "lo", start=1, end=13, after='ZERO_INFLUENCE')
        assert object.pose.bones["lo"].twobone_influence == 0
        assert not [curve for curve in b.curves(object) if "twobone" in curve.data_path]


    @pytest.mark.parametrize("after", ['KEY_INFLUENCE', 'ZERO_INFLUENCE'])
    def test_keys_are_shown_without_the_extension_before_anything_is_evaluated(self, after):
        """Whoever saves at once hands on a file that needs no extension."""
        object = planted_leg()
        for frame in (4, 9):
            bpy.context.scene.frame_set(frame)
            shown = b.ends(object)
        rig.bake(object, "lo", start=1, end=13, after=after)
        with live.held():
            bpy.context.scene.frame_set(9)
        assert b.moved(shown, b.ends(object)) < 1e-5

    def test_ik_goes_on_at_a_frame_outside_the_range(self):
        object = planted_leg()
        bpy.context.scene.frame_set(20)
        shown = b.ends(object)
        rig.bake(object, "lo", start=1, end=13)
        assert object.pose.bones["lo"].constraints["Two-Bone IK"].influence == 1.0
        b.update()
        assert b.moved(shown, b.ends(object)) < 1e-5


class TestFewerKeys:
    @pytest.mark.parametrize("tolerance", [0.001, 0.01])
    def test_nothing_moves_by_more_than_the_tolerance(self, tolerance):
        object = circling_leg()
        frames = range(1, 98)
        live = sampled(object, frames)
        [limb] = rig.bake(object, "lo", start=1, end=97, tolerance=tolerance, after='ZERO_INFLUENCE').limbs
        moved = apart({frame: {"lo": ends["lo"]} for frame, ends in live.items()}, sampled(object, frames))
        assert moved <= tolerance + 1e-6
        assert limb.error == pytest.approx(moved, abs=1e-6)
        assert limb.keys < 97
        assert len(values(object, path("lo", 'QUATERNION'))[1]) == limb.keys
        assert values(object, path("lo", 'QUATERNION'))[1] == values(object, path("up", 'QUATERNION'))[1]

    def test_tolerance_is_a_length_in_the_world(self):
        object = carried_leg()
        frames = range(1, 14)
        live = sampled(object, frames)
        rig.bake(object, "lo", start=1, end=13, tolerance=1e-5, after='ZERO_INFLUENCE')
        assert apart(live, sampled(object, frames)) <= 1.2e-5

    def test_still_limb_needs_two_keys(self):
        object, _target, _pole = b.rigged_leg()
        assert rig.bake(object, "lo", start=1, end=50, tolerance=1e-4).limbs[0].keys == 2


class TestLeavesEverything:
    @pytest.mark.parametrize("prepare", [lambda object: None, b.unforeseeable], ids=["foretold", "evaluated"])
    def test_when_it_is_stopped(self, prepare):
        object = planted_leg()
        prepare(object)
        scene = bpy.context.scene
        scene.frame_set(4)
        before = snapshots.snapshot(object, *[item for item in scene.objects if item != object])
        for stop in (1, 5, 13):
            steps = baking(rig.limbs(object), range(1, 14))
            for _ in zip(range(1 if prepare is not b.unforeseeable else stop), steps):
                pass
            steps.close()
        assert scene.frame_current == 4
        assert snapshots.changes(before, snapshots.snapshot(object, *[item for item in scene.objects if item != object])) == []

    def test_when_ctrl_c_is_pressed(self, monkeypatch):
        object = planted_leg()
        bpy.context.scene.frame_set(4)
        before = snapshots.snapshot(object)

        def interrupt(*_args, **_kwargs):
            raise KeyboardInterrupt

        monkeypatch.setattr(compute, "poses", interrupt)
        with pytest.raises(KeyboardInterrupt):
            rig.bake(object, "lo", start=1, end=13)
        assert snapshots.changes(before, snapshots.snapshot(object)) == []

    def test_when_it_is_refused(self):
        def driven(object):
            object.pose.bones["up"].driver_add("rotation_quaternion", 2)

        def influence_driven(object):
            object.pose.bones["lo"].driver_add("twobone_influence")

        def locked(object):
            rig.bake(object, "lo", start=1, end=2)
            next(curve for curve in b.curves(object) if "quaternion" in curve.data_path).lock = True

        def muted(object):
            rig.bake(object, "lo", start=1, end=2)
            next(curve for curve in b.curves(object) if "quaternion" in curve.data_path).mute = True

        def noisy(object):
            rig.bake(object, "lo", start=1, end=2)
            next(curve for curve in b.curves(object) if "quaternion" in curve.data_path).modifiers.new('NOISE')

        def targetless(object):
            object.pose.bones["lo"].twobone_target = None

        def added(object):
            object.animation_data.nla_tracks.new().strips.new("s", 1, bpy.data.actions.new("other"))
            object.animation_data.action_blend_type = 'ADD'

        def tweaked(object):
            track = object.animation_data.nla_tracks.new()
            track.strips.new("s", 1, object.animation_data.action)
            object.animation_data.action = None
            object.animation_data.nla_tracks.active = track
            track.select = True
            object.animation_data.use_tweak_mode = True

        for build, words in ((driven, '"up" is driven'), (influence_driven, "influence"), (locked, "locked"), (muted, "muted"),
                             (noisy, "modifiers"), (targetless, "no target"), (added, "Replace"), (tweaked, "tweak")):
            bpy.ops.wm.read_factory_settings(use_empty=True)
            object = planted_leg()
            build(object)
            b.update()
            before = snapshots.snapshot(object)
            with pytest.raises(rig.Refusal, match=words):
                rig.bake(object, "lo", start=1, end=13)
            assert snapshots.changes(before, snapshots.snapshot(object)) == []

    @pytest.mark.parametrize(("arguments", "words"), [
        ({"lowers": "nobody"}, "no bone"), ({"lowers": "up"}, "no Two-Bone IK"), ({"lowers": []}, "no limb"),
        ({"start": 5, "end": 2}, "before its start"), ({"step": 0}, "above 0"), ({"frames": []}, "no frames"),
        ({"after": "NOTHING"}, "NOTHING"), ({"tolerance": -1.0}, "tolerance -1.0"),
        ({"tolerance": float("nan")}, "tolerance nan")])
    def test_when_it_is_asked_for_what_cannot_be(self, arguments, words):
        object = planted_leg()
        before = snapshots.snapshot(object)
        with pytest.raises(rig.Refusal, match=words):
            rig.bake(object, **{"lowers": "lo", **arguments})
        assert snapshots.changes(before, snapshots.snapshot(object)) == []


def test_frames_in_which_the_limb_rests_keep_their_fk():
    object = planted_leg()
    bone = object.pose.bones["lo"]
    bone.rotation_quaternion = (0.9, 0.3, 0.1, 0)
    b.keys(object, "scale", [(5, (1, 1, 1)), (6, (0, 0, 0)), (7, (1, 1, 1))])
    [limb] = rig.bake(object, "lo", start=1, end=13).limbs
    assert "1 of 13 frames" in limb.notes[0]
    keys, _frames = values(object, path("lo", 'QUATERNION'))
    fk = np.array((0.9, 0.3, 0.1, 0)) / np.linalg.norm((0.9, 0.3, 0.1, 0))
    assert np.abs(np.abs(keys[5] @ fk) - 1) < 1e-6
    assert np.isfinite(keys).all()


def test_other_constraints_are_named():
    object = planted_leg()
    constraint = object.pose.bones["up"].constraints.new('COPY_ROTATION')
    constraint.target = bpy.data.objects["P"]
    object.pose.bones["up"].constraints.move(1, 0)
    b.update()
    [limb] = rig.bake(object, "lo", start=1, end=3).limbs
    assert '"Copy Rotation" of "up"' in limb.notes[0]
