# SPDX-License-Identifier: GPL-3.0-or-later
"""One evaluation instead of two: write the next frame's pose before Blender evaluates it; `confirm` checks it afterwards."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import groupby

import bpy
import numpy as np

from ..predict import Prediction, Unpredictable
from ..predict.ahead import Ahead
from .answers import Answers
from .block import Block, length_for
from .foresight import STEPS_ALIKE, Foresight
from .foretold import Foretold, expected, slack_of
from .glance import Glance
from .memory import Solved, counts, is_held, state
from .motions import turned_hands
from .plan import Plan
from .problem import pose_problem
from .sample import NUMBERS
from .solving import solve_new, write_ahead, write_limb

PATIENCE = 2
"""A limb that was foretold wrongly this many frames in a row is not foretold any more."""


def foresee(scene: bpy.types.Scene) -> None:
    """Say and write the pose of `scene` at the frame that is about to be evaluated, as far as it can be predicted.

    A plan is first played for a frame without: somebody who edits and looks at one frame does not wait for it.
    """
    foresight = state.foresights.get(scene.session_uid)
    if foresight is None:
        return
    foresight.said[:] = False
    foresight.is_whole = False
    if not state.predicting or is_held():
        return
    frame = scene.frame_current_final
    foresight.moved_on(frame)
    if foresight.frames < PATIENCE:
        return
    plan, solved = state.plans[scene.session_uid], state.solved[scene.session_uid]
    try:
        foretold = _foretell(plan, solved, foresight, frame)
        if foretold is not None:
            _write(scene, plan, foresight, foretold)
    except (Unpredictable, ReferenceError, KeyError, IndexError):
        foresight.forget()


def _foretell(plan: Plan, solved: Solved, foresight: Foresight, frame: float) -> Foretold | None:
    prediction = foresight.prediction
    if prediction is None:
        prediction = _look(plan, foresight, np.flatnonzero(foresight.misses < PATIENCE).tolist())
    if not prediction.rows:
        return None
    block = foresight.block
    if block is None or frame not in block.place_of:
        block = foresight.block = _next_block(plan, foresight)
    if block is None and len(prediction.levels) > 1:
        prediction = _leave_carried(plan, foresight)
        if not prediction.rows:
            return None
        block = foresight.block = _next_block(plan, foresight)
    if block is not None:
        foretold = block.at(frame)
    else:
        solved.catch_up(foresight)
        foretold = _at_once(plan, solved, prediction, frame)
    counts.foreseen += len(foretold.places)
    return foretold


def _next_block(plan: Plan, foresight: Foresight) -> Block | None:
    """The frames from this one on; None where they can only be foretold one by one."""
    if not foresight.may_be_blocks:
        return None
    if foresight.laid_out is None:
        try:
            foresight.laid_out = Ahead(foresight.prediction)
        except Unpredictable:
            foresight.may_be_blocks = False
            return None
    try:
        return Block(plan, foresight.laid_out, foresight.next_frames(length_for(len(foresight.prediction.rows))))
    except Unpredictable:
        foresight.put_off_blocks()
        return None


def _leave_carried(plan: Plan, foresight: Foresight) -> Prediction:
    """Leave limbs that hang on others to the evaluation: what is not told to the last digit turns them too far."""
    rows = foresight.prediction.levels[0].rows
    foresight.forget()
    return _look(plan, foresight, rows)


def _look(plan: Plan, foresight: Foresight, rows: Sequence[int]) -> Prediction:
    """Look at everything that moves the limbs `rows`."""
    prediction = foresight.prediction = Prediction(plan, rows)
    foresight.glance = Glance(plan, prediction.rows) if prediction.rows else None
    return prediction


def _at_once(plan: Plan, solved: Solved, prediction: Prediction, frame: float) -> Foretold:
    """What is said of `frame`, on its own, of limbs that hang on no others."""
    rows, constants = prediction.rows, prediction.constants
    reading = prediction.reading(frame)
    problem = pose_problem(reading.sample(), constants, as_bound=prediction.as_bound)
    inputs = problem.inputs()
    new = solved.is_new(rows, inputs) & problem.sane
    failed = solve_new(plan, solved, rows, problem, inputs, np.flatnonzero(new).tolist())
    places = [place for place in np.flatnonzero(problem.sane).tolist() if place not in failed]
    answers = Answers(reading, problem, inputs, [solved.angles[row] for row in rows], solved.rotations[rows])
    plain = prediction.as_bound and len(places) == len(rows) and (reading.numbers[:, NUMBERS["influence"]] == 1.0).all()
    slack = slack_of(problem, prediction.carriers)
    return Foretold(rows, reading, inputs, answers.angles, answers.rotations, places,
                    turned_hands(plan, rows, reading.turns) if reading.turns is not None else {}, slack[0],
                    expected(answers, constants, slack) if plain else None)


def _write(scene: bpy.types.Scene, plan: Plan, foresight: Foresight, foretold: Foretold) -> None:
    prediction = foresight.prediction
    depsgraph = _evaluated_next(scene)
    foresight.ahead[:] = False
    foresight.foretold, foresight.is_noted = foretold, foresight.block is None
    has_influence = foresight.stood and foretold.expected is not None
    foresight.stood = False
    for armature, members in groupby(foretold.places, lambda place: plan.limbs[prediction.rows[place]].armature):
        object = plan.armatures[armature].object
        if object.data.is_editmode or not object.is_editable:
            continue
        ahead = depsgraph is not None and plan.kin[armature] <= prediction.in_motion
        bones = (object.evaluated_get(depsgraph) if ahead else object).pose.bones
        behind = object.session_uid in state.apart
        if ahead:
            state.apart.add(object.session_uid)
        written = []
        for place in members:
            limb = plan.limbs[prediction.rows[place]].limb
            lower = bones[limb.lower]
            if lower.twobone_resting:
                continue
            if ahead and has_influence:
                counts.writes += write_ahead(limb, bones, lower, foretold, place)
            else:
                counts.writes += write_limb(limb, bones, foretold.outcome(place), anew=behind and not ahead)
            written.append(prediction.rows[place])
        foresight.said[written], foresight.ahead[written] = True, ahead
    foresight.is_ahead = bool(foresight.ahead.any())
    foresight.is_whole = bool(foresight.said[prediction.rows].all())


def _evaluated_next(scene: bpy.types.Scene) -> bpy.types.Depsgraph | None:
    """The depsgraph that is about to be evaluated, None where that cannot be told.

    What is written to its copies costs no copying of the originals, which is more than all the rest. It is the window's,
    unless a render or another thread is at work.
    """
    if state.rendering or threading.current_thread() is not threading.main_thread() or bpy.context.scene != scene or (
            len(scene.view_layers) != 1):
        return None
    return bpy.context.view_layer.depsgraph


def revise(scene: bpy.types.Scene, changed: set[int]) -> None:
    """Look at what moves the limbs afresh where one of the objects `changed` (session uids) does."""
    foresight = state.foresights.get(scene.session_uid)
    if foresight is not None and foresight.prediction is not None and foresight.prediction.objects & changed:
        foresight.forget()
        foresight.misses[:] = 0
        foresight.enough = STEPS_ALIKE
