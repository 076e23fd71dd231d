# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures speed and exactness. `python3 scripts/benchmark.py {solver,live,comparison,overlay,bake} [--json FILE]`

Runs in the calling interpreter and sets nothing up: `solver` needs numpy, the others Blender as the module bpy.
With a Blender executable: `blender --python scripts/benchmark.py -- overlay`.
"""

import sys
from importlib import import_module
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

PARTS = ("solver", "live", "comparison", "overlay", "bake")


def main(arguments: list[str]) -> int:
    """Run the part that was asked for; returns the exit status."""
    if not arguments or arguments[0] not in PARTS:
        print(f"usage: benchmark.py {{{','.join(PARTS)}}} [--json FILE]", file=sys.stderr)
        return 2
    status: int = import_module(f"benchmarks.{arguments[0]}").main(arguments[1:])
    return status


if __name__ == "__main__":
    executable = "bpy" in sys.modules
    status = main(sys.argv[sys.argv.index("--") + 1:] if executable and "--" in sys.argv else sys.argv[1:])
    if status or not executable:
        sys.exit(status)
