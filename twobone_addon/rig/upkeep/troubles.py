# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a limb, in sentences, and which operator puts it right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import bpy

from .. import live, properties
from ..animation.fcurves import find_animation
from ..engine.plan import PlannedLimb, pole_fault, structural_fault
from ..errors import Refusal
from ..hand import flat_target, follows, hand_fault, hand_of
from ..limb import OUTPUT, Control, Limb, find_limb, output_constraint
from ..words import retell, say
from .keep_evaluated import is_kept
from .rest import rest_changed
from .rivals import rivals
from .shear import sheared_bone

DELIVERED = ("min_x", "min_y", "min_z", "max_x", "max_y", "max_z", "influence", "mute")
"""Properties of the delivery constraint that nothing but the live engine may set."""


@dataclass(frozen=True)
class Trouble:
    """One thing that is wrong: what it is and what to do, and the operator that does it, '' where only the user can."""

    sentence: str
    fix: str = ""


def problems(armature_object: bpy.types.Object, lower: str) -> list[str]:
    """Sentences that say what is wrong with the limb of bone `lower` and what to do; empty if all is well.

    Raises Refusal where there is no limb.
    """
    return [trouble.sentence for trouble in troubles(armature_object, lower)]


def troubles(armature_object: bpy.types.Object, lower: str) -> list[Trouble]:
    """Everything that is wrong with the limb of bone `lower`, the worst first. Raises Refusal where there is no limb."""
    limb = find_limb(armature_object, lower)
    members = set(bpy.context.scene.objects)
    found = []
    if not armature_object.is_editable:
        found.append(Trouble(say('"{armature}" is linked from another file: make a library override to use its IK',
                                 armature=armature_object.name)))
    plan = live.plan_of(bpy.context.scene)
    row = plan.row_of(limb)
    found += _faults(limb, None if row is None else plan.limbs[row], members)
    if message := pole_fault(limb, members):
        found.append(Trouble(message))
    for control, role, name in ((limb.target, "target", say("target")), (limb.pole, "pole", say("pole"))):
        if not is_kept(limb, role):
            found += _hidden(limb, control, name)
    found += shared_by(limb, {window.scene for window in bpy.context.window_manager.windows})
    found += _rest_changed(limb)
    found += _sheared(limb)
    found += _crossed(limb)
    found += _hand(limb)
    found += [Trouble(say('The constraint "{constraint}" of "{bone}" moves the bones of "{limb}" by another IK, which hides '
                          'this one: mute it, or remove it', constraint=constraint.name, bone=bone.name, limb=lower),
                      "pose.twobone_mute_rivals") for bone, constraint in rivals(limb)]
    for bone in limb.delivered:
        found += _overruled(bone)
        found += _animated(bone)
    return found


def shared_by(limb: Limb, shown: set[bpy.types.Scene]) -> Iterator[Trouble]:
    """That scenes which are shown at once, in windows of their own, want different poses of one armature."""
    scenes = [scene for scene in limb.armature.users_scene if scene in shown]
    if len({scene.frame_current_final for scene in scenes}) > 1:
        yield Trouble(say('"{armature}" is shown in the scenes {scenes} at different frames, but has only one pose: the windows '
                          'keep redrawing each other. Go to the same frame in all of them, or close one',
                          armature=limb.armature.name, scenes=", ".join(f'"{scene.name}"' for scene in scenes)))


def _rest_changed(limb: Limb) -> Iterator[Trouble]:
    """That the limb was bound to another rest pose."""
    if rest_changed(limb):
        yield Trouble(say('The rest pose of "{bone}" was changed since its IK was bound: press Rebind', bone=limb.lower),
                      "pose.twobone_rebind")


def _sheared(limb: Limb) -> Iterator[Trouble]:
    """That delivering a rotation changes the shape of a bone."""
    bone = sheared_bone(limb, bpy.context.evaluated_depsgraph_get()) if limb.upper else ""
    if bone:
        yield Trouble(say('"{bone}" is sheared or mirrored by its parents, or by scale in the limb itself. Two-Bone IK takes '
                          'that out of it: the limb still reaches its target, but looks different from its FK pose',
                          bone=bone))


def _faults(limb: Limb, planned: PlannedLimb | None, members: set[bpy.types.Object]) -> Iterator[Trouble]:
    """Why the limb rests, and what it cannot do in the same frame."""
    fault = live.state.faults.get((limb.armature.session_uid, limb.lower))
    if planned is not None and planned.fault:
        yield Trouble(retell(planned.fault), _fix(limb, members))
    elif fault:
        yield Trouble(retell(fault))
    if planned is not None and planned.note:
        yield Trouble(retell(planned.note))


def _fix(limb: Limb, members: set[bpy.types.Object]) -> str:
    """The operator against the fault of a limb that cannot be solved whatever the frame."""
    bone = limb.armature.pose.bones[limb.lower]
    if bone.twobone_version > properties.VERSION or limb.target is None:
        return ""
    if not limb.upper:
        return "pose.twobone_remove"
    if not structural_fault(limb, members):  # then it is a loop, and what closes it is the target's business
        return "pose.twobone_select_target"
    return "pose.twobone_rebind" if limb.target.object in members else ""


def _hidden(limb: Limb, control: Control | None, role: str) -> Iterator[Trouble]:
    """That Blender does not evaluate `control`; its place is then that of before."""
    if control is None or bpy.context.view_layer is None or not control.object.users_scene:
        return
    if control.object.hide_viewport or not _is_shown(bpy.context.view_layer.layer_collection, control.object):
        yield Trouble(say('The {role} of "{bone}", {control}, is hidden in viewports or excluded, and Blender does not '
                          'evaluate it: its keys and parents are not followed until it is shown (hiding it by the eye '
                          'is fine)', role=role, bone=limb.lower, control=control.label))


def _is_shown(layer: bpy.types.LayerCollection, object: bpy.types.Object) -> bool:
    """Whether a collection that is neither excluded nor hidden in viewports holds `object`."""
    if layer.collection.hide_viewport:
        return False
    if not layer.exclude and object.name in layer.collection.objects:
        return True
    return any(_is_shown(child, object) for child in layer.children)


def _crossed(limb: Limb) -> Iterator[Trouble]:
    """That the joint is to bend at least more than at most."""
    bone = limb.armature.pose.bones[limb.lower]
    if bone.twobone_bend_min > bone.twobone_bend_max:
        yield Trouble(say('The minimum bend of "{bone}" is greater than its maximum bend, so that its joint is stiff: '
                          'make one smaller or the other greater', bone=limb.lower))


def _hand(limb: Limb) -> Iterator[Trouble]:
    """Why the hand does not follow the target's rotation although it is meant to."""
    lower = limb.armature.pose.bones[limb.lower]
    if not follows(lower):
        return
    try:
        hand = hand_of(lower)
    except Refusal as refusal:
        yield Trouble(str(refusal))
        return
    if message := hand_fault(limb, hand):
        yield Trouble(message, "pose.twobone_rebind")
    elif message := flat_target(limb):
        yield Trouble(message)


def _overruled(bone: bpy.types.PoseBone) -> Iterator[Trouble]:
    """That another constraint changes the solved pose."""
    if output_constraint(bone) is None:
        return
    for constraint in list(bone.constraints)[bone.constraints.find(OUTPUT) + 1:]:
        if not constraint.mute and constraint.influence > 0.0:
            yield Trouble(say('The constraint "{constraint}" of "{bone}" comes after Two-Bone IK and changes its pose: '
                              'mute it, or move Two-Bone IK to the end', constraint=constraint.name, bone=bone.name),
                          "pose.twobone_output_last")
            return


def _animated(bone: bpy.types.PoseBone) -> Iterator[Trouble]:
    """That keys or drivers set what only the live engine may set."""
    if any(find_animation(bone.id_data, f"{output_path(bone)}.{name}") for name in DELIVERED):
        yield Trouble(say('The constraint "{constraint}" of "{bone}" has keys or drivers, which fight with the solved pose: '
                          'remove them, and key the influence of the limb instead', constraint=OUTPUT, bone=bone.name),
                      "pose.twobone_free_output")


def output_path(bone: bpy.types.PoseBone) -> str:
    """The path of the bone's delivery constraint from its object, as animation data has it."""
    return f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"].constraints["{OUTPUT}"]'
