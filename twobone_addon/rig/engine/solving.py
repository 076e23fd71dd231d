# SPDX-License-Identifier: GPL-3.0-or-later
"""Solving what has new inputs, limb by limb where it must be, and delivering what came out."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from .. import properties
from ..limb import Limb
from ..words import say
from . import deliver
from .foretold import Foretold
from .memory import Solved, counts, print_once, state
from .motions import Outcome, turned_hands
from .plan import Plan
from .problem import Problem, Sample, deliveries

Array = NDArray[np.float64]


def solve_new(plan: Plan, solved: Solved, rows: Sequence[int], problem: Problem, inputs: Array,
              places: Sequence[int]) -> dict[int, str]:
    """Solve some places of the problem of the limbs `rows` in one batch, and note what came out.

    Returns by place what went wrong there, which stops no other limb. inputs (M, K): the problem's.
    """
    if not places:
        return {}
    counts.solves += len(places)
    try:
        angles, turned = deliveries(problem if len(places) == len(rows) else problem.take(places))
    except Exception as error:  # noqa: BLE001 (a handler must survive whatever one limb does)
        if len(places) == 1:
            print_once(error)
            return {places[0]: _broken(plan, rows[places[0]], error)}
        angles = []
    if not angles:
        failed = {}
        for place in places:
            failed.update(solve_new(plan, solved, rows, problem, inputs, [place]))
        return failed
    solved.note([rows[place] for place in places], inputs[places], angles, turned)
    return {}


def solve_all(problem: Problem) -> tuple[list[list[float]], Array] | None:
    """What `deliveries` says of all rows at once, None where something goes wrong with one of them."""
    try:
        solved = deliveries(problem)
    except Exception:  # noqa: BLE001 (whoever solves them one by one says what it was)
        return None
    counts.solves += len(solved[0])
    return solved


def outcomes_of(plan: Plan, solved: Solved, rows: Sequence[int], sample: Sample, places: Sequence[int]) -> dict[int, Outcome]:
    """By row, what an update makes of the limbs at `places` among `rows`, all of which are solved."""
    influence = sample.influence.tolist()
    hands = turned_hands(plan, rows, sample.turns) if sample.turns is not None else {}
    return {rows[place]: Outcome("", solved.angles[rows[place]], influence[place], *hands.get(place, ())) for place in places}


def deliver_limb(limb: Limb, bones: bpy.types.bpy_prop_collection[bpy.types.PoseBone], outcome: Outcome, *,
                 anew: bool = False) -> int:
    """Write what an update makes of a limb to its bones among `bones`, the original's; returns how many properties had to be
    written: `deliver.tell` that there were any.

    anew: the evaluated copy may have other values than the original, so that those that stand are written as well.
    """
    if outcome.fault:
        return _rest(limb, outcome.fault)
    if state.faults:
        state.faults.pop((limb.armature.session_uid, limb.lower), None)
    upper, lower = bones[limb.upper], bones[limb.lower]
    writes = 0
    if lower.twobone_resting:
        writes += deliver.wake(lower, upper, bones[limb.hand] if limb.hand else None)
    writes += deliver.write_untold(upper, outcome.angles[:3], outcome.influence, anew=anew)
    writes += deliver.write_untold(lower, outcome.angles[3:], outcome.influence, anew=anew)
    if outcome.hand:
        writes += deliver.write_untold(bones[limb.hand], outcome.hand, outcome.hand_influence, anew=anew)
    return writes


def write_limb(limb: Limb, bones: bpy.types.bpy_prop_collection[bpy.types.PoseBone], outcome: Outcome, *,
               anew: bool = False) -> int:
    """Write the rotations of a limb to its bones among `bones`, an original's or an evaluated copy's; returns how many
    properties had to be written."""
    writes = deliver.write_rotation(bones[limb.upper], outcome.angles[:3], outcome.influence, anew=anew)
    writes += deliver.write_rotation(bones[limb.lower], outcome.angles[3:], outcome.influence, anew=anew)
    if outcome.hand:
        writes += deliver.write_rotation(bones[limb.hand], outcome.hand, outcome.hand_influence, anew=anew)
    return writes


def write_ahead(limb: Limb, bones: bpy.types.bpy_prop_collection[bpy.types.PoseBone], lower: bpy.types.PoseBone,
                foretold: Foretold, place: int) -> int:
    """The same to the bones of an evaluated copy, which has the influence already and is evaluated whatever is written.

    lower: the limb's lower bone among `bones`.
    """
    angles = foretold.angles[place]
    deliver.write_limits(bones[limb.upper], *angles[:3])
    deliver.write_limits(lower, *angles[3:])
    if place not in foretold.hands:
        return 6
    outcome = foretold.outcome(place)
    return 6 + deliver.write_rotation(bones[limb.hand], outcome.hand, outcome.hand_influence)


def limb_stands(limb: Limb, bones: bpy.types.bpy_prop_collection[bpy.types.PoseBone], outcome: Outcome) -> bool:
    """Whether all that `write_limb` would write stands already, or is muted."""
    return (deliver.stands(bones[limb.upper], outcome.angles[:3], outcome.influence)
            and deliver.stands(bones[limb.lower], outcome.angles[3:], outcome.influence)
            and hand_stands(limb, bones, outcome))


def hand_stands(limb: Limb, bones: bpy.types.bpy_prop_collection[bpy.types.PoseBone], outcome: Outcome) -> bool:
    """The same of its hand alone."""
    return not outcome.hand or deliver.stands(bones[limb.hand], outcome.hand, outcome.hand_influence)


def rests(limb: Limb, outcome: Outcome) -> bool:
    """Whether a limb is to rest, and does already, so that nothing is written to it."""
    lower = limb.armature.pose.bones[limb.lower]
    return bool(outcome.fault) and bool(lower.twobone_resting or lower.twobone_version > properties.VERSION)


def _rest(limb: Limb, fault: str) -> int:
    bones = limb.armature.pose.bones
    state.faults[limb.armature.session_uid, limb.lower] = fault
    if bones[limb.lower].twobone_version > properties.VERSION:
        return 0
    return deliver.rest(bones[limb.lower], bones.get(limb.upper), bones.get(limb.hand))


def insane(limb: Limb) -> str:
    """The sentence for a limb whose transforms cannot be solved."""
    return say('"{bone}" rests: its bones, target or pole are not at a finite place, or a bone is scaled to zero. '
               'Check their transforms', bone=limb.lower)


def _broken(plan: Plan, row: int, error: Exception) -> str:
    return say('"{bone}" rests after an unexpected error ({error}). Please report it',
               bone=plan.limbs[row].limb.lower, error=error)
