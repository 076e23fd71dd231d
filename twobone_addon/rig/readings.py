# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel and scripts are told about a limb: how far its target is and whether it is reached."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from .. import solver
from . import live
from .errors import Refusal
from .limb import Limb, find_limb, limb_bones, limb_of
from .problem import Array, Problem, pose_problem, solve
from .sample import read
from .words import retell, say


@dataclass(frozen=True)
class Readings:
    """One limb against its target: lengths in world units, angles in radians.

    reach_min and reach_max are the limits that the tip can reach, distance is the target's, gap what is missed of it.
    root_angle lies between the upper bone and the root-target line, relative_angle between the bones, 0 when straight.
    """

    state: solver.State
    distance: float
    reach_min: float
    reach_max: float
    gap: float
    root_angle: float
    relative_angle: float


def limbs(armature_object: bpy.types.Object) -> list[Limb]:
    """Every limb of the armature, in solving order; empty for an object that is no armature."""
    if armature_object.type != 'ARMATURE':
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
    limb = find_limb(armature_object, lower)
    depsgraph = depsgraph or bpy.context.evaluated_depsgraph_get()
    plan = live.plan_of(depsgraph.scene)
    row = plan.row_of(limb)
    if row is None:
        raise Refusal(say('"{armature}" is not in the scene "{scene}". Link it there first',
                          armature=armature_object.name, scene=depsgraph.scene.name))
    if plan.limbs[row].fault:
        raise Refusal(retell(plan.limbs[row].fault))
    problem = pose_problem(read(plan, depsgraph, [row]), plan.constants.take(np.array([row])))
    if not problem.sane[0]:
        raise Refusal(live.insane(limb))
    scale = np.array(armature_object.evaluated_get(depsgraph).matrix_world, dtype=float)[:3, :3]
    return _measured(problem, scale)


def _measured(problem: Problem, to_world: Array) -> Readings:
    """Readings of the only row of `problem`; to_world: (3, 3) from armature to world space."""
    solution = solve(problem)
    root, end = problem.root[0], solution.end[0]
    upper, lower, line = solution.upper_frame[0, :, 0], solution.lower_frame[0, :, 0], problem.target[0] - root
    forward = line if np.any(line) else np.array((1.0, 0.0, 0.0))
    stretch = np.linalg.norm(to_world @ (forward / np.linalg.norm(forward)))
    return Readings(
        state=solver.State(int(solution.state[0])),
        distance=float(np.linalg.norm(to_world @ line)),
        reach_min=float(abs(problem.upper[0] - problem.lower[0]) * stretch),
        reach_max=float((problem.upper[0] + problem.lower[0]) * stretch),
        gap=float(np.linalg.norm(to_world @ (problem.target[0] - end))),
        root_angle=_angle(upper, forward),
        relative_angle=_angle(upper, lower))


def _angle(first: Array, second: Array) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(first, second)), first @ second))
