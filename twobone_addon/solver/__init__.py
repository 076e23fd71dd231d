# SPDX-License-Identifier: GPL-3.0-or-later
"""The mathematics: numpy only, never Blender."""

from .ccd import ChainSolution, solve_ccd, solve_chain
from .planar import JointAngles, PlanarSolution, joint_angles, solve_planar
from .softness import soften, unsoften
from .solution import Solution, State
from .spatial import solve

__all__ = ["ChainSolution", "JointAngles", "PlanarSolution", "Solution", "State", "joint_angles", "soften", "solve",
           "solve_ccd", "solve_chain", "solve_planar", "unsoften"]
