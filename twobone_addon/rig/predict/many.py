# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes of a prediction at many frames at once, without Blender but for its F-curves.

Matrices and vectors have their own axes first (see `components`), the F frames last; what does not move has one frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ..animation.rotation_batches import rotations_of
from ..engine.place import IDENTITY
from ..frames.components import applied, determinant, inverse, last, product
from .channels import Animation, Pass, Unpredictable, Values
from .constraints import Follow
from .curves import CurveTable
from .nodes import Basis, BoneNode, ObjectNode
from .places import ChildPlace, OwnBonePlace, Place, WorldPlace

Array = NDArray[np.float64]
Affine: TypeAlias = tuple[Array, Array]
"""Axes (3, 3, F) and place (3, F)."""


class Asked:
    """The curves that decide some values, found once and read once; nobody may edit them as long as it is used."""

    def __init__(self, asked: Iterable[Values]) -> None:
        self.places: dict[Animation, dict[int, None]] = {}
        for values in asked:
            for _index, place in values.curves:
                self.places.setdefault(values.animation, {})[place] = None
        self.keys = [(animation, place) for animation, own in self.places.items() for place in own]
        self.rows = {(id(animation), place): row for row, (animation, place) in enumerate(self.keys)}
        self.table: CurveTable | None = None

    def at(self, frames: Array) -> Array:
        """The curves' values (C, F), to the last digit that Blender has.

        Raises Unpredictable where curves are not those any more that were looked at; of one frame they are looked up afresh.
        """
        if len(frames) == 1:
            now, frame = Pass(0.0), float(frames[0])
            return np.array([curve.evaluate(frame) for curve in self._curves(now)]).reshape(-1, 1)
        if self.table is None:
            self.table = CurveTable(self._curves(Pass(0.0)))
        return self.table.at(frames, self._curve)

    def _curves(self, now: Pass) -> list[bpy.types.FCurve]:
        found = []
        for animation, places in self.places.items():
            curves = animation.curves(now)
            found += [curves[place] for place in places]
        return found

    def _curve(self, row: int) -> bpy.types.FCurve:
        animation, place = self.keys[row]
        return animation.curves(Pass(0.0))[place]


class Many:
    """Nodes at the frames (F,), as far as `asked` has all that decides them."""

    def __init__(self, frames: Array, asked: Asked) -> None:
        """Raises Unpredictable where curves are not those any more that were looked at."""
        self.frames = frames
        self.rows = asked.rows
        self.known: dict[int, Affine] = {}
        self.stacked: dict[int, Array] = {}
        self.curves = asked.at(frames)

    def values(self, values: Values) -> Array:
        """The numbers (n, F)."""
        constants: Array = np.array(values.constants, dtype=float)[:, None]
        if not values.curves:
            return constants
        found = np.repeat(constants, len(self.frames), axis=1)
        for index, place in values.curves:
            found[index] = self.curves[self.rows[id(values.animation), place]]
        return found

    def basis(self, basis: Basis) -> Affine:
        """An object's or bone's own transform."""
        turn, scale, place = rotations_of(basis.mode, self.values(basis.rotation)), self.values(basis.scale), self.values(
            basis.location)
        if basis.delta is not None:
            more_place, more_turn, more_scale = (np.array(part, dtype=float) for part in basis.delta)
            turn = product(more_turn[..., None], turn)
            scale, place = scale * more_scale[:, None], place + more_place[:, None]
        return turn * scale, place

    def object(self, node: ObjectNode) -> Affine:
        """World transform; raises Unpredictable for one that constraints carry."""
        if id(node) not in self.known:
            if node.follows:
                raise Unpredictable
            if node.basis.is_constant:
                found = _affine(node.inverse @ node.basis.at(Pass(0.0)))
            else:
                found = _after(_affine(node.inverse), self.basis(node.basis))
            if node.parent_bone is not None:
                found = _after(self.bone(node.parent_bone), found)
            if node.parent is not None:
                found = _after(self.object(node.parent), found)
            self.known[id(node)] = found
        return self.known[id(node)]

    def matrices(self, node: ObjectNode) -> Array:
        """The same as matrices (F, 4, 4), one after the other."""
        if id(node) not in self.stacked:
            axes, place = self.object(node)
            found = np.zeros((max(axes.shape[2], place.shape[1]), 4, 4))
            found[:, :3, :3], found[:, :3, 3], found[:, 3, 3] = last(axes, 2), place.T, 1.0
            self.stacked[id(node)] = found
        return self.stacked[id(node)]

    def bone(self, node: BoneNode) -> Affine:
        """Transform in armature space; raises Unpredictable for a moving bone that does not inherit all of its parent's, and
        for one that constraints carry."""
        if id(node) not in self.known:
            if node.follows:
                raise Unpredictable
            if node.is_constant:
                found = _affine(node.at(Pass(0.0)))
            elif not node.plain:
                raise Unpredictable
            else:
                constant = node.basis.is_constant
                found = _affine(node.to_parent @ node.basis.at(Pass(0.0))) if constant else _after(
                    _affine(node.to_parent), self.basis(node.basis))
                if node.parent is not None:
                    found = _after(self.bone(node.parent), found)
            self.known[id(node)] = found
        return self.known[id(node)]

    def at(self, place: Place) -> Array:
        """Where (3, F) a target or pole is in its limb's armature space."""
        if isinstance(place, ChildPlace) and place.basis.delta is None:
            at = self.values(place.basis.location)
            return at if place.inverse is IDENTITY else (
                applied(place.inverse[:3, :3, None], at) + place.inverse[:3, 3, None])
        return self.place(place)[1]

    def place(self, place: Place) -> Affine:
        """A target or pole, its axes too, in its limb's armature space."""
        if isinstance(place, ChildPlace):
            return _after((place.inverse[:3, :3, None], place.inverse[:3, 3, None]), self.basis(place.basis))
        if isinstance(place, OwnBonePlace):
            return self.bone(place.bone)
        assert isinstance(place, WorldPlace)
        axes, at = self.object(place.object)
        if place.bone is not None:
            axes, at = _after((axes, at), self.bone(place.bone))
        to_world, origin = self.object(place.armature)
        into = inverse(to_world) if determinant(to_world).all() else np.full((3, 3, 1), np.nan)
        return product(into, axes), applied(into, at - origin)


def asked_of(node: Any) -> Iterator[Values]:
    """All values that decide a node, a basis, or some values; none for None."""
    if isinstance(node, Values):
        yield node
    elif isinstance(node, Basis):
        yield from (node.location, node.rotation, node.scale)
    elif isinstance(node, ObjectNode):
        for part in (node.basis, node.parent, node.parent_bone, *node.follows):
            yield from asked_of(part)
    elif isinstance(node, Follow):
        for part in (node.object, node.bone):
            yield from asked_of(part)
    elif isinstance(node, BoneNode):
        for part in (node.basis, node.parent, node.frame, *node.follows):
            yield from asked_of(part)
    elif isinstance(node, ChildPlace):
        yield from asked_of(node.basis)
    elif isinstance(node, OwnBonePlace):
        yield from asked_of(node.bone)
    elif isinstance(node, WorldPlace):
        for part in (node.object, node.bone, node.armature):
            yield from asked_of(part)


def bones_behind(node: Any) -> Iterator[BoneNode]:
    """All bones that decide a node or a place; none for None."""
    parts: tuple[Any, ...] = ()
    if isinstance(node, BoneNode):
        yield node
        parts = node.parent, node.frame, *node.follows
    elif isinstance(node, ObjectNode):
        parts = node.parent, node.parent_bone, *node.follows
    elif isinstance(node, Follow):
        parts = node.object, node.bone
    elif isinstance(node, OwnBonePlace):
        parts = (node.bone,)
    elif isinstance(node, WorldPlace):
        parts = node.object, node.bone, node.armature
    for part in parts:
        yield from bones_behind(part)


def _affine(matrix: Matrix) -> Affine:
    found: Array = np.array(matrix, dtype=float)
    return found[:3, :3, None], found[:3, 3, None]


def _after(outer: Affine, inner: Affine) -> Affine:
    """First `inner`, then `outer`."""
    return product(outer[0], inner[0]), applied(outer[0], inner[1]) + outer[1]
