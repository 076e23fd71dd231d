# SPDX-License-Identifier: GPL-3.0-or-later
"""The hand or foot bone of a limb, and having it follow the target's rotation.

Nothing is stored for a limb whose hand does not follow but which bone was chosen as its tip. Switching following on
binds the pose at hand: the constant rotation from the target to the hand is measured, and a third delivery constraint
is made. Switching it off takes both away again.
"""

from __future__ import annotations

import bpy
import numpy as np

from . import live, properties
from .animation.fcurves import find_animation
from .binding import bone_axes
from .checks import check_armature, check_evaluated
from .dependencies import limb_nodes
from .engine import deliver
from .engine.follow import bound_rotation, dumps, has_rotation, loads
from .engine.place import control_axes, parent_inverse
from .engine.problem import euler_xyz
from .errors import Refusal
from .limb import OUTPUT, Limb, find_limb, limb_bones, limb_of, marked_hand, marked_hands, output_constraint
from .words import say

AT_TIP = 0.01
"""Share of the lower bone's length within which a bone that nobody chose counts as starting at the tip."""


def hand_of(lower: bpy.types.PoseBone) -> bpy.types.PoseBone:
    """The hand or foot of the limb of `lower`: the bone chosen as its tip, else the only child that starts at its tip.

    Refuses where there is none, where it cannot be told which, and where another limb moves it.
    """
    hand = marked_hand(lower) or _only_child(lower)
    for other in limb_bones(lower.id_data):
        limb = limb_of(other)
        nodes = limb_nodes(limb.armature, limb.upper, limb.lower)
        if (limb.armature, hand.name) in nodes or (limb.hand == hand.name and limb.lower != lower.name):
            raise Refusal(say('"{hand}" cannot follow the target of "{bone}": it belongs to the limb of "{other}". '
                              'Remove that IK first', hand=hand.name, bone=lower.name, other=limb.lower))
    return hand


def bind_hand(armature: bpy.types.Object, lower: str) -> None:
    """Have the hand of the limb of bone `lower` follow its target's rotation from the pose at hand, which it keeps.

    Raises Refusal, with nothing changed, where there is no hand to turn or no rotation to follow.
    """
    check_armature(armature)
    limb = find_limb(armature, lower)
    bone = armature.pose.bones[lower]
    properties.check_version(bone)
    hand = hand_of(bone)
    if limb.target is None:
        raise Refusal(say('"{bone}" has no target: choose one in the panel', bone=lower))
    depsgraph = bpy.context.evaluated_depsgraph_get()
    check_evaluated(depsgraph, armature)
    evaluated = armature.evaluated_get(depsgraph)
    if message := flat_target(limb):
        raise Refusal(message)
    columns = control_axes(depsgraph, evaluated, limb.target, parent_inverse(limb.target, armature))
    matrix = np.array(evaluated.pose.bones[hand.name].matrix, dtype=float)
    if not has_rotation(matrix[:3, :3].T):
        raise Refusal(say('"{hand}" cannot follow: it is scaled to zero. Clear its scale', hand=hand.name))
    rotation = bound_rotation(columns, matrix)
    constraint = deliver.add_output(hand)
    angles = euler_xyz(bone_axes(matrix)).astype(np.float32).tolist()
    deliver.write_rotation(hand, angles, float(np.float32(bone.twobone_influence * bone.twobone_follow_rotation)))
    if bone.twobone_resting and not constraint.mute:
        constraint.mute = True
        bone.twobone_resting |= deliver.HAND_MUTED
    if not hand.twobone_is_hand:
        hand.twobone_is_hand = True
    bone.twobone_hand_bind = dumps(rotation)


def release_hand(lower: bpy.types.PoseBone) -> None:
    """Have the hand show its FK rotation again, which was never touched; the bone chosen as the tip stays chosen."""
    hand = marked_hand(lower)
    if hand is not None and lower.twobone_hand_bind:
        constraint = output_constraint(hand)
        if constraint is not None and constraint.is_override_data:
            constraint.influence = 0.0  # what the library has brought cannot be removed
        else:
            deliver.remove_output(hand)
    lower.property_unset("twobone_hand_bind")


def forget_hand(lower: bpy.types.PoseBone) -> None:
    """The same, and no bone is this limb's hand any more."""
    release_hand(lower)
    for hand in list(marked_hands(lower)):
        hand.property_unset(properties.HAND_MARK)


def follows(lower: bpy.types.PoseBone) -> bool:
    """Whether the hand is meant to follow now, or at some other frame."""
    return lower.twobone_follow_rotation > 0.0 or _is_animated(lower)


def hand_fault(limb: Limb, hand: bpy.types.PoseBone) -> str:
    """The sentence that says why `hand` does not follow until it is bound anew, or ''."""
    try:
        loads(limb.armature.pose.bones[limb.lower].twobone_hand_bind)
    except ValueError:
        return say('The hand of "{bone}" does not follow yet: press Rebind', bone=limb.lower)
    if output_constraint(hand) is None:
        return say('"{bone}" has lost its constraint "{constraint}": press Rebind', bone=hand.name, constraint=OUTPUT)
    return ""


def flat_target(limb: Limb) -> str:
    """The sentence that says that the target has no rotation to follow, or ''."""
    if limb.target is None or (limb.target.bone and limb.target.bone not in limb.target.object.pose.bones):
        return ""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    columns = control_axes(depsgraph, limb.armature.evaluated_get(depsgraph), limb.target,
                           parent_inverse(limb.target, limb.armature))
    return "" if has_rotation(columns) else say(
        'The hand of "{bone}" does not follow: its target {control} is scaled to zero and has no rotation. Clear its scale',
        bone=limb.lower, control=limb.target.label)


def _only_child(lower: bpy.types.PoseBone) -> bpy.types.PoseBone:
    found = [bone for bone in lower.children if _starts_at_tip(lower, bone)]
    if len(found) > 1:
        found = [bone for bone in found if bone.bone.use_connect] or found
    if not found:
        raise Refusal(say('"{bone}" has no hand or foot bone to turn: no child of it starts at its tip. '
                          'Remove the IK and add it with the tip bone chosen', bone=lower.name))
    if len(found) > 1:
        raise Refusal(say('Several bones start at the tip of "{bone}": {hands}. Remove the IK and add it with one of them '
                          'chosen as tip bone', bone=lower.name, hands=", ".join(f'"{bone.name}"' for bone in found)))
    return found[0]


def _starts_at_tip(lower: bpy.types.PoseBone, bone: bpy.types.PoseBone) -> bool:
    try:
        tip = np.array(limb_of(lower).binding.tip) * lower.bone.length
    except ValueError:
        tip = np.array((0.0, lower.bone.length, 0.0))
    rest = np.array(lower.bone.matrix_local, dtype=float)
    return bool(np.linalg.norm(rest[:3, :3] @ tip + rest[:3, 3] - np.array(bone.bone.head_local))
                < AT_TIP * lower.bone.length)


def _is_animated(lower: bpy.types.PoseBone) -> bool:
    path = f'pose.bones["{bpy.utils.escape_identifier(lower.name)}"].twobone_follow_rotation'
    return find_animation(lower.id_data, path)


def _was_off(lower: bpy.types.PoseBone) -> bool:
    """Whether a hand that is bound was free until now, as where keys were removed at 0: the last evaluation knows."""
    depsgraph = bpy.context.view_layer.depsgraph
    evaluated = lower.id_data.evaluated_get(depsgraph) if depsgraph is not None else lower.id_data
    before = evaluated.pose.bones.get(lower.name)
    return before is not None and before.twobone_follow_rotation == 0.0 and not _is_animated(lower)


def _follow_set(lower: bpy.types.PoseBone) -> None:
    """Somebody has set how much the hand follows: bind on the way up from 0, release at 0; keys are left in peace."""
    if not properties.is_limb(lower):
        return
    if lower.twobone_follow_rotation > 0.0 and (not lower.twobone_hand_bind or _was_off(lower)):
        armature, name = lower.id_data, lower.name
        release_hand(lower)
        live.settle()
        try:
            bind_hand(armature, name)
        except Refusal:
            return  # `troubles` says it where it can be read
        live.settle()
    elif lower.twobone_follow_rotation == 0.0 and lower.twobone_hand_bind and not _is_animated(lower):
        release_hand(lower)


def register() -> None:
    """Listen to the setting."""
    unregister()
    properties.follow_changed.append(_follow_set)


def unregister() -> None:
    """Listen no more."""
    properties.follow_changed.clear()
