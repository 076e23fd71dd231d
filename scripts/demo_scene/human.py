# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's human metarig with a body, IK on arms and legs, walking on the spot and reaching."""

from __future__ import annotations

from math import radians

import addon_utils
import bpy
from mathutils import Matrix, Vector

from twobone_addon import rig

from . import body, stage, walk
from .shown import DemoError, Shown, straighten
from .silence import silence

LIMBS = {"forearm.L": "hand.L", "forearm.R": "hand.R", "shin.L": "foot.L", "shin.R": "foot.R"}
VIEW = Vector((-0.55, -1.0, 0.2))
"""From where it is seen."""

CYCLES = 2
"""Of two steps each."""

FRAMES = 48

OUT = Vector((0.62, -0.5, 0.36)).normalized()
OUT_OF_REACH = 1.5
"""Where the left hand reaches: a direction from the shoulder, and a distance over the arm's length."""


def build(frames: int) -> Shown:
    """Make the scene in an empty file, `frames` frames long, ready to be saved."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    armature = _metarig()
    limbs = {lower: armature.data.bones[lower].parent.name for lower in LIMBS}
    skin = body.add(armature, {*limbs, *limbs.values()})
    bpy.context.view_layer.update()
    for lower, tip in LIMBS.items():
        limb = rig.add_limb(armature, lower, tip=tip)
        if lower.startswith("shin"):
            _follow_turn(armature.pose.bones[tip], limb.target.object)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    floor = min(vertex.co.z for vertex in skin.data.vertices)
    _walk(armature, floor, frames)
    shown = Shown("human", armature, tuple(LIMBS), range(1, frames + 1), floor, walk.STRIDE * CYCLES / frames)
    stage.set_up(shown, VIEW, _extent(shown))
    return shown


def _extent(shown: Shown) -> list[Vector]:
    """All that has to be in the picture, over the frames: bones and targets."""
    points = []
    for frame in shown.frames[::4]:
        bpy.context.scene.frame_set(frame)
        points += [point.copy() for bone in shown.armature.pose.bones for point in (bone.head, bone.tail)]
        points += [limb.target.object.matrix_world.translation.copy() for limb in rig.limbs(shown.armature)]
    return points


def _metarig() -> bpy.types.Object:
    """Blender's human; the switch of its add-on stays in memory, and goes back."""
    try:
        with silence():
            addon_utils.enable("rigify", default_set=True)
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


def _follow_turn(foot: bpy.types.PoseBone, target: bpy.types.Object) -> None:
    """Let the target turn the foot, so that one control plants it."""
    follow = foot.constraints.new('COPY_ROTATION')
    follow.target = target
    target.rotation_mode = 'QUATERNION'


def _walk(armature: bpy.types.Object, floor: float, frames: int) -> None:
    """Key torso, head, toes and the four targets on every frame."""
    bones = armature.data.bones
    targets = {lower: armature.pose.bones[lower].twobone_target for lower in LIMBS}
    standing = {lower: target.rotation_quaternion.copy() for lower, target in targets.items()}
    feet = {lower: _foot(bones[tip], bones[tip.replace("foot", "heel.02")], floor)
            for lower, tip in LIMBS.items() if lower.startswith("shin")}
    arm = bones["upper_arm.L"].length + bones["forearm.L"].length
    for frame in range(1, frames + 1):
        share = (frame - 1) / frames
        phase, reached = share * CYCLES, walk.reach(share)
        _key_torso(armature, phase, reached, frame)
        for lower, foot in feet.items():
            place, pitch = walk.ankle(foot, phase + (0.5 if lower.endswith("R") else 0.0))
            turn = Matrix.Rotation(-pitch, 3, 'X').to_quaternion() @ standing[lower]
            _key(targets[lower], frame, location=place, rotation_quaternion=turn)
            toe = armature.pose.bones[lower.replace("shin", "toe")]
            _key(toe, frame, rotation_euler=(min(pitch, 0.0), 0.0, 0.0))
        for lower, side in (("forearm.L", 1.0), ("forearm.R", -1.0)):
            shoulder = bones[lower.replace("forearm", "upper_arm")].head_local + walk.torso(phase)[0]
            hand = walk.hanging_hand(shoulder, side, arm, phase)
            if side > 0.0:
                hand = walk.reaching_hand(shoulder, hand, shoulder + OUT * OUT_OF_REACH * arm, reached)
            _key(targets[lower], frame, location=hand)
    for object in (armature, *targets.values()):
        straighten(object)


def _foot(foot: bpy.types.Bone, heel: bpy.types.Bone, floor: float) -> walk.Foot:
    side = foot.head_local.x
    return walk.Foot(foot.head_local.copy(), Vector((side, heel.head_local.y, floor)),
                     Vector((side, foot.tail_local.y, floor)))


def _key_torso(armature: bpy.types.Object, phase: float, reached: float, frame: int) -> None:
    """Hips that bob, sway and turn; a chest that turns against them and towards the hand, where the head looks."""
    (across, along, up), turn, tilt = walk.torso(phase)
    bones = armature.pose.bones
    _key(bones["spine"], frame, location=(across, up, -along), rotation_euler=(radians(3.0), turn, tilt))
    for name in ("spine.001", "spine.002"):
        _key(bones[name], frame, rotation_euler=(0.0, -0.9 * turn + radians(4.0) * reached, -0.5 * tilt))
    _key(bones["spine.006"], frame, rotation_euler=(radians(-10.0) * reached, radians(34.0) * reached, 0.0))
    _key(bones["shoulder.L"], frame, rotation_euler=(0.0, 0.0, radians(12.0) * reached))


def _key(animated: bpy.types.Object | bpy.types.PoseBone, frame: int, **channels: object) -> None:
    if "rotation_euler" in channels:
        animated.rotation_mode = 'XYZ'
    for channel, value in channels.items():
        setattr(animated, channel, value)
        animated.keyframe_insert(channel, frame=frame)
