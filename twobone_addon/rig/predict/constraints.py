# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints that carry an object or bone along in world space, at full influence, like a parent does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy
from mathutils import Matrix

from ..carrying import takes_all
from .channels import Pass, Unpredictable

if TYPE_CHECKING:
    from .nodes import BoneNode, Nodes, ObjectNode

KINDS = frozenset(('CHILD_OF', 'COPY_LOCATION', 'COPY_TRANSFORMS'))


@dataclass(frozen=True)
class Follow:
    """One constraint of a kind in KINDS, and what it follows: an object, or its bone from the head so far
    `along` its `length`. inverse: what a Child Of has between. in_pose: whether it is given the owner's pose matrix, as a
    bone's Child Of is, for what it makes of that to be the world matrix."""

    kind: str
    object: ObjectNode
    bone: BoneNode | None
    along: float
    length: float
    inverse: Matrix
    in_pose: bool

    def at(self, now: Pass, world: Matrix, to_world: Matrix | None) -> Matrix:
        """What becomes of the owner's `world` matrix; to_world: a bone's armature's."""
        leader = self.object.at(now)
        if self.bone is not None:
            leader = leader @ self.bone.at(now) @ Matrix.Translation((0.0, self.along * self.length, 0.0))
        if self.kind == 'CHILD_OF':
            return leader @ self.inverse @ (to_world.inverted_safe() @ world if self.in_pose else world)
        if self.kind == 'COPY_TRANSFORMS':
            return leader
        moved = world.copy()
        moved.translation = leader.translation
        return moved

    @property
    def is_constant(self) -> bool:
        """Whether what it follows stays."""
        return self.object.is_constant and (self.bone is None or self.bone.is_constant)


def follows_of(nodes: Nodes, owner: bpy.types.Object | bpy.types.PoseBone) -> tuple[Follow, ...]:
    """The constraints of `owner` that are not muted, in their order; raises Unpredictable where one does anything else."""
    return tuple(_follows(nodes, owner))


def _follows(nodes: Nodes, owner: bpy.types.Object | bpy.types.PoseBone) -> Iterator[Follow]:
    for constraint in owner.constraints:
        if constraint.mute:
            continue
        if constraint.type not in KINDS or not _carries(constraint, owner):
            raise Unpredictable
        object, name = constraint.target, constraint.subtarget
        if object is None or not constraint.is_valid or (name and object.type != 'ARMATURE'):
            raise Unpredictable
        bone = nodes.bone(object, name) if name else None
        length = object.data.bones[name].length if name else 0.0
        along = constraint.head_tail if constraint.type != 'CHILD_OF' else 0.0
        inverse = constraint.inverse_matrix.copy() if constraint.type == 'CHILD_OF' else Matrix.Identity(4)
        yield Follow(constraint.type, nodes.object(object), bone, along, length, inverse,
                     constraint.owner_space == 'POSE')


def _carries(constraint: bpy.types.Constraint, owner: bpy.types.Object | bpy.types.PoseBone) -> bool:
    """Whether a constraint does nothing but carry its owner along, wholly."""
    space = 'POSE' if constraint.type == 'CHILD_OF' and isinstance(owner, bpy.types.PoseBone) else 'WORLD'
    if constraint.influence != 1.0 or constraint.owner_space != space or constraint.target_space != 'WORLD':
        return False
    if constraint.type == 'CHILD_OF':
        return takes_all(constraint) and not constraint.set_inverse_pending
    if constraint.use_bbone_shape and constraint.head_tail > 0.0:
        return False
    if constraint.type == 'COPY_TRANSFORMS':
        return constraint.mix_mode == 'REPLACE' and not constraint.remove_target_shear
    return all(getattr(constraint, f"use_{axis}") and not getattr(constraint, f"invert_{axis}") for axis in "xyz") and (
        not constraint.use_offset)


def carried(follows: tuple[Follow, ...], now: Pass, world: Matrix, to_world: Matrix | None = None) -> Matrix:
    """What becomes of the owner's `world` matrix by all of them; to_world: a bone's armature's."""
    for follow in follows:
        world = follow.at(now, world, to_world)
    return world
