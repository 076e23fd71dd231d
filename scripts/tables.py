# SPDX-License-Identifier: GPL-3.0-or-later
"""Print the solver's reference tables and save them, as Markdown and CSV and one plot each, in build/tables.

    python3 scripts/tables.py [FOLDER]

Runs in the Python it is called with, 3.11 or later, and sets nothing up. The plots need matplotlib.
"""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    parser = argparse.ArgumentParser(description="Print and save the solver's reference tables.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "tables",
                        help="where they are saved (default: build/tables)")
    folder = parser.parse_args().folder
    sys.path.insert(0, str(ROOT))
    try:
        import numpy  # noqa: F401
    except ImportError as error:
        print(f"The tables need numpy in {sys.executable}: {error}", file=sys.stderr)
        return 1
    from reference_tables.contents import TABLES

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # not every console has a Σ
    folder.mkdir(parents=True, exist_ok=True)
    tables = [compute() for compute in TABLES]
    for table in tables:
        print(table.markdown())
        (folder / f"{table.name}.md").write_text(table.markdown(), encoding="utf-8")
        (folder / f"{table.name}.csv").write_text(table.csv(), encoding="utf-8")
    print(f"Saved {len(tables)} tables as Markdown and CSV in {folder}")
    try:
        from reference_tables.plots import draw
    except ImportError as error:
        print(f"Plots left out, they need matplotlib in {sys.executable}: {error}")
        return 0
    for table in tables:
        draw(table, folder / f"{table.name}.png")
    print(f"Saved {len(tables)} plots in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
