# SPDX-License-Identifier: GPL-3.0-or-later
"""What one would write first: (N, 3) arrays of rows, the law of cosines, a mask for what is special.

It returns what `solve` returns, the choices in degenerate cases included, but loses half of the digits near straight.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def solve_plainly(root: Array, target: Array, pole: Array, upper: Any, lower: Any, *, frames: bool) -> list[Array]:
    """joint, end, reach, distance, gap, state, reachable and, where asked for, the two frames of N limbs."""
    line = target - root
    distance = np.linalg.norm(line, axis=1)
    forward = line / np.where(distance > 0, distance, 1)[:, None]
    forward[distance == 0] = 1, 0, 0
    reach = np.clip(distance, np.abs(upper - lower), upper + lower)
    bend = _bend(forward, pole - root)
    along = (upper**2 - lower**2 + reach**2) / (2 * np.where(reach > 0, reach, 1))
    across = np.sqrt(np.maximum(upper**2 - along**2, 0))
    joint = root + along[:, None] * forward + across[:, None] * bend
    end = np.where((reach == distance)[:, None], target, root + reach[:, None] * forward)
    gap = np.abs(distance - reach)
    state = np.where(distance > reach, 1, np.where(distance < reach, 2, 0))
    result = [joint, end, reach, distance, gap, state, state == 0]
    if frames:
        normal = np.cross(forward, bend)
        for start, stop in ((root, joint), (joint, end)):
            axis = stop - start
            size = np.linalg.norm(axis, axis=1)
            axis = np.where((size > 0)[:, None], axis / np.where(size > 0, size, 1)[:, None], forward)
            result.append(np.stack((axis, np.cross(normal, axis), normal), axis=2))
    return result


def _bend(forward: Array, pole: Array) -> Array:
    """Unit vectors towards the pole, or where it is on the line along the axis least aligned with the line."""
    across = pole - forward * np.sum(pole * forward, axis=1)[:, None]
    size = np.linalg.norm(across, axis=1)
    on_line = size <= 1e-12 * np.linalg.norm(pole, axis=1)
    if on_line.any():
        axis = np.eye(3)[np.argmin(np.abs(forward[on_line]), axis=1)]
        across[on_line] = axis - forward[on_line] * np.sum(axis * forward[on_line], axis=1)[:, None]
        size[on_line] = np.linalg.norm(across[on_line], axis=1)
    return across / size[:, None]
