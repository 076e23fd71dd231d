# SPDX-License-Identifier: GPL-3.0-or-later
"""What limbs do over many frames: read all of them once, then derive everything in batches.

The two halves are apart: `samples` reads, `derive` computes; samples that come from elsewhere serve as well.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TypeVar

import bpy
import numpy as np
from numpy.typing import NDArray

from . import frames as walk
from .binding import bone_axes
from .errors import Refusal
from .limb import Limb
from .plan import Plan
from .posed import shown_pose
from .problem import Sample, pose_problem, rotations, solve
from .samples import Samples, current_plan, reading, rows_of
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
    to_world (F, N, 4, 4) leads out of it. root, joint, end, upper_rotation, lower_rotation and flexion (the angle
    between the bones, 0 when straight, radians) are of the pose shown, influence included; bend, state, distance,
    reach_min, reach_max and gap are of the solved limb and its target, the lengths in world units as in Readings.
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


def finish(steps: Generator[float, None, Result]) -> Result:
    """Run a generator to its end and return what it returns."""
    while True:
        try:
            next(steps)
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
    constants = plan.constants.take(np.tile(np.array(rows, dtype=np.intp), count))
    problem = pose_problem(_flat(samples.sample), constants)
    solution = solve(problem)
    upper, lower = (axes.reshape(count, width, 3, 3) for axes in rotations(solution, problem))
    sane = problem.sane.reshape(count, width)
    limbs = tuple(plan.limbs[row].limb for row in rows)
    pose = shown_pose(limbs, samples.usable(sane), plan.constants.tip[np.array(rows)], upper, lower)
    rests = ~sane[..., None]

    line = problem.target - problem.root
    length = np.linalg.norm(line, axis=-1, keepdims=True)
    forward = np.where(length > 0.0, line / np.where(length > 0.0, length, 1.0), (1.0, 0.0, 0.0))
    turn = samples.to_world[..., :3, :3].reshape(-1, 3, 3)

    def shaped(values: Array) -> Array:
        values = values.reshape(count, width, *values.shape[1:])
        return np.where(sane.reshape(sane.shape + (1,) * (values.ndim - 2)), values, np.nan)

    def in_world(vector: Array) -> Array:
        return np.linalg.norm((turn @ vector[..., None])[..., 0], axis=-1)

    stretch = in_world(forward)
    return Scan(
        frames=samples.frames, limbs=limbs, faults=samples.faults, to_world=samples.to_world,
        root=np.where(rests, np.nan, pose.root), joint=np.where(rests, np.nan, pose.joint),
        end=np.where(rests, np.nan, pose.end), target=shaped(problem.target),
        pole=np.where(samples.sample.has_pole[..., None] & ~rests, samples.sample.pole, np.nan),
        upper_rotation=np.where(rests[..., None], np.nan, bone_axes(pose.upper)),
        lower_rotation=np.where(rests[..., None], np.nan, bone_axes(pose.lower)),
        flexion=np.where(sane, _angle(pose.joint - pose.root, pose.end - pose.joint), np.nan),
        bend=shaped(np.cross(solution.upper_frame[..., 2], forward)),
        state=np.where(sane, solution.state.reshape(count, width), RESTS).astype(np.int8),
        distance=shaped(in_world(line)), reach_min=shaped(np.abs(problem.upper - problem.lower) * stretch),
        reach_max=shaped((problem.upper + problem.lower) * stretch), gap=shaped(in_world(problem.target - solution.end)),
        influence=np.where(sane, samples.sample.influence, np.nan))


def _flat(sample: Sample) -> Sample:
    """Fields (F, N, ...) as (F N, ...)."""
    flat = {field.name: getattr(sample, field.name) for field in fields(Sample) if field.name != "turns"}
    return Sample(**{name: values.reshape(-1, *values.shape[2:]) for name, values in flat.items()})


def _angle(first: Array, second: Array) -> Array:
    return np.arctan2(np.linalg.norm(np.cross(first, second), axis=-1), (first * second).sum(-1))
