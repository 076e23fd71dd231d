# SPDX-License-Identifier: GPL-3.0-or-later
"""What one would write first: (N, 3) arrays of rows, the law of cosines, a mask for what is special.

It keeps `solve`'s contract for hard limits: the same arguments, refusals, choices in degenerate cases and results, but it
loses half of the digits near straight.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def solve_plainly(root: Any, target: Any, pole: Any, upper: Any, lower: Any, *, pole_angle: Any = 0.0,
                  fallback: Any = None, frames: bool) -> list[Array]:
    """joint, end, reach, distance, gap, state, reachable and, where asked for, the two frames of N limbs."""
    given = {"root": root, "target": target, "pole": pole, "fallback": fallback,
             "upper": upper, "lower": lower, "pole_angle": pole_angle}
    given = {name: np.asarray(value, dtype=float) for name, value in given.items() if value is not None}
    _check(given)
    upper, lower, pole_angle = given["upper"], given["lower"], given["pole_angle"]
    # Broadcast over the limbs, since one root, pole or fallback may stand for all.
    places = [given.get(name) for name in ("root", "target", "pole", "fallback")]
    count = max(len(np.atleast_2d(place)) for place in places if place is not None)
    count = max(count, np.size(upper), np.size(lower), np.size(pole_angle))
    root, target, pole, fallback = (None if place is None else np.broadcast_to(place, (count, 3)) for place in places)
    line = target - root
    distance = np.linalg.norm(line, axis=1)
    forward = line / np.where(distance > 0, distance, 1)[:, None]
    forward[distance == 0] = 1, 0, 0
    reach = np.clip(distance, np.abs(upper - lower), upper + lower)
    bend = _bend(forward, [] if pole is None else [pole - root], fallback)
    if np.any(pole_angle):  # one pass over what is 0 in most calls, and as in `solve` nothing more then
        bend = np.cos(pole_angle)[..., None] * bend + np.sin(pole_angle)[..., None] * np.cross(forward, bend)
    along = (upper**2 - lower**2 + reach**2) / (2 * np.where(reach > 0, reach, 1))
    across = np.sqrt(np.maximum(upper**2 - along**2, 0))
    joint = root + along[:, None] * forward + across[:, None] * bend
    end = np.where((reach == distance)[:, None], target, root + reach[:, None] * forward)
    gap = np.abs(distance - reach)
    state = np.where(distance > reach, 1, np.where(distance < reach, 2, 0))
    result = [joint, end, reach, distance, gap, state, state == 0]
    if frames:
        normal = np.cross(forward, bend)
        for start, stop, length in ((root, joint, upper), (joint, end, lower)):
            axis = stop - start
            size = np.linalg.norm(axis, axis=1)
            is_bone = (length > 0) & (size > 0)  # a bone of length zero points along the line
            axis = np.where(is_bone[:, None], axis / np.where(is_bone, size, 1)[:, None], forward)
            result.append(np.stack((axis, np.cross(normal, axis), normal), axis=2))
    return result


def _check(given: dict[str, Array]) -> None:
    """Refuse what `solve` refuses, by the argument's name and the first bad index: a NaN would end up in a scene."""
    for name, array in given.items():
        finite = np.isfinite(array)
        if not finite.all():
            raise ValueError(f"{name} is not finite at {np.argwhere(~finite)[0]}")
    for name in ("upper", "lower"):
        if (given[name] < 0).any():
            raise ValueError(f"{name} is negative at {np.argwhere(given[name] < 0)[0]}")
    both_zero = (given["upper"] == 0) & (given["lower"] == 0)
    if both_zero.any():
        raise ValueError(f"upper and lower are both zero at {np.argwhere(both_zero)[0]}")


def _bend(forward: Array, directions: list[Array], fallback: Array | None) -> Array:
    """Unit vectors towards the pole, where it is on the line the fallback, then the axis least aligned with the line."""
    if fallback is not None:
        directions = [*directions, fallback]
    if not directions:
        directions = [np.eye(3)[np.argmin(np.abs(forward), axis=1)]]
    direction, *rest = directions
    across = direction - forward * np.sum(direction * forward, axis=1)[:, None]
    size = np.linalg.norm(across, axis=1)
    on_line = size <= 1e-12 * np.linalg.norm(direction, axis=1)
    if on_line.any():
        across[on_line] = _bend(forward[on_line], [other[on_line] for other in rest], None)
        size[on_line] = 1
    return across / size[:, None]
