# SPDX-License-Identifier: GPL-3.0-or-later
"""Putting right what users and other tools have done to the constraints that deliver the pose."""

from __future__ import annotations

import bpy

from ..animation.fcurves import remove_animation
from ..checks import check_armature
from ..engine import deliver
from ..errors import Refusal
from ..limb import OUTPUT, Limb, find_limb, output_constraint
from ..words import say
from .rivals import rivals
from .troubles import output_path


def output_last(armature_object: bpy.types.Object, lower: str) -> None:
    """Move the delivery constraints of the limb to the end of their stacks, after whatever would change its pose.

    Raises Refusal, with nothing changed, where that cannot be done.
    """
    for bone in _delivering(armature_object, lower):
        last = len(bone.constraints) - 1
        bone.constraints.move(bone.constraints.find(OUTPUT), last)
        if bone.constraints.find(OUTPUT) != last:
            raise Refusal(say('The constraints of "{bone}" come from another file and cannot be moved. Mute those after '
                              'Two-Bone IK', bone=bone.name))


def free_output(armature_object: bpy.types.Object, lower: str) -> None:
    """Remove the keys and drivers that others have put on the delivery constraints of the limb.

    Raises Refusal, with nothing changed, where that cannot be done.
    """
    for bone in _delivering(armature_object, lower):
        remove_animation(armature_object, f"{output_path(bone)}.")
        deliver.add_output(bone)


def mute_rivals(armature_object: bpy.types.Object, lower: str) -> None:
    """Mute every other IK that moves the bones of the limb. Raises Refusal where that cannot be done."""
    check_armature(armature_object)
    for _bone, constraint in list(rivals(find_limb(armature_object, lower))):
        constraint.mute = True


def _delivering(armature: bpy.types.Object, lower: str) -> list[bpy.types.PoseBone]:
    """The limb's bones that have a delivery constraint."""
    check_armature(armature)
    limb: Limb = find_limb(armature, lower)
    if not limb.upper:
        raise Refusal(say('"{bone}" has lost its upper bone: remove the IK and add it again', bone=lower))
    return [bone for bone in limb.delivered if output_constraint(bone) is not None]
