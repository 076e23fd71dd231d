# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel and scripts are told about a limb: how far its target is and whether it is reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np

from .. import solver
from . import live
from .engine.plan import Plan
from .engine.problem import Array, Problem, pose_problem, reach_limits, solve
from .engine.sample import read
from .errors import Refusal
from .given import kind_of
from .limb import Limb, find_limb, limb_bones, limb_of
from .shown import current_plan
from .words import retell, say


@dataclass(frozen=True)
class Readings:
    """One limb against its target: lengths in world units, angles in radians.

    reach_min and reach_max are the limits that the tip can reach, distance is the target's, gap what is missed of it.
    root_angle lies between the upper bone and the root-target line, relative_angle between the bones, 0 when straight.
    upper_length and lower_length are the bones', measured like the distance.
    """

    state: solver.State
    distance: float
    reach_min: float
    reach_max: float
    gap: float
    root_angle: float
    relative_angle: float
    upper_length: float
    lower_length: float


def limbs(armature_object: bpy.types.Object) -> list[Limb]:
    """Every limb of the armature, in solving order; empty for an object that is no armature."""
    if kind_of(armature_object) != 'ARMATURE':
        return []
    found = [limb_of(bone) for bone in limb_bones(armature_object)]
    scene = next(iter(armature_object.users_scene), None)
    if len(found) > 1 and scene is not None:
        plan = live.plan_of(scene)
        order = {plan.limbs[row].limb.lower: place for place, row in enumerate(row for level in plan.levels for row in level)
                 if plan.limbs[row].limb.armature == armature_object}
        found.sort(key=lambda limb: order.get(limb.lower, len(order)))
    return found


def readings(armature_object: bpy.types.Object, lower: str, depsgraph: bpy.types.Depsgraph | None = None) -> Readings:
    """Measure the limb of bone `lower` as `depsgraph` shows it, by default the active view layer's.

    Raises Refusal where there is no limb, or where it rests; the message says why.
    """
    (found,) = readings_of(armature_object, [lower], depsgraph)
    if isinstance(found, Refusal):
        raise found
    return found


def readings_of(armature_object: bpy.types.Object, lowers: Sequence[str],
                depsgraph: bpy.types.Depsgraph | None = None) -> list[Readings | Refusal]:
    """Measure several limbs of one armature at once: per limb its readings, or the refusal that says why there are none."""
    depsgraph = depsgraph or bpy.context.evaluated_depsgraph_get()
    plan = current_plan(depsgraph.scene)
    # A buffer of its own: a render that runs at the same time reads into the plan's on another thread.
    plan = replace(plan, matrices=plan.matrices.copy())
    found: dict[int, Readings | Refusal] = {}
    rows = {}
    for place, lower in enumerate(lowers):
        try:
            rows[place] = _readable_row(plan, find_limb(armature_object, lower), depsgraph.scene)
        except Refusal as refusal:
            found[place] = refusal
    if rows:
        chosen = list(rows.values())
        problem = pose_problem(read(plan, depsgraph, chosen), plan.constants.take(np.array(chosen)))
        scale = np.array(armature_object.evaluated_get(depsgraph).matrix_world, dtype=float)[:3, :3]
        solution = solve(problem)
        for row, place in enumerate(rows):
            found[place] = (_measured(problem, solution, row, scale) if problem.sane[row]
                            else Refusal(live.insane(plan.limbs[chosen[row]].limb)))
    return [found[place] for place in range(len(lowers))]


def _readable_row(plan: Plan, limb: Limb, scene: bpy.types.Scene) -> int:
    """The row of `limb`; refuses one that rests whatever the frame, or that the scene does not have."""
    row = plan.row_of(limb)
    if row is None:
        raise Refusal(say('"{armature}" is not in the scene "{scene}". Link it there first',
                          armature=limb.armature.name, scene=scene.name))
    if plan.limbs[row].fault:
        raise Refusal(retell(plan.limbs[row].fault))
    return row


def _measured(problem: Problem, solution: solver.Solution, row: int, to_world: Array) -> Readings:
    """Readings of one row of `problem`; to_world: (3, 3) from armature to world space."""
    root, end = problem.root[row], solution.end[row]
    upper, lower, line = solution.upper_frame[row, :, 0], solution.lower_frame[row, :, 0], problem.target[row] - root
    forward = line if np.any(line) else np.array((1.0, 0.0, 0.0))
    reach_min, reach_max = reach_limits(problem)
    stretch = np.linalg.norm(to_world @ (forward / np.linalg.norm(forward)))
    return Readings(
        state=solver.State(int(solution.state[row])),
        distance=float(np.linalg.norm(to_world @ line)),
        reach_min=float(reach_min[row] * stretch),
        reach_max=float(reach_max[row] * stretch),
        gap=float(np.linalg.norm(to_world @ (problem.target[row] - end))),
        root_angle=_angle(upper, forward),
        relative_angle=_angle(upper, lower),
        upper_length=float(problem.upper[row] * stretch),
        lower_length=float(problem.lower[row] * stretch))


def _angle(first: Array, second: Array) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(first, second)), first @ second))
