# SPDX-License-Identifier: GPL-3.0-or-later
"""Long sentences in narrow panels."""

from __future__ import annotations

import re
from unicodedata import east_asian_width

import bpy

COLUMN = 6.4
"""Mean width of a letter in pixels of an unscaled interface; a Chinese character takes two."""

MARGIN = 58
"""Pixels of an unscaled interface that a panel and an icon take from its region."""

NO_START = "，。、；：？！）》」』”’…,.;:?!)"
"""Characters that no line may begin with."""


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most `width` columns, broken at spaces and between characters of languages that have none.

    A word that is longer than a line gets one of its own.
    """
    lines, line = [], ""
    for piece in _pieces(text):
        if line.strip() and columns(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = ""
        line += piece
    return [*lines, line.rstrip()]


def _pieces(text: str) -> list[str]:
    """What must stay together, each with the spaces after it."""
    pieces: list[str] = []
    for part in re.findall(r"\S+\s*|\s+", text):
        word = ""
        for character in part:
            if word and not character.isspace() and character not in NO_START and (
                    _is_wide(character) or _is_wide(word[-1])) and word[-1] not in "（《「『“‘":
                pieces.append(word)
                word = ""
            word += character
        pieces.append(word)
    return pieces


def columns(text: str) -> int:
    """How wide the text is in columns, two for a wide character."""
    return sum(2 if _is_wide(character) else 1 for character in text)


def _is_wide(character: str) -> bool:
    return east_asian_width(character) in "WF"


def draw_text(layout: bpy.types.UILayout, context: bpy.types.Context, text: str, icon: str) -> None:
    """A sentence over as many lines as the region's width asks for."""
    region = context.region
    scale = context.preferences.system.ui_scale or 1.0  # 0 without a window
    width = 40 if region is None else max(12, int((region.width / scale - MARGIN) / COLUMN))
    column = layout.column(align=True)
    column.scale_y = 0.8
    for place, line in enumerate(wrap(text, width)):
        column.label(text=line, icon=icon if place == 0 else 'BLANK1', translate=False)
