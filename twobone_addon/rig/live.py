# SPDX-License-Identifier: GPL-3.0-or-later
"""The handlers that keep limbs solved: read the evaluated scene, solve, write, once.

`frame_change_post` is all that scrubbing, playback, renders and scripts' `frame_set` call; `depsgraph_update_post` is
all that dragging and edits call. Blender evaluates what they write once more and calls neither again, so there is no
loop; `frame_change_pre` spares that second evaluation where a frame can be foretold. A pose is a function of its frame
alone: what is remembered only spares work (inputs that have been solved, limits that stand already) and never enters a
result.
"""

from __future__ import annotations

from collections.abc import Callable

import bpy
from bpy.app.handlers import persistent

from . import properties
from .engine.foresee import foresee, revise
from .engine.memory import counts, held, lock, plan_of, print_once, state
from .engine.plan import armatures_of
from .engine.solving import insane
from .engine.update import solve_scene
from .upkeep.keep_evaluated import keep_evaluated
from .upkeep.mend import looked, mend_all

__all__ = ["counts", "held", "insane", "others_handle_frames", "plan_of", "register", "settle", "solve_scene", "state",
           "unregister"]


def _guarded(body: Callable[[], None]) -> None:
    """Run a handler's body; an exception is printed once and never reaches Blender, which would print it for ever."""
    with lock:
        try:
            body()
        except Exception as error:  # noqa: BLE001 (see above)
            print_once(error)


@persistent
def frame_change_pre(scene: bpy.types.Scene, *_args: object) -> None:
    """The same, before anything is evaluated: write what can be foretold, so that one evaluation does."""
    _guarded(lambda: foresee(scene))


@persistent
def frame_change_post(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Scrubbing, playback, renders, scripts: solve the new frame."""
    def body() -> None:
        if depsgraph.id_type_updated('SCENE') and depsgraph.id_type_updated('COLLECTION'):  # a script's edits, not evaluated yet
            if depsgraph == depsgraph.view_layer.depsgraph:
                _look_afresh(depsgraph.scene)
            elif not plan_of(depsgraph.scene).has_all_limbs_of(depsgraph.scene):
                state.forget_plans()
        solve_scene(depsgraph, new_frame=True)
    _guarded(body)


@persistent
def depsgraph_update_post(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Dragging and edits: solve the limbs that read what was changed."""
    def body() -> None:
        if depsgraph.id_type_updated('SCENE') and depsgraph.id_type_updated('COLLECTION'):  # not a mere selection
            _look_afresh(depsgraph.scene)
            solve_scene(depsgraph)
        elif plan_of(depsgraph.scene).limbs:
            changed = {update.id.original.session_uid for update in depsgraph.updates}
            revise(depsgraph.scene, changed)
            solve_scene(depsgraph, changed)
    _guarded(body)


def _look_afresh(scene: bpy.types.Scene) -> bool:
    """Forget what was laid out of the scenes, since one was edited, and prepare `scene`; whether anything had to be done."""
    for plan in list(state.plans.values()):  # a renaming that is followed forgets them
        plan.follow_renames()
    state.forget_plans()
    mended = mend_all(armatures_of(scene))
    return keep_evaluated(plan_of(scene)) or mended


@persistent
def load_post(*_args: object) -> None:
    """A file was read: its first evaluation calls no other handler."""
    def body() -> None:
        state.clear()
        looked.clear()
        _catch_up()
    _guarded(body)


def _catch_up() -> None:
    """Solve what is open, and have it evaluated, outside of any update."""
    if _look_afresh(bpy.context.scene):
        bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    before = counts.writes
    solve_scene(depsgraph)
    if counts.writes != before:
        bpy.context.view_layer.update()


def others_handle_frames() -> bool:
    """Whether somebody else is called at every frame, and may change what nobody can tell beforehand."""
    own = __name__.removesuffix("rig.live")
    handlers = (*bpy.app.handlers.frame_change_pre, *bpy.app.handlers.frame_change_post)
    return not all(str(getattr(handler, "__module__", "")).startswith(own) for handler in handlers)


def settle() -> None:
    """Evaluate and solve afresh, so that whoever reads the pose next finds it right; never from within a handler."""
    state.forget_plans()
    keep_evaluated(plan_of(bpy.context.scene))
    bpy.context.view_layer.update()
    solve_scene(bpy.context.evaluated_depsgraph_get())
    bpy.context.view_layer.update()


@persistent
def forget(*_args: object) -> None:
    """Undo and redo replace all data: nothing that was remembered may be touched again."""
    def body() -> None:
        state.forget_plans()
        looked.clear()
    _guarded(body)


@persistent
def save_pre(*_args: object) -> None:
    """A file is saved: the originals get what only evaluated copies have, for whoever opens it without the extension."""
    _guarded(_write_originals)


def _write_originals() -> None:
    if not state.apart:
        return
    if getattr(bpy.context, "view_layer", None) is not None:
        bpy.context.evaluated_depsgraph_get()  # what was edited since, too
    for scene in bpy.data.scenes:  # one that was played may have been left for another
        for layer in scene.view_layers:
            if layer.depsgraph is not None:
                solve_scene(layer.depsgraph)


@persistent
def render_init(*_args: object) -> None:
    """A render begins, whose copies are not the window's."""
    state.rendering = True


@persistent
def render_end(*_args: object) -> None:
    """A render has ended, one way or the other."""
    state.rendering = False


HANDLERS = {
    "frame_change_pre": frame_change_pre,
    "frame_change_post": frame_change_post,
    "depsgraph_update_post": depsgraph_update_post,
    "load_post": load_post,
    "save_pre": save_pre,
    "render_init": render_init,
    "render_complete": render_end,
    "render_cancel": render_end,
    "undo_pre": forget,
    "undo_post": forget,
    "redo_pre": forget,
    "redo_post": forget,
}


def register() -> None:
    """Put one handler into each list, and solve what is open already."""
    unregister()
    for name, handler in HANDLERS.items():
        getattr(bpy.app.handlers, name).append(handler)
    properties.structure_changed.append(state.forget_plans)
    if getattr(bpy.context, "view_layer", None) is not None:
        _guarded(_catch_up)
    elif not bpy.app.background:
        # Blender keeps the context from add-ons while it enables them.
        bpy.app.timers.register(lambda: _guarded(_catch_up), first_interval=0.0)


def unregister() -> None:
    """Take the handlers out again, those of an earlier copy of this module too."""
    _guarded(_write_originals)
    for name, handler in HANDLERS.items():
        handlers = getattr(bpy.app.handlers, name)
        for entry in [entry for entry in handlers if _is_ours(entry, handler)]:
            handlers.remove(entry)
    properties.structure_changed[:] = [entry for entry in properties.structure_changed if entry != state.forget_plans]
    state.clear()
    looked.clear()


def _is_ours(entry: Callable[..., None], handler: Callable[..., None]) -> bool:
    return entry.__module__ == handler.__module__ and entry.__qualname__ == handler.__qualname__
