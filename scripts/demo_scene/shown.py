# SPDX-License-Identifier: GPL-3.0-or-later
"""What the two kinds of demo have in common."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from twobone_addon import rig
from twobone_addon.rig.animation.fcurves import curves_of

Array = NDArray[np.float64]


class DemoError(Exception):
    """Something that was asked for cannot be shown; the message says why."""


@dataclass(frozen=True)
class Shown:
    """A scene ready to be played: frames of the active scene, and the lower bones of the limbs to report on.

    name: of the files that are written. floor: height of the floor in world space; tread: how far it moves along Y
    from frame to frame.
    """

    name: str
    armature: bpy.types.Object
    limbs: tuple[str, ...]
    frames: range
    floor: float = 0.0
    tread: float = 0.0


@dataclass(frozen=True)
class Standing:
    """A limb as it stands, from the evaluated pose in double precision: points (3,) in world space.

    `lengths` of its two segments in armature space, and `bound`, what they were when it was bound.
    """

    root: Array
    joint: Array
    tip: Array
    target: Array
    lengths: Array
    bound: Array

    @property
    def gap(self) -> float:
        """Distance from tip to target."""
        return float(np.linalg.norm(self.target - self.tip))

    @property
    def length_error(self) -> float:
        """The larger relative change of the two lengths."""
        present = self.bound > 0.0
        return float(np.abs(self.lengths[present] / self.bound[present] - 1.0).max(initial=0.0))


def standing(armature: bpy.types.Object, lower: str) -> Standing:
    """The limb of bone `lower` on the current frame. Raises Refusal where it has no target."""
    limb = next(limb for limb in rig.limbs(armature) if limb.lower == lower)
    if limb.target is None:
        raise rig.Refusal(f'"{lower}" has no target. Choose one in the panel')
    depsgraph = bpy.context.evaluated_depsgraph_get()
    evaluated, binding = armature.evaluated_get(depsgraph), limb.binding
    to_world = np.array(evaluated.matrix_world, dtype=float)
    upper, last = (np.array(evaluated.pose.bones[name].matrix, dtype=float) for name in (limb.upper, lower))
    tip = last @ np.append(np.array(binding.tip) * evaluated.pose.bones[lower].bone.length, 1.0)
    root, joint, end = upper[:3, 3], last[:3, 3], tip[:3]
    control = limb.target.object.evaluated_get(depsgraph)
    target = np.array(control.matrix_world, dtype=float)
    if limb.target.bone:
        target = target @ np.array(control.pose.bones[limb.target.bone].matrix, dtype=float)
    lengths = np.array((np.linalg.norm(joint - root), np.linalg.norm(end - joint)))
    bound = np.array((np.linalg.norm(binding.upper_vector), np.linalg.norm(binding.lower_vector)))
    in_world = to_world @ np.vstack((np.stack((root, joint, end), axis=1), np.ones(3)))
    return Standing(in_world[:3, 0], in_world[:3, 1], in_world[:3, 2], target[:3, 3], lengths, bound)


def straighten(animated: bpy.types.Object) -> None:
    """Draw straight lines between the keys of an object, so that motion on every frame stays as keyed."""
    for curve in curves_of(animated) or ():
        for point in curve.keyframe_points:
            point.interpolation = 'LINEAR'
