# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures speed. `python3 scripts/benchmark.py {solver,live} [--json FILE]`

Runs in the calling interpreter and sets nothing up: `solver` needs numpy, `live` needs Blender as the module bpy.
"""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

PARTS = ("solver", "live")


def main(arguments):
    """Run the part that was asked for; returns the exit status."""
    if not arguments or arguments[0] not in PARTS:
        print(f"usage: benchmark.py {{{','.join(PARTS)}}} [--json FILE]", file=sys.stderr)
        return 2
    if arguments[0] == "solver":
        from benchmarks import solver as part
    else:
        from benchmarks import live as part
    return part.main(arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
