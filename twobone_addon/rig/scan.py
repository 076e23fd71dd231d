# SPDX-License-Identifier: GPL-3.0-or-later
"""What limbs do over many frames: read all of them once, then derive everything in batches.

The two halves are apart: `samples` reads, `derive` computes; samples that come from elsewhere serve as well.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TypeVar

import bpy
import numpy as np
from numpy.typing import NDArray

from . import frames as walk
from .binding import bone_axes
from .errors import Refusal
from .follow import turned
from .limb import Limb
from .plan import Plan
from .posed import shown_pose
from .problem import Mask, Sample, pose_problem, reach_limits, rotations, solve
from .samples import SAMPLED, Samples, current_plan, reading, rows_of
from .words import say

Array = NDArray[np.float64]
Result = TypeVar("Result")

RESTS = -1
"""In place of a solver.State where a limb rests."""

ROWS = 16_384
"""Limbs times frames that are solved in one batch."""


@dataclass(frozen=True)
class Scan:
    """N limbs in F frames; NaN, and RESTS, where a limb rests.

    frames: (F,). faults: per limb the sentence why it rests in all frames, or ''. Points (F, N, 3), rotations
    (F, N, 3, 3) and the unit vector `bend`, in which the joint lies off the root-target line, are in armature space;
    to_world (F, N, 4, 4) leads out of it. root, joint, end, the bones' rotations and flexion (the angle between the
    bones, 0 when straight, radians) are of the pose shown, influence included; bend, state, distance, reach_min,
    reach_max and gap are of the solved limb and its target, the lengths in world units as in Readings. pole and
    hand_rotation are NaN also where there is none.
    """

    frames: Array
    limbs: tuple[Limb, ...]
    faults: tuple[str, ...]
    to_world: Array
    root: Array
    joint: Array
    end: Array
    target: Array
    pole: Array
    upper_rotation: Array
    lower_rotation: Array
    hand_rotation: Array
    flexion: Array
    bend: Array
    state: NDArray[np.int8]
    distance: Array
    reach_min: Array
    reach_max: Array
    gap: Array
    influence: Array

    def world(self, points: Array) -> Array:
        """Points (F, N, 3) of armature space in world space."""
        return np.einsum("fnij,fnj->fni", self.to_world[..., :3, :3], points) + self.to_world[..., :3, 3]

    def directions(self, vectors: Array) -> Array:
        """Unit vectors (F, N, 3) along vectors of armature space in world space."""
        turned = np.einsum("fnij,fnj->fni", self.to_world[..., :3, :3], vectors)
        return turned / np.linalg.norm(turned, axis=-1, keepdims=True)


def scan(limbs: Sequence[Limb], frames: Iterable[float], scene: bpy.types.Scene | None = None) -> Scan:
    """Visit every frame once for all limbs together and collect what they do; scene: by default the active one.

    Raises Refusal for limbs that are not in the scene, and for no frames.
    """
    return finish(scanning(limbs, frames, scene))


def scanning(limbs: Sequence[Limb], frames: Iterable[float], scene: bpy.types.Scene | None = None) -> Generator[
        float, None, Scan]:
    """The same step by step: yields the share of frames that are done, returns the Scan."""
    scene = scene or bpy.context.scene
    visited = walk.checked(frames)
    if not limbs:
        raise Refusal(say('There is no limb to look at. Choose one'))
    plan = current_plan(scene)
    rows = rows_of(plan, limbs)
    samples = yield from reading(plan, rows, visited, scene)
    return derive(plan, rows, samples)


def finish(steps: Generator[float, None, Result], progress: Callable[[float], object] = lambda _share: None) -> Result:
    """Run a generator to its end and return what it returns; `progress` is told each share that is done."""
    while True:
        try:
            progress(next(steps))
        except StopIteration as stop:
            return stop.value


def derive(plan: Plan, rows: Sequence[int], samples: Samples) -> Scan:
    """Solve the limbs `rows` of `plan` as they were sampled, all frames and limbs in a few large batches."""
    step = max(1, ROWS // max(1, len(rows)))
    parts = [_derived(plan, rows, samples.take(slice(first, first + step)))
             for first in range(0, len(samples.frames), step)]
    joined = {field.name: np.concatenate([getattr(part, field.name) for part in parts])
              for field in fields(Scan) if field.name not in ("limbs", "faults")}
    return Scan(limbs=parts[0].limbs, faults=samples.faults, **joined)


def _derived(plan: Plan, rows: Sequence[int], samples: Samples) -> Scan:
    count, width = samples.sample.root.shape[:2]
    limbs = tuple(plan.limbs[row].limb for row in rows)
    constants = plan.constants.take(np.tile(np.array(rows, dtype=np.intp), count))
    problem = pose_problem(_flat(samples.sample), constants)
    solution = solve(problem)
    sane = problem.sane.reshape(count, width)

    def shaped(values: Array) -> Array:
        return _nan_where(~sane, values.reshape(count, width, *values.shape[1:]))

    upper, lower = (axes.reshape(count, width, 3, 3) for axes in rotations(solution, problem))
    hand, follow = _hands(plan, rows, samples)
    hands = [plan.limbs[row].hand.name if plan.limbs[row].hand else "" for row in rows]
    pose = shown_pose(limbs, hands, replace(samples.usable(sane), follow=follow),
                      plan.constants.tip[np.array(rows)], upper, lower, hand)
    handless = np.array([not name for name in hands])
    line = problem.target - problem.root
    length = np.linalg.norm(line, axis=-1, keepdims=True)
    forward = np.where(length > 0.0, line / np.where(length > 0.0, length, 1.0), (1.0, 0.0, 0.0))
    to_world = samples.to_world[..., :3, :3].reshape(-1, 3, 3)
    stretch = _length(to_world, forward)
    reach_min, reach_max = reach_limits(problem)
    root = samples.sample.root
    return Scan(
        frames=samples.frames, limbs=limbs, faults=samples.faults, to_world=samples.to_world,
        root=_nan_where(~sane, root), joint=_nan_where(~sane, pose.joint), end=_nan_where(~sane, pose.end),
        target=shaped(problem.target), pole=_nan_where(~sane | ~samples.sample.has_pole, samples.sample.pole),
        upper_rotation=_nan_where(~sane, bone_axes(pose.upper)), lower_rotation=_nan_where(~sane, bone_axes(pose.lower)),
        hand_rotation=_nan_where(~sane | handless, bone_axes(pose.hand)),
        flexion=_nan_where(~sane, _angle(pose.joint - root, pose.end - pose.joint)),
        bend=shaped(np.cross(solution.upper_frame[..., 2], forward)),
        state=np.where(sane, solution.state.reshape(count, width), RESTS).astype(np.int8),
        distance=shaped(_length(to_world, line)), reach_min=shaped(reach_min * stretch),
        reach_max=shaped(reach_max * stretch),
        gap=shaped(_length(to_world, problem.target - solution.end)),
        influence=_nan_where(~sane, samples.sample.influence))


def _hands(plan: Plan, rows: Sequence[int], samples: Samples) -> tuple[Array, Array]:
    """(rotations, follow) of hands, (F, N, 3, 3) and (F, N), in armature space as their targets turn them."""
    if not any(plan.limbs[row].hand for row in rows):
        return samples.target_columns, samples.follow
    bound = np.array([plan.limbs[row].hand.rotation if plan.limbs[row].hand else np.eye(3) for row in rows])
    columns = samples.target_columns
    rotation, usable = turned(columns.reshape(-1, 3, 3), np.tile(bound, (len(columns), 1, 1)))
    return rotation.reshape(columns.shape), np.where(usable.reshape(samples.follow.shape), samples.follow, 0.0)


def _flat(sample: Sample) -> Sample:
    """Fields (F, N, ...) as (F N, ...)."""
    flat = {name: getattr(sample, name) for name in SAMPLED}
    return Sample(**{name: values.reshape(-1, *values.shape[2:]) for name, values in flat.items()})


def _nan_where(rests: Mask, values: Array) -> Array:
    """`values` (F, N, ...), NaN where `rests` (F, N)."""
    return np.where(rests.reshape(rests.shape + (1,) * (values.ndim - 2)), np.nan, values)


def _length(axes: Array, vector: Array) -> Array:
    """Lengths (M,) of vectors (M, 3) given in `axes` (M, 3, 3)."""
    return np.linalg.norm((axes @ vector[..., None])[..., 0], axis=-1)


def _angle(first: Array, second: Array) -> Array:
    return np.arctan2(np.linalg.norm(np.cross(first, second), axis=-1), (first * second).sum(-1))
