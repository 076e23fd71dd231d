# SPDX-License-Identifier: GPL-3.0-or-later
"""What scripts give: objects, names and numbers of a kind that the rest can rely on."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Any

import bpy

from .errors import Refusal
from .words import say


def check_is_armature(object: Any) -> None:
    """Refuse what is no armature object, or one that was deleted."""
    if kind_of(object) != 'ARMATURE':
        raise Refusal(say('"{object}" is not an armature. Choose an armature object', object=getattr(object, "name", object)))


def kind_of(object: Any) -> str:
    """The type of an object, '' for what is no object at all; refuses one that was deleted."""
    try:
        return object.type if isinstance(object, bpy.types.Object) else ""
    except ReferenceError:
        raise Refusal(say('The object was deleted. Look it up by its name again')) from None


def names(given: str | Iterable[str]) -> list[str]:
    """One name or several as a list, none twice; refuses anything else."""
    try:
        listed = [given] if isinstance(given, str) else list(dict.fromkeys(given))
    except TypeError:
        listed = [None]
    for name in listed:
        if not isinstance(name, str):
            raise Refusal(say('{given} are no names of bones. Give the name of a lower bone, or several', given=repr(given)))
    return listed


def number(given: Any, name: str, least: float, most: float = inf) -> float:
    """The number that was given, which the message calls `name`; refuses what is none from `least` to `most`."""
    try:
        value = float(given)
    except (TypeError, ValueError, OverflowError):
        value = float("nan")
    if most == inf and not value >= least:
        raise Refusal(say('The {name} {given} is not a number of {least:g} or more. Give one that is', name=name, given=given,
                          least=least))
    if not least <= value <= most:
        raise Refusal(say('The {name} {given} is not a number between {least:g} and {most:g}. Give one that is',
                          name=name, given=given, least=least, most=most))
    return value
