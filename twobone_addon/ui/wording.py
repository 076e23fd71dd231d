# SPDX-License-Identifier: GPL-3.0-or-later
"""Readings put into words."""

from __future__ import annotations

import bpy

from ..rig.readings import Readings
from ..rig.words import say
from ..solver import State


def length(scene: bpy.types.Scene, value: float) -> str:
    """A length in the scene's units, as its fields show it."""
    settings = scene.unit_settings
    if settings.system == 'NONE':
        return f"{value:.4g}"
    return bpy.utils.units.to_string(settings.system, 'LENGTH', value * settings.scale_length, precision=3,
                                     split_unit=settings.use_separate)


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
