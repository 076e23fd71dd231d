"""The benchmark compares like with like, stays within memory, and runs in the interpreter that calls it."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from twobone_addon.solver import solve

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    from benchmarks import solver

    return solver


@pytest.mark.parametrize("per_limb", [False, True])
def test_both_solvers_return_the_same(benchmark, per_limb):
    root, target, pole, upper, lower = benchmark.limbs(5000, per_limb)
    target[::50], pole[1::50] = root[::50], root[1::50]
    pole[2::50] = 2 * target[2::50] - root[2::50]
    ours = solve(root, target, pole, upper, lower)
    plain = benchmark.solve_plainly(root, target, pole, upper, lower, frames=True)
    assert set(ours.state.tolist()) == {0, 1, 2}
    for name, theirs in zip(vars(ours), plain):
        assert np.abs(getattr(ours, name).astype(float) - theirs).max() < 1e-6, name


def test_workspace_does_not_grow_with_the_batch(benchmark):
    small, large = benchmark.workspace(100_000), benchmark.workspace(300_000)
    assert max(small, large) < 48e6
    assert large < 1.2 * small


def run(*arguments):
    return subprocess.run([sys.executable, str(SCRIPTS / "benchmark.py"), *arguments], capture_output=True, text=True,
                          timeout=300, check=False)


def test_the_script_runs_in_the_calling_interpreter(tmp_path):
    done = run("solver", "--limbs", "1", "100", "--json", str(tmp_path / "found.json"))
    assert done.returncode == 0, done.stderr
    assert f"numpy {np.__version__}" in done.stdout
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert [row["limbs"] for row in found["speed"]] == [1] * 4 + [100] * 4
    assert found["planar_length_error"] < 3.4e-13


def test_an_unknown_part_is_refused():
    done = run("nothing")
    assert done.returncode == 2
    assert "solver" in done.stderr
