# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints that carry their owner along: wholly, in place alone or in rotation alone."""

from __future__ import annotations

import bpy

CHILD_CHANNELS = tuple(f"use_{channel}_{axis}" for channel in ("location", "rotation", "scale") for axis in "xyz")


def carries(constraint: bpy.types.Constraint, owner: bpy.types.Object | bpy.types.PoseBone) -> bool:
    """Whether a constraint, at full influence, does nothing else to its owner: its target's motion decides the owner's."""
    entry = leader(constraint)
    if entry is None or entry.target is None or (entry.subtarget and entry.target.type != 'ARMATURE'):
        return False
    kind = constraint.type
    if kind == 'ARMATURE':
        return True
    if kind == 'CHILD_OF':
        places = sum(getattr(constraint, f"use_location_{axis}") for axis in "xyz")
        return constraint.target_space == 'WORLD' and not constraint.set_inverse_pending and (
            places == 3 or (places == 0 and constraint.owner_space == 'WORLD'))
    if not _in_one_space(constraint, owner):
        return False
    if kind == 'COPY_ROTATION':
        return constraint.mix_mode == 'REPLACE' and copies_all(constraint)
    if constraint.use_bbone_shape and constraint.head_tail > 0.0:
        return False
    if kind == 'COPY_TRANSFORMS':
        return constraint.mix_mode == 'REPLACE'
    return constraint.owner_space == 'WORLD' or (copies_all(constraint) and not constraint.use_offset)


def leader(constraint: bpy.types.Constraint) -> bpy.types.Constraint | bpy.types.ConstraintTargetBone | None:
    """What has the `target` and `subtarget` of a constraint that may carry its owner along; None for any other."""
    if constraint.type == 'ARMATURE':
        return constraint.targets[0] if len(constraint.targets) == 1 else None
    return constraint if constraint.type in ('CHILD_OF', 'COPY_LOCATION', 'COPY_ROTATION', 'COPY_TRANSFORMS') else None


def replaces_place(constraint: bpy.types.Constraint) -> bool:
    """Whether a Copy Location heeds nothing of where its owner was."""
    return all(getattr(constraint, f"use_{axis}") for axis in "xyz") and not constraint.use_offset


def copies_all(constraint: bpy.types.Constraint) -> bool:
    """Whether a Copy Location or Copy Rotation takes over all three axes as they are."""
    return all(getattr(constraint, f"use_{axis}") and not getattr(constraint, f"invert_{axis}") for axis in "xyz")


def takes_all(constraint: bpy.types.Constraint) -> bool:
    """Whether a Child Of takes over all channels."""
    return all(getattr(constraint, name) for name in CHILD_CHANNELS)


def inherits_all(bone: bpy.types.Bone) -> bool:
    """Whether a bone moves with its parent as one body."""
    return bone.parent is None or (bone.use_inherit_rotation and bone.inherit_scale == 'FULL' and bone.use_local_location)


def _in_one_space(constraint: bpy.types.Constraint, owner: bpy.types.Object | bpy.types.PoseBone) -> bool:
    """Whether a constraint copies from world to world, or from bone to bone of one armature, which is the same."""
    if constraint.owner_space != constraint.target_space:
        return False
    return constraint.owner_space == 'WORLD' or (
        constraint.owner_space == 'POSE' and isinstance(owner, bpy.types.PoseBone) and constraint.target == owner.id_data
        and bool(constraint.subtarget))
