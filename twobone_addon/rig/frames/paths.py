# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of joint and tip over a range of frames, as they were when they were calculated.

Blender's own motion paths cannot show them: no handler is called while they are calculated. They are kept in memory
alone, by armature and bone, and forgotten with the limb.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver import State
from ..animation.animated import edits_kept
from ..animation.fcurves import curves_of
from ..errors import Refusal
from ..limb import Control, Limb, limb_bones
from .scan import scanning

Array = NDArray[np.float64]
Key = tuple[int, str]

ON_FRAME = 0.5
"""A key this close to a frame marks it."""


@dataclass(frozen=True)
class Path:
    """Where a limb's joint and tip are in F frames: joint, tip (F, 3) in world space, NaN where the limb rests.

    frames: (F,), ascending. state: (F,) solver states, the target not being followed counting as reached. keyed: (F,)
    True where the limb, its target or its pole has a key.
    """

    frames: Array
    joint: Array
    tip: Array
    state: NDArray[np.int8]
    keyed: NDArray[np.bool_]


class Stored:
    """The paths by `key_of` their limbs; changes counts how often they were calculated or cleared."""

    paths: dict[Key, Path] = {}
    changes = 0


def key_of(limb: Limb) -> Key:
    """By what a limb's path is known."""
    return limb.armature.session_uid, limb.lower


def calculating(limbs: Sequence[Limb], frames: Iterable[float], scene: bpy.types.Scene | None = None) -> Generator[
        float, None, list[str]]:
    """Calculate the paths of `limbs` over `frames` anew; yields the share done. The scene is left as it stands.

    Returns sentences about limbs that rest in every frame and have no path. Raises Refusal where none has one, for
    limbs that are not in the scene, and for no frames.
    """
    with edits_kept(scene or bpy.context.scene):
        found = yield from scanning(limbs, sorted({float(frame) for frame in frames}), scene)
    joints, tips = found.world(found.joint), found.world(found.end)
    states = np.where((found.state >= 0) & (found.influence > 0.0), found.state, State.REACHED)
    faults = []
    made = {}
    for place, limb in enumerate(found.limbs):
        if found.faults[place]:
            faults.append(found.faults[place])
            continue
        made[key_of(limb)] = Path(found.frames, joints[:, place], tips[:, place], states[:, place].astype(np.int8),
                                  _keyed(limb, found.frames))
    if not made:
        raise Refusal(faults[0])
    clear(limbs)
    Stored.paths.update(made)
    return faults


def clear(limbs: Iterable[Limb] | None = None) -> int:
    """Forget the paths of `limbs`, by default of all; returns how many there were."""
    keys = list(Stored.paths) if limbs is None else [key_of(limb) for limb in limbs]
    Stored.changes += 1
    return sum(Stored.paths.pop(key, None) is not None for key in keys)


def forget_lost() -> None:
    """Forget the paths of limbs that are gone."""
    there = {(object.session_uid, bone.name) for object in bpy.data.objects if object.type == 'ARMATURE'
             for bone in limb_bones(object)}
    if not Stored.paths.keys() <= there:
        Stored.changes += 1
        Stored.paths = {key: path for key, path in Stored.paths.items() if key in there}


def _keyed(limb: Limb, frames: Array) -> NDArray[np.bool_]:
    """Which of `frames` have a key of the limb's bones, its target or its pole."""
    own = [Control(limb.armature, name) for name in (limb.lower, limb.upper)]
    keys = np.array([point.co.x for control in (*own, limb.target, limb.pole) if control is not None
                     for curve in curves_of(control.object) or () if _moves(curve.data_path, control)
                     for point in curve.keyframe_points])
    if not len(keys):
        return np.zeros(len(frames), dtype=bool)
    return np.abs(frames[:, None] - np.unique(keys)).min(-1) <= ON_FRAME


def _moves(path: str, control: Control) -> bool:
    """Whether a curve of this data path belongs to the control: its bone, or the object itself."""
    return path.startswith(f'pose.bones["{bpy.utils.escape_identifier(control.bone)}"]') if control.bone else (
        not path.startswith("pose.bones["))
