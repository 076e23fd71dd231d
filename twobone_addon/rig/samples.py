# SPDX-License-Identifier: GPL-3.0-or-later
"""Read: many frames of some limbs, as the arrays that everything about them can be computed from without Blender.

Nothing is solved here but limbs that carry others, and nothing is written: the live engine is held, so that each frame
is evaluated once.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, fields, replace

import bpy
import numpy as np
from numpy.typing import NDArray

from . import deliver, frames, live
from .errors import Refusal
from .limb import Limb, output_constraint
from .motions import Motions, Outcome
from .plan import Plan, PlannedLimb
from .problem import Sample, euler_xyz, pose_problem, rotations, solve
from .sample import read
from .words import say

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Samples:
    """Inputs of N limbs in F frames; whoever can tell them without evaluating the scene may make them too.

    sample: as for a single frame, with fields (F, N, ...); NaN for a limb with a fault. upper_channels, lower_channels
    (F, N, 3, 3): rotation and scale of the bones' own channels. between (F, N, 3, 3): axes of the lower bone's parent in
    those of the upper bone, the identity where that is the parent. to_world (F, N, 4, 4): the armature object's matrix.
    shares (N, 2): 0 for an upper or lower bone whose delivery the user has muted, else 1. faults: per limb the
    sentence why it rests in all frames, or ''.
    """

    frames: Array
    sample: Sample
    upper_channels: Array
    lower_channels: Array
    between: Array
    to_world: Array
    shares: Array
    faults: tuple[str, ...]

    def take(self, some: slice) -> Samples:
        """The same in some of the frames."""
        per_frame = {field.name: getattr(self, field.name)[some] for field in fields(Samples)
                     if field.name not in ("sample", "shares", "faults")}
        sample = {field.name: getattr(self.sample, field.name)[some] for field in fields(Sample) if field.name != "turns"}
        return replace(self, sample=Sample(**sample), **per_frame)

    def usable(self, sane: NDArray[np.bool_]) -> Samples:
        """The same with harmless numbers where `sane` (F, N) is False."""
        if sane.all():
            return self

        def harmless(values: Array) -> Array:
            neutral = np.eye(3) if values.shape[2:] == (3, 3) else 0.0
            return np.where(sane.reshape(sane.shape + (1,) * (values.ndim - 2)), values, neutral).astype(values.dtype)

        sample = {field.name: harmless(getattr(self.sample, field.name)) for field in fields(Sample)
                  if field.name != "turns"}
        return replace(self, sample=Sample(**sample), **{
            name: harmless(getattr(self, name)) for name in ("upper_channels", "lower_channels", "between")})


def reading(plan: Plan, rows: Sequence[int], visited: Sequence[float], scene: bpy.types.Scene) -> Generator[
        float, None, Samples]:
    """Visit the frames and read the limbs `rows` of `plan`; yields the share done, returns the Samples."""
    reader = _Reader(plan, rows)
    for count, (_frame, depsgraph) in enumerate(frames.visit(scene, visited, hold=True), 1):
        reader.read(depsgraph)
        yield count / len(visited)
    return reader.samples(np.array(visited, dtype=float))


def rows_of(plan: Plan, limbs: Sequence[Limb]) -> list[int]:
    """Their rows in the plan; refuses a limb that is not in the plan's scene."""
    found = []
    for limb in limbs:
        row = plan.row_of(limb)
        if row is None:
            raise Refusal(say('"{object}" is not in the scene. Link it there first', object=limb.armature.name))
        found.append(row)
    return found


def current_plan(scene: bpy.types.Scene) -> Plan:
    """The plan of `scene` as it is now, also where bones were renamed a moment ago."""
    plan = live.plan_of(scene)
    if not plan.is_current:
        plan.follow_renames()
        live.state.forget_plans()
        plan = live.plan_of(scene)
    return plan


class _Reader:
    """Reads limbs frame by frame, those that carry others first, and puts the frames together."""

    def __init__(self, plan: Plan, rows: Sequence[int]) -> None:
        self.plan = plan
        self.rows = list(rows)
        self.sound = [row for row in rows if not plan.limbs[row].fault]
        self.levels = _levels(plan, self.sound)
        self.armatures = sorted({plan.limbs[row].armature for row in rows})
        self.bones = np.array([_bone_rows(plan, plan.limbs[row]) for row in rows], dtype=np.intp).reshape(-1, 3).T
        self.direct = bool((self.bones[0] == self.bones[2]).all())
        self.channels = np.zeros_like(plan.matrices)
        self.read_samples: list[Sample] = []
        self.read_channels: list[NDArray[np.float32]] = []
        self.read_between: list[NDArray[np.float32]] = []
        self.read_worlds: list[list[bpy.types.Object]] = []

    def read(self, depsgraph: bpy.types.Depsgraph) -> None:
        """Read the frame that `depsgraph` shows."""
        self.read_samples.append(self._sample(depsgraph))
        worlds = []
        for index in self.armatures:
            armature = self.plan.armatures[index]
            object = armature.object.evaluated_get(depsgraph)
            object.pose.bones.foreach_get("matrix_basis", self.channels[armature.rows].reshape(-1))
            worlds.append(object.matrix_world.copy())
        self.read_worlds.append(worlds)
        self.read_channels.append(self.channels[self.bones[:2], :3, :3])
        if not self.direct:
            self.read_between.append(self.plan.matrices[self.bones[[0, 2]], :3, :3])

    def _sample(self, depsgraph: bpy.types.Depsgraph) -> Sample:
        if len(self.levels) == 1:
            return read(self.plan, depsgraph, self.levels[0])
        motions = Motions(self.plan, depsgraph)
        found: dict[int, tuple[Sample, int]] = {}
        for level in self.levels:
            sample = motions.apply(read(self.plan, depsgraph, level), level)
            found.update((row, (sample, place)) for place, row in enumerate(level))
            problem = pose_problem(sample, self.plan.constants.take(np.array(level)))
            solved = np.concatenate([euler_xyz(part) for part in rotations(solve(problem), problem)], axis=1)
            solved = solved.astype(np.float32).tolist()
            for place, row in enumerate(level):
                if self.plan.followers[row] and problem.sane[place]:
                    motions.solved(row, sample, place, Outcome("", solved[place], float(sample.influence[place])))
        return Sample(**{field.name: np.stack([getattr(found[row][0], field.name)[found[row][1]] for row in self.sound])
                         for field in fields(Sample) if field.name != "turns"})

    def samples(self, visited: Array) -> Samples:
        """All that was read, stacked."""
        channels = np.array(self.read_channels, dtype=float).swapaxes(-1, -2)
        worlds = np.array(self.read_worlds, dtype=float)
        of_armature = [self.armatures.index(self.plan.limbs[row].armature) for row in self.rows]
        return Samples(
            frames=visited, sample=self._stacked(), upper_channels=channels[:, 0], lower_channels=channels[:, 1],
            between=self._between(len(visited)), to_world=worlds[:, of_armature],
            shares=np.array([_shares(self.plan.limbs[row].limb) for row in self.rows], dtype=float).reshape(-1, 2),
            faults=tuple(self.plan.limbs[row].fault for row in self.rows))

    def _stacked(self) -> Sample:
        places = [self.rows.index(row) for row in self.sound]
        stacked = {}
        for field in (field for field in fields(Sample) if field.name != "turns"):
            values = np.array([getattr(sample, field.name) for sample in self.read_samples])
            if len(places) < len(self.rows):
                missing = False if values.dtype == bool else np.nan
                whole = np.full((len(values), len(self.rows), *values.shape[2:]), missing)
                whole[:, places] = values
                values = whole
            stacked[field.name] = values
        return Sample(**stacked)

    def _between(self, count: int) -> Array:
        if self.direct:
            return np.broadcast_to(np.eye(3), (count, len(self.rows), 3, 3))
        upper, parent = np.moveaxis(np.array(self.read_between, dtype=float).swapaxes(-1, -2), 1, 0)
        volume = np.abs(np.linalg.det(upper))
        return np.linalg.solve(np.where((volume > 0.0)[..., None, None], upper, np.eye(3)), parent)


def _levels(plan: Plan, rows: Sequence[int]) -> list[list[int]]:
    """The rows, and the limbs that carry them, in solving order; a single level where none of them is carried."""
    wanted, front = set(rows), list(rows)
    while front:
        for row in _carriers(plan, front.pop()) - wanted:
            if not plan.limbs[row].fault:
                wanted.add(row)
                front.append(row)
    if not any(_carriers(plan, row) for row in rows):
        return [list(rows)]
    return [part for level in plan.levels if (part := [row for row in level if row in wanted])]


def _carriers(plan: Plan, row: int) -> set[int]:
    """The limbs that carry the limb in `row`, or one of its controls, or its armature."""
    limb = plan.limbs[row]
    carriers = (limb.root_carrier, limb.target and limb.target.carrier, limb.pole and limb.pole.carrier,
                plan.armatures[limb.armature].carrier)
    return {carrier.limb for carrier in carriers if carrier}


def _bone_rows(plan: Plan, limb: PlannedLimb) -> tuple[int, int, int]:
    """Rows of the upper bone, the lower bone and the lower bone's parent."""
    bones = limb.limb.armature.pose.bones
    parent = bones[limb.limb.lower].parent
    first = plan.armatures[limb.armature].first_row
    return limb.upper_row, limb.lower_row, first + bones.find(parent.name) if parent else limb.upper_row


def _shares(limb: Limb) -> list[float]:
    """Per bone 0 where the user has muted its delivery constraint, else 1."""
    bones = limb.armature.pose.bones
    resting = bones[limb.lower].twobone_resting
    shares = []
    for name, ours in ((limb.upper, deliver.UPPER_MUTED), (limb.lower, deliver.LOWER_MUTED)):
        output = output_constraint(bones[name]) if name else None
        shares.append(0.0 if output is not None and output.mute and not resting & ours else 1.0)
    return shares
