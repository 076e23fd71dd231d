# SPDX-License-Identifier: GPL-3.0-or-later
"""A limb in place of Blender's own IK constraint."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import bpy
import numpy as np
from numpy.typing import NDArray

from .. import live
from ..animation.fcurves import remove_animation
from ..binding import NOISE, Binding, Posed, bend_of, bind
from ..checks import check_armature, check_evaluated, check_free, check_place
from ..limb import Control, limb_of, output_constraint, stored_control
from ..measure import measure
from ..setup import TAIL, add_limb
from ..words import say
from .animation import move_animation
from .native import Native, find_native, without_counterpart
from .pole_angle import limb_angle

Array = NDArray[np.float64]

MOVED = 1e-3
"""Share of the limb's length by which a conversion may move its joints without a word; native IK is not more exact."""

UNREACHED = 1e-2
"""The same where native IK misses its target, for then it never comes to be quite straight."""


def from_native(armature_object: bpy.types.Object, lower: str) -> list[str]:
    """Replace the IK constraint of the limb whose lower bone is `lower` by Two-Bone IK, with its target and pole.

    lower may also be the bone that has the constraint. The pose is kept where the constraint reaches its target; its
    influence moves along with its keys and drivers. Returns sentences about everything that has no counterpart or does
    not stay as it was. Raises Refusal, with nothing changed, for what is no chain of two, for limbs that switch between
    several constraints, and whatever `add_limb` refuses.
    """
    armature = armature_object
    check_armature(armature)
    native = find_native(armature, lower)
    check_free(armature, native.upper, native.lower)
    check_evaluated(bpy.context.evaluated_depsgraph_get(), armature)
    said = without_counterpart(native)
    influence, muted = native.ik.influence, native.ik.mute
    with _influence_moved(native):
        fk = _measured(native, mute=True)
        shown = _measured(native, mute=False)
        bindings = _bindings(native, fk, shown)
        said += _unsure(native, fk, shown)
        _add(native)
    remove_animation(armature, f"{native.path}.")
    _remove(native)
    said += _bound(native, shown, bindings)
    bone = armature.pose.bones[native.lower]
    bone.twobone_influence = influence
    if muted:
        for part in limb_of(bone).bones:
            output_constraint(part).mute = True
        said.append(say('The IK constraint of "{bone}" was muted, and so are those of its Two-Bone IK', bone=native.lower))
    live.settle()
    return said


@contextmanager
def _influence_moved(native: Native) -> Iterator[None]:
    """Have what animates the constraint's influence animate the limb's.

    Where the block is left by an exception everything is as it was.
    """
    influence, muted = native.ik.influence, native.ik.mute
    old, new = f"{native.path}.influence", f"{native.armature.pose.bones[native.lower].path_from_id()}.twobone_influence"
    moved = move_animation(native.armature, old, new)
    try:
        yield
    except BaseException:
        if moved:
            move_animation(native.armature, new, old)
        native.ik.influence, native.ik.mute = influence, muted
        bpy.context.view_layer.update()
        raise


def _measured(native: Native, mute: bool | None = None) -> Posed:
    """The limb as it is shown, if given with the constraint muted or fully at work."""
    if mute is not None:
        native.ik.mute, native.ik.influence = mute, 1.0
        bpy.context.view_layer.update()
    return measure(bpy.context.evaluated_depsgraph_get(), native.armature, native.upper, native.lower, TAIL)


def _controls(native: Native) -> tuple[Control, Control | None]:
    ik = native.ik
    return stored_control(ik.target, ik.subtarget), stored_control(ik.pole_target, ik.pole_subtarget)


def _bindings(native: Native, fk: Posed, shown: Posed) -> list[Binding]:
    """What the limb may be bound with: the FK pose, from which native IK starts, unless that is straight; the pose shown."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    target, pole = (None if control is None else check_place(depsgraph, native.armature, control, role)
                    for control, role in zip(_controls(native), (say("target"), say("pole"))))
    found = [bind(shown, TAIL, target, pole)]
    forward, bend, height = bend_of(fk)
    if height > NOISE * fk.length:
        angle = 0.0 if pole is None else limb_angle(native.ik.pole_angle, fk.upper_axes, forward, bend)
        found.insert(0, replace(bind(fk, TAIL, None, None), pole_angle=angle))
    return found


def _unsure(native: Native, fk: Posed, shown: Posed) -> list[str]:
    """What the poses at hand cannot tell about others."""
    found: list[str] = []
    if native.ik.pole_target is None:
        found.append(say('"{bone}" has no pole: native IK turns it in its own way while its target moves, Two-Bone IK by the '
                         'shortest turn. Give the constraint a pole before it is converted to have them agree',
                         bone=native.lower))
    elif all(bend_of(posed)[2] <= NOISE * posed.length for posed in (fk, shown)):
        found.append(say('"{bone}" is straight and will bend towards its pole. Convert it in a frame where it is bent, should '
                         'that be wrong', bone=native.lower))
    return found


def _add(native: Native) -> None:
    """Add the limb; one without a pole is added with its target as such, so that none is made."""
    target, pole = _controls(native)
    made_up = pole or target
    add_limb(native.armature, native.lower, target.object, made_up.object, upper=native.upper,
             target_bone=target.bone, pole_bone=made_up.bone)
    if pole is None:
        bone = native.armature.pose.bones[native.lower]
        bone.twobone_pole, bone.twobone_pole_bone = None, ""


def _remove(native: Native) -> None:
    constraints = native.armature.pose.bones[native.owner].constraints
    constraints.remove(constraints[native.constraint])


def _bound(native: Native, shown: Posed, bindings: list[Binding]) -> list[str]:
    """Bind the limb with the first of the bindings that keeps the pose, else with the best; a sentence about what moved."""
    bone = native.armature.pose.bones[native.lower]
    target = check_place(bpy.context.evaluated_depsgraph_get(), native.armature, limb_of(bone).target, say("target"))
    reached = np.linalg.norm(shown.tip - target) <= MOVED * shown.length
    moved = []
    for binding in bindings:
        moved.append(_moved_by(native, bone, binding, shown))
        if moved[-1] <= (MOVED if reached else UNREACHED) * shown.length:
            return []
    best = int(np.argmin(moved))
    _moved_by(native, bone, bindings[best], shown)
    return [say('"{bone}" could not be kept quite: its joints moved by {distance:.2g}', bone=native.lower, distance=moved[best])]


def _moved_by(native: Native, bone: bpy.types.PoseBone, binding: Binding, shown: Posed) -> float:
    bone.twobone_bind = binding.dumps()
    live.settle()
    now = _measured(native)
    return max(float(np.linalg.norm(now.joint - shown.joint)), float(np.linalg.norm(now.tip - shown.tip)))
