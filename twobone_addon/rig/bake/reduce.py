# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys: which frames of a baked limb may go without keys, if nothing is to move by more than a tolerance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..frames.components import applied, length
from .chain import Chains, Stance, Values, stance

Array = NDArray[np.float64]
Keys = NDArray[np.intp]


def kept(chain: Chains, frames: Array, values: Values, goal: Stance, tolerance: float) -> Keys:
    """Places in `frames` (F,) of the keys that the one limb of `chain` needs, its first and last frame among them.

    values and goal: with keys on all frames. tolerance: in world units, for joint and tip, and for points one bone's
    length beside the bones, so that twist counts too. Both bones, and the hand, keep the same frames.
    """
    wanted = _markers(chain, goal)
    keys = np.unique([0, len(frames) - 1])
    while True:
        tried = _markers(chain, stance(chain, on_lines(values, frames, [keys], frames)))
        error = np.max([length(applied(chain.to_world, one - other)) for one, other in zip(tried, wanted)], axis=0)[:, 0]
        error[keys] = 0.0
        worst = [int(start + error[start:end].argmax()) for start, end in zip(keys[:-1], keys[1:])]
        added = [place for place in worst if error[place] > tolerance]
        if not added:
            return keys
        keys = np.union1d(keys, added)


def on_lines(values: Values, frames: Array, keys: Sequence[Keys], times: Array) -> Values:
    """The values at `times` (T,) on straight lines between those at the places `keys` of `frames`, per limb."""
    return [[replace(block, values=np.stack([_on_lines(block.values[..., row], frames, keys[place], times)
                                             for row, place in enumerate(block.places)], axis=-1))
             for block in part] for part in values]


def _on_lines(values: Array, frames: Array, keys: Keys, times: Array) -> Array:
    return np.stack([np.interp(times, frames[keys], numbers[keys]) for numbers in values])


def _markers(chain: Chains, found: Stance) -> list[Array]:
    """Points (3, F, 1) of one limb that show how its bones turn."""
    upper, lower = length(found.joint - chain.root), length(found.end - found.joint)
    points = [found.joint, found.end, chain.root + upper * _side(found.axes[0], 0), found.joint + lower * _side(found.axes[1], 0)]
    if len(chain.parts) > 2:
        hand = chain.parts[2].bones[0].length
        points += [found.end + hand * _side(found.axes[2], column) for column in (0, 1)]
    return points


def _side(axes: Array, column: int) -> Array:
    return axes[:, column] / length(axes[:, column])
