# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan's limbs, as far as they can be predicted, level by level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from ..dependencies import Carrier, Node, Part, limb_nodes
from ..engine.plan import Plan, PlannedLimb
from ..engine.sample import Reading
from .channels import Pass, Unpredictable
from .limbs import ForeseenLimb, Level, foresee_limb
from .nodes import Nodes

Array = NDArray[np.float64]


class Prediction:
    """The limbs of a plan that can be predicted, by whole armatures: one limb that is solved after the evaluation has all
    that its armature moves evaluated again.

    levels: those that hang on none first, then those that hang only on these, and so on. rows: all their rows in the plan,
    one level after the other. hands: their places of those whose hands follow their targets. objects: session uids of all
    that was looked at. carriers: of each limb on which others hang, its place among all, theirs, and how long they are for
    its own length, at most 1; 0 for one that is not predicted.
    as_bound: whether all limbs are as they were bound, at every frame. in_motion: the armatures in the plan all of whose
    limbs hang on an animated bone, so that Blender evaluates them at every frame, whatever is written to them.
    """

    def __init__(self, plan: Plan, rows: Sequence[int] | None = None) -> None:
        """Look at everything that moves the limbs of `plan`, and at no others than those in `rows` where they are given."""
        wanted = [row for row, limb in enumerate(plan.limbs) if not limb.fault and (rows is None or row in rows)]
        nodes = _nodes(plan, wanted)
        limbs: dict[int, ForeseenLimb] = {}
        chained = {row for row in wanted if plan.followers[row]}.union(*plan.followers)
        for row in wanted:
            with suppress(Unpredictable):
                limbs[row] = foresee_limb(nodes, plan.limbs[row], row in chained)
        limbs = _whole(plan, limbs)
        self.objects = {object.session_uid for object in nodes.animations}
        parts = [{row: limbs[row] for row in level if row in limbs} for level in plan.levels]
        self.levels = [Level(plan, part) for part in parts if part]
        self.rows = [row for level in self.levels for row in level.rows]
        place_of = {row: place for place, row in enumerate(self.rows)}
        self.hands = tuple(place for place, row in enumerate(self.rows) if limbs[row].hand is not None)
        self.carriers = tuple(_carried(plan, row, place_of) for row in self.rows if plan.followers[row])
        resting = {plan.limbs[row].armature for row, limb in limbs.items() if limb.bones.is_still}
        self.in_motion = {plan.limbs[row].armature for row in self.rows} - resting
        self.constants = self.levels[0].constants if len(self.levels) == 1 else plan.constants.take(
            np.array(self.rows, dtype=np.intp))
        self.as_bound = bool(self.rows) and all(level.as_bound for level in self.levels)

    def reading(self, frame: float) -> Reading:
        """What will be read at `frame` where no limb hangs on another; raises as `Level.reading` does."""
        [level] = self.levels
        return level.reading(Pass(frame))


def _nodes(plan: Plan, rows: Sequence[int]) -> Nodes:
    """Nodes that know of the bones that the limbs `rows` turn; those of all others are not to be told."""
    turned: dict[Node, Carrier] = {}
    solved: set[Node] = set()
    for row, planned in enumerate(plan.limbs):
        limb = planned.limb
        if row in rows:
            turned[limb.armature, limb.upper] = Carrier(row, Part.UPPER)
            turned[limb.armature, limb.lower] = Carrier(row, Part.LOWER)
        else:
            solved |= limb_nodes(limb.armature, limb.upper, limb.lower)
        if limb.hand and row in rows and planned.hand is not None:
            turned[limb.armature, limb.hand] = Carrier(row, Part.HAND)
        elif limb.hand:
            solved.add((limb.armature, limb.hand))
    return Nodes(solved, turned)


def _whole(plan: Plan, limbs: dict[int, ForeseenLimb]) -> dict[int, ForeseenLimb]:
    """The limbs without those that have one in their armature, or among those they hang on, that is not there."""
    left: Iterable[int] = (row for row in range(len(plan.limbs)) if row not in limbs and not plan.limbs[row].fault)
    unforeseen: set[int] = set()
    while left := set(left):
        armatures = {plan.limbs[row].armature for row in left}
        unforeseen |= left
        left = {row for row in limbs if row not in unforeseen and (
            plan.limbs[row].armature in armatures or any(row in plan.followers[other] for other in left))}
    return {row: limb for row, limb in limbs.items() if row not in unforeseen}


def _carried(plan: Plan, row: int, place_of: dict[int, int]) -> tuple[int, NDArray[np.intp], Array]:
    """What `carriers` says of one limb."""
    own, others = _length(plan.limbs[row]), sorted(plan.followers[row])
    shares = [min(_length(plan.limbs[other]) / own, 1.0) if own and other in place_of else 0.0 for other in others]
    return place_of[row], np.array([place_of.get(other, 0) for other in others], dtype=np.intp), np.array(shares)


def _length(planned: PlannedLimb) -> float:
    """A limb's rest length in the world."""
    limb = planned.limb
    return sum(bone.bone.length for bone in limb.bones) * limb.armature.matrix_world.median_scale
