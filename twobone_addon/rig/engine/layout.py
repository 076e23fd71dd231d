# SPDX-License-Identifier: GPL-3.0-or-later
"""Some limbs of a plan, laid out once for reading them again and again."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .children import Children, Entry
from .place import IDENTITY

if TYPE_CHECKING:
    from .plan import Plan, PlannedLimb


class Layout:
    """The limbs `rows` of a plan.

    members: armatures by their place in the plan, in the limbs' order, each with the lower bones there. armatures: the same
    without repeating. bone_rows (3 N,): for each limb in turn the rows of its upper bone, its lower bone and the upper bone's
    parent. bones: of the targets and poles that are bones of the limb's own armature, the cells (M, 3) and the rows (M,).
    children, others: all other targets and poles. constants: the limbs'. hands: the places of limbs with a hand that follows.

    A cell is the place of a number, of `width` for each limb; a target's three begin at 3, a pole's at 6.
    """

    def __init__(self, plan: Plan, rows: Sequence[int], width: int) -> None:
        limbs = [plan.limbs[row] for row in rows]
        self.members = [(armature, [limb.limb.lower for limb in own])
                        for armature, own in groupby(limbs, lambda limb: limb.armature)]
        self.armatures = list(dict.fromkeys(armature for armature, _lowers in self.members))
        self.bone_rows: NDArray[np.intp] = plan.bone_rows[:, rows].T.reshape(-1)
        entries = _entries(limbs, width)
        own = [(cell, source.row) for cell, _armature, source in entries if source.row >= 0]
        self.bones = (np.array([range(cell, cell + 3) for cell, _row in own], dtype=np.intp).reshape(-1, 3),
                      np.array([row for _cell, row in own], dtype=np.intp)) if own else None
        self.children = Children([entry for entry in entries if entry[2].row < 0 and entry[2].inverse is IDENTITY])
        self.others = [entry for entry in entries if entry[2].row < 0 and entry[2].inverse is not IDENTITY]
        self.constants = plan.constants if len(rows) == len(plan.limbs) else plan.constants.take(np.array(rows, dtype=np.intp))
        self.has_pole = np.array([limb.pole is not None for limb in limbs], dtype=bool)
        self.hands = tuple(place for place, limb in enumerate(limbs) if limb.hand is not None)


def _entries(limbs: Sequence[PlannedLimb], width: int) -> list[Entry]:
    return [(place * width + first, limb.armature, source) for place, limb in enumerate(limbs)
            for first, source in ((3, limb.target), (6, limb.pole)) if source is not None]
