# SPDX-License-Identifier: GPL-3.0-or-later
"""The draw handlers: what is in view is brought to the graphics card when it changed, and drawn.

Nothing is read while the overlay is hidden, and while nothing changes only what tells so.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import bpy
import gpu

from ...rig.engine.plan import Plan
from ...rig.frames.paths import Key, Path, Stored, forget_lost, key_of
from ...rig.live import plan_of
from ...rig.shown import current_plan, shown
from ...rig.words import length, say
from ..preferences import Settings, preferences
from .batches import Kept, Prepared, prepare, prepare_paths, shader_of
from .changes import Count
from .chosen import chosen_rows, visible_armatures
from .colours import Palette, palette
from .labels import draw_labels
from .path_segments import current_marks, path_picture
from .segments import Label, Words, picture


class State:
    """What is remembered between two draws. labels: of the view that is being drawn; failed: an error was printed."""

    handlers: list[Any] = []
    limbs: Kept[Prepared] = Kept()
    paths: Kept[Prepared] = Kept()
    labels: tuple[Label, ...] = ()
    failed = False


def is_on(context: bpy.types.Context) -> bool:
    """Whether the 3D View of `context` shows this overlay."""
    space = context.space_data
    return (space is not None and space.type == 'VIEW_3D' and space.overlay.show_overlays
            and context.workspace.twobone_overlay)


@dataclass(frozen=True)
class View:
    """The 3D View of a context: what it shows, and how."""

    context: bpy.types.Context
    plan: Plan
    armatures: tuple[int, ...]
    settings: Settings
    colours: Palette


def view_of(context: bpy.types.Context) -> View | None:
    """What there is to draw in the 3D View of `context`, None where there is no limb."""
    plan = plan_of(context.scene)
    if context.view_layer.depsgraph is None or not plan.limbs:
        return None
    settings = preferences()
    return View(context, plan, visible_armatures(context, plan), settings,
                palette(settings, context.preferences.themes[0]))


def prepared_limbs(view: View, make: Callable[..., Prepared] = prepare) -> Prepared:
    """The picture of the limbs; `make` brings it to the graphics card."""
    context, settings = view.context, view.settings

    def anew() -> Prepared:
        if Stored.paths:
            forget_lost()
        plan = current_plan(context.scene)
        rows = chosen_rows(context, plan, visible_armatures(context, plan), settings.limbs)
        limbs = shown(plan, context.view_layer.depsgraph, rows)
        return make(picture(limbs, view.colours, settings.sides, _words(context.scene)))

    return State.limbs.get(_signature(view), anew)


def prepared_paths(view: View, paths: dict[Key, Path], make: Callable[..., Prepared] = prepare_paths) -> Prepared:
    """The picture of calculated paths; `make` brings it to the graphics card."""

    return State.paths.get((Stored.changes, tuple(paths), view.colours),
                           lambda: make(path_picture(paths.values(), view.colours)))


def visible_paths(view: View) -> dict[Key, Path]:
    """The calculated paths of limbs whose armatures are in view."""
    if not Stored.paths:
        return {}
    keys = (key_of(planned.limb) for planned in view.plan.limbs if planned.armature in view.armatures)
    return {key: Stored.paths[key] for key in keys if key in Stored.paths}


def _signature(view: View) -> Hashable:
    """Everything that decides what is drawn of limbs: two equal ones mean equal pictures."""
    context, settings, units = view.context, view.settings, view.context.scene.unit_settings
    return (Count.updates, context.scene.session_uid, context.view_layer.name, context.mode, view.armatures, view.colours,
            settings.limbs, settings.sides, units.system, units.scale_length, units.use_separate,
            bpy.app.translations.locale)


def _words(scene: bpy.types.Scene) -> Words:
    return Words(lambda value: length(scene, value), resting=say("Rests"), pole_lost=say("Pole on the line"))


def draw_view() -> None:
    """Draw what stands in the world."""
    _guarded(_draw_view)


def draw_pixels() -> None:
    """Draw what lies flat over the view just drawn."""
    _guarded(_draw_pixels)


def _draw_view() -> None:
    context = bpy.context
    State.labels = ()
    view = view_of(context) if is_on(context) else None
    if view is None:
        return
    limbs, paths = prepared_limbs(view), visible_paths(view)
    batches = limbs.batches + (prepared_paths(view, paths).batches if paths else ())
    State.labels = (*limbs.labels, *current_marks(paths.values(), context.scene.frame_current_final))
    width = view.settings.line_width * context.preferences.system.pixel_size
    before = gpu.state.depth_test_get()
    gpu.state.depth_test_set('NONE')
    gpu.state.blend_set('ALPHA')
    for batch in batches:
        batch.draw(width)
    gpu.state.blend_set('NONE')
    gpu.state.depth_test_set(before)


def _draw_pixels() -> None:
    if not State.labels:
        return
    settings, system = preferences(), bpy.context.preferences.system
    gpu.state.blend_set('ALPHA')
    draw_labels(bpy.context, State.labels, settings.font_size, settings.line_width * system.pixel_size)
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
        State.labels = ()
    except Exception as error:  # noqa: BLE001 (Blender would print it at every redraw)
        State.failed, State.labels = True, ()
        traceback.print_exception(error)


def start_again() -> None:
    """Draw everything anew, also after an error."""
    State.limbs.clear()
    State.paths.clear()
    State.failed, State.labels = False, ()


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
    shader_of.cache_clear()
