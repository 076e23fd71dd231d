# SPDX-License-Identifier: GPL-3.0-or-later
"""What a command answers, and how it is told to people and programs."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from .. import rig
from .arguments import PROGRAM


@dataclass(frozen=True)
class Answer:
    """A command's outcome: for programs, for people as lines, whether --check should point to it, and as a table."""

    document: dict[str, Any]
    lines: list[str]
    needs_a_look: bool = False
    rows: Sequence[Sequence[Any]] = ()

    def told(self, as_json: bool) -> str:
        """The text to write, with its last line ended."""
        if as_json:
            return json.dumps(plain(self.document), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        return "".join(f"{line}\n" for line in self.lines)


    def save(self, path: Path) -> None:
        """Write it to a file, as CSV or JSON as its name says."""
        with path.open("w", encoding="utf-8", newline="") as file:
            if path.suffix.lower() == ".csv":
                csv.writer(file).writerows(self.rows)
            else:
                file.write(self.told(as_json=True))


def plain(value: Any) -> Any:
    """`value` as JSON can say it: numbers that are not finite become null, tuples lists, everything unknown its text."""
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return float(value) if isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int)) else str(value)


def control(one: rig.Control | None) -> dict[str, str] | None:
    """A target or pole for a document."""
    return None if one is None else {"object": one.object.name, "bone": one.bone}


def warn(text: str) -> None:
    """Say something on standard error that does not stop the command."""
    _say("warning", text)


def complain(text: str) -> None:
    """Say on standard error why the command stops."""
    _say("error", text)


def _say(kind: str, text: str) -> None:
    print(f"{PROGRAM}: {kind}: {text}", file=sys.stderr, flush=True)


def table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Lines with the columns of `rows` under each other; the first row is the heading."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
