# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences for people: translated as templates, then filled in."""

from __future__ import annotations

from bpy.app.translations import pgettext_rpt


def say(template: str, **values: object) -> str:
    """The sentence `template` in the interface's language, its named fields filled in; `template` must be a literal."""
    return pgettext_rpt(template).format(**values)
