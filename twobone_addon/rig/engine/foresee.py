# SPDX-License-Identifier: GPL-3.0-or-later
"""One evaluation instead of two: write the next frame's pose before Blender evaluates it; `confirm` checks it afterwards."""

from __future__ import annotations

import threading
from itertools import groupby

import bpy
import numpy as np

from ..predict import Prediction, Unpredictable
from .memory import Foresight, Solved, counts, is_held, state
from .plan import Plan
from .problem import pose_problem
from .solving import outcomes_of, solve_new, write_limb

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
    outcomes = outcomes_of(plan, solved, rows, sample, [place for place in np.flatnonzero(problem.sane).tolist()
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
        foresight.prediction = None
        foresight.misses[:] = 0
