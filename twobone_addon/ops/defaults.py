# SPDX-License-Identifier: GPL-3.0-or-later
"""What new limbs start with: as the preferences say, and what holds where Blender keeps none."""

from __future__ import annotations

from dataclasses import dataclass, fields

import bpy

PACKAGE = __package__.rpartition(".")[0]
"""The extension's root module, by which Blender knows it: it is another one once it is installed."""

CONTROLS = [('EMPTIES', "Empties", "Empty objects that move with the armature object"),
            ('BONES', "Bones", "Control bones of the same armature, in a bone collection of their own")]


@dataclass(frozen=True)
class Defaults:
    """Of the operator's settings those that the preferences hold, by name."""

    controls: str = 'EMPTIES'
    control_size: float = 1.0
    softness: float = 0.0


def defaults(context: bpy.types.Context) -> Defaults:
    """Those of the preferences, or the dataclass's own where Blender keeps none, as when run from a checkout."""
    addon = context.preferences.addons.get(PACKAGE)
    if addon is None or addon.preferences is None:
        return Defaults()
    return Defaults(**{field.name: getattr(addon.preferences, field.name) for field in fields(Defaults)})
