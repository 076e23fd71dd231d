# SPDX-License-Identifier: GPL-3.0-or-later
"""Two-bone IK in space: `solve`, for one limb or for any number at once."""

from __future__ import annotations

from numpy.typing import ArrayLike

from .batch import solve_many
from .inputs import Inputs
from .single import solve_few
from .solution import Solution

FEW = 40
"""Up to so many limbs are solved one by one: numpy's call overhead costs more than the arithmetic."""


def solve(root: ArrayLike, target: ArrayLike, pole: ArrayLike | None, upper: ArrayLike, lower: ArrayLike, *,
          pole_angle: ArrayLike = 0.0, softness: ArrayLike = 0.0, fallback: ArrayLike | None = None,
          frames: bool = True, bend_min: ArrayLike | None = None, bend_max: ArrayLike | None = None) -> Solution:
    """Place joint and end of two bones that reach from `root` for `target` and bend towards `pole`.

    root, target, pole, fallback: (..., 3); upper, lower, pole_angle, softness, bend_min, bend_max: (...). They
    broadcast over leading axes. Lengths in any one unit, angles in radians. pole may be None; fallback is the bend
    direction used where the pole is missing or within 1e-12 rad of the root-target line, after it the axis least
    aligned with the line. pole_angle turns the bend right-handed about root -> target. softness, in [0, 1), is the
    share of the reach over which the limb is slowed down before it is straight, likewise before it is folded.
    bend_min, bend_max: least and greatest flexion of the joint, 0 straight, pi folded; they narrow the reach.

    Out of reach the distance is clamped and the direction kept. A target at the root is reached along +X. One bone of
    length zero is a one-bone chain. Raises ValueError naming the argument and the first bad index for shapes that do
    not fit, anything not finite, negative lengths and two zero lengths.
    """
    inputs = Inputs({"root": root, "target": target, "pole": pole, "upper": upper, "lower": lower,
                     "pole_angle": pole_angle, "softness": softness, "fallback": fallback,
                     "bend_min": bend_min, "bend_max": bend_max})
    return solve_few(inputs, frames) if inputs.count <= FEW else solve_many(inputs, frames)
