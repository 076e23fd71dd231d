# SPDX-License-Identifier: GPL-3.0-or-later
"""The mathematics: numpy only, never Blender.

`spatial`, `planar`, `softness` and `ccd` hold the functions exported here. What they share, from the ground up:
`arithmetic` and `vector` for floats and arrays alike, `bones` with what two lengths contribute, `soft_zone`, `triangle`
with the reach and the bones' angles, `bend` with the side the joint goes to, `kernel` with a limb in space, `single` and
`batch` that run it on floats or on arrays, `traced`, which makes floats fast, and `bound` with the rotations of few limbs'
bones.
"""

from .ccd import ChainSolution, solve_ccd, solve_chain
from .planar import JointAngles, PlanarSolution, joint_angles, solve_planar
from .softness import exact_reach, soften, unsoften
from .solution import Solution, State
from .spatial import solve

__all__ = ["ChainSolution", "JointAngles", "PlanarSolution", "Solution", "State", "exact_reach", "joint_angles", "soften",
           "solve", "solve_ccd", "solve_chain", "solve_planar", "unsoften"]
