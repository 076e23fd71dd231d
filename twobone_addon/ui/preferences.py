# SPDX-License-Identifier: GPL-3.0-or-later
"""Preferences of the extension, and what holds where Blender keeps none, as when it is run from a checkout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty, FloatProperty, IntProperty

from ..ops.defaults import CONTROLS, PACKAGE, Defaults
from ..ops.views import redraw_views

COLOUR_SETS = [(f"THEME{number:02}", f"Theme Color Set {number:02}", "", f"COLORSET_{number:02}_VEC", number)
               for number in range(1, 21)]

LIMBS = [('SELECTED', "Selected", "Draw the limbs whose bones, target or pole are active or selected"),
         ('ALL', "All", "Draw every limb of the scene")]


@dataclass(frozen=True)
class Settings:
    """The preferences by name, with their defaults."""

    limbs: str = 'SELECTED'
    line_width: float = 1.5
    font_size: int = 12
    sides: int = 72
    reached: str = 'THEME04'
    softened: str = 'THEME09'
    too_far: str = 'THEME01'
    too_close: str = 'THEME02'
    trouble: str = 'THEME11'


DEFAULTS = Settings()
NEW_LIMBS = Defaults()


def _redraw(_preferences: bpy.types.AddonPreferences, context: bpy.types.Context) -> None:
    redraw_views(context)


def _colour(name: str, description: str, default: str) -> EnumProperty:
    return EnumProperty(name=name, description=description, items=COLOUR_SETS, default=default, update=_redraw)


class TWOBONE_preferences(bpy.types.AddonPreferences):
    """What new limbs start with, and how the overlay looks"""

    bl_idname = PACKAGE

    controls: EnumProperty(name="Controls", description="What is made for a new limb where no target or pole is selected",
                           items=CONTROLS, default=NEW_LIMBS.controls)
    control_size: FloatProperty(name="Size", description="How large the controls of new limbs are drawn, 1 for what suits "
                                "the limb", default=NEW_LIMBS.control_size, min=0.01, soft_min=0.1, soft_max=10.0)
    softness: FloatProperty(name="Softness", description="Softness that new limbs start with", subtype='FACTOR',
                            default=NEW_LIMBS.softness, min=0.0, max=0.99, soft_max=0.2)

    limbs: EnumProperty(name="Limbs", description="Which limbs the overlay draws", items=LIMBS, default=DEFAULTS.limbs,
                        update=_redraw)
    line_width: FloatProperty(name="Line Width", description="Width of the overlay's lines in pixels",
                              default=DEFAULTS.line_width, min=0.5, max=10.0, precision=1, update=_redraw)
    font_size: IntProperty(name="Font Size", description="Size of the overlay's labels in points",
                           default=DEFAULTS.font_size, min=6, max=48, update=_redraw)
    sides: IntProperty(name="Circle Dashes", description="How many dashes a circle of reach has",
                       default=DEFAULTS.sides, min=12, max=360, update=_redraw)
    reached: _colour("Reached", "Color of a limb that reaches its target", DEFAULTS.reached)
    softened: _colour("Softened", "Color of a limb that is slowed down short of its target", DEFAULTS.softened)
    too_far: _colour("Too Far", "Color of a limb whose target is out of reach", DEFAULTS.too_far)
    too_close: _colour("Too Close", "Color of a limb that cannot fold far enough for its target", DEFAULTS.too_close)
    trouble: _colour("Trouble", "Color of a limb that rests, and of a pole that cannot decide where the joint goes",
                     DEFAULTS.trouble)

    if TYPE_CHECKING:
        layout: bpy.types.UILayout

    def draw(self, _context: bpy.types.Context) -> None:
        """What new limbs start with, the overlay's settings, then its colours."""
        layout = self.layout
        layout.use_property_split = True
        layout.label(text="New Limbs")
        layout.row().prop(self, "controls", expand=True)
        layout.prop(self, "control_size")
        layout.prop(self, "softness", slider=True)
        layout.label(text="Overlay")
        for name in ("limbs", "line_width", "font_size", "sides"):
            layout.prop(self, name)
        layout.label(text="Overlay Colors")
        for name in ("reached", "softened", "too_far", "too_close", "trouble"):
            layout.prop(self, name)


def stored_preferences() -> TWOBONE_preferences | None:
    """The preferences that Blender keeps for the enabled add-on; None where it runs from a checkout."""
    addon = bpy.context.preferences.addons.get(PACKAGE)
    return addon.preferences if addon else None


def preferences() -> TWOBONE_preferences | Settings:
    """The preferences, or their defaults where Blender keeps none."""
    return stored_preferences() or DEFAULTS
