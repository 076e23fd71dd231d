# SPDX-License-Identifier: GPL-3.0-or-later
"""Baking limbs, against Blender's own `nla.bake` with visual keying of the same limbs under its IK constraint.

Needs Blender as the module bpy. All scenes live in one process, and their runs take turns, so that noise meets all
alike. A bake ends with its keys written, and Blender evaluates them when it is next asked to, after either: that is
counted apart. The bare loop over the frames under Blender's IK is what no way of baking
can do without that has the scene evaluated; "evaluated" is what the extension takes where it must not foretell frames.
"""

import os
import sys
from math import ceil
from statistics import median
from time import perf_counter
from typing import Any

import bpy

import twobone_addon

from .live import LIMBS, character
from .measuring import save

COUNTS = (4, 40)
START, END = 1, 250
ROUNDS = 9
KINDS = ("native", "this extension")


def build(kind: str, count: int) -> tuple[Any, list[Any]]:
    """A scene of its own with as many characters as `count` limbs need, moving over the whole range; its armatures."""
    scene = bpy.data.scenes.new(kind)
    bpy.context.window.scene = scene
    armatures = []
    for index in range(ceil(count / len(LIMBS))):
        armature, targets = character(scene, kind, f"{kind} {count} {index}", False)
        armatures.append(armature)
        for object in (armature, *targets):
            _stretch(object)
    return scene, armatures


def _stretch(object: Any) -> None:
    """Have the object's keys fill the range."""
    from twobone_addon.rig.animation.fcurves import curves_of

    for curve in curves_of(object) or ():
        points = curve.keyframe_points
        last = points[-1].co.x
        for point in points:
            point.co.x = START + (point.co.x - START) * (END - START) / (last - START)
        curve.update()


def bare(scene: Any) -> None:
    """Go through the frames."""
    for frame in range(START, END + 1):
        scene.frame_set(frame)


def native(armatures: list[Any], **options: Any) -> None:
    """What an animator does without this extension."""
    bpy.ops.nla.bake(frame_start=START, frame_end=END, only_selected=True, visual_keying=True, use_current_action=True,
                     bake_types={'POSE'}, **options)


def native_rotations(armatures: list[Any]) -> None:
    """The same of rotations alone, which is faster than what the operator does by itself."""
    native(armatures, channel_types={'ROTATION'})


def select(armatures: list[Any]) -> None:
    """All characters in Pose Mode, the bones of their limbs selected."""
    bpy.context.view_layer.objects.active = armatures[0]
    for armature in armatures:
        armature.select_set(True)
    bpy.ops.object.mode_set(mode='POSE')
    for armature in armatures:
        limbs = {name for lower in LIMBS for name in (lower, armature.pose.bones[lower].parent.name)}
        for bone in armature.pose.bones:
            (bone if hasattr(bone, "select") else bone.bone).select = bone.name in limbs


def ours(armatures: list[Any]) -> None:
    """The same limbs, all at once."""
    from twobone_addon import rig
    from twobone_addon.rig.bake import baking
    from twobone_addon.rig.frames.scan import finish

    finish(baking([limb for armature in armatures for limb in rig.limbs(armature)], range(START, END + 1),
                  after='ZERO_INFLUENCE'))


def evaluated(armatures: list[Any]) -> None:
    """The same, where no frame may be foretold."""
    from twobone_addon.rig.frames import gather

    few, gather.FEW = gather.FEW, END
    ours(armatures)
    gather.FEW = few


def unbaked(armatures: list[Any]) -> None:
    """As before the bake."""
    from twobone_addon.rig.animation.fcurves import remove_animation

    for armature in armatures:
        for lower in LIMBS:
            bone = armature.pose.bones[lower]
            for name in (lower, bone.parent.name):
                remove_animation(armature, f'pose.bones["{name}"].')
            if bone.twobone_version:
                bone.twobone_influence = 1.0
    bpy.context.view_layer.update()


def seconds(count: int) -> dict[str, float]:
    """Median seconds for `count` limbs: of the bare loop, of Blender's bake, of the same of rotations alone, of this one, of this
    one where it evaluates, and of all with the evaluation that follows."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scenes = {kind: build(kind, count) for kind in KINDS}
    for scene, armatures in scenes.values():
        bpy.context.window.scene = scene
        select(armatures)
    times: dict[str, list[float]] = {"bare loop": [], "nla.bake": [], "rotations": [], "this": [], "evaluated": []}
    shown: dict[str, list[float]] = {f"{name}, shown": [] for name in times}
    for _round in range(ROUNDS):
        for name, kind, function in (
                ("bare loop", "native", bare), ("nla.bake", "native", native), ("rotations", "native", native_rotations),
                ("this", "this extension", ours), ("evaluated", "this extension", evaluated)):
            scene, armatures = scenes[kind]
            bpy.context.window.scene = scene
            unbaked(armatures)
            times[name].append(_timed(function, scene if function is bare else armatures))
            shown[f"{name}, shown"].append(times[name][-1] + _timed(_evaluate, None))
    return {name: median(values) for name, values in (times | shown).items()}


def _evaluate(_nothing: None) -> None:
    bpy.context.view_layer.update()


def _timed(function: Any, argument: Any) -> float:
    start = perf_counter()
    function(argument)
    return perf_counter() - start


def main(arguments: list[str]) -> int:
    """Print the table; returns the exit status."""
    twobone_addon.register()
    from twobone_addon import rig  # noqa: F401 (so that the module is an attribute)

    print(f"Blender {bpy.app.version_string}; median seconds of {ROUNDS} runs, frames {START} to {END}")
    print(f"{'limbs':>6} {'bare loop':>10} {'nla.bake':>10} {'rotations':>10} {'this':>10} {'nla.bake / this':>16} "
          f"{'rotations / this':>17} {'evaluated':>10} {'evaluated / bare':>17}   with what follows")
    results = []
    try:
        for count in COUNTS:
            found = seconds(count)
            bare_loop, blenders, rotations, told, evaluated, *_others = found.values()
            print(f"{count:6} {bare_loop:10.3f} {blenders:10.3f} {rotations:10.3f} {told:10.3f} {blenders / told:16.1f} "
                  f"{rotations / told:17.1f} {evaluated:10.3f} {evaluated / bare_loop:17.2f}   nla.bake / this "
                  f"{found['nla.bake, shown'] / found['this, shown']:.1f}", flush=True)
            results.append({"limbs": count, "seconds": found})
    finally:
        twobone_addon.unregister()
    save(arguments, {"blender": bpy.app.version_string, "bake": results})
    sys.stdout.flush()
    os._exit(0)  # Blender's clean-up in the wheels may crash
