# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys: which frames of a baked limb may go without keys, if nothing is to move by more than a tolerance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .bake_chain import Chains, Posed, Values, posed

Array = NDArray[np.float64]


def kept(chain: Chains, frames: Array, values: Values, pose: Posed, tolerance: float) -> NDArray[np.intp]:
    """Places in `frames` (F,) of the keys that one limb needs, its first and last frame among them.

    pose: the one with keys on all frames. tolerance: in world units, for joint and tip, and for points one bone's
    length beside the bones, so that twist counts too. Both bones, and the hand, keep the same frames.
    """
    goal = _markers(chain, pose)
    keys = np.array(sorted({0, len(frames) - 1}), dtype=np.intp)
    while True:
        tried = posed(chain, [[between_keys(some, frames, frames, keys) for some in part] for part in values])
        moved = (chain.to_world[:, :1] @ (_markers(chain, tried) - goal)[..., None])[..., 0]
        error = np.linalg.norm(moved, axis=-1).max(-1)
        error[keys] = 0.0
        worst = [int(first + error[first:last].argmax()) for first, last in zip(keys[:-1], keys[1:])]
        added = [place for place in worst if error[place] > tolerance]
        if not added:
            return keys
        keys = np.union1d(keys, added)


def between_keys(values: Array, times: Array, frames: Array, keys: NDArray[np.intp]) -> Array:
    """Values (T, n) at `times` (T,) on straight lines between those of `values` (F, n) at the places `keys` of `frames`."""
    lines = [np.interp(times, frames[keys], numbers[keys]) for numbers in values.T]
    return np.stack(lines, axis=-1) if lines else np.zeros((len(times), 0))


def _markers(chain: Chains, pose: Posed) -> Array:
    """Points (F, M, 3) of one limb that show how its bones turn."""
    root, joint, end = chain.root[:, 0], pose.joint[:, 0], pose.end[:, 0]
    axes = pose.axes[:, 0] / np.linalg.norm(pose.axes[:, 0], axis=-2, keepdims=True)
    upper, lower = (np.linalg.norm(line, axis=-1, keepdims=True) for line in (joint - root, end - joint))
    points = [joint, end, root + upper * axes[:, 0, :, 0], joint + lower * axes[:, 1, :, 0]]
    hand = chain.bones[0][2]
    if hand is not None:
        points += [end + hand.length * axes[:, 2, :, column] for column in (0, 1)]
    return np.stack(points, axis=1)
