# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours by state, from the bone colour sets of the user's theme."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ...solver import State
from ..preferences import Settings

Colour = tuple[float, ...]


@dataclass(frozen=True)
class Palette:
    """RGB colours: one for each solver state, in their order, and one for limbs and poles in trouble."""

    states: tuple[Colour, ...]
    trouble: Colour


def palette(settings: Settings, theme: bpy.types.Theme) -> Palette:
    """The colours that the settings choose among those of `theme`."""
    chosen = {State.REACHED: settings.reached, State.TOO_FAR: settings.too_far, State.TOO_CLOSE: settings.too_close,
              State.SOFTENED: settings.softened}
    return Palette(tuple(_colour(theme, chosen[state]) for state in State), _colour(theme, settings.trouble))


def _colour(theme: bpy.types.Theme, name: str) -> Colour:
    """The active colour of the bone colour set called THEME01 to THEME20."""
    return tuple(theme.bone_color_sets[int(name.removeprefix("THEME")) - 1].active)
