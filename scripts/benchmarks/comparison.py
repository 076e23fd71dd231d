# SPDX-License-Identifier: GPL-3.0-or-later
"""How exact Blender's IK constraint and this extension are on the same legs: the numbers of the README's table.

Needs Blender as the module bpy. Lengths are metres; the legs are 2 m long.
"""

import os
import sys
from collections.abc import Callable
from math import atan2, cos, radians, sin
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

import twobone_addon
from twobone_addon import rig

from .measuring import save

UPPER, LOWER = 1.2, 0.8
POLE = (0.0, -3.0, -1.0)


def leg(flex: float, scale: tuple[float, float, float] = (1, 1, 1)) -> Any:
    """A leg that hangs from a hip at the origin, its knee bent towards -Y by `flex` degrees; the hip scaled."""
    data = bpy.data.armatures.new("Leg")
    armature = bpy.data.objects.new("Leg", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode='EDIT')
    bend = radians(flex)
    tilt = atan2(LOWER * sin(bend), UPPER + LOWER * cos(bend))
    knee = Vector((0, -UPPER * sin(tilt), -UPPER * cos(tilt)))
    ankle = knee + LOWER * Vector((0, sin(bend - tilt), -cos(bend - tilt)))
    for name, head, tail, parent in (("hip", (0, 0, 0.3), (0, 0.2, 0.3), None), ("thigh", (0, 0, 0), knee, "hip"),
                                     ("shin", knee, ankle, "thigh")):
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
        bone.parent = data.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode='OBJECT')
    armature.pose.bones["hip"].scale = scale
    return armature


def controls(armature: Any, pole: tuple[float, float, float]) -> tuple[Any, Any]:
    """A target at the ankle and a pole, free empties."""
    bpy.context.view_layer.update()
    made = []
    for name, place in (("target", armature.matrix_world @ armature.pose.bones["shin"].tail), ("pole", pole)):
        empty = bpy.data.objects.new(name, None)
        bpy.context.scene.collection.objects.link(empty)
        empty.location = place
        made.append(empty)
    return made[0], made[1]


def native(armature: Any, target: Any, pole: Any) -> None:
    """Blender's constraint with the pole angle that suits this leg's rolls."""
    constraint = armature.pose.bones["shin"].constraints.new('IK')
    constraint.target, constraint.pole_target, constraint.chain_count = target, pole, 2
    constraint.iterations = 500
    constraint.pole_angle = _best_angle(armature, constraint, pole)


def ours(armature: Any, target: Any, pole: Any) -> None:
    """This extension's limb."""
    rig.add_limb(armature, "shin", target, pole)


def _best_angle(armature: Any, constraint: Any, pole: Any) -> float:
    """The pole angle, of 72, whose knee is nearest to the pole."""
    def away(angle: float) -> float:
        constraint.pole_angle = angle
        return float((point(armature, "shin", "head") - pole.location).length)

    return min(np.linspace(-np.pi, np.pi, 73), key=away)


def point(armature: Any, bone: str, end: str) -> Any:
    """A bone's head or tail in world space, evaluated."""
    bpy.context.view_layer.update()
    evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return evaluated.matrix_world @ getattr(evaluated.pose.bones[bone], end)


def worst_miss(setup: Callable[..., None], flex: float, places: Any, *, pole: Any = POLE,
               scale: tuple[float, float, float] = (1, 1, 1), clamp: bool = False) -> float:
    """Largest distance of the ankle from targets at `places`; clamp: from the nearest place of that direction it can have."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    armature = leg(flex, scale)
    target, bend = controls(armature, POLE)
    setup(armature, target, bend)
    worst = 0.0
    for place in places:
        target.location = place
        if callable(pole):
            bend.location = pole(Vector(place))
        wanted = Vector(place)
        if clamp:
            wanted = wanted.normalized() * max(wanted.length, UPPER - LOWER)
        worst = max(worst, (point(armature, "shin", "tail") - wanted).length)
    return worst


def jump(setup: Callable[..., None]) -> float:
    """How far the knee moves when IK is added with the pole angle left at 0."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    armature = leg(40)
    target, pole = controls(armature, (1.5, -2.5, -1.0))
    before = point(armature, "shin", "head")
    if setup is native:
        constraint = armature.pose.bones["shin"].constraints.new('IK')
        constraint.target, constraint.pole_target, constraint.chain_count = target, pole, 2
    else:
        setup(armature, target, pole)
    return float((point(armature, "shin", "head") - before).length)


def rows() -> list[tuple[str, Callable[[Callable[..., None]], float]]]:
    """What is measured, as (words, measurement of a way to set IK up)."""
    within = [Vector((0.3 * sin(turn), 0.4 * cos(turn), -1 - 0.6 * share)) for turn in np.linspace(0, 6, 12)
              for share in np.linspace(0, 1, 5)]
    below = [Vector((0, 0, -2 * share)) for share in np.linspace(0.5, 0.95, 10)]
    inside = [size * Vector((sin(turn), cos(turn), -1)) for turn in np.linspace(0, 6, 12) for size in (0.01, 0.1, 0.2)]
    near = [Vector((0.2 * sin(turn), 0.2 * cos(turn), -0.9)) for turn in np.linspace(0, 6, 12)]
    return [
        ("the ankle misses a target within reach", lambda setup: worst_miss(setup, 20, within)),
        ("… with a rest pose that is straight", lambda setup: worst_miss(setup, 0, below)),
        ("… with the pole on the line to the target", lambda setup: worst_miss(setup, 20, below, pole=lambda place: 2 * place)),
        ("… with a hip scaled by 1.5, 1, 0.7", lambda setup: worst_miss(setup, 20, near, scale=(1.5, 1, 0.7))),
        ("a target too close: the ankle is off its nearest place",
         lambda setup: worst_miss(setup, 20, inside, clamp=True)),
        ("the knee jumps when IK is added", jump),
    ]


def main(arguments: list[str]) -> int:
    """Print the table as Markdown; returns the exit status."""
    twobone_addon.register()
    found = {}
    print(f"Blender {bpy.app.version_string}, a leg of {UPPER} + {LOWER} m\n")
    print("| largest error, metres | Blender's IK | Two-Bone IK |\n|---|---|---|")
    try:
        for words, measure in rows():
            found[words] = [measure(native), measure(ours)]
            print(f"| {words} | {found[words][0]:.1e} | {found[words][1]:.1e} |", flush=True)
    finally:
        twobone_addon.unregister()
    save(arguments, {"blender": bpy.app.version_string, "errors": found})
    sys.stdout.flush()
    os._exit(0)  # Blender's clean-up in the wheels may crash
