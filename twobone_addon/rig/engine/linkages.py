# SPDX-License-Identifier: GPL-3.0-or-later
"""How what hangs on several things moves: by its parent and by what its constraints follow, each of which may have moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import bpy
import numpy as np
from mathutils import Matrix, Vector
from numpy.typing import NDArray

from ..carrying import CHILD_CHANNELS, inherits_all, leader, takes_all
from ..dependencies import Linkage, owner_of
from . import carry

Array = NDArray[np.float64]


class Linked:
    """A node as it was evaluated, to be told how it moves.

    own, frame, leaders: the motions (4, 4) in world space of what the linkage names so, None for what stays.
    """

    def __init__(self, linkage: Linkage, own: Array | None, frame: Array | None, leaders: Sequence[Array | None],
                 depsgraph: bpy.types.Depsgraph) -> None:
        object, name = linkage.node
        self.depsgraph = depsgraph
        self.object = object.evaluated_get(depsgraph)
        self.owner = owner_of((self.object, name))
        self.bone = self.owner if isinstance(self.owner, bpy.types.PoseBone) else None
        self.to_world = array(self.object.matrix_world)
        self.frame = self.to_world if frame is None else frame @ self.to_world
        self.own = np.eye(4) if own is None else own
        self.steps = [(self.owner.constraints[constraint], moved) for (constraint, _carrier), moved in zip(
            linkage.leaders, leaders, strict=True)]

    def motion(self) -> Array:
        """The motion (4, 4) of the node in world space; not a number where its parents are scaled flat."""
        try:
            change = own = self._inherited()
            for (constraint, moved), place in zip(self.steps, self._places(), strict=True):
                change = self._followed(constraint, moved, change, place)
        except np.linalg.LinAlgError:
            return np.full((4, 4), np.nan)
        if self.steps and self.bone is not None and self.bone.parent is not None and self.bone.bone.use_connect:
            return _with_place(change[:3, :3], self._place(), own)
        return change

    def _inherited(self) -> Array:
        """The motion before all constraints."""
        if self.bone is None or inherits_all(self.bone.bone):
            return self.own
        bone, parent = self.bone.bone, self.bone.parent
        before = array(parent.matrix)
        after = self._in_pose(self.own) @ before
        old, new = (array(bone.convert_local_to_pose(
            self.bone.matrix_basis, bone.matrix_local, parent_matrix=Matrix(matrix.tolist()),
            parent_matrix_local=parent.bone.matrix_local)) for matrix in (before, after))
        return self._in_world(carry.motion(new, old))

    def _in_pose(self, change: Array) -> Array:
        """A motion of world space as one in the armature's, which moves itself."""
        return np.linalg.inv(self.frame) @ change @ self.to_world

    def _in_world(self, change: Array) -> Array:
        return self.frame @ change @ np.linalg.inv(self.to_world)

    def _place(self) -> Array:
        """Where (4,) the node stands in the world."""
        return (self.to_world if self.bone is None else self.to_world @ array(self.bone.matrix))[:, 3]

    def _places(self) -> list[Array]:
        """Where (4,) the node stood in the world after each constraint: Child Of alone is known to have moved it, and whence."""
        places, place = [], self._place()
        for constraint, _moved in reversed(self.steps):
            places.append(place)
            if constraint.type == 'CHILD_OF' and constraint.use_location_x:
                place = np.linalg.inv(_parenting(constraint, self._leader(constraint))) @ place
                if constraint.owner_space == 'POSE':
                    place = self.to_world @ place
        return places[::-1]

    def _followed(self, constraint: bpy.types.Constraint, moved: Array | None, change: Array, place: Array) -> Array:
        """The motion after a constraint; change: the one before it; moved: its target's; place: where (4,) it left the node."""
        moved = np.eye(4) if moved is None else moved
        if constraint.type == 'COPY_TRANSFORMS':
            return moved
        if constraint.type == 'COPY_ROTATION':
            return _with_place(moved[:3, :3], place, change)
        before = self._leader(constraint)
        if constraint.type == 'CHILD_OF':
            given = self._in_pose(change) if constraint.owner_space == 'POSE' else change
            followed = carry.motion(_parenting(constraint, moved @ before) @ given, _parenting(constraint, before))
            return followed if constraint.use_location_x else _with_place(followed[:3, :3], place, change)
        shift, own = ((motion @ at - at)[:3] for motion, at in ((moved, before[:, 3]), (change, place)))
        shifted = carry.affine(change[:3, :3], np.zeros(3))
        shifted[:3, 3] = place[:3] + list(_copied(constraint, shift, own)) - change[:3, :3] @ place[:3]
        return shifted

    def _leader(self, constraint: bpy.types.Constraint) -> Array:
        """The matrix (4, 4) in world space of what a constraint follows."""
        entry = leader(constraint)
        object = entry.target.evaluated_get(self.depsgraph)
        if not entry.subtarget:
            return array(object.matrix_world)
        bone = object.pose.bones[entry.subtarget]
        along = constraint.head_tail * bone.bone.length if constraint.type == 'COPY_LOCATION' else 0.0
        return array(object.matrix_world @ bone.matrix @ Matrix.Translation((0.0, along, 0.0)))


def array(matrix: Matrix) -> Array:
    """The matrix in double precision."""
    return np.array(matrix, dtype=float)


def _with_place(axes: Array, place: Array, change: Array) -> Array:
    """A motion that turns by `axes` (3, 3) and takes what stands at `place` (4,) to where `change` takes it."""
    return carry.affine(axes, (change @ place)[:3] - axes @ place[:3])


def _copied(constraint: bpy.types.CopyLocationConstraint, shift: Array, own: Array) -> Iterator[float]:
    """By how much a Copy Location moves its owner (3 numbers), its target having moved by `shift` and it itself by `own`."""
    for axis, others, itself in zip("xyz", shift.tolist(), own.tolist(), strict=True):
        if not getattr(constraint, f"use_{axis}"):
            yield itself
        else:
            yield (-others if getattr(constraint, f"invert_{axis}") else others) + (itself if constraint.use_offset else 0.0)


def _parenting(constraint: bpy.types.ChildOfConstraint, target: Array) -> Array:
    """What a Child Of sets before its owner's matrix, its target having the matrix (4, 4) `target`."""
    inverse = constraint.inverse_matrix
    if takes_all(constraint):
        return target @ array(inverse)
    followed = _target_object(constraint)
    mode = followed.rotation_mode if followed.rotation_mode in EULER_MODES else 'XYZ'
    chosen = [getattr(constraint, name) for name in CHILD_CHANNELS]
    return array(_filtered(Matrix(target.tolist()), mode, chosen) @ _filtered(inverse, 'XYZ', chosen))


EULER_MODES = frozenset(('XYZ', 'XZY', 'YXZ', 'YZX', 'ZXY', 'ZYX'))


def _target_object(constraint: bpy.types.ChildOfConstraint) -> bpy.types.Object | bpy.types.PoseBone:
    return owner_of((constraint.target, constraint.subtarget))


def _filtered(matrix: Matrix, mode: str, chosen: Sequence[bool]) -> Matrix:
    """The matrix with no more than the chosen channels: location, rotation and scale by axis."""
    location, turn, scale = matrix.to_translation(), matrix.to_euler(mode), matrix.to_scale()
    for axis in range(3):
        location[axis] = location[axis] if chosen[axis] else 0.0
        turn[axis] = turn[axis] if chosen[3 + axis] else 0.0
        scale[axis] = scale[axis] if chosen[6 + axis] else 1.0
    return Matrix.LocRotScale(location, turn, Vector(scale))
