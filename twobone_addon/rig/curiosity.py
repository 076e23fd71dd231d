# SPDX-License-Identifier: GPL-3.0-or-later
"""What an iterative solver would have to do for a limb that is solved in closed form here."""

from __future__ import annotations

from math import atan2, pi

from .. import solver

CLOSE_ENOUGH = 1e-3
"""Share of the limb's length that the tip may be off."""


def ccd_sweeps(upper: float, lower: float, distance: float, most: int) -> int | None:
    """How many sweeps of cyclic coordinate descent bring two bones from a right-angled joint to a target ahead.

    upper, lower: lengths of the bones, distance: the target's from the root, in one unit. What cannot be reached
    counts as reached at the nearest point. None where `most` sweeps do not do.
    """
    limb = upper + lower
    enough = max(0.0, distance - limb, abs(upper - lower) - distance) + CLOSE_ENOUGH * limb
    done = solver.solve_ccd((upper, lower), (-atan2(lower, upper), 0.5 * pi), (distance, 0.0), sweeps=most, tolerance=enough)
    return len(done.errors) - 1 if done.errors[-1] <= enough else None
