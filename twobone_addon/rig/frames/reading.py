# SPDX-License-Identifier: GPL-3.0-or-later
"""Read: many frames of some limbs, as the arrays that everything about them can be computed from without Blender.

Nothing is solved here but limbs that carry others, and nothing is written: the live engine is held, so that each frame
is evaluated once.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..engine import deliver
from ..engine.follow import Turns
from ..engine.motions import Motions, Outcome, turned_hands
from ..engine.plan import Plan, PlannedLimb
from ..engine.problem import Sample, delivered_angles, pose_problem
from ..engine.sample import FOLLOW, SETTINGS, read, settings_of, source_axes, source_point
from ..limb import Limb, output_constraint
from . import walk as frames
from .samples import SAMPLED, Samples

Array = NDArray[np.float64]


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


def shown(plan: Plan, rows: Sequence[int], frame: float, depsgraph: bpy.types.Depsgraph) -> Samples:
    """The same of the frame that `depsgraph` shows, which goes nowhere."""
    reader = _Reader(plan, rows)
    reader.read(depsgraph)
    return reader.samples(np.array([frame], dtype=float))


_ORIGIN = (0.0, 0.0, 0.0)


class _Reader:
    """Reads limbs frame by frame, those that carry others first, and puts the frames together.

    Where no limb carries another a frame is stored as it is read, and what `sample.look` makes of one is made of all at once.
    """

    def __init__(self, plan: Plan, rows: Sequence[int]) -> None:
        self.plan = plan
        self.rows = list(rows)
        self.sound = [place for place, row in enumerate(rows) if not plan.limbs[row].fault]
        self.levels = _levels(plan, [self.rows[place] for place in self.sound])
        self.limbs = [plan.limbs[self.rows[place]] for place in self.sound]
        self.turning = [(place, limb) for place, limb in enumerate(self.limbs) if limb.hand is not None]
        self.bone_rows = plan.bone_rows[:, [self.rows[place] for place in self.sound]].reshape(-1)
        self.armatures = sorted({plan.limbs[row].armature for row in rows})
        self.bones = np.array([_bone_rows(plan, plan.limbs[row]) for row in rows], dtype=np.intp).reshape(-1, 5).T
        self.direct = bool((self.bones[:2] == self.bones[3:]).all())
        self.channels = np.zeros_like(plan.matrices)
        self.read_numbers: list[list[float]] = []
        self.read_bones: list[NDArray[np.float32]] = []
        self.read_turns: list[list[tuple[Array, float]]] = []
        self.read_samples: list[Sample] = []
        self.read_channels: list[NDArray[np.float32]] = []
        self.read_matrices: list[NDArray[np.float32]] = []
        self.read_worlds: list[list[float]] = []

    def read(self, depsgraph: bpy.types.Depsgraph) -> None:
        """Read the frame that `depsgraph` shows."""
        evaluated = {}
        for index in self.armatures:
            armature = self.plan.armatures[index]
            object = evaluated[index] = armature.object.evaluated_get(depsgraph)
            bones = object.pose.bones
            bones.foreach_get("matrix", self.plan.matrices[armature.rows].reshape(-1))
            bones.foreach_get("matrix_basis", self.channels[armature.rows].reshape(-1))
        if len(self.levels) == 1:
            self._look(depsgraph, evaluated)
        else:
            self.read_samples.append(self._carried(depsgraph))
        self.read_worlds.append([number for object in evaluated.values() for row in object.matrix_world for number in row])
        self.read_channels.append(self.channels.take(self.bones[:3].reshape(-1), axis=0))
        if not self.direct:
            self.read_matrices.append(self.plan.matrices[self.bones, :3, :3])

    def _look(self, depsgraph: bpy.types.Depsgraph, evaluated: dict[int, bpy.types.Object]) -> None:
        """Store the limbs' numbers and their bones' matrices, and what hands follow."""
        numbers: list[float] = []
        bones = {index: armature.pose.bones for index, armature in evaluated.items()}
        for limb in self.limbs:
            armature = evaluated[limb.armature]
            for source in (limb.target, limb.pole):
                numbers.extend(_ORIGIN if source is None else source_point(source, armature, self.plan, depsgraph))
            numbers.extend(settings_of(bones[limb.armature][limb.limb.lower]))
        self.read_numbers.append(numbers)
        self.read_bones.append(self.plan.matrices.take(self.bone_rows, axis=0))  # rows in one axis take half the time
        self.read_turns.append([self._turn(limb, evaluated[limb.armature], depsgraph) for _place, limb in self.turning])

    def _turn(self, limb: PlannedLimb, armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> tuple[Array, float]:
        """(columns (axis, 3) of what the hand of a limb follows, how much it does)."""
        return source_axes(limb.target, armature, self.plan, depsgraph), getattr(armature.pose.bones[limb.limb.lower], FOLLOW)

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
        channels = np.array(self.read_channels, dtype=float).reshape(len(visited), 3, len(self.rows), 4, 4)
        worlds = np.array(self.read_worlds, dtype=float).reshape(len(visited), len(self.armatures), 4, 4)
        of_armature = [self.armatures.index(self.plan.limbs[row].armature) for row in self.rows]
        target_columns, follow = np.broadcast_to(np.eye(3), (*shape, 3, 3)).copy(), np.zeros(shape)
        if self.turning:
            places = [self.sound[place] for place, _limb in self.turning]
            turns = self.read_turns or [list(zip(sample.turns.columns, sample.turns.follow)) for sample in self.read_samples]
            target_columns[:, places] = [[columns for columns, _follow in turn] for turn in turns]
            follow[:, places] = [[follow for _columns, follow in turn] for turn in turns]
        sample: dict[str, Any] = {name: self._column(values) for name, values in self._fields().items()}
        return Samples(
            frames=visited, sample=Sample(**sample),
            channels=np.moveaxis(channels[..., :3, :3].swapaxes(-1, -2), 1, 2), between=self._between(shape),
            target_columns=target_columns, follow=follow, to_world=worlds[:, of_armature],
            shares=np.array([shares(self.plan.limbs[row].limb) for row in self.rows], dtype=float),
            faults=tuple(self.plan.limbs[row].fault for row in self.rows))

    def _fields(self) -> dict[str, Array]:
        """The fields of all frames (F, S, ...), S limbs without a fault."""
        if self.read_samples:
            return {name: np.array([getattr(sample, name) for sample in self.read_samples]) for name in SAMPLED}
        count = len(self.read_numbers)
        shape = count, len(self.limbs)
        numbers = np.array(self.read_numbers, dtype=float).reshape(*shape, 6 + len(SETTINGS))
        upper, lower, parent = np.array(self.read_bones, dtype=float).reshape(count, 3, len(self.limbs), 4, 4).swapaxes(0, 1)
        lengths: Array = np.array([limb.limb.bones[1].bone.length for limb in self.limbs], dtype=float)
        has_pole = np.array([limb.pole is not None for limb in self.limbs], dtype=bool)
        return {"root": upper[..., 3, :3], "joint": lower[..., 3, :3], "upper_columns": upper[..., :3, :3],
                "lower_columns": lower[..., :3, :3], "parent_columns": parent[..., :3, :3],
                "length": np.broadcast_to(lengths, shape), "target": numbers[..., :3], "pole": numbers[..., 3:6],
                "has_pole": np.broadcast_to(has_pole, shape),
                **{name: numbers[..., 6 + index] for index, name in enumerate(SETTINGS)}}

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
                plan.armatures[limb.armature].carrier)
    return {row for carrier in carriers if carrier for row in carrier.limbs}


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
