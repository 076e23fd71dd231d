# SPDX-License-Identifier: GPL-3.0-or-later
"""The mathematics: numpy only, never Blender."""

from .ccd import ChainSolution, solve_ccd, solve_chain
from .spatial import Solution, State, solve

__all__ = ["ChainSolution", "Solution", "State", "solve", "solve_ccd", "solve_chain"]
