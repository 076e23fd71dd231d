# SPDX-License-Identifier: GPL-3.0-or-later
"""Solve: sampled limbs in, their pose out, FK and IK blended by influence as Blender blends them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver import Solution
from ..animation.inherit import posed_axes
from ..binding import bone_axes
from ..engine.carry import blended
from ..engine.follow import turned
from ..engine.plan import Plan
from ..engine.problem import Constants, Mask, Problem, Sample, pose_problem, solve
from ..limb import Limb
from .components import first, last, product
from .samples import SAMPLED, Samples

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Poses:
    """N limbs in F frames, in armature space.

    hands: names of the bones that follow, '' for none. sane (F, N): where the limb can be solved; all else is harmless
    numbers elsewhere. problem and solution have a row for every frame and limb. The pose is the one shown: rotations of the
    bones (3, 3, F, N), a hand's those of the lower bone where there is none, joint and end (3, F, N).
    """

    limbs: tuple[Limb, ...]
    hands: tuple[str, ...]
    sane: Mask
    problem: Problem
    solution: Solution
    upper: Array
    lower: Array
    hand: Array
    joint: Array
    end: Array


def poses(plan: Plan, rows: Sequence[int], samples: Samples) -> Poses:
    """Solve the limbs `rows` of `plan` as they were sampled, all in one batch."""
    count, width = samples.sample.root.shape[:2]
    constants = _repeated(plan.constants.take(np.array(rows, dtype=np.intp)), count)
    columns: dict[str, Any] = {name: _flat(getattr(samples.sample, name)) for name in SAMPLED}
    problem = pose_problem(Sample(**columns), constants, as_bound=samples.as_bound)
    solution = solve(problem)

    def shaped(values: Array) -> Array:
        return values.reshape(*values.shape[:-1], count, width)

    upper, lower = (shaped(product(first(frame, 2), first(basis, 2).swapaxes(0, 1))) for frame, basis in (
        (solution.upper_frame, problem.upper_basis), (solution.lower_frame, problem.lower_basis)))
    hands = tuple(plan.limbs[row].hand.name if plan.limbs[row].hand else "" for row in rows)
    hand, follow = _hands(plan, rows, hands, samples, lower)
    sane = problem.sane.reshape(count, width)
    limbs = tuple(plan.limbs[row].limb for row in rows)
    turned_bones, points = (upper, lower, hand), (shaped(first(solution.joint, 1)), shaped(first(solution.end, 1)))
    influence = samples.sample.influence[..., None] * samples.shares
    influence[..., 2] *= np.where([bool(name) for name in hands], follow, 1.0)
    partial = np.flatnonzero((influence < 1.0).any((0, 2))).tolist()
    usable = samples.usable(sane) if partial else samples
    if partial:
        points = points[0].copy(), points[1].copy()  # they may be the solution's own memory
    for place in partial:
        names = limbs[place].upper, limbs[place].lower, hands[place]
        bones = [limbs[place].armature.pose.bones[name] for name in names if name]
        solved = tuple(last(rotation[..., place], 2) for rotation in turned_bones)
        shown, at = _blended(bones, place, usable, plan.constants.tip[rows[place]], solved, influence[:, place])
        for rotation, axes in zip(turned_bones, shown):  # without a hand there are two of the three
            rotation[..., place] = first(bone_axes(axes), 2)
        for point, values in zip(points, at):
            point[..., place] = values.T
    return Poses(limbs, hands, sane, problem, solution, *turned_bones, *points)


def _repeated(constants: Constants, count: int) -> Constants:
    """The same limbs so many times over."""
    return Constants(**{name: _each_time(getattr(constants, name), count) for name in Constants.__dataclass_fields__})


def _flat(values: Array) -> Array:
    """Values (F, N, ...) as rows (F * N, ...), their own axes first in memory, as they are worked with afterwards."""
    axes = values.ndim - 2
    return last(first(values, axes).reshape(*values.shape[2:], -1), axes)


def _each_time(values: Array, count: int) -> Array:
    """The values (N, ...) so many times over, laid out likewise."""
    whole = np.empty((*values.shape[1:], count, len(values)))
    whole[:] = first(values[None], values.ndim - 1)
    return last(whole.reshape(*whole.shape[:-2], -1), values.ndim - 1)


def _hands(plan: Plan, rows: Sequence[int], hands: Sequence[str], samples: Samples, lower: Array) -> tuple[Array, Array]:
    """(rotations (3, 3, F, N), follow (F, N)) of hands as their targets turn them."""
    if not any(hands):
        return lower, samples.follow
    bound = np.array([plan.limbs[row].hand.rotation if name else np.eye(3) for row, name in zip(rows, hands, strict=True)])
    columns = samples.target_columns
    rotation, usable = turned(columns.reshape(-1, 3, 3), np.tile(bound, (len(columns), 1, 1)))
    follow = np.where(usable.reshape(samples.follow.shape), samples.follow, 0.0)
    rotation = first(rotation.reshape(columns.shape), 2)
    return np.where([bool(name) for name in hands], rotation, lower), follow


def _blended(bones: Sequence[bpy.types.PoseBone], place: int, samples: Samples, tip: Array, solved: Sequence[Array],
             influence: Array) -> tuple[list[Array], tuple[Array, Array]]:
    """(axes (F, 3, 3) of each bone, (joint, end) (F, 3)) that the limb at `place` shows.

    solved: the rotations (F, 3, 3) that it would have, influence (F, 3): how much of them each bone takes.
    """
    sample = samples.sample

    def shown(part: int, parent: Array) -> Array:
        before = posed_axes(bones[part], parent, samples.channels[:, place, part])
        return blended(solved[part], before, influence[:, part])

    upper = shown(0, sample.parent_columns[:, place].swapaxes(-1, -2))
    way = (sample.joint - sample.root)[:, place, :, None]
    joint = sample.root[:, place] + (upper @ np.linalg.solve(sample.upper_columns[:, place].swapaxes(-1, -2), way))[..., 0]
    lower = shown(1, upper @ samples.between[:, place, 0])
    end = joint + (lower @ (tip * sample.length[:, place, None])[..., None])[..., 0]
    hand = [shown(2, lower @ samples.between[:, place, 1])] if len(bones) > 2 else []
    return [upper, lower, *hand], (joint, end)
