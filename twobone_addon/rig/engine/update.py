# SPDX-License-Identifier: GPL-3.0-or-later
"""One update: read the limbs of a depsgraph's scene, solve what is new, write what differs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import bpy
import numpy as np
from numpy.typing import NDArray

from .confirm import borne_out, confirmed
from .deliver import tell
from .foresight import Foresight
from .memory import Solved, counts, is_held, plan_of, state
from .motions import Motions, Outcome
from .plan import Plan
from .problem import pose_problem
from .sample import WIDTH, read
from .solving import deliver_limb, insane, outcomes_of, rests, solve_new


def solve_scene(depsgraph: bpy.types.Depsgraph, changed: set[int] | None = None, *, new_frame: bool = False) -> None:
    """Solve the limbs of the depsgraph's scene and write what differs.

    changed: session uids of the data that was updated, where only limbs that read one of them need a look. new_frame:
    whether all animation has just been evaluated.
    """
    if is_held():
        return
    scene = depsgraph.scene
    if state.behind:
        state.behind, changed = False, None
    for _attempt in range(2):
        plan = plan_of(scene, depsgraph)
        if not plan.limbs:
            return
        rows = list(range(len(plan.limbs))) if changed is None else _touched(plan, changed)
        if not rows:
            return
        try:
            renamed = not new_frame or depsgraph.id_type_updated('ARMATURE')  # set where bones have other names or places
            if not renamed:
                rows = _left_open(plan, depsgraph, rows)
                if not rows:
                    return
            if plan.has_same_bones(changed, renamed=renamed or depsgraph != depsgraph.view_layer.depsgraph) and (
                    plan.is_carried_as_planned(depsgraph)):
                _solve_rows(plan, depsgraph, rows, new_frame=new_frame)
                return
        except (ReferenceError, KeyError):
            pass
        plan.follow_renames()
        state.forget_plans()
        changed = None


def _left_open(plan: Plan, depsgraph: bpy.types.Depsgraph, rows: list[int]) -> list[int]:
    """Those of the rows whose foretold pose does not stand at a glance."""
    settled = borne_out(plan, state.foresights[depsgraph.scene.session_uid], depsgraph)
    if not settled:
        return rows
    counts.updates += 1
    counts.reads += len(settled)
    counts.borne_out += len(settled)
    return [row for row in rows if row not in settled] if len(settled) < len(rows) else []


def _touched(plan: Plan, changed: set[int]) -> list[int]:
    """The rows of limbs that read one of `changed`, of those that hang on them, and of all whose armature's original is
    behind and is copied as a whole once one of them is written."""
    read = plan.readers.keys() & changed
    if not read:
        return []
    rows = plan.with_followers({row for uid in read for row in plan.readers[uid]})
    behind = _behind(plan, {plan.limbs[row].armature for row in rows})
    if not behind:
        return rows
    return plan.with_followers({*rows, *(row for row, limb in enumerate(plan.limbs) if limb.armature in behind)})


def _behind(plan: Plan, armatures: set[int]) -> set[int]:
    """Those armatures whose originals are behind and that are copied as a whole where one of these is written to."""
    if not state.apart:
        return set()
    return {index for armature in armatures for index in plan.kin[armature]
            if plan.armatures[index].object.session_uid in state.apart}


def _solve_rows(plan: Plan, depsgraph: bpy.types.Depsgraph, rows: Sequence[int], *, new_frame: bool) -> None:
    """Solve level by level, carrying forward what later levels hang on; write when all is solved."""
    key = depsgraph.scene.session_uid
    solved, foresight = state.solved[key], state.foresights[key]
    solved.catch_up(foresight)
    usable = _usable(plan, {plan.limbs[row].armature for row in rows})
    rows = [row for row in rows if plan.limbs[row].armature in usable]
    outcomes: dict[int, Outcome] = {row: Outcome(plan.limbs[row].fault) for row in rows if plan.limbs[row].fault}
    rows = [row for row in rows if row not in outcomes]
    if rows:
        counts.updates += 1
        counts.reads += len(rows)
        motions = Motions(plan, depsgraph)
        wanted = set(rows)
        for level in plan.levels:
            for row in level if outcomes else ():
                if row in outcomes and plan.followers[row]:
                    motions.goes_to_rest(row)
            part = [row for row in level if row in wanted]
            if part:
                _solve_level(plan, solved, foresight, depsgraph, part, motions, outcomes)
    _write_with_their_armature(plan, foresight, rows, outcomes)
    touched: set[int] = set()
    _deliver(plan, outcomes, touched)
    left = _behind(plan, touched) - touched
    if left and foresight.foretold is not None:
        foretold = foresight.foretold
        _deliver(plan, {foretold.rows[place]: foretold.outcome(place) for place in foretold.places
                        if plan.limbs[foretold.rows[place]].armature in left}, touched)
    if touched:
        _keep_animation_alive(plan, depsgraph, touched, new_frame=new_frame)


def _usable(plan: Plan, armatures: set[int]) -> set[int]:
    """Those of the armatures that can be written to."""
    objects = {index: plan.armatures[index].object for index in armatures}
    return {index for index, object in objects.items() if object.is_editable and not object.data.is_editmode}


def _deliver(plan: Plan, outcomes: dict[int, Outcome], touched: set[int]) -> None:
    """Write what came out, and add the armatures that were written to, whose originals are behind no more.

    Raises KeyError or ReferenceError where the plan is out of date; what was written by then is written once more, and told.
    """
    bones_of: dict[int, bpy.types.bpy_prop_collection[bpy.types.PoseBone]] = {}
    try:
        for row, outcome in outcomes.items():
            limb = plan.limbs[row]
            bones = bones_of.get(limb.armature)
            if bones is None:
                bones = bones_of[limb.armature] = limb.limb.armature.pose.bones
            writes = deliver_limb(limb.limb, bones, outcome,
                                  anew=bool(state.apart) and limb.limb.armature.session_uid in state.apart)
            if writes:
                touched.add(limb.armature)
                counts.writes += writes
    except (KeyError, ReferenceError):
        for row in outcomes:
            with suppress(ReferenceError):
                state.apart.add(plan.limbs[row].limb.armature.session_uid)
        raise
    for armature in (plan.armatures[index].object for index in touched):
        tell(armature)
        state.apart.discard(armature.session_uid)


def _write_with_their_armature(plan: Plan, foresight: Foresight, rows: Sequence[int], outcomes: dict[int, Outcome]) -> None:
    """Have limbs whose foretold pose stands written too where another limb of their armature is: a write has the
    armature copied from its original, which may not have what its copy was given."""
    if not state.apart:
        return
    written = {plan.limbs[row].armature for row, outcome in outcomes.items()
               if plan.limbs[row].limb.armature.session_uid in state.apart and not rests(plan.limbs[row].limb, outcome)}
    if written and foresight.foretold is not None:
        place_of = foresight.foretold.place_of
        for row in rows:
            if row not in outcomes and plan.limbs[row].armature in written and row in place_of:
                outcomes[row] = foresight.foretold.outcome(place_of[row])


def _solve_level(plan: Plan, solved: Solved, foresight: Foresight, depsgraph: bpy.types.Depsgraph, rows: Sequence[int],
                 motions: Motions, outcomes: dict[int, Outcome]) -> None:
    """Read and solve limbs that do not hang on each other. A limb whose foretold pose is borne out has no outcome."""
    sample = motions.apply(read(plan, depsgraph, rows), rows)
    problem = pose_problem(sample, plan.layout(rows, WIDTH).constants)
    inputs = problem.inputs()
    stands = confirmed(plan, solved, foresight, rows, sample, problem, inputs, depsgraph)
    if stands.all():
        return
    new = solved.is_new(rows, inputs) & problem.sane & ~stands
    failed = solve_new(plan, solved, rows, problem, inputs, np.flatnonzero(new).tolist())
    unsettled = np.flatnonzero(~stands).tolist()
    sound = [place for place in unsettled if place not in failed and problem.sane[place]]
    outcomes.update({rows[place]: Outcome(failed.get(place) or insane(plan.limbs[rows[place]].limb))
                     for place in unsettled if place not in sound})
    for place in unsettled:
        if place not in sound and plan.followers[rows[place]]:
            motions.goes_to_rest(rows[place])
    outcomes.update(outcomes_of(plan, solved, rows, sample, sound))
    for place in sound:
        if plan.followers[rows[place]]:
            motions.solved(rows[place], sample, place, outcomes[rows[place]])


def _keep_animation_alive(plan: Plan, depsgraph: bpy.types.Depsgraph, armatures: set[int], *, new_frame: bool) -> None:
    """Have the animation evaluated again in the second pass of a render, or of a frame of a scene that no window shows.

    A write re-copies the whole armature from its original, whose other keyed bones stand at an old frame where the
    depsgraph does not hand its poses back to the originals. In the one that a window shows the same tag would throw away
    edits that are not keyed.
    """
    own = depsgraph == depsgraph.view_layer.depsgraph
    for armature in (plan.armatures[index] for index in armatures):
        if not own or (new_frame and not _is_handed_back(armature.object, plan.matrices[armature.rows])):
            armature.object.update_tag(refresh={'TIME'})


def _is_handed_back(armature: bpy.types.Object, read: NDArray[np.float32]) -> bool:
    """Whether the original has the pose that was read of its evaluated copy."""
    original = np.empty_like(read)
    armature.pose.bones.foreach_get("matrix", original.reshape(-1))
    return original.tobytes() == read.tobytes()
