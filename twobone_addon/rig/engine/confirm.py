# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a foretold frame is what Blender has evaluated.

What was said of a limb stands only where the evaluated inputs bear it out; every other limb is solved from these.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from .memory import Foresight, Solved
from .plan import Plan
from .problem import Problem, Sample, pose_problem, steadiness
from .sample import NUMBERS, Reading
from .solving import limb_stands

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

TOLERANCE = 3e-7
"""How far inputs may be from what was said, over the limb's length, where the limb is steady: the pose then differs by as
much as single precision leaves open."""

NEAR = 1e-5
"""Inputs that differ by no more were foretold well, though not to the last digit that a nearly straight limb needs."""

STANDS = 3e-6
"""How far a bone's axes, and its joint over the limb's length, may be from what was written and still be that."""

LENGTHS = 11
"""So many of a problem's inputs, its first, are lengths: root, target, pole, upper, lower."""


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
    agrees &= _hands_agree(sample, foretold, places)
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
