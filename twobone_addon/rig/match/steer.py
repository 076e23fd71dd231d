# SPDX-License-Identifier: GPL-3.0-or-later
"""Putting targets and poles to places of a limb's armature space, through whatever stands between them and it.

A control's own location reaches the armature through parents, delta transforms, parent inverse and constraints. How is
seen from the evaluated scene: as what is left when the control's own transform is taken off its place, which is exact
without constraints and with those that carry it along; else by moving it a little and looking.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..animation.channels import Channel, Owner, owner_of, rotation_channel
from ..animation.rotation_batches import channel_values, rotations_from
from ..binding import bone_axes
from ..engine.place import control_axes, control_point, parent_inverse
from ..errors import Refusal
from ..limb import Control
from ..words import say

Array = NDArray[np.float64]

SINGLE = 2.0**-23
"""Step of the single precision in which Blender stores places, relative to them."""

STEPS = 8
"""As often as a control is corrected; rigid carriers need one or two, bent ones like a Transformation a few more."""

NEAR = 3e-6
"""Share of the limb's length within which a control that cannot come nearer is not looked into."""

LEFT = 1e-4
"""Share of the limb's length by which a control may miss its place when it can be corrected no further."""


@dataclass(frozen=True)
class Move:
    """Where a control is to go: its place (3,), and if it is to be turned its axes (3, 3), in armature space."""

    control: Control
    place: Array
    axes: Array | None = None

    @property
    def owner(self) -> Owner:
        """What is moved."""
        return owner_of(self.control)

    @property
    def location(self) -> Channel:
        """The channel that moves it."""
        return Channel(self.owner, "location")

    def channels(self) -> list[Channel]:
        """All that is set."""
        return [self.location, *([rotation_channel(self.owner)] if self.axes is not None else [])]


def check_movable(control: Control, turns: bool) -> None:
    """Refuse a control whose location, and rotation where it `turns`, cannot be set."""
    owner = owner_of(control)
    Channel(owner, "location").check()
    if turns:
        rotation_channel(owner).check()
    if control.bone and owner.bone.use_connect and owner.parent is not None:
        raise Refusal(say('{control} is connected to its parent bone and cannot be moved. Disconnect it in Edit Mode',
                          control=control.label))


def steer(armature: bpy.types.Object, moves: Sequence[Move], length: float) -> None:
    """Move the controls to their places, the first first, since the others may hang on it; length: the limb's.

    Refuses where a lock or constraint keeps one from its place; what was moved by then is left to the caller.
    """
    open_moves = list(moves)
    last = {id(move): np.inf for move in moves}
    slopes: dict[int, Array] = {}
    for _step in range(STEPS):
        missed = {id(move): _missed(armature, move, length) for move in open_moves}
        open_moves = [move for move in open_moves if missed[id(move)] > 1.0]
        if not open_moves:
            return
        for move in open_moves:
            if missed[id(move)] > 0.5 * last[id(move)]:  # what was seen of it leads nowhere, or to all it can do
                if id(move) in slopes or missed[id(move)] * noise(armature, move.place, length) <= NEAR * length:
                    continue
                slopes[id(move)] = _probed(armature, move, length)
            last[id(move)] = min(missed[id(move)], last[id(move)])
            _turn(armature, move)
            _shift(armature, move, slopes.get(id(move)), length)
        bpy.context.view_layer.update()
    for move in open_moves:
        if _missed(armature, move, length) * noise(armature, move.place, length) > LEFT * length:
            raise _blocked(move)
        if move.axes is not None and np.linalg.norm(_axes(armature, move) - move.axes) > LEFT:
            raise _blocked(move)


def point_of(armature: bpy.types.Object, control: Control) -> Array:
    """Place (3,) of the control in armature space as the active view layer has evaluated it."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return np.array(control_point(depsgraph, armature.evaluated_get(depsgraph), control, parent_inverse(control, armature)),
                    dtype=float)


def _columns(armature: bpy.types.Object, control: Control) -> Array:
    """Axes (3, 3) in columns, scale included."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return control_axes(depsgraph, armature.evaluated_get(depsgraph), control, parent_inverse(control, armature)).T


def _axes(armature: bpy.types.Object, move: Move) -> Array:
    return bone_axes(_columns(armature, move.control))


def noise(armature: bpy.types.Object, place: Array, length: float) -> float:
    """What single precision leaves open of a place (3,) in armature space that passes through world space."""
    to_world = np.array(armature.matrix_world, dtype=float)
    scale = float(np.linalg.norm(to_world[:3, :3], axis=0).min())
    far = float(np.abs(to_world[:3, :3] @ place + to_world[:3, 3]).max()) / scale if scale > 0.0 else 0.0
    return SINGLE * max(length, float(np.abs(place).max()), far)


def _missed(armature: bpy.types.Object, move: Move, length: float) -> float:
    """How far the control is off its place and rotation, 1 being what need not be corrected."""
    off = float(np.linalg.norm(point_of(armature, move.control) - move.place)) / noise(armature, move.place, length)
    if move.axes is not None:
        off = max(off, float(np.linalg.norm(_axes(armature, move) - move.axes)) / (4.0 * SINGLE))
    return off


def _carrier(armature: bpy.types.Object, move: Move) -> Array | None:
    """What (3, 3) the control's own rotation and scale is multiplied to, in armature space; None where that is hidden."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    evaluated = move.control.object.evaluated_get(depsgraph)
    own: Any = evaluated.pose.bones[move.control.bone] if move.control.bone else evaluated
    basis = np.array(own.matrix_basis, dtype=float)[:3, :3]
    columns = _columns(armature, move.control)
    if not np.isfinite(columns).all() or abs(np.linalg.det(basis)) < 1e-12 * np.abs(basis).max() ** 3 or not basis.any():
        return None
    return columns @ np.linalg.inv(basis)


def _shift(armature: bpy.types.Object, move: Move, slope: Array | None, length: float) -> None:
    """One step of Newton's method with the slope (3, 3) of the place in the location."""
    if slope is None:
        slope = _carrier(armature, move)
    if slope is None or np.linalg.cond(slope) > 1e6:
        slope = _probed(armature, move, length)
    if not np.isfinite(slope).all() or np.linalg.cond(slope) > 1e6:
        raise _blocked(move)
    off = move.place - point_of(armature, move.control)
    channel = move.location
    value = channel.value + np.linalg.solve(slope, off)
    channel.set(channel.check_locks(value, np.linalg.norm(slope, axis=0) / length))


def _turn(armature: bpy.types.Object, move: Move) -> None:
    if move.axes is None:
        return
    carrier = _carrier(armature, move)
    if carrier is None or np.linalg.cond(carrier) > 1e6:
        raise _blocked(move)
    owner, channel = move.owner, rotation_channel(move.owner)
    wanted = bone_axes(np.linalg.solve(carrier, move.axes) * np.sign(np.array(owner.scale)))
    if isinstance(owner, bpy.types.Object):
        wanted = _delta(owner).T @ wanted
    value = channel_values(owner.rotation_mode, wanted[None], channel.value)[0]
    channel.set(channel.check_locks(value))


def _delta(object: bpy.types.Object) -> Array:
    """The delta rotation (3, 3), which comes after the object's own."""
    if object.rotation_mode == 'QUATERNION':
        return rotations_from('QUATERNION', np.array(object.delta_rotation_quaternion))
    if object.rotation_mode == 'AXIS_ANGLE':
        return np.eye(3)
    return rotations_from(object.rotation_mode, np.array(object.delta_rotation_euler))


def _probed(armature: bpy.types.Object, move: Move, length: float) -> Array:
    """The slope (3, 3), seen by moving the control along each axis of its location and back."""
    channel, start = move.location, point_of(armature, move.control)
    before = channel.value
    carrier = _carrier(armature, move)
    scale = float(np.linalg.norm(carrier)) if carrier is not None else 0.0
    slope = np.empty((3, 3))
    for axis in range(3):
        step = np.zeros(3)
        step[axis] = 0.1 * length / (scale or 1.0)
        channel.set(before + step)
        bpy.context.view_layer.update()
        slope[:, axis] = (point_of(armature, move.control) - start) / step[axis]
    channel.set(before)
    bpy.context.view_layer.update()
    return slope


def _blocked(move: Move) -> Refusal:
    active = [constraint for constraint in move.owner.constraints if not constraint.mute and constraint.influence > 0.0]
    if active:
        return Refusal(say('{control} cannot be put where the limb needs it: its constraint "{constraint}" keeps it elsewhere. '
                           'Mute that constraint first', control=move.control.label, constraint=active[-1].name))
    return Refusal(say('{control} cannot be put where the limb needs it. Check its parents and their scale',
                       control=move.control.label))
