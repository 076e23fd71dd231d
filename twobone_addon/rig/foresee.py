# SPDX-License-Identifier: GPL-3.0-or-later
"""One evaluation instead of two: write the next frame's pose before Blender evaluates it, check it afterwards.

What was said of a limb stands only where the evaluated inputs bear it out; every other limb is solved from these.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import groupby

import bpy
import numpy as np
from numpy.typing import NDArray

from .memory import Foresight, Solved, counts, is_held, state
from .motions import Outcome, turned_hands
from .plan import Plan
from .predict import Prediction, Unpredictable
from .problem import Problem, Sample, pose_problem, steadiness
from .sample import NUMBERS, Reading
from .solving import limb_stands, solve_new, write_limb

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

TOLERANCE = 3e-7
"""How far inputs may be from what was said, over the limb's length, where the limb is steady: the pose then differs by as
much as single precision leaves open."""

NEAR = 1e-5
"""Inputs that differ by no more were foretold well, though not to the last digit that a nearly straight limb needs."""

PATIENCE = 2
"""A limb that was foretold wrongly this many frames in a row is not foretold any more."""

STANDS = 3e-6
"""How far a bone's axes, and its joint over the limb's length, may be from what was written and still be that."""

LENGTHS = 11
"""So many of a problem's inputs, its first, are lengths: root, target, pole, upper, lower."""


def foresee(scene: bpy.types.Scene) -> None:
    """Say and write the pose of `scene` at the frame that is about to be evaluated, as far as it can be predicted.

    A plan is first played for a frame without: somebody who edits and looks at one frame does not wait for it.
    """
    foresight = state.foresights.get(scene.session_uid)
    if foresight is None:
        return
    foresight.said[:] = False
    foresight.reading = None
    if not state.predicting or is_held():
        return
    foresight.frames += 1
    if foresight.frames < PATIENCE:
        return
    plan, solved = state.plans[scene.session_uid], state.solved[scene.session_uid]
    try:
        _say(scene, plan, solved, foresight)
    except (Unpredictable, ReferenceError, KeyError, IndexError):
        foresight.prediction = None


def _say(scene: bpy.types.Scene, plan: Plan, solved: Solved, foresight: Foresight) -> None:
    prediction = foresight.prediction
    if prediction is None:
        prediction = foresight.prediction = Prediction(plan, np.flatnonzero(foresight.misses < PATIENCE).tolist())
    rows = prediction.rows
    if not rows:
        return
    reading = prediction.reading(scene.frame_current_final)
    sample = reading.sample()
    problem = pose_problem(sample, prediction.constants, as_bound=prediction.as_bound)
    inputs = problem.inputs()
    new = solved.is_new(rows, inputs) & problem.sane
    failed = solve_new(plan, solved, rows, problem, inputs, np.flatnonzero(new).tolist())
    outcomes = _outcomes(plan, solved, rows, sample, [place for place in np.flatnonzero(problem.sane).tolist()
                                                       if place not in failed])
    counts.foreseen += len(rows)
    depsgraph = _evaluated_next(scene)
    foresight.ahead[:] = False
    foresight.outcomes = outcomes
    foresight.reading = reading
    for armature, members in groupby(outcomes, lambda row: plan.limbs[row].armature):
        object = plan.armatures[armature].object
        if object.data.is_editmode or not object.is_editable:
            continue
        ahead = depsgraph is not None and armature in prediction.in_motion
        bones = (object.evaluated_get(depsgraph) if ahead else object).pose.bones
        behind = object.session_uid in state.apart
        if ahead:
            state.apart.add(object.session_uid)
        for row in members:
            limb = plan.limbs[row].limb
            if not bones[limb.lower].twobone_resting:
                counts.writes += write_limb(limb, bones, outcomes[row], anew=behind and not ahead)
                foresight.said[row], foresight.ahead[row] = True, ahead


def _outcomes(plan: Plan, solved: Solved, rows: Sequence[int], sample: Sample, places: Sequence[int]) -> dict[int, Outcome]:
    influence = sample.influence.tolist()
    hands = turned_hands(plan, rows, sample.turns) if sample.turns is not None else {}
    return {rows[place]: Outcome("", solved.angles[rows[place]], influence[place], *hands.get(place, ())) for place in places}


def _evaluated_next(scene: bpy.types.Scene) -> bpy.types.Depsgraph | None:
    """The depsgraph that is about to be evaluated, None where that cannot be told.

    What is written to its copies costs no copying of the originals, which is more than all the rest. It is the window's,
    unless a render or another thread is at work.
    """
    if state.rendering or threading.current_thread() is not threading.main_thread() or bpy.context.scene != scene or (
            len(scene.view_layers) != 1):
        return None
    return bpy.context.view_layer.depsgraph


def bears_out(plan: Plan, solved: Solved, foresight: Foresight, rows: Sequence[int], read: Reading,
              depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether all that was said of the limbs `rows`, and no others, is what was evaluated, seen at a glance.

    The inputs are those that were foretold, and the bones stand as they were written. Where this says no, `confirmed`
    looks closer.
    """
    said, prediction = foresight.reading, foresight.prediction
    if said is None or prediction is None or not prediction.as_bound or said.turns is not None or rows != prediction.rows:
        return False
    if not foresight.said[rows].all() or _is_elsewhere(foresight, rows, depsgraph) or (
            said.numbers[:, NUMBERS["influence"]] != 1.0).any():
        return False
    constants = prediction.constants
    difference = np.abs(read.numbers - said.numbers)
    if difference.any():
        worst = difference.max(1) / (constants.upper + constants.lower)
        steady = steadiness(pose_problem(said.sample(), constants, as_bound=True))
        alone = np.array([not plan.followers[row] for row in rows])
        if not ((worst == 0.0) | (alone & (worst <= TOLERANCE * steady))).all():
            return False
    turned = solved.rotations[rows]
    scale = np.sqrt(np.einsum('nbaj,nbaj->nba', said.columns[:, :2], said.columns[:, :2]))
    way = (turned[:, 0] @ constants.upper_vector[:, :, None])[:, :, 0]
    off = np.abs(read.joint - read.numbers[:, :3] - way).max(1) - STANDS * (constants.upper + constants.lower)
    if not (off <= 0.0).all() or not _stand(solved, rows, read.columns[:, :2], scale).all():
        return False
    foresight.said[:] = False
    foresight.misses[rows] = 0
    return True


def _is_elsewhere(foresight: Foresight, rows: Sequence[int], depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether something of what was said was written to the copies of another depsgraph."""
    return bool(foresight.ahead[rows].any()) and depsgraph != depsgraph.view_layer.depsgraph


def _stand(solved: Solved, rows: Sequence[int], columns: Array, scale: Array) -> Mask:
    """Whether (M,) bones' columns (M, 2, axis, 3) are turned as was solved last; scale: (M, 2, 3)."""
    away = np.abs(columns - solved.rotations[rows].swapaxes(2, 3) * scale[..., None]).max((1, 2, 3))
    return np.asarray(away <= STANDS * scale.max((1, 2)))


def confirmed(plan: Plan, solved: Solved, foresight: Foresight, rows: Sequence[int], sample: Sample, problem: Problem,
              inputs: Array, depsgraph: bpy.types.Depsgraph) -> Mask:
    """Where (M,) what was said of the limbs `rows` agrees with what was evaluated: their pose stands.

    A limb that carries others has to agree to the last digit. What did not agree is remembered, so that it is looked at
    afresh, and not foretold where it happens again.
    """
    said = foresight.said[rows]
    if foresight.reading is None or foresight.prediction is None or not said.any() or (
            _is_elsewhere(foresight, rows, depsgraph)):
        return np.zeros(len(rows), dtype=bool)
    foretold = foresight.reading.sample()
    place_of = {row: place for place, row in enumerate(foresight.prediction.rows)}
    places = [place_of.get(row, 0) for row in rows]
    difference = np.abs(inputs - solved.inputs[rows])
    difference[:, :LENGTHS] /= (problem.upper + problem.lower)[:, None]
    worst = difference.max(1)
    agrees = worst == 0.0
    if not agrees.all():
        alone = np.array([not plan.followers[row] for row in rows])
        agrees |= alone & (worst <= TOLERANCE * steadiness(problem))
    agrees &= problem.sane & (sample.influence == foretold.influence[places])
    if sample.turns is not None:
        turns = {} if foretold.turns is None else {
            place: (columns, follow) for place, columns, follow in zip(
                foretold.turns.places, foretold.turns.columns, foretold.turns.follow, strict=True)}
        for place, columns, follow in zip(sample.turns.places, sample.turns.columns, sample.turns.follow, strict=True):
            turned = turns.get(places[place])
            if turned is None or turned[1] != follow or np.abs(turned[0] - columns).max() > TOLERANCE * np.abs(columns).max():
                agrees[place] = False
    missed = said & ~agrees & (worst > NEAR)
    ahead = said & agrees & foresight.ahead[rows]
    if ahead.any():
        columns = np.stack((sample.upper_columns, sample.lower_columns), axis=1)
        stand = (sample.influence < 1.0) | _stand(solved, rows, columns, np.sqrt(np.einsum('nbaj,nbaj->nba', columns, columns)))
        for place in np.flatnonzero(ahead).tolist():
            limb = plan.limbs[rows[place]].limb
            bones = limb.armature.evaluated_get(depsgraph).pose.bones
            if not stand[place] or not limb_stands(limb, bones, foresight.outcomes[rows[place]]):
                agrees[place], missed[place] = False, True  # the copy was made anew from the original
    foresight.misses[rows] = np.where(missed, foresight.misses[rows] + 1, 0)
    if missed.any():
        foresight.prediction = None
    foresight.said[rows] = False
    return said & agrees


def revise(scene: bpy.types.Scene, changed: set[int]) -> None:
    """Look at what moves the limbs afresh where one of the objects `changed` (session uids) does."""
    foresight = state.foresights.get(scene.session_uid)
    if foresight is not None and foresight.prediction is not None and foresight.prediction.objects & changed:
        foresight.prediction = None
        foresight.misses[:] = 0
