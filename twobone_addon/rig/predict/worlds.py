# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects, and bones that limbs turn or that hang on these, at many frames as Blender places them: the same to the last digit.

Matrices are the columns (4, 3, F or 1) of axes and place, in single precision and with Blender's order of sums.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..dependencies import Carrier
from ..frames.components import cross
from .channels import Pass, Unpredictable
from .constraints import Follow
from .limbs import ForeseenLimb
from .many import Many
from .nodes import Basis, BoneNode, ObjectNode, TurnedBone
from .places import WorldPlace
from .single import Single, chained, columns_of, inverted, placed, turned, turns_of

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Trip: TypeAlias = tuple[Single, Single]
"""An armature's matrix to world space, and the one back."""


class Worlds:
    """Nodes at the frames of `many`.

    turns: by the bones that limbs turn, the angles (3, F) and whether (F,) they turn them to these, all the way or not at all.
    """

    def __init__(self, many: Many) -> None:
        self.many = many
        self.turns: dict[Carrier, tuple[Single, Mask]] = {}
        self.known: dict[int, Single] = {}
        self.trips: dict[int, Trip | None] = {}

    def object(self, node: ObjectNode) -> Single:
        """World matrix."""
        if id(node) not in self.known:
            found = self._basis(node.basis)
            if node.parent is not None:
                outer = self.object(node.parent)
                if node.parent_bone is not None:
                    bone = self.bone(node.parent_bone)
                    outer = chained(outer, np.concatenate((bone[:3], (bone[3] + bone[1] * np.float32(node.length))[None])))
                found = chained(chained(outer, columns_of(node.parent_inverse)[..., None]), found)
            self.known[id(node)] = self._following(node.follows, found)
        return self.known[id(node)]

    def bone(self, node: BoneNode) -> Single:
        """Pose matrix; raises Unpredictable for a moving bone that does not inherit all of its parent's transform."""
        if id(node) not in self.known:
            self.known[id(node)] = self._bone(node)
        return self.known[id(node)]

    def _bone(self, node: BoneNode) -> Single:
        if not node.plain:
            if not node.is_constant:
                raise Unpredictable
            return columns_of(node.at(Pass(0.0)))[..., None]
        links, basis = self._links(node), self._basis(node.basis)
        found = np.concatenate((turned(links, basis[:3]), placed(links, basis[3])[None]))
        if isinstance(node, TurnedBone):
            return self._delivered(node, found)
        if not node.follows:
            return found
        trip = self.trip(node.frame)
        carried = self._following(node.follows, found if trip is None else chained(trip[0], found), trip)
        carried = carried if trip is None else chained(trip[1], carried)
        return np.concatenate((carried[:3], np.broadcast_to(found[3:], carried[3:].shape))) if node.is_connected else carried

    def head(self, limb: ForeseenLimb) -> Single:
        """The root (3, F or 1) of a limb."""
        upper = limb.bones.upper
        return self.carried(limb, placed(self._links(upper), self.many.values(upper.basis.location).astype(np.float32)))

    def carried(self, limb: ForeseenLimb, root: Single) -> Single:
        """The root (3, F or 1) of a limb, once Blender has taken it to world space and back, twice where its constraint acts."""
        trip = None if limb.frame is None or limb.bones.upper.is_connected else self.trip(limb.frame)
        if trip is None:
            return root
        once = _trip(trip, root)
        return np.where(self.many.values(limb.settings["influence"])[0] > 0.0, _trip(trip, once), once)

    def trip(self, node: ObjectNode) -> Trip | None:
        """The matrices to world space and back, None where they change nothing."""
        if id(node) not in self.trips:
            there = self.object(node)
            self.trips[id(node)] = (there, inverted(there)) if (there != np.eye(4, 3)[..., None]).any() else None
        return self.trips[id(node)]

    def place(self, place: WorldPlace) -> tuple[Array, Array]:
        """The axes (3, 3, F or 1) and the place (3, F or 1) of a target or pole in its limb's armature space."""
        world = self.object(place.object).astype(float)
        axes, at = world[:3], world[3]
        if place.bone is not None:
            bone = self.bone(place.bone).astype(float)
            at = (axes * bone[3][:, None]).sum(0) + at
            axes = np.stack([(axes * column[:, None]).sum(0) for column in bone[:3]])
        to_world = self.object(place.armature).astype(float)
        x, y, z = to_world[:3]
        with np.errstate(all='ignore'):
            rows = np.stack((cross(y, z), cross(z, x), cross(x, y)))
            volume = (x * rows[0]).sum(0)
            rows = np.where(volume != 0.0, rows / volume, np.nan)
        return (np.stack([(rows * column[None]).sum(1) for column in axes]),
                (rows * (at - to_world[3])[None]).sum(1))

    def _following(self, follows: tuple[Follow, ...], world: Single, trip: Trip | None = None) -> Single:
        """What becomes of a world matrix by these constraints; trip: a bone's armature's."""
        for follow in follows:
            leader = self.object(follow.object)
            if follow.bone is not None:
                bone = self.bone(follow.bone)
                if follow.along >= 1e-6:
                    share, tail = np.float32(follow.along), bone[3] + bone[1] * np.float32(follow.length)
                    place = (np.float32(1.0) - share) * bone[3] + share * tail
                    bone = np.concatenate((bone[:3], place[None]))
                leader = chained(leader, bone)
            if follow.kind == 'CHILD_OF':
                given = chained(trip[1], world) if follow.in_pose and trip is not None else world
                world = chained(chained(leader, columns_of(follow.inverse)[..., None]), given)
            elif follow.kind == 'COPY_TRANSFORMS':
                world = leader
            else:
                axes, place = np.broadcast_arrays(world[:3], leader[3])
                world = np.concatenate((axes, place[:1]))
        return world

    def _links(self, node: BoneNode) -> Single:
        own = columns_of(node.to_parent)[..., None]
        return own if node.parent is None else chained(self.bone(node.parent), own)

    def _basis(self, basis: Basis) -> Single:
        rotation, scale, place = (self.many.values(values).astype(np.float32)
                                  for values in (basis.rotation, basis.scale, basis.location))
        turns = turns_of(basis.mode, rotation)
        if basis.delta is not None:
            more_place, more_turn, more_scale = basis.delta
            whole = columns_of(more_turn.to_4x4())[..., None]
            turns, scale = turned(whole, turns), scale * np.array(more_scale, dtype=np.float32)[:, None]
            place = place + np.array(more_place, dtype=np.float32)[:, None]
        count = max(turns.shape[2], scale.shape[1], place.shape[1])
        found = np.empty((4, 3, count), dtype=np.float32)
        found[:3], found[3] = turns * scale[:, None], place
        return found

    def _delivered(self, node: TurnedBone, before: Single) -> Single:
        """A bone's matrix once its constraint has turned it, which keeps its scale but for shear."""
        trip = None if node.frame is None else self.trip(node.frame)
        found = before if trip is None else chained(trip[1], chained(trip[0], before))
        size = _size(*found[:3])
        angles, turns_it = self.turns[node.carrier]
        turns = turns_of('XYZ', angles)
        count = max(turns.shape[2], before.shape[2])
        made = np.empty((4, 3, count), dtype=np.float32)
        made[:3], made[3] = turns * size[:, None], found[3]
        if trip is not None:
            made = chained(trip[1], chained(trip[0], made))
        made = made if turns_it.all() else np.where(turns_it, made, found)
        if node.is_connected:
            made[3] = before[3]
        return made


def _trip(trip: Trip, place: Single) -> Single:
    """A place (3, ...) to world space and back."""
    for outer in trip:
        place = (outer[0] * place[0] + outer[1] * place[1]) + (outer[2] * place[2] + outer[3])
    return place


def _size(x: Single, y: Single, z: Single) -> Single:
    """The scale (3, F) that is left of a bone's axes without shear, as `unsheared_scale` says."""
    square = _dot(y, y)
    with np.errstate(all='ignore'):
        x, z = x + y * -(_dot(x, y) / square), z + y * -(_dot(z, y) / square)
        size = np.sqrt(np.stack((_dot(x, x), square, _dot(z, z))))
        cosine = np.abs(_dot(x, z)) / (size[0] * size[2])
        if (cosine > 1e-4).any():
            size[::2] *= np.where(cosine > 1e-4, (1.0 - cosine * cosine) ** 0.25, 1.0)
    return size


def _dot(first: Single, second: Single) -> Single:
    products = first * second
    return (products[0] + products[1]) + products[2]
