# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own IK constraint in place of a limb, for files that go where the extension is not."""

from __future__ import annotations

from math import degrees, pi

import bpy
import numpy as np

from .. import properties
from ..animation.channels import Channel
from ..binding import NOISE, Posed, bend_of
from ..checks import check_armature, check_evaluated
from ..errors import Refusal
from ..limb import OUTPUT, Limb, find_limb, output_constraint
from ..match import fk_pose as match_fk_pose
from ..match.kept import Inputs, Kept, inputs_of, keep
from ..measure import measure
from ..setup import TAIL, remove_limb
from ..words import say
from .animation import move_animation
from .from_native import MOVED
from .native import check_local
from .pole_angle import native_angle

NAME = "IK"

TURNED = 0.01
"""By how much, about in radians, native IK may turn a bone without the FK pose being looked to."""

NOT_BENT = 0.01
"""Radians between the bones with which native IK starts badly."""


def to_native(armature_object: bpy.types.Object, lower: str) -> list[str]:
    """Replace the Two-Bone IK of the bone `lower` by Blender's IK constraint with the same target, pole and influence.

    The pole angle is the one with which the constraint, in its own formula, bends the limb as it is bent now. Keys and
    drivers of the influence move along; created controls stay. Where the bones' FK pose, from which native IK starts, keeps
    it from the pose, the pose is made the FK pose. Returns sentences about everything that has no counterpart or
    does not stay as it was. Raises Refusal, with nothing changed, where there is no limb or it cannot be solved.
    """
    armature = armature_object
    check_armature(armature)
    limb = find_limb(armature, lower)
    properties.check_version(armature.pose.bones[lower])
    check_evaluated(bpy.context.evaluated_depsgraph_get(), armature)
    given = inputs_of(limb, bpy.context.evaluated_depsgraph_get())
    if armature.pose.bones[lower].twobone_upper_steps != 1:
        raise Refusal(say('"{bone}" has bones between it and "{upper}", which native IK would bend too. Bake the limb instead',
                          bone=lower, upper=limb.upper))
    for part in limb.bones:
        check_local(part, output_constraint(part))
    said = _without_counterpart(limb, given)
    pole_angle = None if given.plan.limbs[given.row].pole is None else float(given.problem.pole_angle[0])
    bone = armature.pose.bones[lower]
    influence, muted = bone.twobone_influence, all(output_constraint(part).mute for part in limb.bones)
    bone.twobone_influence = 1.0
    bpy.context.view_layer.update()
    kept = keep(limb, bpy.context.evaluated_depsgraph_get())
    place = bone.constraints.find(OUTPUT)
    name = _add(limb, pole_angle is not None).name
    move_animation(armature, Channel(bone, "twobone_influence").full_path, f"{bone.constraints[name].path_from_id()}.influence")
    bone.twobone_created = 0  # they are the constraint's now
    remove_limb(armature, lower)
    bone = armature.pose.bones[lower]
    bone.constraints.move(bone.constraints.find(name), min(place, len(bone.constraints) - 1))
    said += _started(limb, bone.constraints[name], kept, pole_angle)
    bone.constraints[name].influence, bone.constraints[name].mute = influence, muted
    bpy.context.view_layer.update()
    return said


def _add(limb: Limb, has_pole: bool) -> bpy.types.KinematicConstraint:
    ik = limb.armature.pose.bones[limb.lower].constraints.new('IK')
    ik.name = NAME
    ik.mute = True
    ik.chain_count, ik.use_stretch = 2, False
    ik.target, ik.subtarget = limb.target.object, limb.target.bone
    if has_pole:
        ik.pole_target, ik.pole_subtarget = limb.pole.object, limb.pole.bone
    return ik


def _without_counterpart(limb: Limb, given: Inputs) -> list[str]:
    """A sentence for everything of the limb that the constraint has no setting for."""
    bone = limb.armature.pose.bones[limb.lower]
    found: list[str] = []
    for path, nothing in (("twobone_softness", 0.0), ("twobone_bend_min", 0.0), ("twobone_bend_max", pi),
                          ("twobone_follow_rotation", 0.0)):
        value = getattr(bone, path)
        if abs(value - nothing) > 1e-6 or Channel(bone, path).is_animated:
            name = bone.bl_rna.properties[path].name
            shown = f"{degrees(value):.1f}°" if "bend" in path else f"{value:g}"
            found.append(say('"{bone}": {setting} {value} has no counterpart in native IK and is lost', bone=limb.lower,
                             setting=name, value=shown))
    if Channel(bone, "twobone_pole_angle").is_animated:
        found.append(say('"{bone}": the animation of its Pole Angle is lost; what it is now stays', bone=limb.lower))
    if given.plan.limbs[given.row].pole is None:
        found.append(say('"{bone}" has no pole: native IK turns it in its own way while its target moves', bone=limb.lower))
    off = float(np.linalg.norm(np.array(limb.binding.tip) - (0.0, 1.0, 0.0))) * bone.bone.length
    if off > 1e-4 * bone.bone.length:
        found.append(say('"{bone}" reached with a point {distance:.2g} from its tail; native IK reaches with the tail',
                         bone=limb.lower, distance=off))
    return found


def _started(limb: Limb, ik: bpy.types.KinematicConstraint, kept: Kept, pole_angle: float | None) -> list[str]:
    """Switch the muted constraint on with its pole angle, and with the FK pose from which it comes to the pose to keep.

    That is the FK pose there is, where that is bent and does; else it is made the pose to keep.
    """
    fk = _measured(limb)
    forward, bend, height = bend_of(fk)
    if height > NOISE * fk.length:
        if pole_angle is not None:
            ik.pole_angle = native_angle(pole_angle, fk.upper_axes, forward, bend)
        if _kept(limb, ik, kept):
            return []
    said = _pose_fk(limb, kept)
    if pole_angle is not None:
        ik.pole_angle = native_angle(pole_angle, kept.posed.upper_axes, kept.stance.forward, kept.stance.bend)
    if not _kept(limb, ik, kept):
        said.append(say('"{bone}" could not be kept quite: its joints moved by {distance:.2g}', bone=limb.lower,
                        distance=_moved(limb, kept)))
    if kept.stance.flexion < NOT_BENT:
        said.append(say('"{bone}" is straight in its FK pose, and native IK does not bend what starts straight. Bend it a '
                        'little', bone=limb.lower))
    return said


def _pose_fk(limb: Limb, kept: Kept) -> list[str]:
    """Make the pose to keep the FK pose of the bones, unless keys, drivers or locks set that."""
    channels = match_fk_pose.channels(limb)
    if any(channel.is_animated for channel in channels):
        return [say('The FK pose of "{bone}", from which native IK starts, is animated and was left', bone=limb.lower)]
    values = [(channel, channel.value) for channel in channels]
    try:
        match_fk_pose.apply(kept, {}, True)
    except Refusal as refusal:
        for channel, value in values:
            channel.set(value)
        return [str(refusal)]
    return [say('The FK pose of "{bone}" was made the pose shown, since native IK starts from it', bone=limb.lower)]


def _kept(limb: Limb, ik: bpy.types.KinematicConstraint, kept: Kept) -> bool:
    """Whether the constraint at full influence gives the pose to keep."""
    ik.influence, ik.mute = 1.0, False
    bpy.context.view_layer.update()
    now = _measured(limb)
    return _moved(limb, kept) <= MOVED * kept.stance.length and all(
        np.linalg.norm(axes - before) < TURNED for axes, before in (
            (now.upper_axes, kept.posed.upper_axes), (now.lower_axes, kept.posed.lower_axes)))


def _moved(limb: Limb, kept: Kept) -> float:
    return float(np.linalg.norm(_measured(limb).joint - kept.posed.joint))


def _measured(limb: Limb) -> Posed:
    return measure(bpy.context.evaluated_depsgraph_get(), limb.armature, limb.upper, limb.lower, TAIL)
