# SPDX-License-Identifier: GPL-3.0-or-later
"""Readings put into words."""

from __future__ import annotations

from dataclasses import dataclass
from math import degrees

import bpy

from ..rig.curiosity import ccd_sweeps
from ..rig.errors import Refusal
from ..rig.readings import Readings
from ..rig.words import length, say
from ..solver import State

MOST_SWEEPS = 50


@dataclass(frozen=True)
class Status:
    """How a limb does, for one line of a panel: words, an icon, and whether they call for attention."""

    text: str
    icon: str
    alert: bool


def sentence(scene: bpy.types.Scene, readings: Readings) -> str:
    """How the target stands to the reach, such as "Out of reach by 3.2 cm"."""
    gap = length(scene, readings.gap)
    if readings.state == State.TOO_FAR:
        return say("Out of reach by {gap}", gap=gap)
    if readings.state == State.TOO_CLOSE:
        return say("Too close by {gap}", gap=gap)
    if readings.state == State.SOFTENED:
        return say("Softened, {gap} short", gap=gap)
    return say("Target reached")


def brief(scene: bpy.types.Scene, readings: Readings) -> str:
    """The same in few words, for lists."""
    gap = length(scene, readings.gap)
    if readings.state == State.TOO_FAR:
        return say("{gap} too far", gap=gap)
    if readings.state == State.TOO_CLOSE:
        return say("{gap} too close", gap=gap)
    if readings.state == State.SOFTENED:
        return say("{gap} short", gap=gap)
    return say("Reached")


def status(scene: bpy.types.Scene, bone: bpy.types.PoseBone, readings: Readings | Refusal, *, short: bool = False) -> Status:
    """How the limb of the lower bone `bone` does, at length or in few words."""
    if isinstance(readings, Refusal) or bone.twobone_resting:
        return Status(say("Resting") if short else say("Resting in its FK pose"), 'PAUSE', True)
    if bone.twobone_influence == 0.0:
        return Status(say("FK pose") if short else say("FK pose, IK is off"), 'BONE_DATA', False)
    missed = readings.state in (State.TOO_FAR, State.TOO_CLOSE)
    words = brief(scene, readings) if short else sentence(scene, readings)
    return Status(words, 'ERROR' if missed else 'CHECKMARK', missed)


def angle(value: float) -> str:
    """Radians as people read them."""
    return f"{degrees(value):.1f}°"


def share_of_reach(readings: Readings) -> str:
    """How far the target is, measured by how far the limb goes."""
    return f"{100.0 * readings.distance / readings.reach_max:.1f}%" if readings.reach_max else say("none")


def sweeps(readings: Readings) -> str:
    """How often an iterative solver would go through the limb."""
    count = ccd_sweeps(readings.upper_length, readings.lower_length, readings.distance, MOST_SWEEPS)
    return say("more than {sweeps}", sweeps=MOST_SWEEPS) if count is None else str(count)


def more(count: int) -> str:
    """How many limbs a list leaves out."""
    return say("and {count} more", count=count)
