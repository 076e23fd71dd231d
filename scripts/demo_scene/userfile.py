# SPDX-License-Identifier: GPL-3.0-or-later
"""A limb of the user's own file: its IK is used, or added in memory; the file itself is never written."""

from argparse import Namespace
from difflib import get_close_matches
from math import pi, sin

import bpy
from mathutils import Vector

from twobone_addon import rig

from . import DemoError
from .shown import Shown


def build(options: Namespace) -> Shown:
    """Open the file and have the limb ready to play."""
    if not options.blend.is_file():
        raise DemoError(f"There is no file {options.blend}")
    try:
        bpy.ops.wm.open_mainfile(filepath=str(options.blend.resolve()))
    except RuntimeError as error:
        raise DemoError(f"{options.blend} could not be opened: {str(error).strip()}") from None
    armature = _armature(options)
    scene = bpy.context.scene
    frames = range(scene.frame_start, scene.frame_start + options.frames)
    present = {limb.lower for limb in rig.limbs(armature)}
    if options.bone not in present:
        rig.add_limb(armature, options.bone, _object(options.target), _object(options.pole), upper=options.upper, tip=options.tip)
        if options.target is None:
            _swing(armature, options.bone, frames)
        print(f'Added Two-Bone IK to "{options.bone}" of "{armature.name}" (your file stays as it is)')
    return Shown(options.blend.stem, armature, (options.bone,), frames)


def _armature(options: Namespace) -> bpy.types.Object:
    armatures = [object for object in bpy.context.scene.objects if object.type == 'ARMATURE']
    if not armatures:
        raise DemoError(f"{options.blend} has no armature in its scene")
    if options.object is not None:
        chosen = [object for object in armatures if object.name == options.object]
        if not chosen:
            raise DemoError(f'There is no armature "{options.object}". {_near(options.object, [object.name for object in armatures])}')
        armatures = chosen
    having = [object for object in armatures if options.bone in object.pose.bones]
    if len(having) == 1:
        return having[0]
    if not having:
        names = [bone.name for object in armatures for bone in object.pose.bones]
        raise DemoError(f'There is no bone "{options.bone}". {_near(options.bone, names)}')
    raise DemoError(f'Several armatures have a bone "{options.bone}": say which with --object, '
                    f'one of {", ".join(object.name for object in having)}')


def _near(name: str, names: list[str]) -> str:
    close = get_close_matches(name, names, n=5, cutoff=0.4) or names[:5]
    return f"Did you mean {', '.join(close)}?"


def _object(name: str | None) -> bpy.types.Object | None:
    if name is None:
        return None
    object = bpy.data.objects.get(name)
    if object is None:
        raise DemoError(f'There is no object "{name}". {_near(name, list(bpy.data.objects.keys()))}')
    return object


def _swing(armature: bpy.types.Object, lower: str, frames: range) -> None:
    """Move the new target to and fro between half and nearly one and a half of the reach."""
    target = armature.pose.bones[lower].twobone_target
    limb = next(limb for limb in rig.limbs(armature) if limb.lower == lower)
    root = armature.pose.bones[limb.upper].head.copy()
    line = target.location - root
    side = line.orthogonal().normalized() * line.length
    for frame in frames:
        phase = 2.0 * pi * (frame - frames[0]) / len(frames)
        target.location = root + line * (0.95 - 0.45 * sin(phase)) + Vector(side) * 0.25 * sin(2.0 * phase)
        target.keyframe_insert("location", frame=frame)
