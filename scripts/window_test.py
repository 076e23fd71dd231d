# SPDX-License-Identifier: GPL-3.0-or-later
"""Test the extension in a real Blender with a window: the built zip, the mouse, the keyboard, the pixels.

Takes the blender on PATH, or the one of a Debian release that it makes by itself (on Linux, as root). Needs nothing
but a Python 3. Pictures of what failed, and Blender's log, go to build/window/. The exit status is 0 where all held,
1 where something did not, and 77 where nothing could be tested.
"""

from __future__ import annotations

import argparse
import re
import sys

from window import MARK
from window.blender import ROOT, SUITES, Blender, CannotRun, find

SCENARIOS = ROOT / "tests" / "window" / "main.py"
CANNOT_RUN = 77
LIMIT = 8 * 60
"""Seconds after which a run counts as hung."""


def main() -> int:
    """Run the scenarios; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blender", metavar="PATH", help="the Blender to test in")
    parser.add_argument("--debian", choices=SUITES, help="test in the Blender of this Debian release")
    parser.add_argument("--limit", type=float, default=600.0, metavar="SECONDS",
                        help="how long making that Debian may take (%(default).0f)")
    parser.add_argument("scenarios", nargs="*", help="only these, such as: drag render")
    options = parser.parse_args()
    try:
        blender = find(options.blender, options.debian, options.limit)
    except CannotRun as reason:
        print(f"\n{'!' * 100}\nTHE WINDOW TESTS DID NOT RUN: {reason}\n{'!' * 100}\n", flush=True)
        return CANNOT_RUN
    return _test(blender, options.scenarios)


def _test(blender: Blender, scenarios: list[str]) -> int:
    status, printed = blender.run(SCENARIOS, *scenarios, limit=LIMIT)
    wrong = []
    if status == 124:
        wrong.append(f"hung for {LIMIT // 60} minutes")
    elif status != 0:
        wrong.append(f"Blender ended with status {status}")
    ended = re.search(rf"^{MARK}(\d+) checks, (\d+) failed$", printed, re.MULTILINE)
    if ended is None:
        wrong.append("the scenarios were not gone through to the end")
    elif ended[2] != "0":
        wrong.append(f"{ended[2]} checks failed")
    tracebacks = re.findall(r"^Traceback .*\n(?:[ \t].*\n)+.*", printed, re.MULTILINE)
    wrong += [f"a traceback of the extension:\n{text}" for text in tracebacks
              if "twobone_addon" in text and str(SCENARIOS) not in text]
    if not wrong:
        return 0
    print(f"WINDOW TESTS FAILED in {blender.name}: {'; '.join(wrong)}\nSee build/window/{blender.name}/")
    return 1


if __name__ == "__main__":
    sys.exit(main())
