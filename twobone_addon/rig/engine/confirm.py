# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a foretold frame is what Blender has evaluated.

What was said of a limb stands only where the evaluated inputs bear it out; every other limb is solved from these.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from .foresight import Foresight
from .foretold import STANDS, TOLERANCE, Foretold
from .memory import Solved
from .plan import Plan
from .problem import Problem, Sample
from .sample import settings_of, source_axes
from .solving import hand_stands, limb_stands

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

NEAR = 1e-5
"""Inputs that differ by no more were foretold well, though not to the last digit that a nearly straight limb needs."""

LENGTHS = 11
"""So many of a problem's inputs, its first, are lengths: root, target, pole, upper, lower."""


def borne_out(plan: Plan, foresight: Foresight, depsgraph: bpy.types.Depsgraph) -> frozenset[int]:
    """The rows of the limbs of which all that was said is what was evaluated, seen at a glance, by whole armatures.

    The inputs are those that were foretold, and the bones stand as they were written. At the other limbs `confirmed` looks
    closer, one by one. Raises ReferenceError or KeyError where the plan is out of date.
    """
    if not foresight.is_whole or foresight.prediction is None or foresight.foretold.expected is None:
        return frozenset()
    if foresight.is_ahead and depsgraph != depsgraph.view_layer.depsgraph:
        return frozenset()
    foretold, glance = foresight.foretold, foresight.glance
    rows, expected = foretold.rows, foretold.expected
    seen, armatures = glance.read(depsgraph)
    near = np.abs(seen - expected.numbers) <= expected.allowed
    off: set[int] = set()
    if not near.all():
        off = {plan.limbs[rows[place]].armature for place in np.flatnonzero(~near.all(1)).tolist()}
    for armature, members in glance.members.items():
        bones = armatures[armature].pose.bones
        if any(settings_of(bones[lower]) != expected.settings[place] for place, lower in members):
            off.add(armature)
    off |= _with_turned_hands(plan, foretold, depsgraph, armatures)
    if off and any(map(plan.followers.__getitem__, rows)):
        off = _with_carried(plan, rows, off)
    foresight.is_whole = False
    foresight.stood = not off
    if not off and not foresight.misses.any():
        foresight.said[:] = False
        return glance.rows
    settled = [row for row in rows if plan.limbs[row].armature not in off]
    foresight.said[settled] = False
    foresight.misses[settled] = 0
    return frozenset(settled)


def _with_carried(plan: Plan, rows: Sequence[int], off: set[int]) -> set[int]:
    """The armatures `off`, and those of limbs that hang on theirs, which move when theirs are solved again."""
    front = set(off)
    while front:
        front = {plan.limbs[follower].armature for row in rows if plan.limbs[row].armature in front
                 for follower in plan.followers[row]} - off
        off = off | front
    return off


def _with_turned_hands(plan: Plan, foretold: Foretold, depsgraph: bpy.types.Depsgraph,
                       armatures: dict[int, bpy.types.Object]) -> set[int]:
    """The armatures that have a hand whose target is turned otherwise than was said, or that does not stand as written."""
    turns = foretold.reading.turns
    off: set[int] = set()
    if turns is None:
        return off
    for place, columns, follow in zip(turns.places, turns.columns, turns.follow, strict=True):
        limb = plan.limbs[foretold.rows[place]]
        armature = armatures[limb.armature]
        bones = armature.pose.bones
        seen = source_axes(limb.target, armature, plan, depsgraph)
        if not (np.abs(seen - columns).max() <= TOLERANCE * np.abs(columns).max()
                and bones[limb.limb.lower].twobone_follow_rotation == follow
                and hand_stands(limb.limb, bones, foretold.outcome(place))):
            off.add(limb.armature)
    return off


def _stand(solved: Solved, rows: Sequence[int], columns: Array, scale: Array) -> Mask:
    """Whether (M,) bones' columns (M, 2, axis, 3) are turned as was solved last; scale: (M, 2, 3)."""
    away = np.abs(columns - solved.rotations[rows].swapaxes(2, 3) * scale[..., None]).max((1, 2, 3))
    return np.asarray(away <= STANDS * scale.max((1, 2)))


def confirmed(plan: Plan, solved: Solved, foresight: Foresight, rows: Sequence[int], sample: Sample, problem: Problem,
              inputs: Array, depsgraph: bpy.types.Depsgraph) -> Mask:
    """Where (M,) what was said of the limbs `rows` agrees with what was evaluated: their pose stands.

    What did not agree is remembered, so that it is looked at afresh, and not foretold where it happens again.
    """
    said = foresight.said[rows]
    if not said.any() or (foresight.is_ahead and depsgraph != depsgraph.view_layer.depsgraph):
        return np.zeros(len(rows), dtype=bool)
    foretold = foresight.foretold.reading.sample()
    place_of = foresight.foretold.place_of
    places = [place_of.get(row, 0) for row in rows]
    difference = np.abs(inputs - solved.inputs[rows])
    difference[:, :LENGTHS] /= (problem.upper + problem.lower)[:, None]
    worst = difference.max(1)
    agrees = worst == 0.0
    if not agrees.all():
        agrees |= worst <= foresight.foretold.slack[places]
    agrees &= problem.sane & (sample.influence == foretold.influence[places])
    agrees &= _hands_agree(sample, foretold, places)
    missed = said & ~agrees & (worst > NEAR)
    ahead = said & agrees & foresight.ahead[rows]
    if ahead.any():
        columns = np.stack((sample.upper_columns, sample.lower_columns), axis=1)
        stand = (sample.influence < 1.0) | _stand(solved, rows, columns, np.sqrt(np.einsum('nbaj,nbaj->nba', columns, columns)))
        for place in np.flatnonzero(ahead).tolist():
            limb = plan.limbs[rows[place]].limb
            bones = limb.armature.evaluated_get(depsgraph).pose.bones
            if not stand[place] or not limb_stands(limb, bones, foresight.foretold.outcome(places[place])):
                agrees[place], missed[place] = False, True  # the copy was made anew from the original
    if foresight.block is not None and len(foresight.block.place_of) > 1 and missed.any():
        foresight.put_off_blocks()
    else:
        foresight.misses[rows] = np.where(missed, foresight.misses[rows] + 1, 0)
    if missed.any():
        foresight.forget()
    foresight.said[rows] = False
    return said & agrees


def _hands_agree(sample: Sample, foretold: Sample, places: Sequence[int]) -> Mask:
    """Whether (M,) the hands, where there are any, follow targets that are turned as was foretold; places: where in that."""
    agrees = np.ones(len(places), dtype=bool)
    if sample.turns is None:
        return agrees
    said = foretold.turns
    known = {} if said is None else {place: (columns, follow) for place, columns, follow in zip(
        said.places, said.columns, said.follow, strict=True)}
    for place, columns, follow in zip(sample.turns.places, sample.turns.columns, sample.turns.follow, strict=True):
        turned = known.get(places[place])
        agrees[place] = turned is not None and turned[1] == follow and (
            np.abs(turned[0] - columns).max() <= TOLERANCE * np.abs(columns).max())
    return agrees
