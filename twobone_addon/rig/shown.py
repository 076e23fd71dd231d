# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs as a depsgraph shows them, for pictures: where everything stands, how far the limb goes, what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ..solver import exact_reach
from . import live
from .engine.plan import Plan, make_plan
from .engine.problem import Array, Mask, Problem, Sample, pose_problem, reach_limits, solve
from .engine.sample import read
from .limb import Limb


@dataclass(frozen=True)
class Resting:
    """A limb that is not solved: its points (up to 3, 3) from root to tip in world space, and the sentence that says why."""

    limb: Limb
    points: Array
    fault: str


@dataclass(frozen=True)
class Solved:
    """N solved limbs. Points and directions (N, 3) and lengths (N,) are in armature space.

    to_world: (N, 4, 4). forward and bend are unit vectors that span the plane of the limb. reach_min and reach_max are
    the limits of reach; between exact_min and exact_max the target is reached without softening. pole_lost: the pole is
    degenerate, so that the limb bends as it was bound. Where `has_pole` is False, `pole` holds anything finite.
    """

    limbs: tuple[Limb, ...]
    to_world: Array
    root: Array
    joint: Array
    end: Array
    target: Array
    pole: Array
    forward: Array
    bend: Array
    reach_min: Array
    reach_max: Array
    exact_min: Array
    exact_max: Array
    state: NDArray[np.int8]
    influence: Array
    has_pole: Mask
    pole_lost: Mask

    def world(self, points: Array) -> Array:
        """Points (N, …, 3) of the limbs' armature spaces in world space."""
        return self.directions(points) + self.to_world[:, :3, 3].reshape(len(points), *(1,) * (points.ndim - 2), 3)

    def directions(self, vectors: Array) -> Array:
        """Vectors (N, …, 3) of the limbs' armature spaces in world space, stretched as the armature is."""
        rows = vectors.reshape(len(vectors), -1, 3) @ self.to_world[:, :3, :3].swapaxes(-1, -2)
        return rows.reshape(vectors.shape)


@dataclass(frozen=True)
class Shown:
    """What there is to show: the solved limbs, None where there are none, and those that rest."""

    solved: Solved | None
    resting: tuple[Resting, ...]


def current_plan(scene: bpy.types.Scene) -> Plan:
    """The live engine's plan of `scene`, or one of its own where bones were changed since."""
    plan = live.plan_of(scene)
    return plan if plan.is_current else make_plan(scene)


def shown(plan: Plan, depsgraph: bpy.types.Depsgraph, rows: Sequence[int]) -> Shown:
    """The limbs `rows` of `plan` as `depsgraph` has evaluated them.

    Raises ReferenceError or KeyError where the plan is out of date.
    """
    faults = {row: plan.limbs[row].fault or live.state.faults.get((limb.armature.session_uid, limb.lower), "")
              for row in rows for limb in (plan.limbs[row].limb,)}
    solvable = [row for row in rows if not faults[row]]
    solved = None
    if solvable:
        # A buffer of its own: a render that runs at the same time reads into the plan's on another thread.
        sample = read(replace(plan, matrices=plan.matrices.copy()), depsgraph, solvable)
        problem = pose_problem(sample, plan.constants.take(np.array(solvable)))
        for place in np.flatnonzero(~problem.sane):
            faults[solvable[place]] = live.insane(plan.limbs[solvable[place]].limb)
        solved = _solved(tuple(plan.limbs[row].limb for row in solvable), depsgraph, sample, problem)
    return Shown(solved, tuple(_resting(plan.limbs[row].limb, depsgraph, fault) for row, fault in faults.items() if fault))


def _solved(limbs: tuple[Limb, ...], depsgraph: bpy.types.Depsgraph, sample: Sample, problem: Problem) -> Solved:
    """The rows of `problem` that can be solved."""
    pole_lost = sample.has_pole & (problem.pole != sample.pole).any(-1)
    kept = np.flatnonzero(problem.sane).tolist()
    limbs, problem = tuple(limbs[place] for place in kept), problem.take(kept)
    solution = solve(problem)
    line = problem.target - problem.root
    length = np.linalg.norm(line, axis=-1, keepdims=True)
    forward = np.where(length > 0.0, line / np.where(length > 0.0, length, 1.0), (1.0, 0.0, 0.0))
    reach_min, reach_max = reach_limits(problem)
    exact_min, exact_max = exact_reach(problem.upper, problem.lower, problem.softness,
                                       bend_min=problem.bend_min, bend_max=problem.bend_max)
    return Solved(
        limbs=limbs, to_world=_to_world(limbs, depsgraph),
        root=problem.root, joint=solution.joint, end=solution.end, target=problem.target, pole=sample.pole[kept],
        forward=forward, bend=np.cross(solution.upper_frame[..., 2], forward),
        reach_min=reach_min, reach_max=reach_max,
        exact_min=exact_min, exact_max=exact_max, state=solution.state, influence=sample.influence[kept],
        has_pole=sample.has_pole[kept], pole_lost=pole_lost[kept])


def _to_world(limbs: Sequence[Limb], depsgraph: bpy.types.Depsgraph) -> Array:
    matrices = {armature: np.array(armature.evaluated_get(depsgraph).matrix_world, dtype=float)
                for armature in {limb.armature for limb in limbs}}
    return np.array([matrices[limb.armature] for limb in limbs], dtype=float).reshape(-1, 4, 4)


def _resting(limb: Limb, depsgraph: bpy.types.Depsgraph, fault: str) -> Resting:
    armature = limb.armature.evaluated_get(depsgraph)
    bones = armature.pose.bones
    points = [bones[name].head for name in (limb.upper, limb.lower) if name] + [bones[limb.lower].tail]
    world = armature.matrix_world
    return Resting(limb, np.array([world @ point for point in points], dtype=float), fault)
