# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences for people: translated as templates, then filled in; and lengths in the units that they use."""

from __future__ import annotations

from typing import Any

import bpy
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


def length(scene: bpy.types.Scene, value: float) -> str:
    """A length in the scene's units, as its fields show it."""
    settings = scene.unit_settings
    if settings.system == 'NONE':
        return f"{value:.4g}"
    return bpy.utils.units.to_string(settings.system, 'LENGTH', value * settings.scale_length, precision=3,
                                     split_unit=settings.use_separate)
