# SPDX-License-Identifier: GPL-3.0-or-later
"""What is registered, in which order; undone in the opposite one, also when a step fails half-way."""

from __future__ import annotations

from types import ModuleType

from . import ops, ui
from .rig import live, properties

STEPS: tuple[ModuleType, ...] = (properties, ops, ui, live)


def register() -> None:
    """Register every step; where one fails, those before it are undone and the error goes on."""
    done: list[ModuleType] = []
    try:
        for step in STEPS:
            done.append(step)
            step.register()
    except Exception:
        for step in reversed(done):
            step.unregister()
        raise


def unregister() -> None:
    """Undo register()."""
    for step in reversed(STEPS):
        step.unregister()
