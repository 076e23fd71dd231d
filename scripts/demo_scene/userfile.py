# SPDX-License-Identifier: GPL-3.0-or-later
"""A limb of the user's own file: its IK is used, or added in memory; the file itself is never written."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches
from math import cos, pi, radians, sin

import bpy
import numpy as np
from mathutils import Vector

from twobone_addon import rig

from . import stage, sticks
from .film import BALL
from .shown import DemoError, Shown, Standing, standing, straighten
from .silence import silence

FRAMES, LONGEST = 48, 250
"""How many frames a new target swings; how many of the scene's frames are gone through unless told."""


def build(options: Namespace) -> Shown:
    """Open the file and have the limb ready to play."""
    if not options.blend.is_file():
        raise DemoError(f"There is no file {options.blend}")
    try:
        with silence():
            bpy.ops.wm.open_mainfile(filepath=str(options.blend.resolve()), load_ui=False)
    except RuntimeError as error:
        reason = str(error).strip().removeprefix("Error: ")
        raise DemoError(f"{options.blend} could not be opened: {reason}") from None
    armature = _armature(options)
    scene = bpy.context.scene
    start, span = scene.frame_start, min(scene.frame_end - scene.frame_start + 1, LONGEST)
    if any(limb.lower == options.bone for limb in rig.limbs(armature)):
        print(f'"{options.bone}" of "{armature.name}" has Two-Bone IK: its own is shown')
    else:
        rig.add_limb(armature, options.bone, _object(options.target), _object(options.pole),
                     upper=options.upper, tip=options.tip)
        print(f'Added Two-Bone IK to "{options.bone}" of "{armature.name}"; {options.blend.name} itself stays as it is')
        if options.target is None:
            span = options.frames or FRAMES
            scene.frame_end = start + span - 1
            _swing(armature, options.bone, range(start, start + span))
    frames = range(start, start + (options.frames or max(span, 8)))
    name = bpy.path.clean_name(f"{options.blend.stem}-{options.bone}")
    return Shown(name, armature, (options.bone,), frames)


def dress(shown: Shown) -> None:
    """Show nothing but the character, in our own light, from where the limb's bend is seen best."""
    scene = bpy.context.scene
    seen, lowest = [], []
    for frame in shown.frames[::max(1, len(shown.frames) // 24)]:
        scene.frame_set(frame)
        seen.append(standing(shown.armature, shown.limbs[0]))
        posed = shown.armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        lowest.append(min((posed.matrix_world @ bone.tail).z for bone in posed.pose.bones))
    for other in scene.objects:
        if not _is_of(other, shown.armature):
            other.hide_render = True
    if not any(_is_of(object, shown.armature) and object.type == 'MESH' and not object.hide_render
               and object.visible_get() for object in scene.objects):
        limb = next(limb for limb in rig.limbs(shown.armature) if limb.lower == shown.limbs[0])
        sticks.add(shown.armature, {limb.upper, limb.lower})
    points = [point for found in seen for point in (found.root, found.joint, found.tip, found.target)]
    ball = BALL * max(float(np.linalg.norm(found.joint - found.root) + np.linalg.norm(found.tip - found.joint))
                      for found in seen)
    floor = min(*lowest, *(found.target[2] - ball for found in seen))
    stage.set_up(replace(shown, floor=floor), _view(seen), points, margin=0.16)


def _armature(options: Namespace) -> bpy.types.Object:
    armatures = [object for object in bpy.context.scene.objects if object.type == 'ARMATURE']
    if not armatures:
        raise DemoError(f'{options.blend} has no armature in its scene "{bpy.context.scene.name}"')
    if options.object is not None:
        chosen = [object for object in armatures if object.name == options.object]
        if not chosen:
            names = [object.name for object in armatures]
            raise DemoError(f'There is no armature "{options.object}". {_near(options.object, names)}')
        armatures = chosen
    having = [object for object in armatures if options.bone in object.pose.bones]
    if len(having) == 1:
        return having[0]
    if not having:
        names = [bone.name for object in armatures for bone in object.pose.bones]
        raise DemoError(f'There is no bone "{options.bone}". {_near(options.bone, names)}')
    raise DemoError(f'Several armatures have a bone "{options.bone}": say which with --object, '
                    f'one of {", ".join(object.name for object in having)}')


def _near(name: str, names: Iterable[str]) -> str:
    """The names most like `name`, in a sentence."""
    by_lower = {known.lower(): known for known in names}
    close = get_close_matches(name.lower(), by_lower, n=5, cutoff=0.5)
    if close:
        return f"Did you mean {', '.join(by_lower[found] for found in close)}?"
    return f"There are {', '.join(list(by_lower.values())[:12])}"


def _object(name: str | None) -> bpy.types.Object | None:
    if name is None:
        return None
    object = bpy.context.scene.objects.get(name)
    if object is None:
        raise DemoError(f'There is no object "{name}". {_near(name, bpy.context.scene.objects.keys())}')
    return object


def _swing(armature: bpy.types.Object, lower: str, frames: range) -> None:
    """Key the new target: a loop about the limb's root in the plane of its bend, from half of the reach to past it."""
    scene, target = bpy.context.scene, armature.pose.bones[lower].twobone_target
    scene.frame_set(frames[0])
    root, joint, tip, reach = _in_armature(armature, lower)
    forward = (tip - root).normalized() or Vector((0.0, 0.0, -1.0))
    bend = (joint - root) - forward * forward.dot(joint - root)
    bend = bend.normalized() if bend.length > 1e-4 * reach else forward.orthogonal().normalized()
    for frame in frames:
        scene.frame_set(frame)
        root = _in_armature(armature, lower)[0]
        turn = 2.0 * pi * (frame - frames[0]) / len(frames)
        aside = radians(25.0) * cos(turn)
        target.location = root + (forward * cos(aside) + bend * sin(aside)) * reach * (1.0 + 0.5 * sin(turn))
        target.keyframe_insert("location", frame=frame)
    straighten(target)


def _in_armature(armature: bpy.types.Object, lower: str) -> tuple[Vector, Vector, Vector, float]:
    """Root, joint, tip and reach of a limb in armature space on the current frame."""
    found = standing(armature, lower)
    to_armature = armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.inverted()
    root, joint, tip = (to_armature @ Vector(point) for point in (found.root, found.joint, found.tip))
    return root, joint, tip, float(found.bound.sum())


def _is_of(object: bpy.types.Object, armature: bpy.types.Object) -> bool:
    """Whether an object belongs to a character: deformed by its armature, or hanging on it."""
    while object is not None:
        if object == armature or any(modifier.type == 'ARMATURE' and modifier.object == armature
                                     for modifier in object.modifiers):
            return True
        object = object.parent
    return False


def _view(seen: list[Standing]) -> Vector:
    """A level view that looks across the bends, rather from the front."""
    normals = np.array([np.cross(found.joint - found.root, found.tip - found.joint) for found in seen])
    best, view = -1.0, Vector((0.0, -1.0, 0.1))
    for azimuth in range(-180, 180, 15):
        for rise in (8, 24):
            turn, up = radians(azimuth), radians(rise)
            towards = np.array((sin(turn) * cos(up), -cos(turn) * cos(up), sin(up)))
            score = np.abs(normals @ towards).sum() / max(np.linalg.norm(normals, axis=1).sum(), 1e-9) + 0.3 * cos(turn)
            if score > best:
                best, view = score, Vector(towards)
    return view
