# SPDX-License-Identifier: GPL-3.0-or-later
"""The reference tables: what they say, and that the script writes them with and without matplotlib."""

import csv
import math
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMES = ["1-targets", "2-sweeps", "3-convergence", "4-three-bones", "5-reach"]

RUN_WITHOUT = """
import runpy, sys
module, folder = sys.argv[1:]
sys.modules[module] = None  # importing it fails
sys.path.insert(0, "scripts")
sys.argv = ["tables.py", folder]
runpy.run_path("scripts/tables.py", run_name="__main__")
"""


def run(*command, encoding="utf-8"):
    return subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, encoding=encoding,
                          env={**os.environ, "PYTHONIOENCODING": encoding}, timeout=300, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The tables as the script writes them."""
    folder = tmp_path_factory.mktemp("tables")
    done = run("scripts/tables.py", str(folder))
    assert done.returncode == 0, done.stderr
    (folder / "printed").write_text(done.stdout, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def tables(folder):
    """{name: rows as dictionaries}, numbers as floats."""
    def value(text):
        try:
            return float(text)
        except ValueError:
            return text

    read = {}
    for name in NAMES:
        with (folder / f"{name}.csv").open(encoding="utf-8") as file:
            read[name] = [{heading: value(text) for heading, text in one.items()}
                          for one in csv.DictReader(file)]
    return read


def row(rows, **values):
    """The only row with these values, headings given without their unit and with _ for a space."""
    def matches(one):
        plain = {heading.partition(" (")[0]: value for heading, value in one.items()}
        return all(plain[name.replace("_", " ")] == value for name, value in values.items())

    (found,) = filter(matches, rows)
    return found


def test_markdown_is_printed_and_saved(folder):
    printed = (folder / "printed").read_text(encoding="utf-8")
    for name in NAMES:
        saved = (folder / f"{name}.md").read_text(encoding="utf-8")
        assert saved in printed
        lines = [line for line in saved.splitlines() if line.startswith("|")]
        assert len({line.count("|") for line in lines}) == 1
        with (folder / f"{name}.csv").open(encoding="utf-8") as file:
            assert len(lines) == len(list(csv.reader(file))) + 1


def test_plots_are_drawn_or_left_out_with_a_line(folder):
    printed = (folder / "printed").read_text(encoding="utf-8")
    drawn = sorted(path.name for path in folder.glob("*.png"))
    if find_spec("matplotlib"):
        assert drawn == [f"{name}.png" for name in NAMES]
        for path in folder.glob("*.png"):
            assert path.read_bytes().startswith(b"\x89PNG\r\n")
    else:
        assert drawn == []
        assert "Plots left out, " in printed


def test_without_matplotlib_the_tables_are_still_written(tmp_path):
    done = run("-c", RUN_WITHOUT, "matplotlib", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("Plots left out, they need matplotlib in ")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        f"{name}.{kind}" for name in NAMES for kind in ("csv", "md"))


def test_a_console_without_greek_gets_the_tables_too(tmp_path):
    done = run("-c", RUN_WITHOUT, "matplotlib", str(tmp_path), encoding="ascii")
    assert done.returncode == 0, done.stderr
    assert "| d/?L |" in done.stdout.replace("  ", " ")
    assert "d/ΣL" in (tmp_path / "3-convergence.md").read_text(encoding="utf-8")


def test_without_numpy_a_sentence_says_so(tmp_path):
    done = run("-c", RUN_WITHOUT, "numpy", str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.startswith("The tables need numpy in ")
    assert len(done.stderr.splitlines()) == 1


def test_every_target_is_met_by_its_angles(tables):
    for target in tables["1-targets"]:
        assert target["end error (m)"] < 1e-15
        assert target["closed-form check (m)"] < 1e-15
        assert target["d (m)"] == math.hypot(target["target x (m)"], target["target y (m)"])


def test_a_straight_arm_has_angles_of_nearly_zero(tables):
    arm = row(tables["1-targets"], bones="0.8 + 0.6", target_x=1.4)
    assert 2e-8 < arm["relative angle (rad)"] < 3e-8
    assert abs(arm["root angle (rad)"]) < 3e-8
    exact = row(tables["1-targets"], bones="0.75 + 0.5")
    assert exact["relative angle (rad)"] == exact["root angle (rad)"] == 0.0


@pytest.mark.parametrize("damping", [1.0, 0.5])
def test_descent_comes_to_the_closed_form(tables, damping):
    rows = [row for row in tables["2-sweeps"] if row["start"] == "bent" and row["damping"] == damping]
    assert [row["sweeps"] for row in rows] == [2 ** power for power in range(12)]
    errors = [row["end error (m)"] for row in rows]
    assert errors == sorted(errors, reverse=True)
    assert rows[-1]["difference from the closed form (rad)"] < 1e-13


def test_undamped_descent_is_the_faster_and_shrinks_by_the_predicted_factor(tables):
    undamped, damped = (one for one in tables["2-sweeps"] if one["sweeps"] == 128.0)
    assert undamped["end error (m)"] < 1e-3 * damped["end error (m)"]
    predicted = row(tables["3-convergence"], **{"d/ΣL": 0.958})["cos² at the tip"]
    assert undamped["ratio"] == pytest.approx(predicted, abs=1e-4)


def test_the_stuck_start_is_a_row(tables):
    stuck = row(tables["2-sweeps"], start="straight, stuck", sweeps=2048.0)
    assert stuck["end error (m)"] == pytest.approx(0.4, abs=1e-15)
    assert stuck["root angle (rad)"] == 0.0


def test_sweeps_to_a_billionth_in_powers_of_two(tables):
    counted = {row["d/ΣL"]: row["as a power of two"] for row in tables["3-convergence"]}
    known = {0.73: 32, 0.75: 32, 0.77: 32, 0.958: 256, 0.988: 512, 0.995: 2048}
    assert {share: counted[share] for share in known} == known


def test_three_bones_end_alike_with_their_joints_apart(tables):
    rows = tables["4-three-bones"]
    assert len(rows) == 3
    for one in rows:
        assert one["end error (m)"] < 1e-11
        assert (one["end x (m)"], one["end y (m)"]) == pytest.approx((0.9, 0.3), abs=1e-11)
    assert [round(one["joint 1 apart (m)"], 2) for one in rows] == [0.0, 0.48, 0.54]


def test_out_of_reach_the_error_is_what_is_missing(tables):
    for one in tables["5-reach"]:
        missing = max(one["max(0, d - ΣL) (m)"], one["max(0, 2Lmax - ΣL - d) (m)"])
        assert one["end error (m)"] == pytest.approx(missing, abs=1e-15)
        assert (one["reachable"] == "True") == (missing == 0.0)
        assert one["change with heading (m)"] < 1e-15
    far = row(tables["5-reach"], d=2.0)
    assert far["end error (m)"] == pytest.approx(0.6, abs=1e-15)
    assert far["root angle (rad)"] == 0.0
