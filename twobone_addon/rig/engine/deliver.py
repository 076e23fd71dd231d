# SPDX-License-Identifier: GPL-3.0-or-later
"""Write: solved rotations in, the limits of the delivery constraints out.

A Limit Rotation constraint whose maximum lies below its minimum returns exactly the minimum, so three numbers pin a
bone to an armature-space orientation, whatever its rotation mode, its parents' scale or its keyed FK channels.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ..limb import OUTPUT, output_constraint

BELOW_EVERY_MINIMUM = -10.0
"""Radians; less than any angle that is ever delivered."""

RESTING, LOWER_MUTED, UPPER_MUTED, HAND_MUTED = 1, 2, 4, 8
"""Bits of `twobone_resting`."""


def add_output(bone: bpy.types.PoseBone) -> bpy.types.LimitRotationConstraint:
    """The delivery constraint of `bone`, made at the end of its stack where it does not exist."""
    constraint = output_constraint(bone)
    if constraint is None:
        active = bone.constraints.active
        constraint = bone.constraints.new('LIMIT_ROTATION')
        constraint.name = OUTPUT
        bone.constraints.active = active or constraint
    constraint.owner_space = 'POSE'
    constraint.euler_order = 'XYZ'
    constraint.use_limit_x = constraint.use_limit_y = constraint.use_limit_z = True
    if hasattr(constraint, "use_legacy_behavior"):
        constraint.use_legacy_behavior = False
    constraint.max_x = constraint.max_y = constraint.max_z = BELOW_EVERY_MINIMUM
    constraint.show_expanded = False
    return constraint


def is_output(constraint: bpy.types.LimitRotationConstraint | None) -> bool:
    """Whether the constraint was made here, rather than by a user who gave it the same name."""
    return constraint is not None and constraint.max_x == constraint.max_y == constraint.max_z == BELOW_EVERY_MINIMUM


def remove_output(bone: bpy.types.PoseBone) -> None:
    """Take the delivery constraint of `bone` away, if it has one."""
    constraint = output_constraint(bone)
    if constraint is not None:
        active = bone.constraints.active
        keep = active.name if active is not None and active != constraint else ""
        bone.constraints.remove(constraint)
        if keep:
            bone.constraints.active = bone.constraints[keep]


def write_rotation(bone: bpy.types.PoseBone, euler: Sequence[float], influence: float, *, anew: bool = False) -> int:
    """Pin `bone` to `euler` (3 single-precision radians, order XYZ); returns how many properties had to be written.

    anew: write where the values stand already, too, so that Blender evaluates them.
    """
    constraint = bone.constraints[OUTPUT]
    x, y, z = euler
    writes = 0
    if anew or constraint.min_x != x:
        constraint.min_x = x
        writes += 1
    if constraint.min_y != y:
        constraint.min_y = y
        writes += 1
    if constraint.min_z != z:
        constraint.min_z = z
        writes += 1
    if constraint.influence != influence:
        constraint.influence = influence
        writes += 1
    return writes


def write_untold(bone: bpy.types.PoseBone, euler: Sequence[float], influence: float, *, anew: bool = False) -> int:
    """The same in half the time, without telling Blender where that can be spared: whoever calls this does, by `tell`."""
    constraint = bone.constraints[OUTPUT]
    x, y, z = euler
    writes = 3 if anew else (constraint.min_x != x) + (constraint.min_y != y) + (constraint.min_z != z)
    if writes:
        write_limits(bone, x, y, z)
    if constraint.influence != influence:
        constraint.influence = influence
        writes += 1
    return writes


def tell(armature: bpy.types.Object) -> None:
    """Have Blender evaluate the pose of `armature` again, with what its original has now.

    A pose is evaluated after its object's transform. A tag on that has the object copied anew; a tag on the pose would have
    its armature's data copied as well, which costs as much again.
    """
    armature.update_tag(refresh={'OBJECT'})


def write_limits(bone: bpy.types.PoseBone, x: float, y: float, z: float) -> None:
    """Write the same three numbers, whatever they were, to a bone of an evaluated copy, which is evaluated without being told.

    As a collection, constraints are written without telling; that takes a bone that has no other.
    """
    constraints = bone.constraints
    if len(constraints) == 1:  # where there are more, Blender would print that it was given too few numbers
        try:
            store = constraints.foreach_set
            store("min_x", (x,))
            store("min_y", (y,))
            store("min_z", (z,))
            return
        except (AttributeError, RuntimeError, TypeError):  # somebody has put another in the place of ours
            pass
    constraint = constraints[OUTPUT]
    constraint.min_x, constraint.min_y, constraint.min_z = x, y, z


def stands(bone: bpy.types.PoseBone, euler: Sequence[float], influence: float) -> bool:
    """Whether delivering these angles (3) would change nothing, because they stand already or the user has muted them."""
    constraint = bone.constraints[OUTPUT]
    return constraint.mute or (constraint.min_x, constraint.min_y, constraint.min_z, constraint.influence) == (
        *euler, influence)


def rest(lower: bpy.types.PoseBone, upper: bpy.types.PoseBone | None, hand: bpy.types.PoseBone | None) -> int:
    """Mute the limb's constraints, so that it shows its FK pose; returns how many properties had to be written.

    `twobone_resting` remembers what was muted here: what a user has muted is never unmuted.
    """
    if lower.twobone_resting:
        return 0
    muted, writes = RESTING, 1
    for bone, flag in _flagged(lower, upper, hand):
        constraint = output_constraint(bone)
        if constraint is not None and not constraint.mute:
            constraint.mute = True
            muted |= flag
            writes += 1
    lower.twobone_resting = muted
    return writes


def wake(lower: bpy.types.PoseBone, upper: bpy.types.PoseBone, hand: bpy.types.PoseBone | None) -> int:
    """Unmute what `rest` has muted; returns how many properties had to be written."""
    if not lower.twobone_resting:
        return 0
    writes = 1
    for bone, flag in _flagged(lower, upper, hand):
        constraint = output_constraint(bone)
        if constraint is not None and lower.twobone_resting & flag:
            constraint.mute = False
            writes += 1
    lower.twobone_resting = 0
    return writes


def is_muted(bone: bpy.types.PoseBone, lower: bpy.types.PoseBone) -> bool:
    """Whether a user has muted what is delivered to `bone`, so that it stays so when the limb with that lower bone wakes."""
    return bone.constraints[OUTPUT].mute and not lower.twobone_resting


def _flagged(lower: bpy.types.PoseBone, upper: bpy.types.PoseBone | None,
             hand: bpy.types.PoseBone | None) -> list[tuple[bpy.types.PoseBone, int]]:
    return [(bone, flag) for bone, flag in ((lower, LOWER_MUTED), (upper, UPPER_MUTED), (hand, HAND_MUTED)) if bone]
