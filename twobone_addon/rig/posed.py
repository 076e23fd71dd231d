# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose that limbs show: FK and IK blended by influence, as Blender blends them. Arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .carry import blended
from .inherit import posed_axes
from .limb import Limb
from .samples import Samples

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Pose:
    """N limbs in F frames in armature space: bone axes (F, N, 3, 3), scale included, and points (F, N, 3).

    lower_parent (F, N, 3, 3): axes of the lower bone's parent.
    """

    upper: Array
    lower: Array
    lower_parent: Array
    root: Array
    joint: Array
    end: Array


def shown_pose(limbs: Sequence[Limb], samples: Samples, tip: Array, upper: Array, lower: Array) -> Pose:
    """The pose with which the solved rotations `upper` and `lower` (F, N, 3, 3) are shown.

    tip: (N, 3) in the lower bones' frames over their length. The samples must be usable throughout.
    """
    sample = samples.sample
    influence = sample.influence[..., None] * samples.shares
    upper_read, lower_read = sample.upper_columns.swapaxes(-1, -2), sample.lower_columns.swapaxes(-1, -2)
    to_joint = _solved(upper_read, sample.joint - sample.root)
    fk = upper_read
    partial = (influence < 1.0).any((0, 2))
    if partial.any():
        fk = fk.copy()
        for place in np.flatnonzero(partial):
            fk[:, place] = posed_axes(limbs[place].bones[0], sample.parent_columns[:, place].swapaxes(-1, -2),
                                      samples.upper_channels[:, place])
    new_upper = blended(upper, fk, influence[..., 0])
    joint = sample.root + _turned(new_upper, to_joint)
    lower_parent = new_upper @ samples.between
    fk = lower_read
    if partial.any():
        fk = fk.copy()
        for place in np.flatnonzero(partial):
            fk[:, place] = posed_axes(limbs[place].bones[1], lower_parent[:, place], samples.lower_channels[:, place])
    new_lower = blended(lower, fk, influence[..., 1])
    end = joint + _turned(new_lower, tip * sample.length[..., None])
    return Pose(new_upper, new_lower, lower_parent, sample.root, joint, end)


def _solved(axes: Array, vector: Array) -> Array:
    """`vector` (..., 3) in the coordinates of `axes` (..., 3, 3)."""
    return np.linalg.solve(axes, vector[..., None])[..., 0]


def _turned(axes: Array, vector: Array) -> Array:
    return (axes @ vector[..., None])[..., 0]
