# SPDX-License-Identifier: GPL-3.0-or-later
"""What other solvers' tests assert (tests/data/solver_vectors.json), and where the answer here is another.

Each case names its source. A pole given as a direction counts from the root; twist is the pole angle; a
softening that begins at the share `soften` of the reach is softness 1 - soften.
"""

import json
import operator
from pathlib import Path

import numpy as np
import pytest

from twobone_addon.solver import State, solve

CASES = {case["id"]: case for case in json.loads(
    (Path(__file__).parents[1] / "data" / "solver_vectors.json").read_text(encoding="utf-8"))["cases"]}

OTHER_SOFTENING = "softens by another curve, not smooth, that can overshoot; calls a softened target missed"
SOFT_REACH = "keeps a little short of the limit past it, by that same curve"
NO_WEIGHT = "blends inside the solver; here the pose is solved whole, and Blender blends it"
NO_REFUSAL = "refuses what is degenerate and returns the pose it was given; here every input has an answer"
ZERO_REACHED = "calls a target at the root missed; bones of equal length fold flat and reach it"

DIFFERENT = {
    "ozz_soften_s05_in_zone": OTHER_SOFTENING,
    "ozz_soften_s0_in_zone": OTHER_SOFTENING,
    "ozz_soften_s05_at_L": OTHER_SOFTENING,
    "ozzrs_recorded_03": SOFT_REACH,
    "ozzrs_recorded_09": SOFT_REACH,
    "ozzrs_recorded_10": SOFT_REACH,
    "ozzrs_soften_s0_target_at_root": ZERO_REACHED,
    "ozz_weight_0": NO_WEIGHT,
    "ozz_weight_m0_1": NO_WEIGHT,
    "ozz_weight_0_5": NO_WEIGHT,
    "unitydots_weight_1": NO_WEIGHT,
    "unitydots_weight_2": NO_WEIGHT,
    "unitydots_weight_3": NO_WEIGHT,
    "unitydots_weight_4": NO_WEIGHT,
    "cat_zero_upper": NO_REFUSAL,
    "cat_target_at_root": NO_REFUSAL,
}
"""Cases that are answered differently, and what their source does."""

COMPARISONS = {">": operator.gt, "<": operator.lt, "==": operator.eq}


def arguments(case):
    """The case's inputs as arguments of `solve`."""
    pole = None if case["pole_kind"] == "none" else np.array(case["pole"])
    if case["pole_kind"] == "direction":
        pole = pole + case["root"]
    softness = 0.0 if case["soften_model"] == "none" else min(1.0 - case["soften"], 0.999)
    return {"root": case["root"], "target": case["target"], "pole": pole, "upper": case["upper"],
            "lower": case["lower"], "pole_angle": case["twist"], "softness": softness}


def disagreements(case, solution):
    """Sentences, one for each value of the case that the solution does not have."""
    expected, root = case["expected"], np.array(case["root"])
    found = []
    if expected["reached"] not in (None, bool(solution.reachable)):
        found.append(f"reachable is {solution.reachable}")
    for name, place in (("mid", solution.joint), ("end", solution.end)):
        if expected[name] is not None and expected["tol"] is not None:
            missed = np.abs(place - expected[name]).max()
            if missed > expected["tol"]:
                found.append(f"{name} is {missed:.3g} off")
    found.extend(f"{check} fails" for check in expected["checks"] if not holds(check, case, solution, root))
    return found


def holds(check, case, solution, root):
    along = solution.end - root
    match check["kind"]:
        case "finite":
            return np.isfinite(solution.joint).all() and np.isfinite(solution.end).all()
        case "lengths":
            return max(length_errors(case, solution)) <= check["tol"]
        case "end_dist":
            return abs(np.linalg.norm(along) - check["value"]) <= check["tol"]
        case "end_dir":
            return np.abs(along / np.linalg.norm(along) - check["dir"]).max() <= check["tol"]
        case "mid_component":
            return COMPARISONS[check["op"]](solution.joint["xyz".index(check["axis"])], check["value"])
        case "rel":
            return solution.joint[1] == pytest.approx(check["value"], rel=check["rtol"])
    raise AssertionError(f"no such check: {check}")


def length_errors(case, solution):
    return (abs(np.linalg.norm(solution.joint - case["root"]) - case["upper"]),
            abs(np.linalg.norm(solution.end - solution.joint) - case["lower"]))


@pytest.mark.parametrize("name", [name for name in CASES if name not in DIFFERENT])
def test_the_values_that_others_assert(name):
    case = CASES[name]
    assert disagreements(case, solve(**arguments(case))) == []


@pytest.mark.parametrize(("name", "reason"), DIFFERENT.items())
def test_what_is_answered_differently_is_different(name, reason):
    """A case that comes to agree leaves the table."""
    case = CASES[name]
    assert disagreements(case, solve(**arguments(case))) != [], reason


@pytest.mark.parametrize("name", CASES)
def test_every_case_keeps_lengths_direction_and_reach(name):
    case = CASES[name]
    solution = solve(**arguments(case))
    span = case["upper"] + case["lower"]
    line = np.subtract(case["target"], case["root"])
    distance = np.linalg.norm(line)
    rounding = 1e-14 * (span + np.abs(case["root"]).max())
    for values in (solution.joint, solution.end, solution.upper_frame, solution.lower_frame):
        assert np.isfinite(values).all()
    assert max(length_errors(case, solution)) <= rounding
    assert abs(case["upper"] - case["lower"]) - rounding <= solution.reach <= span + rounding
    assert solution.gap == pytest.approx(np.linalg.norm(solution.end - case["target"]), abs=rounding)
    forward = line / distance if distance else np.array((1.0, 0.0, 0.0))
    assert solution.end == pytest.approx(case["root"] + solution.reach * forward, abs=rounding)
    if solution.state == State.REACHED:
        assert solution.end.tolist() == case["target"]
    elif solution.state != State.TOO_CLOSE:
        assert solution.reach <= distance


def test_the_cases_solved_as_one_batch_are_the_same():
    given = [arguments(case) for case in CASES.values() if case["pole_kind"] != "none"]
    batch = solve(**{name: [one[name] for one in given] for name in given[0]})
    span = np.array([one["upper"] + one["lower"] for one in given])
    for index, one in enumerate(given):
        alone = solve(**one)
        assert batch.state[index] == alone.state
        assert batch.joint[index] == pytest.approx(alone.joint, abs=1e-12 * span[index])
        assert batch.end[index] == pytest.approx(alone.end, abs=1e-12 * span[index])


def test_the_table_of_differences_names_cases():
    assert len(CASES) == 90
    assert set(DIFFERENT) <= set(CASES)
