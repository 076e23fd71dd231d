# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver against a straightforward numpy one that returns the same results, and its accuracy."""

import sys
import tracemalloc
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twobone_addon.solver import solve, solve_planar

from .measuring import medians, save

Array = NDArray[np.float64]

SIZES = (1, 8, 100, 10_000, 100_000, 1_000_000)


def straightforward(root: Array, target: Array, pole: Array, upper: Any, lower: Any, *, frames: bool) -> list[Array]:
    """What one would write first: arrays of rows, the law of cosines, a mask for the clamp."""
    line = target - root
    distance = np.linalg.norm(line, axis=-1)
    forward = line / distance[:, None]
    reach = np.clip(distance, np.abs(upper - lower), upper + lower)
    along = (upper**2 - lower**2 + reach**2) / (2 * reach)
    across = np.sqrt(np.maximum(upper**2 - along**2, 0))
    bend = pole - root
    bend = bend - forward * np.sum(bend * forward, axis=-1, keepdims=True)
    bend = bend / np.linalg.norm(bend, axis=-1, keepdims=True)
    joint = root + forward * along[:, None] + bend * across[:, None]
    end = np.where((reach == distance)[:, None], target, root + forward * reach[:, None])
    gap = np.abs(distance - reach)
    state = np.where(distance > upper + lower, 1, np.where(distance < np.abs(upper - lower), 2, 0))
    result = [joint, end, reach, distance, gap, state, state == 0]
    if frames:
        normal = np.cross(forward, bend)
        for start, stop in ((root, joint), (joint, end)):
            x = stop - start
            x = x / np.linalg.norm(x, axis=-1, keepdims=True)
            result.append(np.stack((x, np.cross(normal, x), normal), axis=-1))
    return result


def limbs(count: int, per_limb: bool) -> tuple[Any, ...]:
    """Random limbs, one in eight out of reach; with a pair of lengths for all or for each."""
    rng = np.random.default_rng(count)
    root = rng.normal(size=(count, 3))
    direction = rng.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    target = root + direction * rng.uniform(0.3, 2.2, count)[:, None]
    pole = root + rng.normal(size=(count, 3)) * 3
    lengths = (rng.uniform(0.9, 1.1, count), rng.uniform(0.8, 1.0, count)) if per_limb else (1.0, 0.9)
    return root, target, pole, *lengths


def warm_heap() -> None:
    """Free one large block, so that the allocator keeps what batches free instead of returning it to the system."""
    for _ in range(2):
        np.ones(3_900_000)


def speed() -> list[tuple[int, bool, bool, float, float]]:
    """Rows of (limbs, lengths per limb, frames, our seconds, the straightforward one's seconds)."""
    rows = []
    warm_heap()
    for count, per_limb, frames in product(SIZES, (False, True), (False, True)):
        problem = limbs(count, per_limb)
        functions: dict[str, Callable[[], object]] = {
            "ours": partial(solve, *problem, frames=frames),
            "numpy": partial(straightforward, *problem, frames=frames),
        }
        medians(functions, 3)
        repeats = max(1, 2_000 // count)
        found = medians(functions, 5 if count >= 1_000_000 else 15, repeats)
        rows.append((count, per_limb, frames, found["ours"], found["numpy"]))
    return rows


def workspace(count: int) -> int:
    """Bytes beyond inputs and outputs at the highest point of one call."""
    problem = limbs(count, True)
    tracemalloc.start()
    solution = solve(*problem)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    kept = sum(array.nbytes for array in vars(solution).values())
    return peak - kept


def planar_length_error() -> tuple[int, float]:
    """Largest absolute length error over 12,960 planar limbs with lengths up to 1e3."""
    sizes, ratios = (1e-3, 0.37, 1.0, 12.5, 1e3), (1.0, 0.999999, 0.6, 1e-3)
    shares = (1e-3, 0.1, 0.35, 0.62, 0.9, 0.99, 1 - 1e-6, 1 - 1e-12, 1.0, 1 + 1e-12, 1.01, 1.9)
    rows = []
    for size, ratio, share, angle, bend in product(sizes, ratios, shares, np.linspace(0, 2 * np.pi, 27, endpoint=False), (1, -1)):
        a, b = size, max(size * ratio, 1e-3)
        d = max(share * (a + b), 2e-6)
        rows.append((a, b, d * np.cos(angle), d * np.sin(angle), bend))
    a, b, x, y, bend = np.array(rows).T
    solution = solve_planar(a, b, np.stack((x, y), 1), bend)

    def length(vector: Any) -> Any:
        exact = vector.astype(np.longdouble)
        return np.sqrt((exact * exact).sum(1))

    lower = solution.end.astype(np.longdouble) - solution.joint.astype(np.longdouble)
    return len(rows), float(max(np.abs(length(solution.joint) - a).max(), np.abs(length(lower) - b).max()))


def main(arguments: list[str]) -> int:
    """Print the tables; returns the exit status."""
    print(f"Python {sys.version.split()[0]}, numpy {np.__version__}; medians in one process, interleaved")
    print(f"{'limbs':>9}  {'lengths':9} {'returns':9} {'ours':>12} {'per limb':>10} {'ratio':>6}  (straightforward numpy / ours)")
    results = []
    for count, per_limb, frames, ours, numpy in speed():
        print(f"{count:9,}  {'per limb' if per_limb else 'shared':9} {'frames' if frames else 'positions':9} "
              f"{ours * 1e6:9.1f} us {ours / count * 1e9:7.0f} ns {numpy / ours:6.2f}")
        results.append({"limbs": count, "lengths_per_limb": per_limb, "frames": frames, "ours": ours, "numpy": numpy})
    used = {count: workspace(count) for count in (100_000, 1_000_000)}
    for count, size in used.items():
        print(f"workspace at {count:,} limbs: {size / 1e6:.1f} MB beyond inputs and outputs")
    count, worst = planar_length_error()
    print(f"largest absolute length error of {count:,} planar limbs with lengths up to 1e3: {worst:.2e}")
    save(arguments, {"speed": results, "workspace": used, "planar_length_error": worst})
    return 0
