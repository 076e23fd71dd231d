# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs that can be predicted, laid out: nodes in, the sample of a frame out.

The fields are the sample's own, so that from here on a predicted frame is worked out by the code of an evaluated one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ..binding import bone_axes
from ..engine.carry import unsheared_scale
from ..engine.follow import Turns
from ..engine.plan import Plan, PlannedLimb
from ..engine.problem import is_as_bound
from ..engine.sample import FOLLOW, NUMBERS, POINTS, SETTINGS, WIDTH, Reading
from .channels import Animation, Pass, Unpredictable, Values, within
from .nodes import BoneNode, Nodes, ObjectNode
from .places import ChildPlace, Place, place_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Bones:
    """The bones of a limb as FK has them; what the solver needs of them is the same in every pose.

    head: the root in the frame of the upper bone's parent where no curve moves it there, else None.
    shape: the two bones' columns (2, axis, 3) and the way from root to joint (3,) in one pose where no curve changes
    them relative to each other, else None.
    """

    upper: BoneNode
    lower: BoneNode
    head: Matrix | None
    shape: tuple[Array, Array] | None
    length: float

    @property
    def is_still(self) -> bool:
        """Whether no animated bone carries the limb."""
        return self.upper.parent is None or self.upper.parent.is_constant

    def root(self, now: Pass) -> Sequence[float]:
        """The root's place, 3 numbers."""
        if self.head is None:
            return self.upper.at(now).translation[:]
        return self.head[:] if self.upper.parent is None else (self.upper.parent.at(now) @ self.head)[:]

    def posed(self, now: Pass) -> tuple[Array, Array]:
        """Both bones' columns (2, axis, 3) and the way from root to joint (3,), all of one pose.

        Shear is left out, as the delivery constraints do.
        """
        if self.shape is not None:
            return self.shape
        upper: Array = np.array(self.upper.at(now), dtype=float)
        lower: Array = np.array(self.lower.at(now), dtype=float)
        turned = upper.copy()
        with np.errstate(all='ignore'):
            turned[:3, :3] = bone_axes(upper) * unsheared_scale(upper[:3, :3])
            if np.isfinite(turned).all():
                with suppress(np.linalg.LinAlgError):  # scaled flat: it rests
                    lower = turned @ np.linalg.solve(upper, lower)
                    lower[:3, :3] = bone_axes(lower) * unsheared_scale(lower[:3, :3])
        return np.stack((turned[:3, :3].T, lower[:3, :3].T)), lower[:3, 3] - turned[:3, 3]


@dataclass(frozen=True)
class ForeseenLimb:
    """What a limb reads, as nodes. hand: how far its hand follows the target, None where it has none. frame: its armature
    where it hangs on limbs or carries some, and can be told, else None."""

    bones: Bones
    target: Place
    pole: Place | None
    settings: dict[str, Values]
    hand: Values | None
    frame: ObjectNode | None


class Level:
    """Limbs of a plan that do not hang on each other, laid out for reading them at any frame.

    Numbers that stay are written down once; `direct` are the curves whose values are numbers as they are, by whose they
    are, and `cells` where these go; the rest is asked of its nodes. rows: the limbs' rows in the plan.
    as_bound: whether all limbs are as they were bound, at every frame.
    """

    def __init__(self, plan: Plan, found: Mapping[int, ForeseenLimb]) -> None:
        """found: the limbs by their rows in the plan."""
        self.rows = list(found)
        self.limbs = tuple(found.values())
        self.numbers = np.zeros((len(found), WIDTH))
        self.has_pole = np.array([limb.pole is not None for limb in self.limbs], dtype=bool)
        self.columns = np.zeros((len(found), 3, 3, 3))
        self.ways = np.zeros((len(found), 3))
        self.direct: dict[Animation, list[int]] = {}
        cells: dict[Animation, list[int]] = {}
        self.places: list[tuple[int, slice, Place]] = []
        self.roots: list[Bones] = []
        self.carried: list[int] = []
        self.shapes: list[tuple[int, Bones]] = []
        self.parents: list[tuple[int, BoneNode]] = []
        self.hands = tuple(row for row, limb in enumerate(self.limbs) if limb.hand is not None)
        for row, limb in enumerate(self.limbs):
            self._lay_out(row, limb, cells)
        self.animated = [name for name in SETTINGS if any(limb.settings[name].curves for limb in self.limbs)]
        self.cells = [cell for animation in self.direct for cell in cells[animation]]
        self.constants = plan.constants if len(found) == len(plan.limbs) else plan.constants.take(
            np.array(self.rows, dtype=np.intp))
        still = Reading(self.numbers, self.columns, self.numbers[:, :3] + self.ways, self.has_pole, None)
        self.as_bound = not self.shapes and is_as_bound(still.sample(), self.constants)

    def reading(self, now: Pass) -> Reading:
        """What will be read of the limbs at the frame of `now`, in the order of `rows`; of their bones, the pose is FK's.

        Raises Unpredictable, ReferenceError or KeyError where this is out of date.
        """
        numbers, columns, ways = self.numbers.copy(), self.columns, self.ways
        found = []
        for animation, indices in self.direct.items():
            curves = animation.curves(now)
            found += [curves[index].evaluate(now.frame) for index in indices]
        numbers.flat[self.cells] = found
        for name in self.animated:
            numbers[:, NUMBERS[name]] = within(SETTINGS[name], numbers[:, NUMBERS[name]])
        for row, part, place in self.places:
            numbers[row, part] = place.at(now)
        if self.roots:
            numbers[self.carried, :3] = [bones.root(now) for bones in self.roots]
        if self.shapes or self.parents:
            columns, ways = columns.copy(), ways.copy()
        for row, bones in self.shapes:
            columns[row, :2], ways[row] = bones.posed(now)
        for row, parent in self.parents:
            columns[row, 2] = np.array(parent.at(now), dtype=float)[:3, :3].T
        return Reading(numbers, columns, numbers[:, :3] + ways, self.has_pole, self._turns(now))

    def _lay_out(self, row: int, limb: ForeseenLimb, cells: dict[Animation, list[int]]) -> None:
        bones, parent, still = limb.bones, limb.bones.upper.parent, Pass(0.0)
        self.numbers[row, NUMBERS["length"]] = bones.length
        for name, setting in limb.settings.items():
            self._values(cells, row, NUMBERS[name], setting)
        for part, place in ((POINTS["target"], limb.target), (POINTS["pole"], limb.pole)):
            if isinstance(place, ChildPlace) and place.is_direct:
                self._values(cells, row, part.start, place.basis.location)
            elif place is not None:
                self.places.append((row, part, place))
        if bones.head is None or not bones.is_still:
            self.roots.append(bones)
            self.carried.append(row)
        else:
            self.numbers[row, :3] = bones.root(still)
        self.columns[row, 2] = np.eye(3)
        if bones.shape is not None:
            self.columns[row, :2], self.ways[row] = bones.shape
        else:
            self.shapes.append((row, bones))
        if limb.pole is None and parent is not None:
            self.parents.append((row, parent))

    def _values(self, cells: dict[Animation, list[int]], row: int, column: int, values: Values) -> None:
        self.numbers[row, column:column + len(values.constants)] = values.constants
        for index, curve in values.curves:
            self.direct.setdefault(values.animation, []).append(curve)
            cells.setdefault(values.animation, []).append(row * WIDTH + column + index)

    def _turns(self, now: Pass) -> Turns | None:
        if not self.hands:
            return None
        limbs = [self.limbs[row] for row in self.hands]
        return Turns(self.hands, np.array([limb.target.axes(now) for limb in limbs]),
                     within(FOLLOW, np.array([limb.hand.at(now)[0] for limb in limbs])))


def foresee_limb(nodes: Nodes, planned: PlannedLimb, chained: bool) -> ForeseenLimb:
    """What one limb reads, as nodes; raises Unpredictable. chained: whether it hangs on limbs or carries some."""
    limb = planned.limb
    armature = limb.armature
    lower = armature.pose.bones[limb.lower]
    animation = nodes.animation(armature)
    prefix = f'pose.bones["{bpy.utils.escape_identifier(limb.lower)}"].'
    settings = {field: animation.values(prefix + name, (getattr(lower, name),)) for field, name in SETTINGS.items()}
    hand = animation.values(prefix + FOLLOW, (getattr(lower, FOLLOW),)) if planned.hand is not None else None
    return ForeseenLimb(_bones(nodes, planned), place_of(nodes, planned.target, armature),
                        place_of(nodes, planned.pole, armature) if planned.pole is not None else None, settings, hand,
                        nodes.frame(armature) if chained else None)


def _bones(nodes: Nodes, planned: PlannedLimb) -> Bones:
    armature = planned.limb.armature
    upper, lower = planned.limb.bones
    chain = [lower]
    while chain[-1] != upper:
        if chain[-1].parent is None:  # bones have exchanged their names
            raise Unpredictable
        chain.append(chain[-1].parent)
    node = nodes.bone(armature, upper.parent.name) if upper.parent else None
    made = []
    for bone in reversed(chain):
        node = nodes.fk_bone(armature, bone.name, node)
        made.append(node)
    top, bottom = made[0], made[-1]
    still = Pass(0.0)
    head = None
    if top.plain and not top.basis.location.curves:
        head = (top.to_parent @ Matrix.Translation(top.basis.location.constants)).translation
    rigid = bottom.keeps_size and not any(bone.basis.location.curves or (
        bone is not top and bone is not bottom and not bone.basis.is_constant) for bone in made[1:])
    bones = Bones(top, bottom, head, None, lower.bone.length)
    return Bones(top, bottom, head, bones.posed(still), lower.bone.length) if rigid else bones
