# SPDX-License-Identifier: GPL-3.0-or-later
"""A prediction at many frames at once: what will be read of its limbs while it is played."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..engine.follow import Turns
from ..engine.problem import Constants
from ..engine.sample import FOLLOW, NUMBERS, SETTINGS, WIDTH, Reading
from .channels import Unpredictable, Values, within
from .limbs import ForeseenLimb, Level
from .many import Asked, Many, asked_of, bones_behind
from .nodes import BoneNode
from .places import ChildPlace, OwnBonePlace, Place, WorldPlace
from .prediction import Prediction
from .single import Poses, Single, basis_axes
from .worlds import Worlds

Array = NDArray[np.float64]


class Ahead:
    """The N limbs of a prediction, laid out for any number of frames at once.

    What can be told to the last digit is: the same frame has the same pose, however it was come by.
    Raises Unpredictable where limbs are not as they were bound, or nothing moves at all, or where one that carries others
    has partial influence throughout.
    """

    def __init__(self, prediction: Prediction) -> None:
        if not prediction.as_bound:
            raise Unpredictable
        limbs = [limb for level in prediction.levels for limb in level.limbs]
        for place, _followers, _lengths in prediction.carriers:
            for share in (limbs[place].settings["influence"], limbs[place].hand):
                if share is not None and (not share.curves and share.constants[0] not in (0.0, 1.0)):
                    raise Unpredictable
        self.prediction = prediction
        self.asked = Asked(values for limb in limbs for values in _asked(limb))
        if not self.asked.rows:
            raise Unpredictable
        self.levels = [LevelAhead(level, self.asked, index > 0 or _constrained(level))
                       for index, level in enumerate(prediction.levels)]
        self.tiled: dict[int, Constants] = {}

    def constants(self, count: int) -> Constants:
        """The limbs' constants, as often as there are frames."""
        if len(self.levels) == 1:
            return self.levels[0].constants(count)
        return _tiled(self.tiled, self.prediction.constants, len(self.prediction.rows), count)

    def at(self, frames: Array) -> Worlds:
        """All that moves the limbs at the frames (F,); raises Unpredictable."""
        return Worlds(Many(frames, self.asked))


class LevelAhead:
    """The same of the limbs of one level; hangs: whether on others or by constraints, so that bones are asked one by one.

    Raises Unpredictable where a moving bone does not inherit all of its parent's transform.
    """

    def __init__(self, level: Level, asked: Asked, hangs: bool) -> None:
        if any(not bone.plain and not bone.is_constant for limb in level.limbs
               for part in (limb.target, limb.pole, limb.frame, limb.bones.upper.parent if hangs else None)
               for bone in bones_behind(part)) or (hangs and not all(limb.bones.upper.plain for limb in level.limbs)):
            raise Unpredictable
        self.level, self.hangs = level, hangs
        self.direct = [asked.rows[id(animation), place] for animation, places in level.direct.items() for place in places]
        self.chained = [(row, limb) for row, limb in enumerate(level.limbs) if limb.frame is not None]
        own = [place.bone for limb in level.limbs for place in (limb.target, limb.pole) if isinstance(place, OwnBonePlace)]
        self.poses = None if hangs else Poses(
            (*own, *(parent for _row, parent in level.parents)), [bones.upper for bones in level.roots], asked)
        self.tiled: dict[int, Constants] = {}

    def constants(self, count: int) -> Constants:
        """The limbs' constants, as often as there are frames."""
        return _tiled(self.tiled, self.level.constants, len(self.level.rows), count)

    def readings(self, worlds: Worlds) -> Reading:
        """What will be read at the frames (F,) of `worlds`, as (F * n) rows, one frame after the other; raises Unpredictable."""
        level, many, count = self.level, worlds.many, len(worlds.many.frames)
        told = _Told(worlds, self.poses)
        numbers = np.broadcast_to(level.numbers, (count, *level.numbers.shape)).copy()
        numbers.reshape(count, -1)[:, level.cells] = many.curves[self.direct].T
        for row, part, place in level.places:
            numbers[:, row, part] = told.point(place).T
        if self.hangs:
            for row, limb in enumerate(level.limbs):
                numbers[:, row, :3] = worlds.head(limb).T
        else:
            if level.carried:
                numbers[:, level.carried, :3] = self.poses.heads_at(told.poses, many.curves).T
            for row, limb in self.chained:
                numbers[:, row, :3] = worlds.carried(limb, numbers[:, row, :3].T.astype(np.float32)).T
        for name, setting in SETTINGS.items():
            numbers[..., NUMBERS[name]] = within(setting, numbers[..., NUMBERS[name]])
        columns = np.broadcast_to(level.columns, (count, *level.columns.shape)).copy()
        for row, parent in level.parents:
            columns[:, row, 2] = told.bone(parent)[:3].transpose(2, 0, 1)
        numbers = numbers.reshape(-1, WIDTH)
        return Reading(numbers, columns.reshape(-1, 3, 3, 3), numbers[:, :3] + np.tile(level.ways, (count, 1)),
                       np.tile(level.has_pole, count), self._turns(told, count))

    def _turns(self, told: _Told, count: int) -> Turns | None:
        hands, limbs = self.level.hands, self.level.limbs
        if not hands:
            return None
        columns, follow = np.empty((count, len(hands), 3, 3)), np.empty((count, len(hands)))
        for index, limb in enumerate(limbs[place] for place in hands):
            columns[:, index] = told.axes(limb.target)
            follow[:, index] = within(FOLLOW, told.worlds.many.values(limb.hand)[0])
        places = tuple(len(limbs) * frame + place for frame in range(count) for place in hands)
        return Turns(places, columns.reshape(-1, 3, 3), follow.reshape(-1))


class _Told:
    """Targets, poles and bones; poses: of the bones that are laid out level by level, None where none are."""

    def __init__(self, worlds: Worlds, laid_out: Poses | None) -> None:
        self.worlds, self.laid_out = worlds, laid_out
        self.poses = None if laid_out is None else laid_out.at(worlds.many.curves)

    def bone(self, bone: BoneNode) -> Single:
        """Pose matrix."""
        return self.worlds.bone(bone) if self.laid_out is None else self.poses[:, :, self.laid_out.row_of[id(bone)]]

    def point(self, place: Place) -> Array:
        """Where (3, F or 1) a target or pole is."""
        if isinstance(place, OwnBonePlace):
            return self.bone(place.bone)[3].astype(float)
        return self.worlds.place(place)[1] if isinstance(place, WorldPlace) else self.worlds.many.at(place)

    def axes(self, place: Place) -> Array:
        """The axes (F or 1, axis, 3) of a target."""
        if isinstance(place, OwnBonePlace):
            return self.bone(place.bone)[:3].transpose(2, 0, 1).astype(float)
        if isinstance(place, ChildPlace) and place.basis.delta is None:
            return basis_axes(place.basis, self.worlds.many).transpose(2, 0, 1) @ place.inverse[:3, :3].T
        if isinstance(place, WorldPlace):
            return self.worlds.place(place)[0].transpose(2, 0, 1)
        return self.worlds.many.place(place)[0].T


def _constrained(level: Level) -> bool:
    """Whether constraints carry a bone on which a limb of the level hangs."""
    return any(bone.follows for limb in level.limbs for part in (limb.target, limb.pole, limb.bones.upper.parent)
               if not isinstance(part, WorldPlace) for bone in bones_behind(part))


def _tiled(known: dict[int, Constants], constants: Constants, limbs: int, count: int) -> Constants:
    if count not in known:
        known[count] = constants.take(np.tile(np.arange(limbs), count))
    return known[count]


def _asked(limb: ForeseenLimb) -> Iterator[Values]:
    yield from limb.settings.values()
    if isinstance(limb.target, ChildPlace) and limb.target.is_direct and limb.hand is None:
        yield limb.target.basis.location
    else:
        yield from asked_of(limb.target)
    yield from asked_of(limb.pole)
    yield from asked_of(limb.hand)
    yield from asked_of(limb.frame)
    if limb.bones.head is None or not limb.bones.is_still or limb.frame is not None:
        yield limb.bones.upper.basis.location
        yield from asked_of(limb.bones.upper.parent)
