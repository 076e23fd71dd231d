# SPDX-License-Identifier: GPL-3.0-or-later
"""A frame's cost with live IK: the same characters without IK, with Blender's IK constraint, and with this extension,
once as it is and once without predicting frames.

Needs Blender as the module bpy. All scenes live in one process and take turns of a few frames each, so that noise meets
all alike, and each is measured as it is when it alone plays.
"""

import json
import os
import sys
from itertools import product
from math import pi
from pathlib import Path
from time import perf_counter
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

import twobone_addon
from twobone_addon.rig import live

from .measuring import save

COUNTS = (1, 8, 25)
OURS = "this extension"
KINDS = ("no IK", "native", OURS, "this extension, prediction off")
FRAMES, BONES, VERTICES = 50, 60, 10_000
PLAYED, TURN = 3 * FRAMES, 10
"""Frames that are measured of each scene, and how many of them in a row."""
LIMBS = ("fore.L", "fore.R", "shin.L", "shin.R")


def character(scene: Any, kind: str, name: str, skinned: bool) -> tuple[Any, list[Any]]:
    """A character of 60 bones with keyed torso and four keyed targets; returns the armature and the targets."""
    armature = _armature(scene, name)
    torso = armature.pose.bones["torso"]
    torso.rotation_mode = 'XYZ'
    for frame, value in ((1, -0.1), (FRAMES // 2, 0.1), (FRAMES, -0.1)):
        torso.rotation_euler, torso.location = (value, 0, value), (value, value, 0)
        torso.keyframe_insert("rotation_euler", frame=frame)
        torso.keyframe_insert("location", frame=frame)
    targets = []
    for lower in LIMBS:
        bone = armature.pose.bones[lower]
        target, pole = (bpy.data.objects.new(f"{name} {lower} {role}", None) for role in ("target", "pole"))
        for control in (target, pole):
            scene.collection.objects.link(control)
            control.parent = armature
        pole.location = bone.bone.head_local + Vector((0, 0.5 if lower.startswith("fore") else -0.5, 0))
        root = bone.parent.bone.head_local
        for frame, value in ((1, -0.1), (20, 0.1), (FRAMES, -0.1)):
            target.location = root.lerp(bone.bone.tail_local, 0.75) + Vector((value, -abs(value), value))
            target.keyframe_insert("location", frame=frame)
        targets.append(target)
        if kind == "native":
            constraint = bone.constraints.new('IK')
            constraint.target, constraint.pole_target, constraint.chain_count = target, pole, 2
            constraint.pole_angle = -pi / 2
        elif kind.startswith(OURS):
            twobone_addon.rig.add_limb(armature, lower, target, pole)
    if skinned:
        _skin(scene, armature)
    return armature, targets


def _armature(scene: Any, name: str) -> Any:
    data = bpy.data.armatures.new(name)
    armature = bpy.data.objects.new(name, data)
    scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode='EDIT')

    def bone(label: str, head: Any, tail: Any, parent: str = "", connect: bool = False) -> str:
        made = data.edit_bones.new(label)
        made.head, made.tail = head, tail
        if parent:
            made.parent, made.use_connect = data.edit_bones[parent], connect
        return label

    spine = bone("torso", (0, 0, 1), (0, 0, 1.2))
    for index in range(3):
        spine = bone(f"spine{index}", (0, 0, 1.2 + 0.1 * index), (0, 0, 1.3 + 0.1 * index), spine)
    for side, x in (("L", 0.2), ("R", -0.2)):
        bone(f"arm.{side}", (x, 0, 1.5), (x * 2.5, 0.03, 1.5), spine)
        bone(f"fore.{side}", (x * 2.5, 0.03, 1.5), (x * 4, 0, 1.5), f"arm.{side}", True)
        hand = bone(f"hand.{side}", (x * 4, 0, 1.5), (x * 4.5, 0, 1.5), f"fore.{side}", True)
        bone(f"thigh.{side}", (x / 2, 0, 1), (x / 2, -0.03, 0.5), "torso")
        bone(f"shin.{side}", (x / 2, -0.03, 0.5), (x / 2, 0, 0.05), f"thigh.{side}", True)
        bone(f"foot.{side}", (x / 2, 0, 0.05), (x / 2, -0.2, 0), f"shin.{side}", True)
        for finger in range(5):
            parent = hand
            for part in range(4):
                place, across = x * 4.5 + 0.02 * part, 0.02 * finger
                parent = bone(f"finger{finger}.{part}.{side}", (place, across, 1.5), (place + 0.02, across, 1.5), parent)
    while len(data.edit_bones) < BONES:
        bone(f"extra{len(data.edit_bones)}", (0, 0, 1.6), (0, 0, 1.7), spine)
    bpy.ops.object.mode_set(mode='OBJECT')
    return armature


def _skin(scene: Any, armature: Any) -> None:
    mesh = bpy.data.meshes.new(f"{armature.name} skin")
    places = np.random.default_rng(0).uniform((-1, -0.2, 0), (1, 0.2, 1.6), (VERTICES, 3))
    mesh.from_pydata(places.tolist(), [], [(index, index + 1, index + 2) for index in range(0, VERTICES - 3, 3)])
    skin = bpy.data.objects.new(mesh.name, mesh)
    scene.collection.objects.link(skin)
    skin.parent = armature
    skin.modifiers.new("Armature", 'ARMATURE').object = armature
    groups = [skin.vertex_groups.new(name=bone.name) for bone in armature.data.bones]
    for index in range(VERTICES):
        for group in {index % BONES, (index * 7) % BONES}:
            groups[group].add([index], 0.5, 'REPLACE')


def tip_error(characters: list[tuple[Any, list[Any]]]) -> float:
    """Largest distance of a tip from its target now, all of which are in reach; metres."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    worst = 0.0
    for armature, targets in characters:
        evaluated = armature.evaluated_get(depsgraph)
        for lower, target in zip(LIMBS, targets, strict=True):
            tip = evaluated.matrix_world @ evaluated.pose.bones[lower].tail
            worst = max(worst, (tip - target.evaluated_get(depsgraph).matrix_world.translation).length)
    return worst


def frame_times(count: int, skinned: bool) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Median and mean seconds of a frame, and the largest tip error, for each kind of scene.

    The mean has the frames in it at which several are foretold.
    """
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scenes = {}
    for kind in KINDS:
        scene = bpy.data.scenes.new(kind)
        bpy.context.window.scene = scene
        scenes[kind] = scene, [character(scene, kind, f"{kind} {index}", skinned) for index in range(count)]
    times: dict[str, list[float]] = {kind: [] for kind in KINDS}
    errors = dict.fromkeys(KINDS, 0.0)
    for first in range(0, PLAYED, TURN):
        for kind, (scene, characters) in scenes.items():
            bpy.context.window.scene = scene
            live.state.predicting = kind == OURS
            for frame in range(first, first + TURN):
                start = perf_counter()
                scene.frame_set(1 + frame % FRAMES)
                times[kind].append(perf_counter() - start)
            errors[kind] = max(errors[kind], tip_error(characters))
    live.state.predicting = True
    return ({kind: float(np.median(values)) for kind, values in times.items()},
            {kind: float(np.mean(values)) for kind, values in times.items()}, errors)


def update_times() -> dict[str, float]:
    """Median seconds of the handler alone in an update that moves no limb, without any limb and with 100 of them, and
    of a whole drag of one target among these; what that drag solves and writes."""
    found: dict[str, float] = {}
    bpy.ops.wm.read_factory_settings(use_empty=True)
    for label, count in (("no limbs", 0), ("100 limbs", 25)):
        scene = bpy.context.scene
        characters = [character(scene, OURS, f"{index}", False) for index in range(count)]
        bystander = bpy.data.objects.new("bystander", None)
        scene.collection.objects.link(bystander)
        bpy.context.view_layer.update()
        times = []
        for step in range(300):
            bystander.location.x = step
            bpy.context.view_layer.update()
            depsgraph = bpy.context.view_layer.depsgraph
            start = perf_counter()
            live.depsgraph_update_post(scene, depsgraph)
            times.append(perf_counter() - start)
        found[f"idle update, {label}"] = float(np.median(times))
    target, times = characters[0][1][0], []
    live.counts.clear()
    for _step in range(100):
        target.location.x += 0.001
        start = perf_counter()
        bpy.context.view_layer.update()
        times.append(perf_counter() - start)
    found["drag of one target among 100 limbs"] = float(np.median(times))
    found["limbs solved per drag step"] = live.counts.solves / 100
    found["properties written per drag step"] = live.counts.writes / 100
    return found


def main(arguments: list[str]) -> int:
    """Print the table and save it under build/benchmarks; returns the exit status."""
    twobone_addon.register()
    print(f"Blender {bpy.app.version_string}; median ms of a frame, characters of {BONES} bones and {len(LIMBS)} limbs")
    print(f"{'characters':>10} {'skin':>7} {'no IK':>8} {'native':>8} {'this':>8} {'/ native':>9} {'of means':>9} "
          f"{'unpredicted':>12} {'/ native':>9} {'tip native':>11} {'tip this':>9}")
    results = []
    try:
        for count, skinned in product(COUNTS, (False, True)):
            times, means, errors = frame_times(count, skinned)
            none, native, ours, without = (times[kind] * 1e3 for kind in KINDS)
            print(f"{count:10} {'10,000' if skinned else '-':>7} {none:8.3f} {native:8.3f} {ours:8.3f} {ours / native:9.2f} "
                  f"{means[OURS] / means['native']:9.2f} {without:12.3f} {without / native:9.2f} {errors['native']:11.1e} "
                  f"{errors[OURS]:9.1e}", flush=True)
            results.append({"characters": count, "skinned": skinned, "seconds": times, "mean_seconds": means,
                            "tip_error": errors})
        updates = update_times()
        for label, value in updates.items():
            print(f"{label}: {value:.1f}" if "per" in label else f"{label}: {value * 1e6:.1f} us", flush=True)
    finally:
        twobone_addon.unregister()
    found = {"blender": bpy.app.version_string, "frames": results, "updates": updates}
    folder = Path(__file__).resolve().parents[2] / "build" / "benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    version = "".join(bpy.app.version_string.split()[:1])
    (folder / f"live-{version}.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    save(arguments, found)
    sys.stdout.flush()
    os._exit(0)  # Blender's clean-up in the wheels may crash
