"""Samples of frames that were not evaluated are those that evaluating them gives; where not, they are evaluated."""

import bpy
import builders as b
import numpy as np
import pytest
import test_bake
import test_scan

from twobone_addon import rig
from twobone_addon.rig.animation.fcurves import curves_of
from twobone_addon.rig.frames.reading import reading
from twobone_addon.rig.frames.samples import SAMPLED, current_plan
from twobone_addon.rig.frames.scan import finish, scan
from twobone_addon.rig.predict.curves import curve_values
from twobone_addon.rig.predict.many import Asked, asked_of
from twobone_addon.rig.predict.nodes import Nodes
from twobone_addon.rig.predict.samples import Teller
from twobone_addon.rig.predict.single import ORDERS, Poses

FRAMES = np.arange(1.0, 13.5, 0.5)


def turning_torso():
    """A limb on a moving spine of plain and other bones, its target in the world, its pole on a bone."""
    rows = [("root", (0, 0, 0), (0, 0, 0.2), "", 0), ("torso", (0, 0, 1), (0, 0.1, 1.4), "root", 20),
            ("up", (0.2, 0, 1), (0.2, -0.05, 0.55), "torso", 5), ("lo", (0.2, -0.05, 0.55), (0.2, 0, 0.1), "up", 0),
            ("aim", (0.2, -1, 0.5), (0.2, -1.2, 0.5), "root", 0)]
    object = b.armature("Body", rows)
    carrier = b.empty("Carrier", (0.1, 0, 0))
    target = b.empty("T", (0.1, 0, 0.25), parent=carrier)
    target.rotation_mode, target.delta_location = 'AXIS_ANGLE', (0, 0.02, 0)
    b.update()
    rig.add_limb(object, "lo", target, object, pole_bone="aim")
    for name in ("root", "torso"):
        object.pose.bones[name].rotation_mode = 'ZXY'
        b.keys(object.pose.bones[name], "rotation_euler", [(1, (0, 0, 0)), (13, (0.2, -0.3, 0.4))], 'BEZIER')
    b.keys(object.pose.bones["torso"], "location", [(1, (0, 0, 0)), (13, (0.1, 0.05, -0.1))], 'BEZIER')
    b.keys(object, "location", [(1, (0, 0, 0)), (13, (0.3, 1, 0))], 'BEZIER')
    b.keys(object, "scale", [(1, (1, 1, 1)), (13, (1.2, 1.2, 1.2))])
    b.keys(carrier, "rotation_euler", [(1, (0, 0, 0)), (13, (0.1, 0.2, 0.5))], 'BEZIER')
    b.keys(object.pose.bones["lo"], "twobone_softness", [(1, 0.0), (13, 0.2)])
    return object


def on_another_rig():
    """The target is a bone of another armature, which moves."""
    object = b.leg(1, 0.8, 15)
    other = b.armature("Other", [("base", (0, 0, -2), (0, 0, -1.8), "", 0), ("grip", (0, 0.2, -1.5), (0, 0.2, -1.3), "base", 0)])
    other.location = (0.1, 0, 0)
    b.update()
    rig.add_limb(object, "lo", other, target_bone="grip")
    b.keys(other.pose.bones["base"], "rotation_quaternion", [(1, (1, 0, 0, 0)), (13, (0.9, 0.1, 0.3, 0))], 'BEZIER')
    b.keys(other, "location", [(1, (0.1, 0, 0)), (13, (0, 0.3, 0.2))], 'BEZIER')
    return object


def overshooting():
    """Curves that leave what their properties take, under FK keys of which half is muted."""
    object = test_scan.moving_leg()[0]
    bone = object.pose.bones["lo"]
    b.keys(bone, "twobone_influence", [(1, 0.2), (6, 1.0), (8, 1.0), (13, 0.1)], 'BEZIER')
    for point in b.curves(object)[-1].keyframe_points:
        point.handle_left_type = point.handle_right_type = 'FREE'
        point.handle_right = point.co.x + 2, point.co.y + 3
    b.keys(bone, "rotation_quaternion", [(1, (1, 0, 0, 0)), (13, (0.9, 0.3, 0.1, 0))])
    object.pose.bones["up"].constraints["Two-Bone IK"].mute = True
    return object


TOLD = (test_bake.planted_leg, test_bake.carried_leg, test_bake.spun_hand, test_bake.circling_leg, test_scan.moving_leg,
        turning_torso, on_another_rig, test_scan.blended, test_scan.muted, overshooting)


@pytest.mark.parametrize("build", TOLD)
def test_told_is_what_is_evaluated(build):
    built = build()
    object = built if isinstance(built, bpy.types.Object) else built[0]
    scene = bpy.context.scene
    scene.frame_set(3)
    plan = current_plan(scene)
    read = finish(reading(plan, [0], FRAMES.tolist(), scene))
    teller = Teller(plan, [0])
    told = teller.samples(FRAMES, finish(reading(plan, [0], [7.0], scene)))
    assert teller.places == [0]
    size = sum(b.segments(object))
    for name in SAMPLED:
        if name not in ("upper_columns", "lower_columns", "joint"):  # of which only how they are to each other counts
            assert np.abs(getattr(told.sample, name) * 1.0 - getattr(read.sample, name)).max() < 2e-6 * size, name
    for name in ("target_columns", "follow", "to_world", "between"):
        assert np.abs(getattr(told, name) - getattr(read, name)).max() < 2e-6, name
    if build in (test_scan.blended, test_scan.muted, overshooting):
        assert np.abs(told.channels - read.channels)[:, :, :2].max() < 1e-6


def hooked():
    """Another add-on moves the target."""
    object, target, _pole = b.rigged_leg(1, 1, 10)
    b.keys(target, "location", [(1, (0, 0, -1.9)), (13, (0.5, 0, -1.2))])

    def move(scene, *_args):
        target.delta_location.y = 0.01 * scene.frame_current

    bpy.app.handlers.frame_change_pre.append(move)
    return object


def remapped():
    object = test_scan.moving_leg()[0]
    bpy.context.scene.render.frame_map_new = 200
    return object


def driven():
    object, target, _pole = b.rigged_leg(1, 1, 10)
    target.driver_add("location", 0).driver.expression = "frame / 100"
    return object


def in_strips():
    object = test_bake.planted_leg()
    data = object.animation_data
    data.nla_tracks.new().strips.new("strip", 1, data.action)
    data.action = None
    return object


@pytest.mark.parametrize("build", [hooked, remapped, driven, in_strips, lambda: test_scan.twisted()[0],
                                   lambda: test_scan.hanging(1.0)()[0]],
                         ids=["other handlers", "time remapping", "drivers", "strips", "twist bones", "other limbs"])
def test_what_cannot_be_told_is_evaluated(build):
    object = build()
    b.update()
    limbs = rig.limbs(object)
    found = scan(limbs, range(1, 14))
    for index, frame in enumerate(range(1, 14)):
        bpy.context.scene.frame_set(frame)
        for place, points in enumerate((found.root, found.joint, found.end)):
            assert np.abs(b.joints(object)[place] - points[index, 0]).max() < 6e-6, frame
    bpy.app.handlers.frame_change_pre[:] = [handler for handler in bpy.app.handlers.frame_change_pre
                                            if handler.__module__ != __name__]


def test_curves_are_what_blender_says():
    """Keys of every kind, handles that would loop, modifiers, extrapolation; frames at keys, between and outside."""
    random = np.random.default_rng(0)
    object = b.empty("Curves")
    for number in range(40):
        object[f"p{number}"] = 0.0
        for frame in np.unique(random.integers(-20, 60, random.integers(1, 12))) + 0.5 * (random.random() < 0.3):
            object[f"p{number}"] = float(random.normal() * 10.0 ** random.integers(-2, 3))
            object.keyframe_insert(f'["p{number}"]', frame=float(frame))
    curves = list(curves_of(object))
    for curve in curves:
        for point in curve.keyframe_points:
            point.interpolation = random.choice(['CONSTANT', 'LINEAR', 'BEZIER', 'BEZIER'])
            if random.random() < 0.5:
                point.handle_left_type = point.handle_right_type = 'FREE'
                point.handle_left = point.co.x - 40 * random.random(), point.co.y + random.normal()
                point.handle_right = point.co.x + 40 * random.random(), point.co.y + random.normal()
    curves[0].extrapolation = 'LINEAR'
    curves[1].modifiers.new('CYCLES')
    curves[2].keyframe_points[0].interpolation = 'BOUNCE'
    frames = np.arange(-30, 80, 0.25)
    expected = np.array([[curve.evaluate(frame) for frame in frames] for curve in curves])
    size = np.abs(expected).max(1, keepdims=True)
    found = curve_values(curves, frames)
    assert np.abs((found - expected) / size).max() < 1e-5
    assert (found == expected).mean() > 0.995


def test_bones_are_posed_to_the_last_digit():
    """Chains of bones in all rotation modes, all their channels keyed, the way Blender poses them."""
    random = np.random.default_rng(1)
    modes = [*ORDERS, 'QUATERNION', 'AXIS_ANGLE']
    names = [f"{chain}.{link}" for chain in range(8) for link in range(4)]
    object = b.armature("Chains", [
        (name, random.uniform(-1, 1, 3), random.uniform(-1, 1, 3) + (0, 0, 3), names[place - 1] if place % 4 else "",
         random.uniform(-180, 180)) for place, name in enumerate(names)])
    for place, name in enumerate(names):
        bone = object.pose.bones[name]
        bone.rotation_mode = mode = modes[(place + place // 4) % len(modes)]
        rotation = {'QUATERNION': "rotation_quaternion", 'AXIS_ANGLE': "rotation_axis_angle"}.get(mode, "rotation_euler")
        for path, around in ((rotation, 0.0), ("location", 0.0), ("scale", 1.0)):
            count = len(getattr(bone, path))
            b.keys(bone, path, [(frame, around + random.uniform(-0.5, 0.5, count)) for frame in (1, 6, 12)], 'BEZIER')
    nodes = Nodes(set())
    bones = [nodes.bone(object, name) for name in names]
    asked = Asked(values for node in bones for values in asked_of(node))
    poses = Poses(bones, [], asked)
    frames = np.arange(1.0, 13.0)
    found = poses.at(asked.at(frames))
    same = []
    for index, frame in enumerate(frames.astype(int).tolist()):
        bpy.context.scene.frame_set(frame)
        seen = b.bone_matrices(object)
        for name, node in zip(names, bones, strict=True):
            off = found[:, :, poses.row_of[id(node)], index].T - np.array(seen[name])[:3]
            assert np.abs(off).max() < 2e-6
            same.append(not off.any())
    assert np.mean(same) > 0.97
