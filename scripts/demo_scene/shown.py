# SPDX-License-Identifier: GPL-3.0-or-later
"""What the two kinds of demo have in common."""

from dataclasses import dataclass

import bpy
import numpy as np


@dataclass(frozen=True)
class Shown:
    """A scene ready to be played: frames of the active scene, and the lower bones of the limbs to report on."""

    name: str
    armature: bpy.types.Object
    limbs: tuple[str, ...]
    frames: range


def world_points(armature: bpy.types.Object, lower: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Root, joint and tip (3,) of a limb in world space, in double precision from the evaluated pose."""
    from twobone_addon import rig

    limb = next(limb for limb in rig.limbs(armature) if limb.lower == lower)
    evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    to_world = np.array(evaluated.matrix_world, dtype=float)
    bone = evaluated.pose.bones[lower]
    tip = np.array(bone.matrix, dtype=float) @ np.append(np.array(limb.binding.tip) * bone.bone.length, 1.0)
    points = [np.append(np.array(evaluated.pose.bones[name].head, dtype=float), 1.0) for name in (limb.upper, lower)]
    root, joint, end = ((to_world @ point)[:3] for point in (*points, tip))
    return root, joint, end
