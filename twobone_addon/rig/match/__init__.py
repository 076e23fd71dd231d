# SPDX-License-Identifier: GPL-3.0-or-later
"""Matching: going from IK to FK and back while the pose that is shown stays.

Matching FK gives the bones' own rotations the pose that is shown, and turns the influence to 0. Matching IK puts target
and pole where the solver answers with the pose that is shown, and turns the influence to 1. A limb that stands at that
influence already is matched anew, which moves nothing either.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from types import ModuleType

import bpy
import numpy as np
from numpy.typing import NDArray

from .. import live, properties
from ..animation.channels import Channel
from ..animation.keying import around, check_keys, clear, fence, hold, keying, value_at
from ..checks import check_armature, check_evaluated
from ..errors import Refusal
from ..frames import walk as walk
from ..given import names
from ..limb import Limb, find_limb
from ..readings import limbs
from ..words import say
from . import fk_pose as match_fk_pose
from . import ik_pose as match_ik_pose
from .kept import keep
from .notes import Notes

Array = NDArray[np.float64]


def match_fk(armature_object: bpy.types.Object, lower: str | Sequence[str], *, key: bool = False,
             frames: Iterable[float] | None = None) -> list[str]:
    """Have the limb show its pose by FK: rotations of the bones in their own rotation modes, influence 0.

    lower: the limb's lower bone, or several limbs' lower bones. The bones' locations and scales, and the controls, are
    left alone. key: set keys at the current frame, as auto-key does where it is on. frames: match each of these frames
    instead, and key it; outside of them the influence stays what it was. Returns sentences about what could not be kept
    or will not last, none if all is well. Raises Refusal, with nothing changed, where it cannot be done.
    """
    chosen = _chosen(armature_object, lower)
    for limb in chosen:
        match_fk_pose.check(limb)
    return _match(chosen, match_fk_pose, 0.0, key, frames)


def match_ik(armature_object: bpy.types.Object, lower: str | Sequence[str], *, key: bool = False,
             frames: Iterable[float] | None = None) -> list[str]:
    """Have the limb show its pose by IK: target and pole (or, without a pole, the pole angle) moved, influence 1.

    With softness the target goes beyond the tip, to where the softened limb ends at it. A hand that follows the
    target's rotation is kept by turning the target. Arguments, result and refusals are those of `match_fk`; a control
    is refused that is driven, locked, linked, or held elsewhere by a constraint.
    """
    chosen = _chosen(armature_object, lower)
    for limb in chosen:
        match_ik_pose.check(limb)
    return _match(chosen, match_ik_pose, 1.0, key, frames)


def _chosen(armature: bpy.types.Object, lower: str | Sequence[str]) -> list[Limb]:
    """The limbs that are meant, in solving order; refuses those that cannot be matched either way."""
    check_armature(armature)
    wanted = names(lower)
    if not wanted:
        raise Refusal(say('There is no limb to match. Choose one'))
    for name in wanted:
        find_limb(armature, name)
    chosen = [limb for limb in limbs(armature) if limb.lower in wanted]
    check_evaluated(bpy.context.evaluated_depsgraph_get(), armature)
    plan = live.plan_of(bpy.context.scene)
    for limb in chosen:
        bone = armature.pose.bones[limb.lower]
        properties.check_version(bone)
        row = plan.row_of(limb)
        fault = plan.limbs[row].fault if row is not None else ""
        if fault:
            raise Refusal(fault)
        Channel(bone, "twobone_influence").check()
    return chosen


def _match(chosen: Sequence[Limb], way: ModuleType, influence: float, key: bool, frames: Iterable[float] | None) -> list[str]:
    """Read the pose of all limbs in all frames, then have the `way` hold it frame by frame, then key what that has set."""
    scene = bpy.context.scene
    visited = [scene.frame_current_final] if frames is None else sorted(set(walk.checked(frames)))
    switches = [Channel(limb.armature.pose.bones[limb.lower], "twobone_influence") for limb in chosen]
    before = [float(switch.value[0]) for switch in switches]
    unkeyed = {channel: (channel.value, switch, shown) for limb, switch, shown in zip(chosen, switches, before)
               for channel in way.channels(limb)}
    keys = keying(scene, key or frames is not None)
    channels = [*switches, *(channel for limb in chosen for channel in way.channels(limb))]
    for channel in channels if keys is not None else ():
        check_keys(channel)
    notes = Notes(influence)
    tracks: dict[Channel, list[tuple[float, Array]]] = {}
    with _undone_on_refusal(chosen, channels):
        shown = [[keep(limb, depsgraph) for limb in chosen] for depsgraph in _visit(scene, visited, frames)]
        last: dict[Channel, Array] = {}
        with closing(_visit(scene, visited, frames)) as evaluated:
            for frame, poses, _depsgraph in zip(visited, shown, evaluated):
                for switch in switches:
                    switch.set(influence)
                for kept in poses:
                    last |= way.apply(kept, last, frames is None)
                bpy.context.view_layer.update()
                for channel, value in last.items():
                    tracks.setdefault(channel, []).append((frame, value))
                for kept in poses:
                    notes.compare(kept, frame)
    if keys is None:
        return notes.sentences(frames is not None) + notes.unkeyed(chosen, [*tracks, *switches])
    for channel, rows in tracks.items():
        if frames is not None:
            value, switch, otherwise = unkeyed[channel]
            if way is match_ik_pose:  # controls are followed outside of the range too, unless FK is shown there
                fence(channel, [frame for frame in around(visited) if value_at(switch, frame, otherwise)], value, keys)
            clear(channel, visited)
        for frame, value in rows:
            keys.key(channel, frame, value)
    for switch, otherwise in zip(switches, before):
        if frames is None:
            keys.key(switch, visited[0])
        else:
            hold(switch, visited, influence, otherwise, keys)
    if frames is not None:
        scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
    return notes.sentences(frames is not None)


def _visit(scene: bpy.types.Scene, visited: Sequence[float], frames: Iterable[float] | None) -> Generator[
        bpy.types.Depsgraph, None, None]:
    """The evaluated scene in each of the frames; without a range as it stands, edits that are not keyed included."""
    if frames is None:
        yield bpy.context.evaluated_depsgraph_get()
        return
    with closing(walk.visit(scene, visited)) as visiting:
        for _frame, depsgraph in visiting:
            yield depsgraph


@contextmanager
def _undone_on_refusal(chosen: Sequence[Limb], channels: Sequence[Channel]) -> Iterator[None]:
    """Give the channels and bindings their values back where the block does not come to its end."""
    values = [(channel, channel.value, channel.owner.is_property_set(channel.path)) for channel in channels]
    bindings = [(limb, limb.armature.pose.bones[limb.lower].twobone_bind) for limb in chosen]
    try:
        yield
    except BaseException:
        for channel, value, was_set in values:
            channel.set(value)
            if not was_set:
                channel.owner.property_unset(channel.path)
        for limb, binding in bindings:
            bone = limb.armature.pose.bones[limb.lower]
            if bone.twobone_bind != binding:
                bone.twobone_bind = binding
        bpy.context.view_layer.update()
        raise
