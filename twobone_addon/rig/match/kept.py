# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose of a limb that is to be kept while something else comes to hold it: read from the evaluated scene."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from .. import live
from ..binding import Posed, bone_axes
from ..engine.plan import Plan
from ..engine.problem import Constants, Problem, Sample, pose_problem
from ..engine.sample import read
from ..errors import Refusal
from ..frames.samples import current_plan, rows_of
from ..limb import Limb
from ..measure import measure
from .aim import Stance, stance

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Kept:
    """A limb as it is shown, in armature space: its points and axes, its stance, and the hand that turns with the target.

    axes, parent_axes: by bone name, columns (3, 3) with their scale, of the upper and lower bones and of such a hand, and
    of their parents.
    """

    limb: Limb
    posed: Posed
    stance: Stance
    axes: dict[str, Array]
    parent_axes: dict[str, Array]


@dataclass(frozen=True)
class Inputs:
    """What the live engine reads of one limb and makes of it, single rows."""

    plan: Plan
    row: int
    sample: Sample
    constants: Constants
    problem: Problem


def inputs_of(limb: Limb, depsgraph: bpy.types.Depsgraph) -> Inputs:
    """Read the limb as the live engine does; refuses one that it cannot solve."""
    plan = current_plan(depsgraph.scene)
    row = rows_of(plan, [limb])[0]
    if plan.limbs[row].fault:
        raise Refusal(plan.limbs[row].fault)
    sample = read(plan, depsgraph, [row])
    constants = plan.constants.take(np.array([row]))
    problem = pose_problem(sample, constants)
    if not problem.sane[0]:
        raise Refusal(live.insane(limb))
    return Inputs(plan, row, sample, constants, problem)


def keep(limb: Limb, depsgraph: bpy.types.Depsgraph) -> Kept:
    """The limb as `depsgraph` shows it."""
    given = inputs_of(limb, depsgraph)
    bones = limb.armature.evaluated_get(depsgraph).pose.bones
    axes = {name: np.array(bones[name].matrix, dtype=float)[:3, :3] for name in moved_bones(limb)}
    parents = {name: bones[name].parent for name in axes}
    problem = given.problem
    upper_frame = bone_axes(axes[limb.upper]) @ problem.upper_basis[0]
    lower_frame = bone_axes(axes[limb.lower]) @ problem.lower_basis[0]
    return Kept(
        limb=limb, posed=measure(depsgraph, limb.armature, limb.upper, limb.lower, given.constants.tip[0]),
        stance=stance(problem.root[0], upper_frame, lower_frame, float(problem.upper[0]), float(problem.lower[0])), axes=axes,
        parent_axes={name: np.array(parent.matrix, dtype=float)[:3, :3] if parent else np.eye(3)
                     for name, parent in parents.items()})


def moved_bones(limb: Limb) -> list[str]:
    """The bones that a limb turns: the upper, the lower, and a hand that follows the target."""
    return [limb.upper, limb.lower, *([limb.hand] if limb.hand else [])]
