# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver against a straightforward numpy one that returns the same results, the memory it takes, and its accuracy."""

import argparse
import sys
import tracemalloc
from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from twobone_addon.solver import solve, solve_planar

from .measuring import medians, save
from .plain_numpy import solve_plainly

SIZES = (1, 8, 100, 10_000, 100_000, 1_000_000)


def limbs(count: int, per_limb: bool) -> tuple[Any, ...]:
    """Random limbs, one in six out of reach; with a pair of lengths for all or for each."""
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


def speed(sizes: Iterable[int]) -> list[dict[str, Any]]:
    """The two solvers' seconds for batches of these sizes, shared lengths or not, positions only or frames too."""
    rows = []
    warm_heap()
    for count, per_limb, frames in product(sizes, (False, True), (False, True)):
        problem = limbs(count, per_limb)
        functions: dict[str, Callable[[], object]] = {
            "ours": partial(solve, *problem, frames=frames), "plain": partial(solve_plainly, *problem, frames=frames)}
        medians(functions, 3)
        found = medians(functions, 5 if count >= 1_000_000 else 15, max(1, 500 // count))
        rows.append({"limbs": count, "lengths_per_limb": per_limb, "frames": frames, **found})
    return rows


def workspace(count: int) -> int:
    """Bytes beyond inputs and outputs at the highest point of one call."""
    problem = limbs(count, True)
    tracemalloc.start()
    solution = solve(*problem)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak - sum(array.nbytes for array in vars(solution).values())


def planar_length_error() -> tuple[int, float]:
    """Number of limbs and largest absolute length error of a sweep in the plane, lengths up to 1e3."""
    sizes, ratios = (1e-3, 0.37, 1.0, 12.5, 1e3), (1.0, 0.999999, 0.6, 1e-3)
    shares = (1e-3, 0.1, 0.35, 0.62, 0.9, 0.99, 1 - 1e-6, 1 - 1e-12, 1.0, 1 + 1e-12, 1.01, 1.9)
    angles = np.linspace(0, 2 * np.pi, 27, endpoint=False)
    size, ratio, share, angle, bend = np.array(list(product(sizes, ratios, shares, angles, (1, -1)))).T
    upper, lower = size, np.maximum(size * ratio, 1e-3)
    distance = np.maximum(share * (upper + lower), 2e-6)
    solution = solve_planar(upper, lower, distance[:, None] * np.stack((np.cos(angle), np.sin(angle)), axis=1), bend)
    joint, end = solution.joint.astype(np.longdouble), solution.end.astype(np.longdouble)
    errors = [np.abs(np.sqrt((bone * bone).sum(axis=1)) - length) for bone, length in (
        (joint, upper), (end - joint, lower))]
    return len(size), float(np.max(errors))


def main(arguments: list[str]) -> int:
    """Print the tables; returns the exit status."""
    parser = argparse.ArgumentParser(prog="benchmark.py solver", description=__doc__)
    parser.add_argument("--limbs", type=int, nargs="+", default=SIZES, help="sizes of the batches")
    parser.add_argument("--json", metavar="FILE", help="save the results")
    sizes = parser.parse_args(arguments).limbs
    print(f"Python {sys.version.split()[0]}, numpy {np.__version__}; medians in one process, taken in turns")
    print(f"{'limbs':>9}  {'lengths':8} {'returns':9} {'ours':>12} {'per limb':>11} {'ratio':>6}  (plain numpy / ours)")
    rows = speed(sizes)
    for row in rows:
        print(f"{row['limbs']:9,}  {'per limb' if row['lengths_per_limb'] else 'shared':8} "
              f"{'frames' if row['frames'] else 'positions':9} {row['ours'] * 1e6:9.1f} us "
              f"{row['ours'] / row['limbs'] * 1e9:8.0f} ns {row['plain'] / row['ours']:6.2f}")
    used = {count: workspace(count) for count in (100_000, 1_000_000)}
    for count, size in used.items():
        print(f"workspace at {count:,} limbs: {size / 1e6:.1f} MB beyond inputs and outputs")
    count, worst = planar_length_error()
    print(f"largest absolute length error of {count:,} planar limbs with lengths up to 1e3: {worst:.2e}")
    save(arguments, {"speed": rows, "workspace": used, "planar_length_error": worst})
    return 0
