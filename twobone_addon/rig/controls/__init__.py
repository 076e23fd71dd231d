# SPDX-License-Identifier: GPL-3.0-or-later
"""The controls that are made for a limb where the user brings no target or pole, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ... import solver
from ..binding import Posed, bend_of, off_line
from ..properties import POLE_CREATED, TARGET_CREATED

Array = NDArray[np.float64]

TARGET, POLE = "target", "pole"
"""What a control is for; part of its name."""

CREATED = {TARGET: TARGET_CREATED, POLE: POLE_CREATED}
"""Bits of `twobone_created`."""

SIZE = {TARGET: 0.12, POLE: 0.06}
"""Display sizes as shares of the limb's length: half of what is seen."""


@dataclass(frozen=True)
class Wanted:
    """A control to be made. pose, rest: (4, 4) in armature space, where it stands now and where in the rest pose.

    size: half of what is seen of it; limb: the limb's length, which errors are measured by; both in armature units.
    """

    role: str
    pose: Array
    rest: Array
    size: float
    limb: float


def wanted_target(posed: Posed, rest: Posed, softness: float, hand: Array, rest_hand: Array) -> Wanted:
    """A target at the tip, or with softness where the softened limb comes to it, turned like the hand bone.

    hand, rest_hand: matrices (4, 4) of the hand bone in armature space.
    """
    return Wanted(TARGET, _frame(_soft_place(posed, softness), _unscaled(hand)),
                  _frame(_soft_place(rest, softness), _unscaled(rest_hand)), SIZE[TARGET] * posed.length, posed.length)


def _soft_place(posed: Posed, softness: float) -> Array:
    line = posed.tip - posed.root
    distance = float(np.linalg.norm(line))
    if not softness or not distance:
        return posed.tip
    upper, lower = float(np.linalg.norm(posed.joint - posed.root)), float(np.linalg.norm(posed.tip - posed.joint))
    return posed.root + line * (float(solver.unsoften(distance, upper, lower, softness)) / distance)


def wanted_pole(posed: Posed, rest: Posed) -> Wanted:
    """A pole one limb's length in front of the joint, where the limb bends already, turned like the armature.

    In the rest pose it stands where the upper bone carries the bend, so that a limb whose controls are cleared is not
    turned about its own axis, even where it is straight there.
    """
    forward, bend, _height = bend_of(posed)
    rest_forward, rest_bend, _height = bend_of(rest)
    normal = rest.upper_axes @ posed.upper_axes.T @ np.cross(forward, bend)
    carried = off_line(np.cross(normal, rest_forward), rest_forward)
    size = np.linalg.norm(carried)
    return Wanted(POLE, _frame(posed.joint + bend * posed.length, np.eye(3)),
                  _frame(rest.joint + (carried / size if size > 0.1 else rest_bend) * rest.length, np.eye(3)),
                  SIZE[POLE] * posed.length, posed.length)


def _unscaled(matrix: Array) -> Array:
    return matrix[:3, :3] / np.linalg.norm(matrix[:3, :3], axis=0)


def _frame(place: Array, axes: Array) -> Array:
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = axes, place
    return frame
