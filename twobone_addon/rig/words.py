# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences for people: translated as templates, then filled in."""

from __future__ import annotations

from typing import Any

from bpy.app.translations import pgettext_rpt


class Sentence(str):
    """A sentence in the language of the moment it was said, which `retell` can say again in another one."""

    __slots__ = ("template", "values")

    template: str
    values: dict[str, object]


def say(template: str, **values: object) -> Sentence:
    """The sentence `template` in the interface's language, its named fields filled in; `template` must be a literal."""
    told = Sentence(pgettext_rpt(template).format(**{name: retell(value) for name, value in values.items()}))
    told.template, told.values = template, values
    return told


def retell(text: Any) -> Any:
    """`text` in the interface's language of now, where it is a sentence that was said; anything else as it is.

    For what is kept for longer than it takes to show it.
    """
    return say(text.template, **text.values) if isinstance(text, Sentence) else text
