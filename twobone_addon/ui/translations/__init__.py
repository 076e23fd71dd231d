# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface in other languages; English is in the code.

A language is a file with two tables, LABELS_OF_OPERATORS and TEXTS, from English to that language, and a line in
LANGUAGES. Fields such as {bone} stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

import bpy

from . import zh_hans

LANGUAGES = {"zh_HANS": zh_hans}
"""By Blender's own code for them."""

OPERATOR, DEFAULT = "Operator", "*"
"""Contexts in which Blender looks for the labels of operators, and for everything else."""


def messages() -> dict[str, Mapping[tuple[str, str], str]]:
    """All tables as Blender wants them: by language, then by context and English text."""
    return {language: {**{(OPERATOR, text): told for text, told in module.LABELS_OF_OPERATORS.items()},
                       **{(DEFAULT, text): told for text, told in module.TEXTS.items()}}
            for language, module in LANGUAGES.items()}


def register() -> None:
    """Hand the tables to Blender."""
    unregister()
    bpy.app.translations.register(__name__, messages())


def unregister() -> None:
    """Take them back."""
    bpy.app.translations.unregister(__name__)
