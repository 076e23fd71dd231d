# SPDX-License-Identifier: GPL-3.0-or-later
"""What `solve` returns."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class State(IntEnum):
    """How a target stands to the limb's reach. SOFTENED is inside the limits, a little short of the target."""

    REACHED = 0
    TOO_FAR = 1
    TOO_CLOSE = 2
    SOFTENED = 3


@dataclass(frozen=True)
class Solution:
    """The solved limbs, arrays over the leading axes of the inputs; lengths in the unit of the inputs.

    joint, end (..., 3). reach is |end - root|, distance |target - root|, gap |target - end|. state holds `State`
    values; reachable is False past either limit. upper_frame, lower_frame (..., 3, 3): columns along the bone, towards
    the bend, bend normal (right-handed), or None where they were not asked for.
    """

    joint: Array
    end: Array
    reach: Array
    distance: Array
    gap: Array
    state: NDArray[np.int8]
    reachable: NDArray[np.bool_]
    upper_frame: Array | None
    lower_frame: Array | None
