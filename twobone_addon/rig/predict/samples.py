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
from ..engine.plan import Plan, PlannedLimb
from ..engine.problem import Sample, is_as_bound
from ..engine.sample import FOLLOW, SETTINGS
from ..frames.components import applied, different, last
from ..frames.samples import SAMPLED, Samples
from .channels import Unpredictable, Values, within
from .many import Affine, Asked, Many, asked_of
from .nodes import BoneNode, Nodes, ObjectNode
from .places import Place, place_of

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
        told: dict[int, dict[str, Array]] = {}
        try:
            if self.asked is None:
                self.asked = Asked(
                    values for place, limb in self.limbs.items() for values in limb.asked(seen.shares[place]))
            many = Many(frames, self.asked)
            for place, limb in self.limbs.items():
                with suppress(Unpredictable):
                    told[place] = _told(many, limb, seen, place)
        except Unpredictable:
            told = {}
        found = self._put_together(many, seen, told) if told else None
        if found is not None:
            finite = _finite(found)
            if not finite.all():  # a limb that rests shows its FK pose, of which nothing may have been told
                told = {place: fields for (place, fields), is_finite in zip(told.items(), finite) if is_finite}
                found = self._put_together(many, seen, told) if told else None
        self.limbs = {place: self.limbs[place] for place in told}
        return found

    def _put_together(self, many: Many, seen: Samples, told: dict[int, dict[str, Array]]) -> Samples:
        """Samples of the limbs of which so much is told; what does not move is the same memory in all frames."""
        places, count = list(told), len(many.frames)
        limbs = [self.limbs[place] for place in places]
        moving = {name: _side_by_side([fields[name] for fields in told.values()], count) for name in MOVING}
        settings = {name: _in_all(within(setting, _settings(many, [limb.settings[name] for limb in limbs])), count)
                    for name, setting in SETTINGS.items()}
        follow = _in_all(within(FOLLOW, _settings(many, [limb.follow for limb in limbs])), count)
        was = seen.sample
        still = {name: _in_all(getattr(was, name)[:, places], count)
                 for name in ("upper_columns", "lower_columns", "length", "has_pole")}
        columns: dict[str, Any] = {name: moving.pop(name) for name in MOVING if name in SAMPLED} | settings | still
        columns["joint"] = columns["root"] + (was.joint - was.root)[:, places]
        single = Sample(**{name: values[0] for name, values in columns.items()})
        own = np.array([self.rows[place] for place in places], dtype=np.intp)
        return replace(
            seen, frames=many.frames, sample=Sample(**columns), follow=follow, **moving,
            between=_in_all(seen.between[:, places], count), shares=seen.shares[places], faults=("",) * len(places),
            as_bound=is_as_bound(single, self.plan.constants.take(own)))


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


MOVING = ("root", "target", "pole", "parent_columns", "target_columns", "channels", "to_world")
"""Fields that are told limb by limb."""


def _told(many: Many, limb: _Limb, seen: Samples, place: int) -> dict[str, Array]:
    """The fields MOVING of one limb, each (F or 1, ...)."""
    upper = limb.bones[0]
    parent = _IDENTITY if upper.parent is None else many.bone(upper.parent)
    channels = seen.channels[:, place]
    if limb.shows_fk(seen.shares[place]):
        channels = np.repeat(channels, len(many.frames), axis=0)
        for part, bone in enumerate(limb.bones):
            channels[:, part] = last(many.basis(bone.basis)[0], 2)
    return {"root": _root(many, upper, parent).T, "target": many.at(limb.target).T,
            "pole": many.at(limb.pole).T if limb.pole is not None else np.zeros((1, 3)),
            "parent_columns": parent[0].T, "channels": channels, "to_world": many.matrices(limb.armature),
            "target_columns": many.place(limb.target)[0].T if limb.follow is not None else seen.target_columns[:, place]}


def _settings(many: Many, several: Sequence[Values | None]) -> Array:
    """A setting (F or 1, N) of several limbs, 0 for None."""
    found = np.array([[0.0 if values is None else values.constants[0] for values in several]])
    moving = [column for column, values in enumerate(several) if values is not None and values.curves]
    if moving:
        found = np.repeat(found, len(many.frames), axis=0)
        found[:, moving] = np.stack([many.values(several[column])[0] for column in moving], axis=1)
    return found


def _side_by_side(several: Sequence[Array], count: int) -> Array:
    """(F, N, ...) of N arrays (F or 1, ...)."""
    if all(len(values) == 1 for values in several):
        return _in_all(np.stack(several, axis=1), count)
    whole = np.empty((count, len(several), *several[0].shape[1:]))
    for place, values in enumerate(several):
        whole[:, place] = values
    return whole


def _in_all(values: Array, count: int) -> Array:
    """(F, ...) of values (F or 1, ...), one frame standing for all in its own memory."""
    return np.broadcast_to(values, (count, *values.shape[1:]))


def _finite(samples: Samples) -> NDArray[np.bool_]:
    """Which of the limbs (N,) are finite in all frames."""
    finite = np.isfinite(samples.follow).all(0)
    for values in (*(getattr(samples.sample, name) for name in SAMPLED), samples.target_columns, samples.to_world):
        finite &= np.isfinite(different(values)).all((0, *range(2, values.ndim)))
    return finite


_IDENTITY: Affine = (np.eye(3)[..., None], np.zeros((3, 1)))


def _root(many: Many, upper: BoneNode, parent: Affine) -> Array:
    """The root (3, F), which does not depend on the upper bone's rotation."""
    if not upper.plain:
        return many.bone(upper)[1]
    to_parent: Array = np.array(upper.to_parent, dtype=float)
    place = applied(to_parent[:3, :3, None], many.values(upper.basis.location)) + to_parent[:3, 3, None]
    return applied(parent[0], place) + parent[1]
