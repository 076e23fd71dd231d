# SPDX-License-Identifier: GPL-3.0-or-later
"""What limbs do over many frames: read all of them once, then derive everything in batches.

The two halves are apart: `samples` reads, `derive` computes; samples that come from elsewhere serve as well.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TypeVar

import bpy
import numpy as np
from numpy.typing import NDArray

from ..engine.plan import Plan
from ..engine.problem import Mask, reach_limits
from ..errors import Refusal
from ..limb import Limb
from ..words import say
from . import walk as walk
from .components import last
from .gather import Gatherer
from .poses import Poses, poses
from .samples import Samples, current_plan, rows_of

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
        with np.errstate(invalid='ignore'):
            return turned / np.linalg.norm(turned, axis=-1, keepdims=True)


def scan(limbs: Sequence[Limb], frames: Iterable[float], scene: bpy.types.Scene | None = None) -> Scan:
    """Collect what limbs do in these frames, each of which is evaluated once at most; scene: by default the active one.

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
    with Gatherer(plan, rows, scene) as gatherer:
        samples = yield from gatherer.samples(np.array(visited))
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
    parts = [_derived(poses(plan, rows, part), part) for first_frame in range(0, len(samples.frames), step)
             for part in (samples.take(slice(first_frame, first_frame + step)),)]
    joined = {field.name: np.concatenate([getattr(part, field.name) for part in parts])
              for field in fields(Scan) if field.name not in ("limbs", "faults")}
    return Scan(limbs=parts[0].limbs, faults=samples.faults, **joined)


def _derived(posed: Poses, samples: Samples) -> Scan:
    problem, solution, sane = posed.problem, posed.solution, posed.sane

    def shaped(values: Array) -> Array:
        return _nan_where(~sane, values.reshape(*sane.shape, *values.shape[1:]))

    line = problem.target - problem.root
    length = np.linalg.norm(line, axis=-1, keepdims=True)
    forward = np.where(length > 0.0, line / np.where(length > 0.0, length, 1.0), (1.0, 0.0, 0.0))
    to_world = samples.to_world[..., :3, :3].reshape(-1, 3, 3)
    stretch = _length(to_world, forward)
    reach_min, reach_max = reach_limits(problem)
    root, joint, end = samples.sample.root, last(posed.joint, 1), last(posed.end, 1)
    handless = np.array([not name for name in posed.hands])
    return Scan(
        frames=samples.frames, limbs=posed.limbs, faults=samples.faults, to_world=samples.to_world,
        root=_nan_where(~sane, root), joint=_nan_where(~sane, joint), end=_nan_where(~sane, end),
        target=shaped(problem.target), pole=_nan_where(~sane | ~samples.sample.has_pole, samples.sample.pole),
        upper_rotation=_nan_where(~sane, last(posed.upper, 2)), lower_rotation=_nan_where(~sane, last(posed.lower, 2)),
        hand_rotation=_nan_where(~sane | handless, last(posed.hand, 2)),
        flexion=_nan_where(~sane, _angle(joint - root, end - joint)),
        bend=shaped(np.cross(solution.upper_frame[..., 2], forward)),
        state=np.where(sane, solution.state.reshape(sane.shape), RESTS).astype(np.int8),
        distance=shaped(_length(to_world, line)), reach_min=shaped(reach_min * stretch),
        reach_max=shaped(reach_max * stretch),
        gap=shaped(_length(to_world, problem.target - solution.end)),
        influence=_nan_where(~sane, samples.sample.influence))


def _nan_where(rests: Mask, values: Array) -> Array:
    """`values` (F, N, ...), NaN where `rests` (F, N)."""
    return np.where(rests.reshape(rests.shape + (1,) * (values.ndim - 2)), np.nan, values)


def _length(axes: Array, vector: Array) -> Array:
    """Lengths (M,) of vectors (M, 3) given in `axes` (M, 3, 3)."""
    return np.linalg.norm((axes @ vector[..., None])[..., 0], axis=-1)


def _angle(one: Array, other: Array) -> Array:
    return np.arctan2(np.linalg.norm(np.cross(one, other), axis=-1), (one * other).sum(-1))
