# SPDX-License-Identifier: GPL-3.0-or-later
"""A walk on the spot, as functions of time: where feet and hands go and how the torso moves.

Metres and radians, in the space of the human metarig, which looks along -Y with its left side on +X. `phase` counts
cycles of two steps; the left heel strikes at 0, the right one half a cycle later.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, radians, sin

from mathutils import Matrix, Vector

STANCE = 0.6
"""Share of a cycle that a foot is on the floor."""

STRIDE = 1.1
"""How far the floor moves back in a cycle."""

STRIKE, PUSH = radians(16.0), radians(-32.0)
"""How far the toes are raised when the heel strikes, and the heel when the toes leave the floor."""

FLAT, RISING = 0.1, 0.38
"""Phases between which the whole sole is on the floor."""

LIFT = 0.05


@dataclass(frozen=True)
class Foot:
    """Where the ankle is, and where heel and ball touch the floor, while standing."""

    ankle: Vector
    heel: Vector
    ball: Vector


def ankle(foot: Foot, phase: float) -> tuple[Vector, float]:
    """(place of the ankle, pitch of the foot about X, positive with the toes up) at a phase of the foot's own cycle."""
    phase %= 1.0
    if phase <= STANCE:
        return _standing(foot, phase)
    share = (phase - STANCE) / (1.0 - STANCE)
    (leave, push), (land, strike) = _standing(foot, STANCE), _standing(foot, 0.0)
    span = 1.0 - STANCE
    before = (leave - _standing(foot, STANCE - 0.001)[0]) * (span / 0.001)
    after = (_standing(foot, 0.001)[0] - land) * (span / 0.001)
    place = _hermite(leave, before, land, after, share) + Vector((0.0, 0.0, LIFT * sin(pi * share) ** 2))
    return place, push + (strike - push) * _smooth(share / 0.8)


def _standing(foot: Foot, phase: float) -> tuple[Vector, float]:
    """The heel strikes, the sole is flat, the heel rises about the ball; all the while the floor moves back."""
    if phase < FLAT:
        pivot, pitch = foot.heel, STRIKE * (1.0 - _smooth(phase / FLAT))
    else:
        pivot, pitch = foot.ball, PUSH * max(0.0, (phase - RISING) / (STANCE - RISING)) ** 1.5
    carried = Vector((0.0, STRIDE * (phase - 0.5 * STANCE), 0.0))
    return pivot + pitched(foot.ankle - pivot, pitch) + carried, pitch


def pitched(vector: Vector, pitch: float) -> Vector:
    """`vector` turned about X so that the toes go up."""
    return Matrix.Rotation(-pitch, 3, 'X') @ vector


def torso(phase: float) -> tuple[Vector, float, float]:
    """(shift, turn of the hips to the left, tilt of the hips to the left) of the torso."""
    turn = 2.0 * pi * phase
    shift = Vector((0.022 * cos(turn - 0.6 * pi), 0.0, -0.055 - 0.018 * cos(2.0 * turn - 0.5)))
    return shift, radians(-6.0) * cos(turn), radians(3.0) * cos(turn - 0.6 * pi)


def hanging_hand(shoulder: Vector, side: float, length: float, phase: float) -> Vector:
    """The wrist of an arm `length` long that swings beside the body; side: 1 for the left, -1 for the right."""
    swing = radians(6.0) - radians(26.0) * side * cos(2.0 * pi * phase)
    away = Vector((0.24 * side, -sin(swing), -cos(swing))).normalized()
    return shoulder + away * length * (0.95 - 0.05 * sin(max(swing, 0.0)))


def reaching_hand(shoulder: Vector, hanging: Vector, out: Vector, share: float) -> Vector:
    """From the hanging hand (share 0) to the point `out` (share 1): on an arc about the shoulder, then away from it."""
    start, stop = hanging - shoulder, out - shoulder
    turn = start.rotation_difference(stop)
    way = type(turn)().slerp(turn, share) @ start.normalized()
    return shoulder + way * (start.length + (stop.length - start.length) * share ** 3)


def reach(share: float) -> float:
    """How far out the hand is, 0 to 1, over the whole walk: it waits, goes out, stays, and comes back."""
    return _smooth((share - 0.14) / 0.3) * (1.0 - _smooth((share - 0.6) / 0.3))


def _smooth(share: float) -> float:
    share = min(max(share, 0.0), 1.0)
    return share * share * (3.0 - 2.0 * share)


def _hermite(start: Vector, leaving: Vector, stop: Vector, arriving: Vector, share: float) -> Vector:
    square, cube = share * share, share ** 3
    return (start * (2 * cube - 3 * square + 1) + leaving * (cube - 2 * square + share)
            + stop * (3 * square - 2 * cube) + arriving * (cube - square))
