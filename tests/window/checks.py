"""Checks that print a line each and keep a picture of what they did not find."""

import os
from pathlib import Path

from scripts.window import MARK

OUTPUT = Path(os.environ["TWOBONE_OUTPUT"])


class Checks:
    """Counts what held and what did not, scenario by scenario."""

    def __init__(self, window):
        self.window, self.done, self.failed, self.scenario = window, 0, 0, ""

    def __call__(self, what, holds, *seen):
        """Print what was checked; where it does not hold, also what was `seen`, and keep a picture."""
        self.done += 1
        say(f"  {'ok    ' if holds else 'FAILED'} {what}" + ("" if holds else ": " + ", ".join(map(str, seen))))
        if not holds:
            self.failed += 1
            self.window.picture(OUTPUT / f"failed-{self.scenario}-{self.failed}.png")

    def close(self):
        """Print the last line, which window_test.py looks for."""
        say(f"{self.done} checks, {self.failed} failed")


def say(line):
    print(MARK + str(line), flush=True)
