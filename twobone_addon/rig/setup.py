# SPDX-License-Identifier: GPL-3.0-or-later
"""Adding, rebinding and removing limbs: everything is checked first, then everything is done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

import bpy
import numpy as np
from numpy.typing import NDArray

from . import live, properties
from .animation.fcurves import clear_empty_animation, remove_animation
from .binding import bind
from .checks import chain_of, check_armature, check_control, check_evaluated, check_free, check_place, check_root, check_tip
from .controls import CREATED, POLE, TARGET, Wanted, empties, wanted_pole, wanted_target
from .controls import bones as control_bones
from .dependencies import Graph
from .engine import deliver
from .engine.plan import scene_graph
from .errors import Refusal
from .given import number
from .hand import bind_hand, follows, forget_hand
from .limb import Control, Limb, find_limb, limb_of, limb_versions, output_constraint
from .measure import measure, measure_rest, tip_point
from .upkeep.keep_evaluated import remove_links
from .upkeep.rest import rest_record
from .words import say

Array = NDArray[np.float64]

TAIL = np.array((0.0, 1.0, 0.0))
"""The tip at the lower bone's tail, in its frame over its length."""


def add_limb(armature_object: bpy.types.Object, lower: str, target: bpy.types.Object | None = None,
             pole: bpy.types.Object | None = None, *, upper: str | None = None, tip: str | None = None,
             target_bone: str = "", pole_bone: str = "", controls: str = 'EMPTIES', control_parent: str | None = None,
             control_size: float = 1.0, softness: float = 0.0) -> Limb:
    """Add Two-Bone IK to the limb that ends with the bone `lower`, and bind it to the pose at hand.

    target, pole: objects to follow, or armatures together with `target_bone`, `pole_bone` (followed at the bone's
    head); a control is made for each that is None. upper: the first bone of the limb, any ancestor of `lower`, by
    default its parent. tip: a hand or foot bone whose head is the end of the limb, by default the tail of `lower`.
    controls: what is made, 'EMPTIES', or 'BONES' of the armature itself, which takes Edit Mode: pose and edit bones that
    were looked up before are invalid then. control_parent: what such bones hang on, None for nothing, 'ROOT' for the
    topmost bone above the limb, or a bone's name. control_size: how large they are drawn, 1 for what suits the limb.
    softness: what the limb starts with; a target that is made stands where the softened limb keeps its pose.
    A target at the tip, like one made here, leaves the pose as it is; one elsewhere pulls the limb to itself.
    Raises Refusal, with nothing changed, where that cannot be done.
    """
    armature = armature_object
    check_armature(armature)
    upper_bone, steps = chain_of(armature, lower, upper)
    upper = upper_bone.name
    check_free(armature, upper, lower)
    check_tip(armature, lower, tip)
    softness = number(softness, say("softness"), least=0.0, most=0.99)
    control_size = number(control_size, say("control size"), least=1e-6, most=1e6)
    graph = scene_graph(bpy.context.scene)
    check_root(graph, armature, upper, lower)
    target_control = check_control(graph, armature, upper, lower, target, target_bone, say("target"))
    pole_control = check_control(graph, armature, upper, lower, pole, pole_bone, say("pole"))
    depsgraph = bpy.context.evaluated_depsgraph_get()
    check_evaluated(depsgraph, armature)
    point = TAIL if tip is None else tip_point(depsgraph, armature, lower, tip)
    posed = measure(depsgraph, armature, upper, lower, point)
    for control, role in ((target_control, say("target")), (pole_control, say("pole"))):
        if control is not None:
            check_place(depsgraph, armature, control, role)

    wanted = []
    rest = measure_rest(armature, upper, lower, point)
    if target_control is None:
        hand = tip or lower
        evaluated = armature.evaluated_get(depsgraph).pose.bones[hand]
        wanted.append(wanted_target(posed, rest, softness, np.array(evaluated.matrix, dtype=float),
                                    np.array(armature.data.bones[hand].matrix_local, dtype=float)))
    if pole_control is None:
        wanted.append(wanted_pole(posed, rest))
    wanted = [replace(entry, size=control_size * entry.size) for entry in wanted]
    made = _make_controls(graph, armature, upper, lower, wanted, controls, control_parent)
    target_control, pole_control = target_control or made[TARGET], pole_control or made[POLE]
    depsgraph = bpy.context.evaluated_depsgraph_get()
    target_place = check_place(depsgraph, armature, target_control, say("target"))
    pole_place = check_place(depsgraph, armature, pole_control, say("pole"))

    bone = armature.pose.bones[lower]
    bone.twobone_target, bone.twobone_target_bone = target_control.object, target_control.bone
    bone.twobone_pole, bone.twobone_pole_bone = pole_control.object, pole_control.bone
    bone.twobone_upper_steps = steps
    bone.twobone_softness = softness
    bone.twobone_created = sum(CREATED[role] for role in made)
    bone.twobone_bind = bind(posed, point, target_place, pole_place).dumps()
    bone.twobone_rest = rest_record(limb_of(bone))
    for part in (armature.pose.bones[upper], bone):
        deliver.add_output(part)
    if tip:
        armature.pose.bones[tip].twobone_is_hand = True
    bone.twobone_version = properties.VERSION
    armature.animation_data_create()  # without it the USD exporter writes a skeleton that stands still
    live.settle()
    return limb_of(armature.pose.bones[lower])


def rebind(armature_object: bpy.types.Object, lower: str) -> Limb:
    """Bind the limb, and a hand that follows its target, anew to its FK pose, with the target and pole it has.

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
        if follows(bone):
            with suppress(Refusal):  # `troubles` says it where it can be read
                bind_hand(armature, lower)
    bone.twobone_bind = bind(posed, point, *places).dumps()
    bone.twobone_rest = rest_record(limb)
    for part in (upper_bone, bone):
        deliver.add_output(part)
    live.settle()
    return limb_of(armature.pose.bones[lower])


def remove_limb(armature_object: bpy.types.Object, lower: str) -> None:
    """Take the IK of the bone `lower` away: constraints, properties, their keys, and created controls nothing else uses.

    The bones show their FK pose again, which was never touched. Raises Refusal where there is no limb.
    """
    armature = armature_object
    check_armature(armature)
    limb = find_limb(armature, lower)
    bone = armature.pose.bones[lower]
    properties.check_version(bone)
    created = [control for control, role in ((limb.target, TARGET), (limb.pole, POLE))
               if control is not None and bone.twobone_created & CREATED[role]]
    for name in {limb.upper, limb.lower} - {""}:
        deliver.remove_output(armature.pose.bones[name])
    remove_links(bone)
    forget_hand(bone)
    remove_animation(armature, f'pose.bones["{bpy.utils.escape_identifier(lower)}"].{properties.PREFIX}')
    properties.clear(bone)
    if not limb_versions(armature).any():
        clear_empty_animation(armature)
    control_bones.remove_unused(armature, [control.bone for control in created if control.object == armature])
    for control in created:
        if not control.bone:
            empties.remove_unused(control.object)
    live.settle()


def _make_controls(graph: Graph, armature: bpy.types.Object, upper: str, lower: str, wanted: Sequence[Wanted], kind: str,
                   parent: str | None) -> dict[str, Control]:
    """The controls that are wanted, by role; refuses, with nothing made, what cannot be made."""
    if kind not in ('EMPTIES', 'BONES'):
        raise Refusal(say('Controls are EMPTIES or BONES, not "{kind}"', kind=kind))
    if not wanted:
        return {}
    if kind == 'BONES':
        hangs_on = control_bones.check(armature, graph, upper, lower, parent)
        made = control_bones.create(armature, lower, wanted, hangs_on)
    elif parent:
        raise Refusal(say('Empties hang on the armature itself. Ask for control bones to have them hang on "{bone}"',
                          bone=parent))
    else:
        made = [Control(empties.create(armature, lower, control)) for control in wanted]
    return {control.role: one for control, one in zip(wanted, made)}


def _stored_tip(limb: Limb) -> Array:
    """The tip that the limb was bound with; its tail where the binding is unreadable."""
    try:
        return np.array(limb.binding.tip)
    except ValueError:
        return TAIL


@contextmanager
def _fk_pose(limb: Limb) -> Iterator[None]:
    """Show the limb's FK pose for the time of the block."""
    outputs = [output for output in map(output_constraint, limb.delivered) if output is not None]
    muted = [output.mute for output in outputs]
    try:
        for output in outputs:
            output.mute = True
        bpy.context.view_layer.update()
        yield
    finally:
        for output, mute in zip(outputs, muted, strict=True):
            output.mute = mute
