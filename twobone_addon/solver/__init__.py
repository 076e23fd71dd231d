# SPDX-License-Identifier: GPL-3.0-or-later
"""The mathematics: numpy only, never Blender."""

from .spatial import Solution, State, solve

__all__ = ["Solution", "State", "solve"]
