# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the code, then test it: the solver without Blender, the rest in the Blender of .venv.

Needs nothing but a Python 3: the first run sets .venv up. Other arguments than those below go to pytest,
which then runs alone: `python3 scripts/test.py tests/solver -k pole`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import environment

TESTS = environment.ROOT / "tests"
BLENDER_TESTS = str(environment.ROOT / "scripts" / "blender_tests.py")
LIMIT = 30 * 60
"""Seconds after which a step counts as hung."""


class Report:
    """The steps that ran and how they ended, and those that could not run."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.failed = False
        self.lock = threading.Lock()

    def run(self, name: str, python: str, *arguments: str) -> None:
        """Run one step to its end; whatever it does, the next one gets its turn."""
        print(f"\n== {name}", flush=True)
        self._note(name, [python, *arguments], capture=False)

    def run_side_by_side(self, steps: dict[str, list[str]]) -> None:
        """Run several commands at once, as many as there are processors; each one's output is shown when it ends."""
        with ThreadPoolExecutor(max_workers=max(1, min(os.cpu_count() or 1, 4))) as pool:
            for name, command in steps.items():
                pool.submit(self._note, name, command, capture=True)

    def _note(self, name: str, command: list[str], *, capture: bool) -> None:
        start = time.monotonic()
        output = b""
        try:
            ended = subprocess.run(command, cwd=environment.ROOT, timeout=LIMIT, stdout=subprocess.PIPE if capture else None,
                                   stderr=subprocess.STDOUT if capture else None)
            output = ended.stdout or b""
            outcome = "passed" if ended.returncode == 0 else f"FAILED ({_reason(ended.returncode)})"
        except subprocess.TimeoutExpired as late:
            output = late.stdout or b""
            outcome = f"FAILED (hung for {LIMIT // 60} minutes)"
        with self.lock:
            if capture:
                print(f"\n== {name}\n{output.decode(errors='replace')}", flush=True)
            self.failed = self.failed or outcome != "passed"
            self.lines.append(f"{name}: {outcome} in {time.monotonic() - start:.0f} s")

    def skip(self, name: str, reason: str) -> None:
        """Note what could not run; that is no failure, but it is said."""
        self.lines.append(f"{name}: NOT RUN, {reason}")

    def close(self) -> int:
        """Print the summary and return the exit status."""
        print("\n== Summary", *self.lines, sep="\n", flush=True)
        return 1 if self.failed else 0


def main() -> int:
    """Run the steps that the command line asks for; 0 where all of them passed."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matrix", action="store_true",
                        help="also test every other supported Blender whose Python is found")
    options, chosen = parser.parse_known_args()
    environment.enter(__file__)

    report = Report()
    own = environment.own_blender()
    if chosen:
        report.run(f"Blender {own}", sys.executable, BLENDER_TESTS, *chosen)
    else:
        report.run("ruff", sys.executable, "-m", "ruff", "check", ".")
        report.run("mypy", sys.executable, "-m", "mypy")
        tests = [TESTS / "solver", *sorted(TESTS.glob("test_*.py"))]
        report.run("Without Blender", sys.executable, "-m", "pytest", *map(str, tests))
        report.run(f"Blender {own}", sys.executable, BLENDER_TESTS)
    others = {}
    for blender in environment.blenders() if options.matrix else ():
        if blender == own:
            continue
        try:
            python = environment.other_blender(blender)
        except environment.Missing as missing:
            report.skip(f"Blender {blender}", str(missing))
        else:
            others[f"Blender {blender}"] = [str(python), BLENDER_TESTS, *chosen]
    report.run_side_by_side(others)
    return report.close()


def _reason(status: int) -> str:
    return f"crashed, signal {-status}" if status < 0 else f"exit status {status}"


if __name__ == "__main__":
    sys.exit(main())
