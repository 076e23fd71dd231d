# SPDX-License-Identifier: GPL-3.0-or-later
"""Read: many frames of some limbs, as the arrays that everything about them can be computed from without Blender.

Nothing is solved here but limbs that carry others, and nothing is written: the live engine is held, so that each frame
is evaluated once.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from .. import live
from ..engine import deliver
from ..engine.follow import Turns
from ..engine.motions import Motions, Outcome, turned_hands
from ..engine.plan import Plan, PlannedLimb
from ..engine.problem import Sample, delivered_angles, pose_problem
from ..engine.sample import Reading, look, read
from ..errors import Refusal
from ..limb import Limb, output_constraint
from ..words import say
from . import walk as frames

Array = NDArray[np.float64]

SAMPLED = tuple(field.name for field in fields(Sample) if field.name != "turns")
"""The fields of a sample that have a row for every limb."""


@dataclass(frozen=True)
class Samples:
    """Inputs of N limbs in F frames; whoever can tell them without evaluating the scene may make them too.

    frames: (F,). sample: as for a single frame, with fields (F, N, ...) and no turns; NaN for a limb with a fault.
    channels (F, N, 3, 3, 3): rotation and scale of the own channels of the upper bone, the lower bone and the hand.
    between (F, N, 2, 3, 3): axes of the lower bone's parent in those of the upper bone, of the hand's parent in those of
    the lower; the identity where these bones are the parents. target_columns (F, N, axis, 3): the axes that a hand
    follows; follow (F, N): how much it does, 0 without a hand. to_world (F, N, 4, 4): the armature object's matrix.
    shares (N, 3): 0 for a bone whose delivery the user has muted, else 1. faults: per limb the sentence why it rests in
    all frames, or ''. as_bound: what `problem.is_as_bound` says of all frames, where that is known.
    """

    frames: Array
    sample: Sample
    channels: Array
    between: Array
    target_columns: Array
    follow: Array
    to_world: Array
    shares: Array
    faults: tuple[str, ...]
    as_bound: bool = False

    def take(self, some: slice | NDArray[np.intp]) -> Samples:
        """The same in some of the frames."""
        per_frame = {name: getattr(self, name)[some] for name in (
            "frames", "channels", "between", "target_columns", "follow", "to_world")}
        sample = {name: getattr(self.sample, name)[some] for name in SAMPLED}
        return replace(self, sample=Sample(**sample), **per_frame)

    def usable(self, sane: NDArray[np.bool_]) -> Samples:
        """The same with harmless numbers where `sane` (F, N) is False, but for the bones' own channels."""
        if sane.all():
            return self

        def harmless(values: Array, sane: NDArray[np.bool_] = sane) -> Array:
            neutral = np.eye(3) if values.shape[-2:] == (3, 3) else 0.0
            return np.where(sane.reshape(sane.shape + (1,) * (values.ndim - sane.ndim)), values, neutral)

        sample: dict[str, Any] = {name: harmless(getattr(self.sample, name)) for name in SAMPLED if name != "has_pole"}
        return replace(self, sample=replace(self.sample, **sample),
                       channels=harmless(self.channels, np.isfinite(self.channels).all((-1, -2))),
                       between=harmless(self.between), target_columns=harmless(self.target_columns),
                       follow=harmless(self.follow))


def reading(plan: Plan, rows: Sequence[int], visited: Sequence[float], scene: bpy.types.Scene, *, back: bool = True) -> (
        Generator[float, None, Samples]):
    """Visit the frames and read the limbs `rows` of `plan`; yields the share done, returns the Samples.

    back: see `frames.visit`.
    """
    reader = _Reader(plan, rows)
    for count, (_frame, depsgraph) in enumerate(frames.visit(scene, visited, hold=True, back=back), 1):
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
    """The live engine's plan of `scene` as it is now, also where bones were renamed a moment ago."""
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
        self.sound = [place for place, row in enumerate(rows) if not plan.limbs[row].fault]
        self.levels = _levels(plan, [self.rows[place] for place in self.sound])
        self.armatures = sorted({plan.limbs[row].armature for row in rows})
        self.bones = np.array([_bone_rows(plan, plan.limbs[row]) for row in rows], dtype=np.intp).reshape(-1, 5).T
        self.direct = bool((self.bones[:2] == self.bones[3:]).all())
        self.channels = np.zeros_like(plan.matrices)
        self.readings: list[Reading] = []
        self.read_samples: list[Sample] = []
        self.read_channels: list[NDArray[np.float32]] = []
        self.read_matrices: list[NDArray[np.float32]] = []
        self.read_worlds: list[list[bpy.types.Object]] = []

    def read(self, depsgraph: bpy.types.Depsgraph) -> None:
        """Read the frame that `depsgraph` shows."""
        if len(self.levels) == 1:
            self.readings.append(look(self.plan, depsgraph, self.levels[0]))
        else:
            self.read_samples.append(self._carried(depsgraph))
        worlds = []
        for index in self.armatures:
            armature = self.plan.armatures[index]
            object = armature.object.evaluated_get(depsgraph)
            object.pose.bones.foreach_get("matrix_basis", self.channels[armature.rows].reshape(-1))
            worlds.append(object.matrix_world.copy())
        self.read_worlds.append(worlds)
        self.read_channels.append(self.channels[self.bones[:3], :3, :3])
        if not self.direct:
            self.read_matrices.append(self.plan.matrices[self.bones, :3, :3])

    def _carried(self, depsgraph: bpy.types.Depsgraph) -> Sample:
        """The limbs as they will be once those that carry them are delivered."""
        motions = Motions(self.plan, depsgraph)
        found: dict[int, tuple[Sample, int]] = {}
        for level in self.levels:
            sample = motions.apply(read(self.plan, depsgraph, level), level)
            found.update((row, (sample, place)) for place, row in enumerate(level))
            if any(self.plan.followers[row] for row in level):
                self._carry(motions, sample, level)
        chosen = [found[self.rows[place]] for place in self.sound]
        return replace(
            Sample(**{name: np.stack([getattr(sample, name)[place] for sample, place in chosen]) for name in SAMPLED}),
            turns=_joined_turns(chosen))

    def _carry(self, motions: Motions, sample: Sample, level: Sequence[int]) -> None:
        problem = pose_problem(sample, self.plan.constants.take(np.array(level)))
        solved = delivered_angles(problem)
        hands = turned_hands(self.plan, level, sample.turns) if sample.turns is not None else {}
        for place, row in enumerate(level):
            if self.plan.followers[row] and problem.sane[place]:
                influence = float(sample.influence[place])
                motions.solved(row, sample, place, Outcome("", solved[place], influence, *hands.get(place, ())))

    def samples(self, visited: Array) -> Samples:
        """All that was read, put together."""
        shape = len(visited), len(self.rows)
        channels = np.array(self.read_channels, dtype=float).swapaxes(-1, -2)
        worlds = np.array(self.read_worlds, dtype=float)
        of_armature = [self.armatures.index(self.plan.limbs[row].armature) for row in self.rows]
        target_columns, follow = np.broadcast_to(np.eye(3), (*shape, 3, 3)).copy(), np.zeros(shape)
        turns = [reading.turns for reading in self.readings] or [sample.turns for sample in self.read_samples]
        if turns[0] is not None:
            places = [self.sound[place] for place in turns[0].places]
            target_columns[:, places] = [turn.columns for turn in turns]
            follow[:, places] = [turn.follow for turn in turns]
        sample: dict[str, Any] = {name: self._column(values) for name, values in self._fields().items()}
        return Samples(
            frames=visited, sample=Sample(**sample),
            channels=np.moveaxis(channels, 1, 2), between=self._between(shape),
            target_columns=target_columns, follow=follow, to_world=worlds[:, of_armature],
            shares=np.array([shares(self.plan.limbs[row].limb) for row in self.rows], dtype=float),
            faults=tuple(self.plan.limbs[row].fault for row in self.rows))

    def _fields(self) -> dict[str, Array]:
        """The fields of all frames (F, S, ...), S limbs without a fault."""
        if not self.readings:
            return {name: np.array([getattr(sample, name) for sample in self.read_samples]) for name in SAMPLED}
        stacked = [np.array([getattr(reading, name) for reading in self.readings])
                   for name in ("numbers", "columns", "joint", "has_pole")]
        numbers, columns, joint, has_pole = (values.reshape(-1, *values.shape[2:]) for values in stacked)
        sample = Reading(numbers, columns, joint, has_pole, None).sample()
        fields = {name: getattr(sample, name) for name in SAMPLED}
        return {name: values.reshape(len(self.readings), -1, *values.shape[1:]) for name, values in fields.items()}

    def _column(self, values: Array) -> Array:
        """The same of all limbs (F, N, ...)."""
        if len(self.sound) == len(self.rows):
            return values
        whole = np.full((len(values), len(self.rows), *values.shape[2:]), False if values.dtype == bool else np.nan)
        whole[:, self.sound] = values
        return whole

    def _between(self, shape: tuple[int, int]) -> Array:
        if self.direct:
            return np.broadcast_to(np.eye(3), (*shape, 2, 3, 3))
        matrices = np.moveaxis(np.array(self.read_matrices, dtype=float).swapaxes(-1, -2), 1, 2)
        carriers, parents = matrices[:, :, :2], matrices[:, :, 3:]
        flat = ~(np.abs(np.linalg.det(carriers)) > 0.0)
        return np.linalg.solve(np.where(flat[..., None, None], np.eye(3), carriers), parents)


def _joined_turns(chosen: Sequence[tuple[Sample, int]]) -> Turns | None:
    """What the hands among the limbs follow, each limb being a place in a sample of its own level."""
    found = [(place, sample.turns, sample.turns.places.index(row)) for place, (sample, row) in enumerate(chosen)
             if sample.turns is not None and row in sample.turns.places]
    if not found:
        return None
    return Turns(tuple(place for place, _turns, _row in found), np.stack([turns.columns[row] for _place, turns, row in found]),
                 np.stack([turns.follow[row] for _place, turns, row in found]))


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
    """The limbs that carry the limb in `row`, or what it follows, or its armature."""
    limb = plan.limbs[row]
    carriers = (limb.root_carrier, limb.target and limb.target.carrier, limb.pole and limb.pole.carrier,
                limb.hand and limb.hand.carrier, plan.armatures[limb.armature].carrier)
    return {carrier.limb for carrier in carriers if carrier}


def _bone_rows(plan: Plan, limb: PlannedLimb) -> tuple[int, int, int, int, int]:
    """Rows of the upper bone, the lower bone and the hand, of the lower bone's parent and of the hand's.

    The lower bone stands for a hand that there is not.
    """
    bones = limb.limb.armature.pose.bones
    first = plan.armatures[limb.armature].first_row
    lower, hand = bones[limb.limb.lower], bones[limb.hand.name] if limb.hand else None
    return (limb.upper_row, limb.lower_row, limb.hand.row if limb.hand else limb.lower_row,
            first + bones.find(lower.parent.name) if lower.parent else limb.upper_row,
            first + bones.find(hand.parent.name) if hand else limb.lower_row)


def shares(limb: Limb) -> list[float]:
    """Per bone 0 where the user has muted its delivery constraint, else 1."""
    bones = limb.armature.pose.bones
    resting = bones[limb.lower].twobone_resting
    shares = []
    for name, ours in ((limb.upper, deliver.UPPER_MUTED), (limb.lower, deliver.LOWER_MUTED), (limb.hand, deliver.HAND_MUTED)):
        output = output_constraint(bones[name]) if name else None
        shares.append(0.0 if output is not None and output.mute and not resting & ours else 1.0)
    return shares
