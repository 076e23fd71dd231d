# SPDX-License-Identifier: GPL-3.0-or-later
"""The draw handlers: what is in view is brought to the graphics card when it changed, and drawn.

Nothing is read while the overlay is hidden, and while nothing changes only what tells so.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Hashable
from typing import Any

import bpy
import gpu

from ...rig.shown import current_plan, shown
from ...rig.words import say
from .. import wording
from ..preferences import Settings, preferences
from .batches import Kept, Prepared, forget_shaders, prepare
from .changes import Count
from .chosen import chosen_rows, visible_armatures
from .colours import Palette, palette
from .labels import draw_labels
from .segments import Words, picture


class State:
    """What is remembered between two draws. labels: of the view that is being drawn; failed: an error was printed."""

    handlers: list[Any] = []
    kept: Kept[Prepared] = Kept()
    drawn: Prepared | None = None
    failed = False


def is_on(context: bpy.types.Context) -> bool:
    """Whether the 3D View of `context` shows this overlay."""
    space = context.space_data
    return (space is not None and space.type == 'VIEW_3D' and space.overlay.show_overlays
            and context.workspace.twobone_overlay)


def prepared(context: bpy.types.Context, make: Callable[..., Prepared] = prepare) -> Prepared | None:
    """What is to be drawn in the 3D View of `context`, None where there is no limb; `make` turns a picture into it."""
    depsgraph = context.view_layer.depsgraph
    plan = current_plan(context.scene)
    if depsgraph is None or not plan.limbs:
        return None
    settings = preferences()
    colours = palette(settings, context.preferences.themes[0])
    armatures = visible_armatures(context, plan)
    return State.kept.get(
        _signature(context, armatures, settings, colours),
        lambda: make(picture(shown(plan, depsgraph, chosen_rows(context, plan, armatures, settings.limbs)),
                             colours, settings.sides, _words(context.scene))))


def _signature(context: bpy.types.Context, armatures: tuple[int, ...], settings: Settings, colours: Palette) -> Hashable:
    """Everything that decides what is drawn: two equal ones mean equal pictures."""
    units = context.scene.unit_settings
    return (Count.updates, context.scene.session_uid, context.view_layer.name, context.mode, armatures, colours,
            settings.limbs, settings.sides, units.system, units.scale_length, units.use_separate,
            bpy.app.translations.locale)


def _words(scene: bpy.types.Scene) -> Words:
    return Words(lambda value: wording.length(scene, value), resting=say("Rests"), pole_lost=say("Pole on the line"))


def draw_view() -> None:
    """Draw what stands in the world."""
    _guarded(_draw_view)


def draw_pixels() -> None:
    """Draw what lies flat over the view just drawn."""
    _guarded(_draw_pixels)


def _draw_view() -> None:
    context = bpy.context
    State.drawn = prepared(context) if is_on(context) else None
    if State.drawn is None:
        return
    width = preferences().line_width * context.preferences.system.pixel_size
    before = gpu.state.depth_test_get()
    gpu.state.depth_test_set('NONE')
    gpu.state.blend_set('ALPHA')
    for batch in State.drawn.batches:
        batch.draw(width)
    gpu.state.blend_set('NONE')
    gpu.state.depth_test_set(before)


def _draw_pixels() -> None:
    if State.drawn is None or not State.drawn.labels:
        return
    settings, system = preferences(), bpy.context.preferences.system
    gpu.state.blend_set('ALPHA')
    draw_labels(bpy.context, State.drawn.labels, settings.font_size, settings.line_width * system.pixel_size)
    gpu.state.blend_set('NONE')


def _guarded(body: Callable[[], None]) -> None:
    """Draw; after an error, which is printed, no more until the overlay is switched on again.

    Data that was removed since it was read is none: the next update looks afresh.
    """
    if State.failed:
        return
    try:
        body()
    except (ReferenceError, KeyError):
        State.drawn = None
    except Exception as error:  # noqa: BLE001 (Blender would print it at every redraw)
        State.failed, State.drawn = True, None
        traceback.print_exception(error)


def start_again(_workspace: object = None, context: bpy.types.Context | None = None) -> None:
    """Draw everything anew, also after an error."""
    State.kept.clear()
    State.failed, State.drawn = False, None


def register() -> None:
    """Draw from now on."""
    unregister()
    add = bpy.types.SpaceView3D.draw_handler_add
    State.handlers = [add(draw_view, (), 'WINDOW', 'POST_VIEW'), add(draw_pixels, (), 'WINDOW', 'POST_PIXEL')]


def unregister() -> None:
    """Stop drawing, and let go of everything that was made for it."""
    for handler in State.handlers:
        bpy.types.SpaceView3D.draw_handler_remove(handler, 'WINDOW')
    State.handlers = []
    start_again()
    forget_shaders()
