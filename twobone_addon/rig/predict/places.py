# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets and poles as nodes: where they will stand in the space of their limb's armature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ..engine.place import IDENTITY
from ..engine.plan import Source
from .channels import Pass, Unpredictable
from .nodes import Basis, BoneNode, Nodes, ObjectNode

Array = NDArray[np.float64]
Numbers = Sequence[float] | Array


class Place(Protocol):
    """A target or pole in armature space."""

    def at(self, now: Pass) -> Numbers:
        """Its place, 3 numbers."""

    def axes(self, now: Pass) -> Array:
        """Its axes (axis, 3), scale included."""


@dataclass(frozen=True)
class ChildPlace:
    """A plain child of the armature, whose parent inverse (4, 4) is `inverse`."""

    basis: Basis
    inverse: Array

    @property
    def is_direct(self) -> bool:
        """Whether its place is its location."""
        return self.basis.delta is None and self.inverse is IDENTITY

    def at(self, now: Pass) -> Numbers:
        """Its place, 3 numbers, without the detour through world space."""
        if self.basis.delta is None:
            place = self.basis.location.at(now)
        else:
            place = self.basis.at(now).translation[:]
        return place if self.inverse is IDENTITY else self.inverse[:3, :3] @ place + self.inverse[:3, 3]

    def axes(self, now: Pass) -> Array:
        """Its axes (axis, 3), scale included."""
        return (self.inverse[:3, :3] @ np.array(self.basis.at(now), dtype=float)[:3, :3]).T


@dataclass(frozen=True)
class OwnBonePlace:
    """The head of a bone of the limb's own armature."""

    bone: BoneNode

    def at(self, now: Pass) -> Numbers:
        """Its place, 3 numbers."""
        return self.bone.at(now).translation[:]

    def axes(self, now: Pass) -> Array:
        """Its axes (axis, 3), scale included."""
        return np.array(self.bone.at(now), dtype=float)[:3, :3].T


@dataclass(frozen=True)
class WorldPlace:
    """Any other object, or the head of a bone of another armature."""

    object: ObjectNode
    bone: BoneNode | None
    armature: ObjectNode

    def at(self, now: Pass) -> Numbers:
        """Its place, 3 numbers; NaN where the armature is scaled to zero."""
        world = self._world(now)
        return self._into_armature(now)[:3, :3] @ (world[:3, 3] - np.array(self.armature.at(now).translation))

    def axes(self, now: Pass) -> Array:
        """Its axes (axis, 3), scale included."""
        return (self._into_armature(now)[:3, :3] @ self._world(now)[:3, :3]).T

    def _world(self, now: Pass) -> Array:
        matrix = self.object.at(now)
        return np.array(matrix if self.bone is None else matrix @ self.bone.at(now), dtype=float)

    def _into_armature(self, now: Pass) -> Array:
        known = now.inverses.get(id(self.armature))
        if known is None:
            known = now.inverses[id(self.armature)] = inverse(self.armature.at(now))
        return known


def inverse(matrix: Matrix) -> Array:
    """The inverse (4, 4) in double precision; NaN where there is none."""
    try:
        return np.linalg.inv(np.array(matrix, dtype=float))
    except np.linalg.LinAlgError:
        return np.full((4, 4), np.nan)


def place_of(nodes: Nodes, source: Source, armature: bpy.types.Object) -> Place:
    """The node of a target or pole; raises Unpredictable."""
    control = source.control
    if control.bone and control.object == armature:
        return OwnBonePlace(nodes.bone(armature, control.bone))
    if source.inverse is not None:
        if control.object.constraints:  # it is no plain child any more
            raise Unpredictable
        return ChildPlace(nodes.local_basis(control.object), source.inverse)
    bone = nodes.bone(control.object, control.bone) if control.bone else None
    return WorldPlace(nodes.object(control.object), bone, nodes.object(armature))
