# SPDX-License-Identifier: GPL-3.0-or-later
"""How far baked limbs slip from the live ones between their keys, where the keys are straight lines.

Half-way between two baked frames the slip is greatest. It is estimated there for all frames, from poses that are known
already, and measured where the estimate is worst: that costs a few evaluations more, not a second round.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bake_chain import Chains, Values, posed

Array = NDArray[np.float64]

SHARE = 25
"""One in so many frames may be evaluated once more."""


def halves(frames: Array) -> Array:
    """The times (F - 1,) half-way between the frames (F,)."""
    return 0.5 * (frames[:-1] + frames[1:])


def estimated(chain: Chains, frames: Array, values: Values, end: Array) -> Array:
    """Distances (F - 1, N) in world units of baked from live tips half-way between frames (F,), as far as can be told.

    values: of the channels at these times. end (F, N, 3): live tips on the frames.
    """
    arrays: dict[str, Any] = {field.name: _half_way(frames, getattr(chain, field.name)) for field in fields(Chains)
                              if field.name != "bones"}
    return slips(replace(chain, **arrays), values, _half_way(frames, end))


def slips(chain: Chains, values: Values, end: Array) -> Array:
    """Distances (F, N) in world units of the tips that channels give from those at `end` (F, N, 3)."""
    return apart(chain, posed(chain, values).end, end)


def apart(chain: Chains, first: Array, second: Array) -> Array:
    """Distances (F, N) in world units of points (F, N, 3) of armature space; 0 where one of them is NaN."""
    return np.nan_to_num(np.linalg.norm((chain.to_world @ (first - second)[..., None])[..., 0], axis=-1))


def worst(slip: Array, count: int) -> list[int]:
    """Places in time, in order, at which some limb slips most; the worst ones where there are more than may be measured."""
    places = dict.fromkeys(slip.argmax(0)[np.argsort(-slip.max(0))].tolist())
    return sorted(list(places)[:max(1, count // SHARE)])


def _half_way(frames: Array, values: Array) -> Array:
    """Values (F - 1, ...) half-way between frames, of a cubic through the four around where these are evenly spaced."""
    mean = 0.5 * (values[:-1] + values[1:])
    if len(values) > 2:
        step = np.diff(frames)
        even = np.isclose(step[1:], step[:-1]).reshape(-1, *(1,) * (values.ndim - 1))
        bend = np.where(even, values[2:] - 2.0 * values[1:-1] + values[:-2], 0.0)
        mean = mean - (np.concatenate((bend[:1], bend)) + np.concatenate((bend, bend[-1:]))) / 16.0
    return mean
