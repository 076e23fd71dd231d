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
from .limbs import ForeseenLimb, Prediction
from .many import Asked, Many, asked_of
from .nodes import BoneNode
from .places import ChildPlace, OwnBonePlace, Place
from .single import Poses, Single, basis_axes

Array = NDArray[np.float64]


class Ahead:
    """The N limbs of a prediction, laid out for any number of frames at once.

    What can be told to the last digit is: the same frame has the same pose, however it was come by.
    Raises Unpredictable where limbs are not as they were bound, or nothing moves at all.
    """

    def __init__(self, prediction: Prediction) -> None:
        if not prediction.as_bound:
            raise Unpredictable
        self.prediction = prediction
        self.asked = Asked(values for limb in prediction.limbs for values in _asked(limb))
        if not self.asked.rows:
            raise Unpredictable
        self.direct = [self.asked.rows[id(animation), place] for animation, places in prediction.direct.items()
                       for place in places]
        own = [place.bone for limb in prediction.limbs for place in (limb.target, limb.pole) if isinstance(place, OwnBonePlace)]
        self.poses = Poses((*own, *(parent for _row, parent in prediction.parents)), [bones.upper for bones in prediction.roots],
                           self.asked)
        self.tiled: dict[int, Constants] = {}

    def constants(self, count: int) -> Constants:
        """The limbs' constants, as often as there are frames."""
        if count not in self.tiled:
            self.tiled[count] = self.prediction.constants.take(np.tile(np.arange(len(self.prediction.rows)), count))
        return self.tiled[count]

    def readings(self, frames: Array) -> Reading:
        """What will be read at the frames (F,), as (F * N) rows, one frame after the other; raises Unpredictable."""
        prediction, count = self.prediction, len(frames)
        many = Many(frames, self.asked)
        poses = self.poses.at(many.curves)
        numbers = np.broadcast_to(prediction.numbers, (count, *prediction.numbers.shape)).copy()
        numbers.reshape(count, -1)[:, prediction.cells] = many.curves[self.direct].T
        for row, part, place in prediction.places:
            numbers[:, row, part] = (self._own(poses, place.bone)[3] if isinstance(place, OwnBonePlace) else many.at(place)).T
        if prediction.carried:
            numbers[:, prediction.carried, :3] = self.poses.heads_at(poses, many.curves).T
        for name, setting in SETTINGS.items():
            numbers[..., NUMBERS[name]] = within(setting, numbers[..., NUMBERS[name]])
        columns = np.broadcast_to(prediction.columns, (count, *prediction.columns.shape)).copy()
        for row, parent in prediction.parents:
            columns[:, row, 2] = self._own(poses, parent)[:3].transpose(2, 0, 1)
        numbers = numbers.reshape(-1, WIDTH)
        return Reading(numbers, columns.reshape(-1, 3, 3, 3), numbers[:, :3] + np.tile(prediction.ways, (count, 1)),
                       np.tile(prediction.has_pole, count), self._turns(many, poses, count))

    def _own(self, poses: Single, bone: BoneNode) -> Single:
        return poses[:, :, self.poses.row_of[id(bone)]]

    def _turns(self, many: Many, poses: Single, count: int) -> Turns | None:
        hands, limbs = self.prediction.hands, self.prediction.limbs
        if not hands:
            return None
        columns, follow = np.empty((count, len(hands), 3, 3)), np.empty((count, len(hands)))
        for index, limb in enumerate(limbs[place] for place in hands):
            columns[:, index] = self._axes(limb.target, many, poses)
            follow[:, index] = within(FOLLOW, many.values(limb.hand)[0])
        places = tuple(len(limbs) * frame + place for frame in range(count) for place in hands)
        return Turns(places, columns.reshape(-1, 3, 3), follow.reshape(-1))

    def _axes(self, place: Place, many: Many, poses: Single) -> Array:
        """The axes (F or 1, axis, 3) of a target."""
        if isinstance(place, OwnBonePlace):
            return self._own(poses, place.bone)[:3].transpose(2, 0, 1).astype(float)
        if isinstance(place, ChildPlace) and place.basis.delta is None:
            return basis_axes(place.basis, many).transpose(2, 0, 1) @ place.inverse[:3, :3].T
        return many.place(place)[0].T


def _asked(limb: ForeseenLimb) -> Iterator[Values]:
    yield from limb.settings.values()
    if isinstance(limb.target, ChildPlace) and limb.target.is_direct and limb.hand is None:
        yield limb.target.basis.location
    else:
        yield from asked_of(limb.target)
    yield from asked_of(limb.pole)
    yield from asked_of(limb.hand)
    if limb.bones.head is None or not limb.bones.is_still:
        yield limb.bones.upper.basis.location
        yield from asked_of(limb.bones.upper.parent)
