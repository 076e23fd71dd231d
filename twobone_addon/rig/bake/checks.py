# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps limbs from being baked, asked before a frame is evaluated, and what is worth knowing afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import bpy

from .. import properties
from ..animation.channels import rotation_channel
from ..animation.fcurves import curves_of, other_users
from ..checks import check_armature, check_evaluated
from ..engine.plan import PlannedLimb
from ..errors import Refusal
from ..limb import OUTPUT
from ..words import say

HARMLESS = frozenset((
    'COPY_LOCATION', 'COPY_SCALE', 'LIMIT_LOCATION', 'LIMIT_DISTANCE', 'LIMIT_SCALE', 'MAINTAIN_VOLUME'))
"""Constraints that turn no bone."""


def check_bake(limbs: Sequence[PlannedLimb], *, new_action: bool, keeps_limbs: bool) -> None:
    """Refuse limbs that cannot be baked; new_action: their keys go into copies of the actions."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    curves = {}
    for armature in dict.fromkeys(planned.limb.armature for planned in limbs):
        check_armature(armature)
        check_evaluated(depsgraph, armature)
        _check_action(armature, new_action)
        curves[armature] = curves_of(armature)
    for planned in limbs:
        _check_limb(planned, curves[planned.limb.armature], keeps_limbs)


def _check_limb(planned: PlannedLimb, curves: bpy.types.ActionFCurves | None, keeps_limb: bool) -> None:
    armature = planned.limb.armature
    properties.check_version(armature.pose.bones[planned.limb.lower])
    if planned.fault:
        raise Refusal(planned.fault)
    for bone in baked_bones(planned):
        _check_channels(bone, curves)
    lower = armature.pose.bones[planned.limb.lower]
    if keeps_limb and _driver(armature, lower.path_from_id("twobone_influence"), 0):
        raise Refusal(say('The influence of "{bone}" is driven, so that it cannot be taken back after baking. '
                          'Remove the driver, or choose to remove the IK', bone=lower.name))


def _check_action(armature: bpy.types.Object, new_action: bool) -> None:
    """Refuse an armature whose action would not show new keys, or shows them elsewhere too."""
    data = armature.animation_data
    if data is None:
        return
    if data.use_tweak_mode:
        raise Refusal(say('"{object}" is being tweaked in the NLA Editor. Leave tweak mode first', object=armature.name))
    layered = data.use_nla and len(data.nla_tracks) > 0
    if layered and (data.action_blend_type != 'REPLACE' or data.action_influence < 1.0):
        raise Refusal(say('The action of "{object}" is mixed with its NLA strips, so that keys would not be what is shown. '
                          'Set it to Replace with an influence of 1', object=armature.name))
    if data.action is None or new_action:
        return
    if not data.action.is_editable:
        raise Refusal(say('The action "{action}" is linked from another file. Bake into a new action, or make it local',
                          action=data.action.name))
    others = other_users(armature)
    if others:
        raise Refusal(say('The action "{action}" moves "{object}" too. Bake into a new action, or make it single-user',
                          action=data.action.name, object=others[0].name))


def baked_bones(planned: PlannedLimb) -> list[bpy.types.PoseBone]:
    """The bones of a limb that get keys: upper, lower, and a hand that follows the target."""
    bones = planned.limb.armature.pose.bones
    return [bones[name] for name in (planned.limb.upper, planned.limb.lower, planned.hand.name if planned.hand else "") if name]


def notes(planned: PlannedLimb) -> Iterator[str]:
    """Sentences about what may make the baked pose another one than the live one."""
    for bone in baked_bones(planned):
        for constraint in bone.constraints:
            if constraint.name != OUTPUT and not constraint.mute and constraint.influence > 0.0 and (
                    constraint.type not in HARMLESS):
                yield say('The constraint "{constraint}" of "{bone}" goes on turning it, on top of the baked keys: '
                          'mute it if it is not wanted', constraint=constraint.name, bone=bone.name)


def _check_channels(bone: bpy.types.PoseBone, curves: bpy.types.ActionFCurves | None) -> None:
    """Refuse a bone whose rotation would not be what its keys say."""
    channel = rotation_channel(bone)
    path, data = channel.full_path, bone.id_data.animation_data
    is_driven = data is not None and len(data.drivers) > 0
    for index in range(len(channel.value)):
        if is_driven and _driver(bone.id_data, path, index):
            raise Refusal(say('The rotation of "{bone}" is driven. Remove the driver before baking', bone=bone.name))
        curve = curves.find(path, index=index) if curves is not None else None
        if curve is None:
            continue
        if curve.lock or (curve.group and curve.group.lock):
            raise Refusal(say('The rotation curves of "{bone}" are locked. Unlock them before baking', bone=bone.name))
        if curve.mute or (curve.group and curve.group.mute):
            raise Refusal(say('The rotation curves of "{bone}" are muted. Unmute them before baking', bone=bone.name))
        if len(curve.sampled_points) or any(not modifier.mute for modifier in curve.modifiers):
            raise Refusal(say('The rotation curves of "{bone}" have modifiers, or are sampled, so that keys are not what they '
                              'show. Remove the modifiers before baking', bone=bone.name))


def _driver(object: bpy.types.Object, path: str, index: int) -> bool:
    data = object.animation_data
    return data is not None and data.drivers.find(path, index=index) is not None
