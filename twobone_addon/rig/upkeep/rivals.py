# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own IK on the bones of a limb: it is solved after all constraints, so that the limb's pose does not show."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from ..dependencies import limb_nodes
from ..limb import Limb

CHAINS = frozenset(('IK', 'SPLINE_IK'))


def rivals(limb: Limb) -> Iterator[tuple[bpy.types.PoseBone, bpy.types.Constraint]]:
    """The bones and their constraints that move bones of `limb` by another IK."""
    if not limb.upper:
        return
    pose = limb.armature.pose.bones
    own = {name for _object, name in limb_nodes(limb.armature, limb.upper, limb.lower)}
    front = [limb.armature.data.bones[limb.upper]]
    while front:
        bone = front.pop()
        front += bone.children
        owner = pose[bone.name]
        for constraint in owner.constraints:
            if (constraint.type in CHAINS and not constraint.mute and constraint.influence > 0.0
                    and constraint.target is not None and own & _chain(owner, constraint)):
                yield owner, constraint


def _chain(owner: bpy.types.PoseBone, constraint: bpy.types.Constraint) -> set[str]:
    """Names of the bones that the constraint moves; a count of 0 goes up to the root."""
    bone = owner if getattr(constraint, "use_tail", True) else owner.parent
    names: set[str] = set()
    while bone is not None and (not constraint.chain_count or len(names) < constraint.chain_count):
        names.add(bone.name)
        bone = bone.parent
    return names
