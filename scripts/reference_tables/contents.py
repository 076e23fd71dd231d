# SPDX-License-Identifier: GPL-3.0-or-later
"""What the five tables say, computed by the solver when asked: plane chains, metres and radians."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from twobone_addon.solver import ChainSolution, joint_angles, solve_ccd, solve_planar

from .table import Table, Value

Point = tuple[float, float]

ARM = (0.8, 0.6)
SPAN = 1.4

TARGETS: tuple[tuple[Point, Point], ...] = (
    (ARM, (1.4, 0.0)), (ARM, (1.2, 0.3)), (ARM, (1.0, 0.0)), (ARM, (0.8, 0.6)), (ARM, (0.4, 1.1)),
    (ARM, (0.0, 1.0)), (ARM, (-0.6, 0.8)), (ARM, (-0.9, -0.2)), (ARM, (0.2, -0.7)), (ARM, (0.3, 0.3)),
    (ARM, (0.2, 0.0)),
    ((0.75, 0.5), (1.25, 0.0)))
"""(bones, target): both limits, both sides, and a straight limb that is exact in binary."""

BENT = (0.2, -0.5)
"""Start angles of the arm for targets on +X: a little off the line."""

NEARLY_STRAIGHT = (0.958 * SPAN, 0.0)
STUCK = (1.0, 0.0)
POWERS = [2 ** power for power in range(12)]
DAMPINGS = (1.0, 0.5)

SHARES = (0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.73, 0.75, 0.77, 0.8, 0.85, 0.9, 0.925, 0.95, 0.958, 0.97,
          0.98, 0.988, 0.995, 0.999)
BILLIONTH = 1e-9
FEW = 48

FINGER = (0.6, 0.5, 0.3)
FINGER_TARGET = (0.9, 0.3)
FINGER_STARTS = ((0.2, 0.3, 0.4), (1.2, -0.8, -0.9), (-0.9, 1.3, 0.6))

DISTANCES = (0.05, 0.1, 0.15, 0.2, 0.4, 0.7, 1.0, 1.3, 1.4, 1.5, 1.7, 2.0, 3.0)
HEADINGS = [math.tau * part / 12 for part in range(12)]

ROUNDING = 1e-13
"""Below this an error is rounding, and a ratio of two such errors says nothing."""


def arm_angles(bones: tuple[float, float], target: Point, bend: int = -1) -> tuple[float, float]:
    """(root, relative) of the closed form."""
    angles = joint_angles(*bones, target, bend)
    return float(angles.root), float(angles.relative)


def laid_out(bones: tuple[float, ...], angles: tuple[float, ...]) -> NDArray[np.float64]:
    """Root, joints and tip of a chain with these angles."""
    return solve_ccd(bones, angles, (0.0, 0.0), sweeps=0).points


def targets() -> Table:
    """Table 1: the closed form, target by target."""
    rows: list[tuple[Value, ...]] = []
    for bones, target in TARGETS:
        root, relative = arm_angles(bones, target)
        points = laid_out(bones, (root, relative))
        joint = solve_planar(*bones, target, -1).joint
        rows.append((f"{bones[0]:g} + {bones[1]:g}", *target, math.hypot(*target), relative, root,
                     math.dist(points[2], target), math.dist(points[1], joint)))
    return Table(
        "1-targets", "1. Target to joint angles, closed form",
        "The end error is what laying the bones out by the two angles misses the target by. The check is "
        "how far the joint so found is from the joint of solve_planar, which uses no trigonometry. As "
        "doubles 0.8 + 0.6 is longer than 1.4 by 1.1e-16, so its exact angle is not 0 but 2.5e-8; 0.75 + "
        "0.5 is 1.25 exactly.",
        {"bones (m)": "", "target x (m)": ".3f", "target y (m)": ".3f", "d (m)": ".4f",
         "relative angle (rad)": "z.9f", "root angle (rad)": "z.9f", "end error (m)": ".1e",
         "closed-form check (m)": ".1e"}, rows)


def descent(damping: float, sweeps: int = POWERS[-1]) -> ChainSolution:
    """The bent arm after so many sweeps towards a target close to its reach."""
    return solve_ccd(ARM, BENT, NEARLY_STRAIGHT, sweeps=sweeps, damping=damping)


def descents() -> Table:
    """Table 2: descent against the closed form, damped and not, and the start that stays where it is."""
    rows: list[tuple[Value, ...]] = []
    for damping in DAMPINGS:
        rows.extend(_descent_row("bent", NEARLY_STRAIGHT, damping, sweeps, descent(damping, sweeps))
                    for sweeps in POWERS)
    for sweeps in (POWERS[0], POWERS[-1]):
        solution = solve_ccd(ARM, (0.0, 0.0), STUCK, sweeps=sweeps)
        rows.append(_descent_row("straight, stuck", STUCK, 1.0, sweeps, solution))
    return Table(
        "2-sweeps", "2. Sweeps of cyclic coordinate descent",
        f"Bones 0.8 + 0.6 m, bent start {BENT} rad. The ratio is the error by the one a sweep before, left "
        "out where both are rounding. The difference is the larger one of the two angles against the "
        "closed form that bends to the same side. Straight and in line with the target no bone has a side "
        "to turn to: the error stays at 0.4.",
        {"start": "", "target x (m)": ".4f", "damping": ".2f", "sweeps": "d", "end error (m)": ".4e",
         "ratio": ".4f", "root angle (rad)": "z.9f", "difference from the closed form (rad)": ".1e"}, rows)


def _descent_row(start: str, target: Point, damping: float, sweeps: int,
                 solution: ChainSolution) -> tuple[Value, ...]:
    assert solution.angles is not None
    bend = 1 if solution.angles[1] < 0.0 else -1
    differences = [abs(math.remainder(found - exact, math.tau))
                   for found, exact in zip(solution.angles, arm_angles(ARM, target, bend))]
    error, before = solution.errors[-1], solution.errors[-2]
    ratio = None if before < ROUNDING else error / before
    return start, target[0], damping, sweeps, error, ratio, solution.angles[0], max(differences)


def convergence() -> Table:
    """Table 3: how long descent takes, by the share of the reach."""
    rows: list[tuple[Value, ...]] = []
    for share in SHARES:
        distance = share * SPAN
        solution = solve_ccd(ARM, BENT, (distance, 0.0), sweeps=2 ** 15, tolerance=BILLIONTH)
        sweeps = len(solution.errors) - 1
        cosine = (distance ** 2 + ARM[1] ** 2 - ARM[0] ** 2) / (2.0 * distance * ARM[1])
        after = solve_ccd(ARM, BENT, (distance, 0.0), sweeps=FEW).errors[-1]
        rows.append((share, distance, sweeps, 2 ** math.ceil(math.log2(sweeps)), after, cosine ** 2))
    return Table(
        "3-convergence", "3. Sweeps to a billionth of a metre, by how far the arm is stretched",
        f"Bones 0.8 + 0.6 m, start {BENT} rad, target on +X. A sweep shrinks the error by the squared "
        "cosine of the angle at the tip between the lower bone and the root-target line, which is close to "
        "1 near either limit.",
        {"d/ΣL": ".3f", "d (m)": ".4f", "sweeps to 1e-9": "d", "as a power of two": "d",
         "error after 48 sweeps (m)": ".2e", "cos² at the tip": ".4f"}, rows)


def finger(start: tuple[float, ...]) -> ChainSolution:
    """Three bones from one of the starts."""
    return solve_ccd(FINGER, start, FINGER_TARGET, sweeps=4096, tolerance=1e-12)


def families() -> Table:
    """Table 4: three bones reach one target from three starts, each in its own pose."""
    rows: list[tuple[Value, ...]] = []
    first: NDArray[np.float64] | None = None
    for start in FINGER_STARTS:
        solution = finger(start)
        points = solution.points
        first = points if first is None else first
        rows.append((" ".join(f"{angle:+.1f}" for angle in start), len(solution.errors) - 1, *points[3],
                     solution.errors[-1], *points[1], *points[2],
                     math.dist(points[1], first[1]), math.dist(points[2], first[2])))
    return Table(
        "4-three-bones", "4. Three bones, three starts, one target",
        "Bones 0.6 + 0.5 + 0.3 m, target (0.9, 0.3). The tips agree, the joints between do not: with three "
        "bones the poses that reach a target are a family, and the start decides. The last columns are "
        "measured from the first start's pose.",
        {"start (rad)": "", "sweeps": "d", "end x (m)": ".6f", "end y (m)": ".6f", "end error (m)": ".1e",
         "joint 1 x (m)": ".4f", "joint 1 y (m)": ".4f", "joint 2 x (m)": ".4f", "joint 2 y (m)": ".4f",
         "joint 1 apart (m)": ".4f", "joint 2 apart (m)": ".4f"}, rows)


def end_error(target: Point) -> float:
    """|target - end| of the closed form."""
    return math.dist(solve_planar(*ARM, target, -1).end, target)


def reaches() -> Table:
    """Table 5: inside and outside the reach."""
    rows: list[tuple[Value, ...]] = []
    for distance in DISTANCES:
        ahead = (distance, 0.0)
        error = end_error(ahead)
        around = [end_error((distance * math.cos(heading), distance * math.sin(heading)))
                  for heading in HEADINGS]
        rows.append((distance, not solve_planar(*ARM, ahead, -1).clamped, error, max(0.0, distance - SPAN),
                     max(0.0, ARM[0] - ARM[1] - distance), arm_angles(ARM, ahead)[0],
                     max(abs(other - error) for other in around)))
    return Table(
        "5-reach", "5. Distance to reach",
        "Bones 0.8 + 0.6 m, target on +X. Past either limit the end error is what is missing, and the root "
        "angle the target's heading: the limb is straight, or folded back. The last column is the largest "
        "change of the end error over twelve headings. As doubles 0.8 - 0.6 is longer than 0.2 by 5.6e-17: "
        "that target is too close.",
        {"d (m)": ".2f", "reachable": "", "end error (m)": ".4f", "max(0, d - ΣL) (m)": ".4f",
         "max(0, 2Lmax - ΣL - d) (m)": ".4f", "root angle (rad)": "z.6f",
         "change with heading (m)": ".1e"}, rows)


TABLES = (targets, descents, convergence, families, reaches)
