# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples of many frames of which only one was evaluated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..dependencies import limb_nodes
from ..engine.place import IDENTITY
from ..engine.plan import Plan, PlannedLimb
from ..engine.problem import Sample, is_as_bound
from ..engine.sample import FOLLOW, SETTINGS
from ..frames.components import applied, different, first, last, transposed
from ..frames.samples import SAMPLED, Samples
from .channels import Unpredictable, Values
from .many import Affine, Asked, Many, asked_of
from .nodes import BoneNode, Nodes, ObjectNode
from .places import ChildPlace, Place, place_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class _Limb:
    """A limb as nodes: all that moves it, or its controls. bones: upper and lower bone, and the hand where one follows."""

    bones: tuple[BoneNode, ...]
    target: Place
    pole: Place | None
    settings: dict[str, Values]
    follow: Values | None
    armature: ObjectNode

    def shows_fk(self, shares: Array) -> bool:
        """Whether the FK pose may show through the IK pose; shares: as in Samples."""
        influence, follow = self.settings["influence"], self.follow
        return shares.min() < 1.0 or bool(influence.curves) or influence.constants[0] < 1.0 or (
            follow is not None and (bool(follow.curves) or follow.constants[0] < 1.0))

    def asked(self, shares: Array) -> Iterator[Values]:
        """All values that decide it."""
        upper = self.bones[0]
        yield upper.basis.location
        for node in (upper.parent, self.target, self.pole, self.armature, self.follow, *self.settings.values()):
            yield from asked_of(node)
        for bone in self.bones if self.shows_fk(shares) else ():
            yield from asked_of(bone.basis)


class Teller:
    """Tells samples of those of the limbs `rows` of `plan` that it can tell. places: which of the rows these are.

    A limb can be told where channels, parents and F-curves decide all that it reads, and where its bones stay to each
    other as they are, so that one evaluated frame says how.
    """

    def __init__(self, plan: Plan, rows: Sequence[int]) -> None:
        self.plan, self.rows = plan, rows
        self.asked: Asked | None = None
        self.as_bound: tuple[list[int], bool] | None = None
        nodes = Nodes({node for limb in plan.limbs for node in limb_nodes(limb.limb.armature, limb.limb.upper, limb.limb.lower)})
        self.limbs: dict[int, _Limb] = {}
        for place, row in enumerate(rows):
            if not plan.limbs[row].fault:
                with suppress(Unpredictable):
                    self.limbs[place] = _look(nodes, plan.limbs[row])

    @property
    def places(self) -> list[int]:
        """The places among `rows` of the limbs that can be told."""
        return list(self.limbs)

    def forget(self, places: Sequence[int]) -> None:
        """Leave these limbs to somebody else."""
        for place in places:
            self.limbs.pop(place, None)

    def samples(self, frames: Array, seen: Samples) -> Samples | None:
        """The limbs of `places` at the frames (F,); seen: all limbs `rows` in one frame that was evaluated.

        None where Blender's data are not those any more that were looked at.
        """
        told: dict[int, _Told] = {}
        try:
            if self.asked is None:
                self.asked = Asked(
                    values for place, limb in self.limbs.items() for values in limb.asked(seen.shares[place]))
            many = Many(frames, self.asked)
            for place, limb in self.limbs.items():
                with suppress(Unpredictable):
                    told[place] = _told(many, limb)
        except Unpredictable:
            told = {}
        found = self._put_together(many, seen, told) if told else None
        if found is not None:
            finite = _finite(found)
            if not finite.all():  # a limb that rests shows its FK pose, of which nothing may have been told
                told = {place: of_limb for (place, of_limb), is_finite in zip(told.items(), finite) if is_finite}
                found = self._put_together(many, seen, told) if told else None
        self.limbs = {place: self.limbs[place] for place in told}
        return found

    def _put_together(self, many: Many, seen: Samples, told: dict[int, _Told]) -> Samples:
        """Samples of the limbs of which so much is told; what does not move is the same memory in all frames.

        In memory their own axes come first, then the frames, which is how they are worked with afterwards.
        """
        places, count = list(told), len(many.frames)
        everything = len(places) == len(self.rows)

        def chosen(values: Array) -> Array:
            """Those (1, M, ...) of a field (1, N, ...) of `seen`."""
            return values if everything else values[:, places]

        def in_all(values: Array, axes: int = 0) -> Array:
            """A field (F, M, ...) of values (..., F or 1, M) with so many axes of their own."""
            return _in_all(last(values, axes), count)

        limbs, several = [self.limbs[place] for place in places], list(told.values())
        was = seen.sample
        root, parent_columns = _roots(many, limbs, several)
        columns: dict[str, Any] = {
            "root": in_all(root, 1), "joint": in_all(root + first(chosen(was.joint - was.root), 1), 1),
            "parent_columns": in_all(parent_columns, 2),
            "target": in_all(_points(many, [limb.target for limb in limbs], [limb.target for limb in several]), 1),
            "pole": in_all(_points(many, [limb.pole for limb in limbs], [limb.pole for limb in several]), 1)}
        *settings, follow = _settings(many, limbs)
        columns |= {name: in_all(values) for name, values in zip(SETTINGS, settings, strict=True)}
        columns |= {name: _in_all(chosen(getattr(was, name)), count)
                    for name in ("upper_columns", "lower_columns", "length", "has_pole")}
        if self.as_bound is None or self.as_bound[0] != places:
            bones = {name: chosen(getattr(was, name))[0] for name in SAMPLED}
            own = np.array([self.rows[place] for place in places], dtype=np.intp)
            self.as_bound = places, is_as_bound(Sample(**bones), self.plan.constants.take(own))
        return replace(
            seen, frames=many.frames, sample=Sample(**columns), follow=in_all(follow),
            channels=self._channels(many, seen, places),
            target_columns=_in_all(_with_turns(chosen(seen.target_columns), several), count),
            to_world=_in_all(_side_by_side([limb.to_world for limb in several]), count),
            between=_in_all(chosen(seen.between), count), shares=chosen(seen.shares[None])[0], faults=("",) * len(places),
            as_bound=self.as_bound[1])

    def _channels(self, many: Many, seen: Samples, places: Sequence[int]) -> Array:
        """The bones' own channels (F, M, 3, 3, 3) of the limbs at `places`, as they were seen where they do not show."""
        count = len(many.frames)
        channels = seen.channels if len(places) == len(self.rows) else seen.channels[:, places]
        showing = [column for column, place in enumerate(places) if self.limbs[place].shows_fk(seen.shares[place])]
        if not showing:
            return _in_all(channels, count)
        channels = np.repeat(channels, count, axis=0)
        for column in showing:
            for part, bone in enumerate(self.limbs[places[column]].bones):
                channels[:, column, part] = last(many.basis(bone.basis)[0], 2)
        return channels


def _look(nodes: Nodes, planned: PlannedLimb) -> _Limb:
    armature = planned.limb.armature
    upper, lower = planned.limb.bones
    top = nodes.fk_bone(armature, upper.name, nodes.bone(armature, upper.parent.name) if upper.parent else None)
    bottom = _below(nodes, armature, top, lower)
    if not bottom.keeps_size or (not top.plain and not top.is_constant):
        raise Unpredictable
    bones: tuple[BoneNode, ...] = (top, bottom)
    if planned.hand is not None:
        bones = (top, bottom, _below(nodes, armature, bottom, armature.pose.bones[planned.hand.name]))
    animation = nodes.animation(armature)
    prefix = f'pose.bones["{bpy.utils.escape_identifier(lower.name)}"].'
    return _Limb(
        bones, place_of(nodes, planned.target, armature), place_of(nodes, planned.pole, armature) if planned.pole else None,
        {field: animation.values(prefix + name, (getattr(lower, name),)) for field, name in SETTINGS.items()},
        animation.values(prefix + FOLLOW, (getattr(lower, FOLLOW),)) if planned.hand else None, nodes.object(armature))


def _below(nodes: Nodes, armature: bpy.types.Object, top: BoneNode, bone: bpy.types.PoseBone) -> BoneNode:
    """The node of `bone` below `top`; raises Unpredictable where it, or a bone between them, moves but for its own turning."""
    parent = top
    if bone.parent.name != top.name:
        parent = _below(nodes, armature, top, bone.parent)
        if not parent.basis.is_constant:
            raise Unpredictable
    node = nodes.fk_bone(armature, bone.name, parent)
    if node.basis.location.curves:
        raise Unpredictable
    return node


@dataclass(frozen=True)
class _Told:
    """What is told of one limb alone, F or one frame last; None where it is told of all limbs at once.

    parent: transform of the upper bone's parent. root, target, pole: places (3, F). turns (3, 3, F): the axes that a hand
    follows, None for no hand. to_world (F, 4, 4): of the armature.
    """

    parent: Affine
    root: Array | None
    target: Array | None
    pole: Array | None
    turns: Array | None
    to_world: Array


def _told(many: Many, limb: _Limb) -> _Told:
    upper = limb.bones[0]
    target, pole = (None if place is None or _is_plain_child(place) else many.at(place) for place in (limb.target, limb.pole))
    return _Told(
        _IDENTITY if upper.parent is None else many.bone(upper.parent), None if upper.plain else many.bone(upper)[1],
        target, _NOWHERE if limb.pole is None else pole, None if limb.follow is None else many.place(limb.target)[0],
        many.matrices(limb.armature))


def _is_plain_child(place: Place) -> bool:
    """Whether its place is its location, but for a parent inverse."""
    return isinstance(place, ChildPlace) and place.basis.delta is None


_IDENTITY: Affine = (np.eye(3)[..., None], np.zeros((3, 1)))
_NOWHERE = np.zeros((3, 1))

_NO_NUMBER, _NO_PLACE = Values(None, (0.0,), ()), Values(None, (0.0, 0.0, 0.0), ())

LIMITED = (*SETTINGS.values(), FOLLOW)
"""Properties of the lower bone that curves may set to more than they take."""


def _roots(many: Many, limbs: Sequence[_Limb], told: Sequence[_Told]) -> tuple[Array, Array]:
    """(roots (3, F or 1, N), columns (3, 3, F or 1, N) of the axes of the upper bones' parents).

    A root does not depend on the upper bone's rotation.
    """
    known = list({id(limb.parent): limb.parent for limb in told}.values())
    place_of = {id(parent): place for place, parent in enumerate(known)}
    chosen = [place_of[id(limb.parent)] for limb in told]
    columns = _stacked([axes.swapaxes(0, 1) for axes, _place in known])[..., chosen]
    origins = _stacked([place for _axes, place in known])[..., chosen]
    uppers = [limb.bones[0] for limb in limbs]
    to_parent: Array = first(np.array([upper.to_parent for upper in uppers], dtype=float)[None], 2)
    place = applied(to_parent[:3, :3], _numbers(many, [upper.basis.location for upper in uppers])) + to_parent[:3, 3]
    roots = applied(transposed(columns), place) + origins
    return _with(roots, [limb.root for limb in told]), columns


def _points(many: Many, places: Sequence[Place | None], told: Sequence[Array | None]) -> Array:
    """Targets or poles (3, F or 1, N): plain children of their armatures all at once, the others as they were `told`."""
    children = [place if of_limb is None else None for place, of_limb in zip(places, told, strict=True)]
    found = _numbers(many, [child.basis.location if isinstance(child, ChildPlace) else _NO_PLACE for child in children])
    if any(isinstance(child, ChildPlace) and child.inverse is not IDENTITY for child in children):
        inverses: Array = np.stack([child.inverse if isinstance(child, ChildPlace) else IDENTITY for child in children], axis=-1)
        found = applied(inverses[:3, :3, None], found) + inverses[:3, 3, None]
    return _with(found, told)


def _with(values: Array, told: Sequence[Array | None]) -> Array:
    """The values (..., F or 1, N), but for those that were told (..., F or 1) of a limb."""
    single = [(column, of_limb) for column, of_limb in enumerate(told) if of_limb is not None]
    if not single:
        return values
    count = max(values.shape[-2], *(of_limb.shape[-1] for _column, of_limb in single))
    whole = np.broadcast_to(values, (*values.shape[:-2], count, values.shape[-1])).copy()
    for column, of_limb in single:
        whole[..., column] = of_limb
    return whole


def _with_turns(columns: Array, told: Sequence[_Told]) -> Array:
    """The columns (F or 1, N, axis, 3) of what hands follow; columns: those of one frame."""
    if all(limb.turns is None for limb in told):
        return columns
    return _side_by_side([seen[None] if limb.turns is None else limb.turns.T
                          for seen, limb in zip(columns[0], told, strict=True)])


def _settings(many: Many, limbs: Sequence[_Limb]) -> Array:
    """The settings and how much hands follow (6, F or 1, N), in the order of LIMITED, no more than they take."""
    several = [limb.settings[field] for field in SETTINGS for limb in limbs] + [limb.follow or _NO_NUMBER for limb in limbs]
    found = _numbers(many, several)[0]
    properties = bpy.types.PoseBone.bl_rna.properties
    least, most = np.array([(properties[name].hard_min, properties[name].hard_max) for name in LIMITED]).T[..., None, None]
    return found.reshape(len(found), len(LIMITED), -1).swapaxes(0, 1).clip(least, most)


def _numbers(many: Many, several: Sequence[Values]) -> Array:
    """The numbers (n, F or 1, N) of as many properties."""
    found = np.array([values.constants for values in several], dtype=float).T[:, None]
    cells = [(index, column, many.rows[id(values.animation), place]) for column, values in enumerate(several)
             for index, place in values.curves]
    if cells:
        indices, columns, rows = np.array(cells, dtype=np.intp).T
        found = np.repeat(found, len(many.frames), axis=1)
        found[indices, :, columns] = many.curves[rows]
    return found


def _stacked(several: Sequence[Array]) -> Array:
    """(..., F or 1, N) of N arrays (..., F or 1)."""
    return np.stack(np.broadcast_arrays(*several), axis=-1)


def _side_by_side(several: Sequence[Array]) -> Array:
    """(F or 1, N, ...) of N arrays (F or 1, ...)."""
    return np.stack(np.broadcast_arrays(*several), axis=1)


def _in_all(values: Array, count: int) -> Array:
    """(F, ...) of values (F or 1, ...), one frame standing for all in its own memory."""
    return values if len(values) == count else np.broadcast_to(values, (count, *values.shape[1:]))


def _finite(samples: Samples) -> NDArray[np.bool_]:
    """Which of the limbs (N,) are finite in all frames."""
    fields = [different(values) for values in (*(getattr(samples.sample, name) for name in SAMPLED), samples.follow,
                                               samples.target_columns, samples.to_world)]
    if all(np.isfinite(values.sum()) for values in fields):  # at a third of the price
        return np.ones(len(samples.faults), dtype=bool)
    finite = np.ones(len(samples.faults), dtype=bool)
    for values in fields:
        finite &= np.isfinite(values).all((0, *range(2, values.ndim)))
    return finite
