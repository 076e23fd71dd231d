# SPDX-License-Identifier: GPL-3.0-or-later
"""Baking: what limbs show, as keys of their bones' own rotation channels.

Everything is computed before anything is written, so that whoever stops half-way has changed nothing.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ..animation.channels import Channel, rotation_channel
from ..animation.fcurves import find_animation, own_curves, remove_animation
from ..animation.keying import Keying, hold
from ..engine.plan import PlannedLimb
from ..errors import Refusal
from ..frames import walk as walk
from ..frames.samples import current_plan, rows_of
from ..frames.scan import finish
from ..given import names, number
from ..limb import Limb, find_limb, output_constraint
from ..setup import remove_limb
from ..words import say
from .checks import baked_bones, check_bake, notes
from .compute import Computed, computing
from .keys import Track, points_of, uninterrupted, write

Array = NDArray[np.float64]

AFTER = ('KEY_INFLUENCE', 'ZERO_INFLUENCE', 'REMOVE')
"""What becomes of the limb: its influence is keyed to 0 in the baked range, or set to 0, or its IK is removed."""


@dataclass(frozen=True)
class BakedLimb:
    """What baking made of the limb of the bone `lower`; lengths in world units.

    bones: the bones that have keys now, each on `keys` frames. error: the farthest that the joint or tip is from the live
    one on a baked frame. slip: the farthest that the tip is from it half-way between two of them, and at which frame.
    notes: sentences about what is not as it was.
    """

    armature: str
    lower: str
    bones: tuple[str, ...]
    keys: int
    error: float
    slip: float
    slip_frame: float
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Baked:
    """The frames that were baked, and what was made of each limb."""

    frames: tuple[float, ...]
    limbs: tuple[BakedLimb, ...]


def bake(armature_object: bpy.types.Object, lowers: str | Iterable[str], frames: Iterable[float] | None = None, *,
         start: float | None = None, end: float | None = None, step: float = 1.0, after: str = 'KEY_INFLUENCE',
         tolerance: float = 0.0, new_action: bool = False) -> Baked:
    """Key the rotations that limbs show, hands that follow included, and nothing else, and hand the bones over to FK.

    lowers: the limbs' lower bones. frames: which ones, or start, end and step, by default what the scene plays. after:
    one of AFTER. tolerance: how far, in world units, joint and tip may move for the sake of fewer keys. new_action: bake
    into a copy of the action, and leave that as it was. Keys outside the range stay; between keys lie straight lines.
    What was written shows when Blender evaluates next, as after any edit by a script.
    Raises Refusal, with nothing changed, where that cannot be done.
    """
    limbs = [find_limb(armature_object, name) for name in names(lowers)]
    if frames is None:
        frames = walk.range_of(bpy.context.scene, start, end, step)
    return finish(baking(limbs, frames, after=after, tolerance=tolerance, new_action=new_action))


def baking(limbs: Sequence[Limb], frames: Iterable[float], *, after: str = 'KEY_INFLUENCE', tolerance: float = 0.0,
           new_action: bool = False) -> Generator[float, None, Baked]:
    """The same for limbs of any armatures, step by step: yields the share that is done, returns what was baked.

    Closing it before its end leaves everything as it was.
    """
    scene = bpy.context.scene
    if after not in AFTER:
        raise Refusal(say('"{after}" is nothing to do after baking. Choose one of {known}', after=after, known=", ".join(AFTER)))
    tolerance = number(tolerance, say("tolerance"), least=0.0)
    if not limbs:
        raise Refusal(say('There is no limb to bake. Choose one'))
    visited = np.array(sorted(set(walk.checked(frames))))
    plan = current_plan(scene)
    rows = rows_of(plan, limbs)
    check_bake([plan.limbs[row] for row in rows], new_action=new_action, keeps_limbs=after != 'REMOVE')
    computed = yield from computing(plan, rows, visited, tolerance, scene)
    bones = [baked_bones(plan.limbs[row]) for row in rows]
    result = Baked(tuple(visited.tolist()), tuple(
        _told(plan.limbs[row], [bone.name for bone in bones[place]], computed, place) for place, row in enumerate(rows)))
    with uninterrupted():
        _write(bones, computed, new_action)
        for limb in limbs:
            _hand_over(limb, computed.frames, after)
    return result


def _told(planned: PlannedLimb, bones: Sequence[str], computed: Computed, place: int) -> BakedLimb:
    remarks = list(notes(planned))
    if rested := int(computed.rested[place]):
        remarks.append(say('"{bone}" could not be solved on {count} of {all} frames, where its FK pose was kept',
                           bone=planned.limb.lower, count=rested, all=len(computed.frames)))
    return BakedLimb(
        armature=planned.limb.armature.name, lower=planned.limb.lower, bones=tuple(bones), keys=len(computed.keys[place]),
        error=float(computed.error[place]), slip=float(computed.slip[place]), slip_frame=float(computed.slip_frame[place]),
        notes=tuple(remarks))


def _write(limbs: Sequence[Sequence[bpy.types.PoseBone]], computed: Computed, new_action: bool) -> None:
    """Put the keys of the limbs' bones into the actions of their armatures."""
    armatures = dict.fromkeys(bones[0].id_data for bones in limbs)
    if new_action:
        for armature in armatures:
            _copy_action(armature)
    owned = {armature: own_curves(armature) for armature in armatures}
    span = float(computed.frames[0]), float(computed.frames[-1])
    for part, blocks in enumerate(computed.values):
        for block in blocks:
            points = points_of(computed.frames, block.values)
            for of_bone, place in zip(points, block.places.tolist(), strict=True):
                bone, keys = limbs[place][part], computed.keys[place]
                own = of_bone if len(keys) == len(computed.frames) else of_bone[:, keys]
                write(*owned[bone.id_data], Track(rotation_channel(bone).full_path, bone.name, own), span)
    for armature in armatures:
        data = armature.animation_data
        data.action.update_tag()
        data.action = data.action  # has Blender look which properties are animated now


def _copy_action(armature: bpy.types.Object) -> None:
    """Have the armature go on with a copy of its action; the original stays in the file."""
    data = armature.animation_data
    if data is None or data.action is None:
        return
    slot = data.action_slot.identifier if getattr(data, "action_slot", None) else ""
    data.action.use_fake_user = True
    data.action = data.action.copy()
    if slot:
        data.action_slot = data.action.slots[slot]


def _hand_over(limb: Limb, frames: Array, after: str) -> None:
    """Have the bones show their keys: by the influence in the baked range, or for good, or by removing the IK."""
    if after == 'REMOVE':
        remove_limb(limb.armature, limb.lower)
        return
    influence = Channel(limb.armature.pose.bones[limb.lower], "twobone_influence")
    if after == 'KEY_INFLUENCE':
        hold(influence, frames.tolist(), 0.0, float(influence.value[0]), Keying(frozenset(), 'KEYFRAME', None))
        if not frames[0] <= bpy.context.scene.frame_current_final <= frames[-1]:
            return
    else:
        if find_animation(limb.armature, influence.full_path):
            remove_animation(limb.armature, influence.full_path)
        influence.set(0.0)
    # The engine would write that after the evaluation, and have all evaluated once more; who saves now has it in the file.
    for bone in limb.delivered:
        constraint = output_constraint(bone)
        if constraint is not None:
            constraint.influence = 0.0
