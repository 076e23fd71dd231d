# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's human metarig with a simple body, IK on arms and legs, walking on the spot and reaching."""

from math import cos, pi, radians, sin

import addon_utils
import bpy
from mathutils import Vector

from twobone_addon import rig

from . import DemoError, body
from .shown import Shown

LIMBS = {"forearm.L": "hand.L", "forearm.R": "hand.R", "shin.L": "foot.L", "shin.R": "foot.R"}
STRIDE, LIFT = 0.22, 0.16
REACHED_PAST = 0.22


def build(frames: int) -> Shown:
    """Make the scene; the walk takes `frames` frames for two cycles."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    armature = _metarig()
    body.add(armature)
    bpy.context.view_layer.update()
    for lower, tip in LIMBS.items():
        rig.add_limb(armature, lower, tip=tip)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    _walk(armature, frames)
    scene.frame_set(1)
    return Shown("human", armature, tuple(LIMBS), range(1, frames + 1))


def _metarig() -> bpy.types.Object:
    addon_utils.enable("rigify", default_set=True)
    try:
        bpy.ops.object.armature_human_metarig_add()
    except (AttributeError, RuntimeError) as error:
        raise DemoError(f"Rigify, which ships with Blender, did not make its human: {error}") from None
    finally:
        addon_utils.disable("rigify", default_set=True)
        _remove_rigifys_handlers()
    armature = bpy.context.object
    armature.name = "Human"
    armature.show_in_front = True
    return armature


def _remove_rigifys_handlers() -> None:
    """Take out what Rigify leaves behind when it is disabled, which would fail with every file that is opened."""
    for handlers in (bpy.app.handlers.load_post, bpy.app.handlers.load_pre):
        for handler in [handler for handler in handlers if getattr(handler, "__module__", "").startswith("rigify")]:
            handlers.remove(handler)


def _walk(armature: bpy.types.Object, frames: int) -> None:
    """Key the torso and the four targets: feet planted in stance, the left hand reaching out and coming back."""
    torso = armature.pose.bones["spine"]
    torso.rotation_mode = 'XYZ'
    targets = {lower: armature.pose.bones[lower].twobone_target for lower in LIMBS}
    rest = {lower: target.location.copy() for lower, target in targets.items()}
    for frame in range(1, frames + 1):
        phase = 4.0 * pi * (frame - 1) / frames
        torso.location = (0.02 * sin(phase), -0.048 + 0.018 * cos(2.0 * phase), 0.0)
        torso.rotation_euler = (radians(2.0), radians(5.0) * sin(phase), radians(2.5) * sin(phase))
        for path in ("location", "rotation_euler"):
            torso.keyframe_insert(path, frame=frame)
        for lower, shift in (("shin.L", 0.0), ("shin.R", pi)):
            _key(targets[lower], rest[lower] + _step(phase + shift), frame)
        swing = sin(phase)
        _key(targets["forearm.R"], rest["forearm.R"] + Vector((0.12, -0.06 - 0.2 * swing, -0.12 + 0.05 * abs(swing))), frame)
        reached = _ease((frame - 1) / (frames - 1))
        hang = Vector((-0.12, -0.06 + 0.2 * swing, -0.12))
        out = Vector((REACHED_PAST * 0.9, -0.32, REACHED_PAST + 0.25))
        _key(targets["forearm.L"], rest["forearm.L"] + hang.lerp(out, reached), frame)
    for object in (armature, *targets.values()):
        _linear(object)


def _step(phase: float) -> Vector:
    """A foot's place over a cycle: half of it planted, drawn back evenly, the other half swung forward."""
    share = (phase / (2.0 * pi)) % 1.0
    if share < 0.5:
        return Vector((0.0, -STRIDE + 4.0 * STRIDE * share, 0.0))
    swing = 2.0 * share - 1.0
    return Vector((0.0, STRIDE * cos(pi * swing), LIFT * sin(pi * swing)))


def _ease(share: float) -> float:
    """0 at both ends, 1 in the middle, smooth."""
    return 0.5 - 0.5 * cos(2.0 * pi * share)


def _key(object: bpy.types.Object, location: Vector, frame: int) -> None:
    object.location = location
    object.keyframe_insert("location", frame=frame)


def _linear(object: bpy.types.Object) -> None:
    from twobone_addon.rig.fcurves import curves_of

    for curve in curves_of(object) or ():
        for point in curve.keyframe_points:
            point.interpolation = 'LINEAR'
