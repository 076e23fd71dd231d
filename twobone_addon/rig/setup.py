# SPDX-License-Identifier: GPL-3.0-or-later
"""Adding, rebinding and removing limbs: everything is checked first, then everything is done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import numpy as np
from numpy.typing import NDArray

from . import controls, deliver, live, properties
from .binding import Posed, bend_of, bind
from .checks import (
    chain_of,
    check_armature,
    check_control,
    check_evaluated,
    check_free,
    check_place,
    check_root,
    check_tip,
)
from .fcurves import clear_empty_animation, remove_animation
from .limb import Limb, find_limb, limb_of, limb_versions, output_constraint
from .measure import measure, tip_point
from .plan import scene_graph
from .words import say

Array = NDArray[np.float64]

TAIL = np.array((0.0, 1.0, 0.0))
"""The tip at the lower bone's tail, in its frame over its length."""


def add_limb(armature_object: bpy.types.Object, lower: str, target: bpy.types.Object | None = None,
             pole: bpy.types.Object | None = None, *, upper: str | None = None, tip: str | None = None,
             target_bone: str = "", pole_bone: str = "") -> Limb:
    """Add Two-Bone IK to the limb that ends with the bone `lower`, and bind it to the pose at hand.

    target, pole: objects to follow, or armatures together with `target_bone`, `pole_bone` (followed at the bone's
    head); an empty is made for each that is None. upper: the first bone of the limb, any ancestor of `lower`, by
    default its parent. tip: a hand or foot bone whose head is the end of the limb, by default the tail of `lower`.
    A target at the tip, like one made here, leaves the pose as it is; one elsewhere pulls the limb to itself.
    Raises Refusal, with nothing changed, where that cannot be done.
    """
    armature = armature_object
    check_armature(armature)
    upper_bone, steps = chain_of(armature, lower, upper)
    upper = upper_bone.name
    check_free(armature, upper, lower)
    check_tip(armature, lower, tip)
    graph = scene_graph(bpy.context.scene)
    check_root(graph, armature, upper, lower)
    target_control = check_control(graph, armature, upper, lower, target, target_bone, say("target"))
    pole_control = check_control(graph, armature, upper, lower, pole, pole_bone, say("pole"))
    depsgraph = bpy.context.evaluated_depsgraph_get()
    check_evaluated(depsgraph, armature)
    point = TAIL if tip is None else tip_point(depsgraph, armature, lower, tip)
    posed = measure(depsgraph, armature, upper, lower, point)
    target_place = check_place(depsgraph, armature, target_control, say("target")) if target_control else None
    pole_place = check_place(depsgraph, armature, pole_control, say("pole")) if pole_control else None

    bone = armature.pose.bones[lower]
    created = 0
    if target_control is None:
        hand = armature.evaluated_get(depsgraph).pose.bones[tip or lower]
        target, target_place = _new_target(armature, lower, posed, np.array(hand.matrix, dtype=float))
        created |= controls.TARGET_CREATED
    if pole_control is None:
        pole, pole_place = _new_pole(armature, lower, posed)
        created |= controls.POLE_CREATED
    bone.twobone_target, bone.twobone_target_bone = target, target_bone
    bone.twobone_pole, bone.twobone_pole_bone = pole, pole_bone
    bone.twobone_upper_steps = steps
    bone.twobone_created = created
    bone.twobone_bind = bind(posed, point, target_place, pole_place).dumps()
    for part in (upper_bone, bone):
        deliver.add_output(part)
    bone.twobone_version = properties.VERSION
    armature.animation_data_create()  # without it the USD exporter writes a skeleton that stands still
    _settle()
    return limb_of(armature.pose.bones[lower])


def rebind(armature_object: bpy.types.Object, lower: str) -> Limb:
    """Bind the limb anew to its FK pose, with the target and pole it has.

    For a rig whose rest pose was edited, or that is to keep another bend. Missing delivery constraints are made again.
    Raises Refusal, with nothing changed, where that cannot be done.
    """
    armature = armature_object
    check_armature(armature)
    limb = find_limb(armature, lower)
    bone = armature.pose.bones[lower]
    properties.check_version(bone)
    upper_bone, _steps = chain_of(armature, lower, limb.upper or None)
    point = _stored_tip(limb)
    check_evaluated(bpy.context.evaluated_depsgraph_get(), armature)
    with _fk_pose(limb):
        depsgraph = bpy.context.evaluated_depsgraph_get()
        posed = measure(depsgraph, armature, upper_bone.name, lower, point)
        places = [check_place(depsgraph, armature, control, role) if control else None
                  for control, role in ((limb.target, say("target")), (limb.pole, say("pole")))]
    bone.twobone_bind = bind(posed, point, *places).dumps()
    for part in (upper_bone, bone):
        deliver.add_output(part)
    _settle()
    return limb_of(armature.pose.bones[lower])


def remove_limb(armature_object: bpy.types.Object, lower: str) -> None:
    """Take the IK of the bone `lower` away: constraints, properties, their keys, and created empties nothing else uses.

    The bones show their FK pose again, which was never touched. Raises Refusal where there is no limb.
    """
    armature = armature_object
    check_armature(armature)
    limb = find_limb(armature, lower)
    bone = armature.pose.bones[lower]
    properties.check_version(bone)
    created = [control.object for control, flag in ((limb.target, controls.TARGET_CREATED),
                                                    (limb.pole, controls.POLE_CREATED))
               if control is not None and bone.twobone_created & flag]
    for name in {limb.upper, limb.lower} - {""}:
        deliver.remove_output(armature.pose.bones[name])
    remove_animation(armature, f'pose.bones["{bpy.utils.escape_identifier(lower)}"].{properties.PREFIX}')
    properties.clear(bone)
    if not limb_versions(armature).any():
        clear_empty_animation(armature)
    for empty in created:
        controls.remove_unused(empty)
    _settle()


def _new_target(armature: bpy.types.Object, lower: str, posed: Posed, hand: Array) -> tuple[bpy.types.Object, Array]:
    axes = hand[:3, :3] / np.linalg.norm(hand[:3, :3], axis=0)
    empty = controls.create_target(armature, lower, posed.tip, axes, _length(posed))
    return empty, np.array(empty.matrix_basis.translation, dtype=float)


def _new_pole(armature: bpy.types.Object, lower: str, posed: Posed) -> tuple[bpy.types.Object, Array]:
    """A pole one limb's length in front of the joint, where the limb bends already."""
    _forward, bend, _height = bend_of(posed)
    empty = controls.create_pole(armature, lower, posed.joint + bend * _length(posed), _length(posed))
    return empty, np.array(empty.matrix_basis.translation, dtype=float)


def _length(posed: Posed) -> float:
    return float(np.linalg.norm(posed.joint - posed.root) + np.linalg.norm(posed.tip - posed.joint))


def _stored_tip(limb: Limb) -> Array:
    """The tip that the limb was bound with; its tail where the binding is unreadable."""
    try:
        return np.array(limb.binding.tip)
    except ValueError:
        return TAIL


@contextmanager
def _fk_pose(limb: Limb) -> Iterator[None]:
    """Show the limb's FK pose for the time of the block."""
    outputs = [output for output in map(output_constraint, limb.bones) if output is not None]
    muted = [output.mute for output in outputs]
    try:
        for output in outputs:
            output.mute = True
        bpy.context.view_layer.update()
        yield
    finally:
        for output, mute in zip(outputs, muted, strict=True):
            output.mute = mute


def _settle() -> None:
    """Evaluate, so that the engine solves and whoever reads the pose next finds it right."""
    live.state.forget_plans()
    bpy.context.view_layer.update()
    live.solve_scene(bpy.context.evaluated_depsgraph_get())
    bpy.context.view_layer.update()
