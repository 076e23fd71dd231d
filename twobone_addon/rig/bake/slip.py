# SPDX-License-Identifier: GPL-3.0-or-later
"""How far baked limbs slip from the live ones between their keys, where the keys are straight lines.

Half-way between two baked frames the slip is greatest. It is estimated there for all frames, from poses that are known
already, and measured where the estimate is worst: that costs a few evaluations more, not a second round.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..frames.components import applied, length
from .chain import Chains, Values, stance

Array = NDArray[np.float64]

SHARE = 25
"""One in so many frames may be evaluated once more."""


def halves(frames: Array) -> Array:
    """The times (F - 1,) half-way between the frames (F,)."""
    return 0.5 * (frames[:-1] + frames[1:])


def estimated(chain: Chains, frames: Array, values: Values, end: Array) -> Array:
    """Distances (F - 1, N) in world units of baked from live tips half-way between frames (F,), as far as can be told.

    values: of the channels at these times. end (3, F, N): live tips on the frames.
    """
    even = np.isclose(np.diff(frames)[1:], np.diff(frames)[:-1])
    return slips(chain.mapped(lambda numbers: _half_way(even, numbers)), values, _half_way(even, end))


def slips(chain: Chains, values: Values, end: Array) -> Array:
    """Distances (F, N) in world units of the tips that channels give from those at `end` (3, F, N)."""
    return apart(chain, stance(chain, values).end, end)


def apart(chain: Chains, one: Array, other: Array) -> Array:
    """Distances (F, N) in world units of points (3, F, N) of armature space."""
    return length(applied(chain.to_world, one - other))


def worst(slip: Array, count: int) -> list[int]:
    """Places in time, in order, at which some limb slips most; the worst ones where there are more than may be measured."""
    places = dict.fromkeys(slip.argmax(0)[np.argsort(-slip.max(0))].tolist())
    return sorted(list(places)[:max(1, count // SHARE)])


def _half_way(even: NDArray[np.bool_], values: Array) -> Array:
    """Values (..., F - 1, N) half-way between frames, of a cubic through the four around where these are evenly spaced.

    even (F - 2,): whether a frame has its neighbours at equal distances. A single frame stands for all.
    """
    if values.shape[-2] == 1:
        return values
    before, after = values[..., :-1, :], values[..., 1:, :]
    middle = 0.5 * (before + after)
    if even.size:
        bend = np.where(even[:, None], values[..., 2:, :] - 2.0 * values[..., 1:-1, :] + values[..., :-2, :], 0.0)
        middle[..., 1:, :] -= bend / 16.0
        middle[..., :-1, :] -= bend / 16.0
        middle[..., 0, :] -= bend[..., 0, :] / 16.0
        middle[..., -1, :] -= bend[..., -1, :] / 16.0
    return middle
