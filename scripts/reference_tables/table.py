# SPDX-License-Identifier: GPL-3.0-or-later
"""A table as Markdown for people and as CSV, in full precision, for programs."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

Value = str | int | float | bool | None


@dataclass(frozen=True)
class Table:
    """columns: {heading: format of its numbers}. A value may be text, yes or no, or missing."""

    name: str
    title: str
    note: str
    columns: dict[str, str]
    rows: list[tuple[Value, ...]]

    def column(self, heading: str) -> list[Value]:
        """The values below a heading."""
        place = list(self.columns).index(heading)
        return [row[place] for row in self.rows]

    def markdown(self) -> str:
        """Title, note and rows, the columns aligned."""
        cells = [list(self.columns)]
        cells += [[_shown(*pair) for pair in zip(row, self.columns.values())] for row in self.rows]
        widths = [max(map(len, column)) for column in zip(*cells)]
        lines = [f"| {' | '.join(cell.rjust(width) for cell, width in zip(row, widths))} |" for row in cells]
        lines.insert(1, "|" + "|".join("-" * (width + 1) + ":" for width in widths) + "|")
        return "\n".join([f"## {self.title}", "", self.note, "", *lines, ""])

    def csv(self) -> str:
        """The same rows, numbers as they were computed; an empty field where there is no value."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return text.getvalue()


def _shown(value: Value, spec: str) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else format(value, spec)
