# SPDX-License-Identifier: GPL-3.0-or-later
"""IK takes the pose of a limb: target and pole go where the solver answers with it."""

from __future__ import annotations

from dataclasses import replace
from math import degrees, pi

import bpy
import numpy as np
from numpy.typing import NDArray

from ..animation.channels import Channel
from ..animation.inherit import posed_axes
from ..binding import NOISE, bone_axes
from ..engine.carry import partial_turn
from ..engine.problem import pose_problem, solve
from ..errors import Refusal
from ..limb import Control, Limb
from ..words import say
from .aim import Stance, pole_place, pole_turn, target_place
from .kept import Inputs, Kept, inputs_of
from .steer import Move, check_movable, steer

Array = NDArray[np.float64]

KEPT = 2e-6
"""Share of the limb's length, and radians of its plane, by which a control is right and left where it is."""

CLEARLY_BENT = 0.9
"""Cosine of the angle between the bones below which the joint is right wherever the target is."""

ROUNDS = 3
"""Rounds in which controls are put right that another one has taken along."""

LIMIT = 1e-5
"""Radians by which the joint may be bent past its limits, which is what single precision does to it."""


def channels(limb: Limb) -> list[Channel]:
    """What `apply` may set."""
    target, pole = _controls(limb)
    found = Move(target, np.zeros(3), np.eye(3) if limb.hand else None).channels()
    if pole is not None:
        return found + Move(pole, np.zeros(3)).channels()
    return [*found, Channel(limb.armature.pose.bones[limb.lower], "twobone_pole_angle")]


def check(limb: Limb) -> None:
    """Refuse controls that cannot be moved."""
    target, pole = _controls(limb)
    check_movable(target, bool(limb.hand))
    if pole is not None:
        check_movable(pole, False)
    else:
        Channel(limb.armature.pose.bones[limb.lower], "twobone_pole_angle").check()


def apply(kept: Kept, last: dict[Channel, Array], exact: bool) -> dict[Channel, Array]:
    """Move the controls, have that evaluated, and return the channels' values.

    exact: for one frame alone. Controls that are right already are left where they are, joint limits that the pose
    breaks are refused, and what single precision leaves of the target's place is stored in the limb's binding, which
    decides the pose of a limb that is nearly straight. Refuses, with some channels set, what a lock or constraint forbids.
    """
    limb, pose = kept.limb, kept.stance
    given = _given(limb)
    if exact:
        _check_limits(given, kept)
    found: dict[Channel, Array] = {}
    if given.plan.limbs[given.row].pole is None:
        found |= _turn_without_pole(given, kept, last)
        bpy.context.view_layer.update()
    for _round in range(ROUNDS if exact else 1):
        moves = _moves(_given(limb), kept, exact)
        if not moves:
            break
        steer(limb.armature, moves, pose.length)
    if exact:
        _store_residual(limb, pose)
    return found | {channel: channel.value for channel in channels(limb) if channel not in found}


def _given(limb: Limb) -> Inputs:
    return inputs_of(limb, bpy.context.evaluated_depsgraph_get())


def _check_limits(given: Inputs, kept: Kept) -> None:
    limb, pose = kept.limb, kept.stance
    limits = float(given.problem.bend_min[0]), float(given.problem.bend_max[0])
    if not limits[0] - LIMIT <= pose.flexion <= limits[1] + LIMIT:
        raise Refusal(say('"{bone}" is bent by {flexion:.1f}°, its limits allow {least:.1f}° to {greatest:.1f}°. '
                          'Bend it less or more, or change its limits', bone=limb.lower, flexion=degrees(pose.flexion),
                          least=degrees(limits[0]), greatest=degrees(limits[1])))


def _controls(limb: Limb) -> tuple[Control, Control | None]:
    """Target and pole as the live engine uses them: without a pole that is missing."""
    given = _given(limb)
    return limb.target, limb.pole if given.plan.limbs[given.row].pole is not None else None


def _goal(given: Inputs, pose: Stance) -> Array:
    problem = given.problem
    return target_place(pose, float(problem.softness[0]), given.constants.residual[0],
                        float(problem.bend_min[0]), min(pi, float(problem.bend_max[0])))


def _moves(given: Inputs, kept: Kept, exact: bool) -> list[Move]:
    """Where the controls go; those that are right already are left out where `exact`."""
    limb, pose, sample = kept.limb, kept.stance, given.sample
    planned = given.plan.limbs[given.row]
    moves = []
    goal, axes = _goal(given, pose), _target_axes(given, kept)
    if not exact or not _fits(given, pose, goal, axes):
        moves.append(Move(limb.target, goal, axes))
    if planned.pole is not None:
        angle = float(sample.pole_angle[0] + given.constants.pole_angle[0])
        off = (pole_turn(pose, sample.pole[0]) - angle + pi) % (2.0 * pi) - pi
        if not exact or abs(off) > KEPT:
            moves.append(Move(limb.pole, pole_place(pose, angle)))
    return moves


def _fits(given: Inputs, pose: Stance, goal: Array, axes: Array | None) -> bool:
    """Whether the target is right where it is, and as it is turned."""
    if axes is not None and np.linalg.norm(bone_axes(given.sample.turns.columns[0].T) - axes) > KEPT:
        return False
    if np.linalg.norm(given.sample.target[0] - goal) > KEPT * pose.length:
        return False
    solution = solve(given.problem)
    bent = np.linalg.norm(np.cross(solution.upper_frame[0, :, 0], solution.lower_frame[0, :, 0]))
    return bool(abs(bent - np.sin(pose.flexion)) <= KEPT or abs(np.cos(pose.flexion)) < CLEARLY_BENT)


def _turn_without_pole(given: Inputs, kept: Kept, last: dict[Channel, Array]) -> dict[Channel, Array]:
    """Set the pole angle of a limb without a pole, which is all that turns it about its line."""
    channel = Channel(kept.limb.armature.pose.bones[kept.limb.lower], "twobone_pole_angle")
    problem = pose_problem(replace(given.sample, target=_goal(given, kept.stance)[None]), given.constants)
    angle = pole_turn(kept.stance, problem.pole[0])
    before = last.get(channel, channel.value)
    value = angle + 2.0 * pi * np.round((before - angle) / (2.0 * pi))
    channel.set(value)
    return {channel: value}


def _target_axes(given: Inputs, kept: Kept) -> Array | None:
    """The axes (3, 3) that turn the hand as it is shown; None where no hand follows."""
    hand, sample = given.plan.limbs[given.row].hand, given.sample
    if hand is None or sample.turns is None:
        return None
    bone = kept.limb.armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones[hand.name]
    follow = float(sample.turns.follow[0])
    shown = bone_axes(kept.axes[hand.name])
    if follow < 1.0:
        channels = np.array(bone.matrix_basis, dtype=float)[:3, :3]
        own = bone_axes(posed_axes(bone, kept.parent_axes[hand.name], channels))
        if follow == 0.0 or np.allclose(own, shown, atol=NOISE):
            shown = own
        else:
            shown = own @ partial_turn(own.T @ shown, np.array(1.0 / follow))
    return shown @ hand.rotation.T


def _store_residual(limb: Limb, pose: Stance) -> None:
    """Store what the target lacks in single precision, where the joint would be off without it."""
    given = _given(limb)
    solution = solve(given.problem)
    if pose.free or max(np.linalg.norm(solution.joint[0] - pose.joint),
                        np.linalg.norm(solution.end[0] - pose.tip)) <= KEPT * pose.length:
        return
    residual = _goal(given, pose) + given.constants.residual[0] - given.sample.target[0]
    if np.linalg.norm(residual) <= NOISE * pose.length:
        bone = limb.armature.pose.bones[limb.lower]
        bone.twobone_bind = replace(limb.binding, residual=tuple(residual.tolist())).dumps()
        bpy.context.view_layer.update()

