# SPDX-License-Identifier: GPL-3.0-or-later
"""The handlers that keep limbs solved: read the evaluated scene, solve, write, once.

Two are needed. `frame_change_post` is all that scrubbing, playback, renders and scripts' `frame_set` call;
`depsgraph_update_post` is all that dragging and edits call. Blender evaluates what they write once more and calls
neither again, so there is no loop. A pose is a function of its frame alone: what is remembered here only spares
work (inputs that have been solved, limits that stand already) and never enters a result.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import bpy
import numpy as np
from bpy.app.handlers import persistent

from . import deliver, properties
from .limb import Limb
from .motions import Motions, Outcome, turned_hands
from .plan import Plan, make_plan
from .problem import Problem, delivered_angles, pose_problem
from .sample import read
from .words import say


@dataclass
class Counts:
    """What the engine has done since `clear`: limbs read and solved, properties written, handler calls with limbs."""

    updates: int = 0
    reads: int = 0
    solves: int = 0
    writes: int = 0

    def clear(self) -> None:
        """Start again from zero."""
        self.updates = self.reads = self.solves = self.writes = 0


@dataclass
class Solved:
    """Per limb of a plan, the inputs that were solved last and the single-precision angles (6) that came out."""

    inputs: list[bytes | None]
    angles: list[list[float]]


@dataclass
class State:
    """All that the module remembers; losing it costs time, not a pose.

    behind: nothing was solved since the handlers were registered or a file was read, so that all limbs need a look.
    """

    plans: dict[int, Plan] = field(default_factory=dict)
    solved: dict[int, Solved] = field(default_factory=dict)
    faults: dict[tuple[int, str], str] = field(default_factory=dict)
    printed: set[str] = field(default_factory=set)
    behind: bool = True

    def clear(self) -> None:
        """Forget everything."""
        self.forget_plans()
        self.faults.clear()
        self.printed.clear()
        self.behind = True

    def forget_plans(self) -> None:
        """Look at the scenes afresh at the next update."""
        self.plans.clear()
        self.solved.clear()


counts = Counts()
state = State()
_lock = threading.RLock()
"""Renders started from the interface call handlers on their own thread."""
_holding: set[int] = set()
"""The threads in which the engine is held."""


@contextmanager
def held() -> Iterator[None]:
    """Keep the engine from solving in this thread for the time of the block; renders in other threads are not held."""
    thread = threading.get_ident()
    free = thread not in _holding
    _holding.add(thread)
    try:
        yield
    finally:
        if free:
            _holding.discard(thread)


def plan_of(scene: bpy.types.Scene) -> Plan:
    """The plan of `scene`, made anew where it was forgotten."""
    key = scene.session_uid
    plan = state.plans.get(key)
    if plan is None:
        plan = state.plans[key] = make_plan(scene)
        state.solved[key] = Solved([None] * len(plan.limbs), [[] for _ in plan.limbs])
    return plan


def solve_scene(depsgraph: bpy.types.Depsgraph, changed: set[int] | None = None) -> None:
    """Solve the limbs of the depsgraph's scene and write what differs.

    changed: session uids of the data that was updated, where only limbs that read one of them need a look.
    """
    if threading.get_ident() in _holding:
        return
    scene = depsgraph.scene
    if state.behind:
        state.behind, changed = False, None
    for _attempt in range(2):
        plan = plan_of(scene)
        if not plan.limbs:
            return
        rows = list(range(len(plan.limbs))) if changed is None else plan.with_followers(
            {row for row in range(len(plan.limbs)) if _reads(plan, row, changed)})
        try:
            if plan.is_current:
                _solve_rows(plan, state.solved[scene.session_uid], depsgraph, rows)
                return
        except (ReferenceError, KeyError):
            pass
        plan.follow_renames()
        state.forget_plans()
        changed = None


def _reads(plan: Plan, row: int, changed: set[int]) -> bool:
    limb = plan.limbs[row]
    if limb.limb.armature.session_uid in changed:
        return True
    return any(source is not None and source.control.object.session_uid in changed for source in (limb.target, limb.pole))


def _solve_rows(plan: Plan, solved: Solved, depsgraph: bpy.types.Depsgraph, rows: Sequence[int]) -> None:
    """Solve level by level, carrying forward what later levels hang on; write when all is solved."""
    rows = [row for row in rows if not plan.limbs[row].limb.armature.data.is_editmode
            and plan.limbs[row].limb.armature.is_editable]
    outcomes: dict[int, Outcome] = {row: Outcome(plan.limbs[row].fault) for row in rows if plan.limbs[row].fault}
    rows = [row for row in rows if row not in outcomes]
    if rows:
        counts.updates += 1
        counts.reads += len(rows)
        motions = Motions(plan, depsgraph)
        wanted = set(rows)
        for level in plan.levels:
            part = [row for row in level if row in wanted]
            if part:
                _solve_level(plan, solved, depsgraph, part, motions, outcomes)
    touched = set()
    for row, outcome in outcomes.items():
        writes = _rest(plan, row, outcome.fault) if outcome.fault else _deliver(plan, row, outcome)
        if writes:
            touched.add(plan.limbs[row].armature)
            counts.writes += writes
    if touched and depsgraph != depsgraph.view_layer.depsgraph:
        _keep_animation_alive(plan, touched)


def _solve_level(plan: Plan, solved: Solved, depsgraph: bpy.types.Depsgraph, rows: Sequence[int], motions: Motions,
                 outcomes: dict[int, Outcome]) -> None:
    """Read and solve limbs that do not hang on each other."""
    sample = motions.apply(read(plan, depsgraph, rows), rows)
    constants = plan.constants if len(rows) == len(plan.limbs) else plan.constants.take(np.array(rows))
    problem = pose_problem(sample, constants)
    inputs = [row.tobytes() for row in problem.inputs()]
    sane = problem.sane.tolist()
    stale = [place for place, row in enumerate(rows) if sane[place] and solved.inputs[row] != inputs[place]]
    failed = _solve_stale(plan, solved, rows, inputs, problem, stale)
    hands = turned_hands(plan, rows, sample.turns) if sample.turns is not None else {}
    for place, row in enumerate(rows):
        if place in failed:
            outcomes[row] = Outcome(failed[place])
        elif not sane[place]:
            outcomes[row] = Outcome(insane(plan.limbs[row].limb))
        else:
            outcomes[row] = Outcome("", solved.angles[row], float(sample.influence[place]), *hands.get(place, ()))
            if plan.followers[row]:
                motions.solved(row, sample, place, outcomes[row])


def _keep_animation_alive(plan: Plan, armatures: set[int]) -> None:
    """Have the animation evaluated again in the second pass of a render.

    A write re-copies the whole armature from its original, whose other keyed bones stand at an old frame in a
    render's depsgraph. In the view layer's own depsgraph the same tag would throw away edits that are not keyed.
    """
    for index in armatures:
        plan.armatures[index].object.update_tag(refresh={'TIME'})


def _solve_stale(plan: Plan, solved: Solved, rows: Sequence[int], inputs: Sequence[bytes], problem: Problem,
                 stale: Sequence[int]) -> dict[int, str]:
    """Solve the places `stale` of the problem in one batch; returns what went wrong where, which stops no other limb."""
    if not stale:
        return {}
    counts.solves += len(stale)
    everything = len(stale) == len(rows)
    try:
        angles = delivered_angles(problem if everything else problem.take(stale))
    except Exception as error:  # noqa: BLE001 (a handler must survive whatever one limb does)
        if len(stale) == 1:
            _print_once(error)
            return {stale[0]: _broken(plan, rows[stale[0]], error)}
        angles = None
    if angles is None:
        failed = {}
        for place in stale:
            failed.update(_solve_stale(plan, solved, rows, inputs, problem, [place]))
        return failed
    for place, values in zip(stale, angles, strict=True):
        solved.inputs[rows[place]] = inputs[place]
        solved.angles[rows[place]] = values
    return {}


def _deliver(plan: Plan, row: int, outcome: Outcome) -> int:
    limb = plan.limbs[row].limb
    upper, lower = limb.bones
    state.faults.pop((limb.armature.session_uid, limb.lower), None)
    hand = limb.armature.pose.bones[limb.hand] if limb.hand else None
    writes = deliver.wake(lower, upper, hand)
    writes += deliver.write_rotation(upper, outcome.angles[:3], outcome.influence)
    writes += deliver.write_rotation(lower, outcome.angles[3:], outcome.influence)
    if outcome.hand:
        writes += deliver.write_rotation(hand, outcome.hand, outcome.hand_influence)
    return writes


def _rest(plan: Plan, row: int, fault: str) -> int:
    limb = plan.limbs[row].limb
    bones = limb.armature.pose.bones
    state.faults[limb.armature.session_uid, limb.lower] = fault
    if bones[limb.lower].twobone_version > properties.VERSION:
        return 0
    return deliver.rest(bones[limb.lower], bones.get(limb.upper), bones.get(limb.hand))


def insane(limb: Limb) -> str:
    """The sentence for a limb whose transforms cannot be solved."""
    return say('"{bone}" rests: its bones, target or pole are not at a finite place, or a bone is scaled to zero. '
               'Check their transforms', bone=limb.lower)


def _broken(plan: Plan, row: int, error: Exception) -> str:
    return say('"{bone}" rests after an unexpected error ({error}). Please report it',
               bone=plan.limbs[row].limb.lower, error=error)


def _print_once(error: Exception) -> None:
    text = repr(error)
    if text not in state.printed:
        state.printed.add(text)
        traceback.print_exception(error)


def _guarded(body: Callable[[], None]) -> None:
    """Run a handler's body; an exception is printed once and never reaches Blender, which would print it for ever."""
    with _lock:
        try:
            body()
        except Exception as error:  # noqa: BLE001 (see above)
            _print_once(error)


@persistent
def frame_change_post(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Scrubbing, playback, renders, scripts: solve the new frame."""
    _guarded(lambda: solve_scene(depsgraph))


@persistent
def depsgraph_update_post(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Dragging and edits: solve the limbs that read what was changed."""
    def body() -> None:
        if depsgraph.id_type_updated('SCENE'):
            for plan in list(state.plans.values()):  # a renaming that is followed forgets them
                plan.follow_renames()
            state.forget_plans()
            solve_scene(depsgraph)
        elif plan_of(depsgraph.scene).limbs:
            solve_scene(depsgraph, {update.id.original.session_uid for update in depsgraph.updates})
    _guarded(body)


@persistent
def load_post(*_args: object) -> None:
    """A file was read: its first evaluation calls no other handler."""
    def body() -> None:
        state.clear()
        _catch_up()
    _guarded(body)


def _catch_up() -> None:
    """Solve what is open, and have it evaluated, outside of any update."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    before = counts.writes
    solve_scene(depsgraph)
    if counts.writes != before:
        bpy.context.view_layer.update()


def settle() -> None:
    """Evaluate and solve afresh, so that whoever reads the pose next finds it right; never from within a handler."""
    state.forget_plans()
    bpy.context.view_layer.update()
    solve_scene(bpy.context.evaluated_depsgraph_get())
    bpy.context.view_layer.update()


@persistent
def forget(*_args: object) -> None:
    """Undo and redo replace all data: nothing that was remembered may be touched again."""
    _guarded(state.forget_plans)


HANDLERS = {
    "frame_change_post": frame_change_post,
    "depsgraph_update_post": depsgraph_update_post,
    "load_post": load_post,
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
    for name, handler in HANDLERS.items():
        handlers = getattr(bpy.app.handlers, name)
        for entry in [entry for entry in handlers if _is_ours(entry, handler)]:
            handlers.remove(entry)
    properties.structure_changed[:] = [entry for entry in properties.structure_changed if entry != state.forget_plans]
    state.clear()


def _is_ours(entry: Callable[..., None], handler: Callable[..., None]) -> bool:
    return entry.__module__ == handler.__module__ and entry.__qualname__ == handler.__qualname__
