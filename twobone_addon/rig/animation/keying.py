# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys for what a tool has set: when auto-key is on, as the user has set it up, or when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import ArrayLike

from ..errors import Refusal
from ..words import say
from .channels import Channel
from .fcurves import curves_of

IN_SETS = {"location": "Loc", "rotation": "Rot"}
"""How the names of Blender's own keying sets say that they hold a transform."""


@dataclass(frozen=True)
class Keying:
    """How keys are inserted: Blender's options and key type, and the keying set that decides what is keyed, or None."""

    options: frozenset[str]
    keytype: str
    keying_set: bpy.types.KeyingSet | None

    def key(self, channel: Channel, frame: float, value: ArrayLike | None = None) -> None:
        """Key `channel` at `frame`, with its present value or with `value`, which it then has."""
        if value is not None:
            channel.set(value)
        if not self._wants(channel) or ('INSERTKEY_AVAILABLE' in self.options and not channel.is_animated):
            return
        group = "Object Transforms" if isinstance(channel.owner, bpy.types.Object) else channel.owner.name
        with suppress(RuntimeError):  # a keying set or mode that wants curves or keys which some of its numbers do not have
            channel.owner.keyframe_insert(channel.path, frame=frame, group=group, options=set(self.options),
                                          keytype=self.keytype)

    def _wants(self, channel: Channel) -> bool:
        keying_set = self.keying_set
        if keying_set is None:
            return True
        if keying_set.is_path_absolute:
            return any(path.id == channel.owner.id_data and path.data_path == channel.full_path for path in keying_set.paths)
        word = IN_SETS.get(channel.path.split("_")[0], "")
        name = keying_set.bl_idname
        # What is no transform, such as the switch, is in none of Blender's sets and keyed all the same.
        return name.startswith("WholeCharacter") or not word or (word in name and "Delta" not in name)


def keying(scene: bpy.types.Scene, asked: bool) -> Keying | None:
    """How to key in `scene`: as auto-key would where it is on, else plainly where it was asked for; None for no keys.

    What belongs together is keyed together: of auto-key's preferences those that would leave out some of the channels, as
    not yet animated or as not needed, do not count, only a keying set that was chosen does.
    """
    settings = scene.tool_settings
    options = {'INSERTKEY_CYCLE_AWARE'} if settings.use_keyframe_cycle_aware else set()
    if asked or not settings.use_keyframe_insert_auto:
        return Keying(frozenset(options), settings.keyframe_type, None) if asked else None
    if settings.auto_keying_mode == 'REPLACE_KEYS':
        options.add('INSERTKEY_REPLACE')
    active = scene.keying_sets_all.active if settings.use_keyframe_insert_keyingset else None
    if active is not None and active.bl_idname == 'Available':
        return Keying(frozenset({*options, 'INSERTKEY_AVAILABLE'}), settings.keyframe_type, None)
    return Keying(frozenset(options), settings.keyframe_type, active)


def check_keys(channel: Channel) -> None:
    """Refuse a channel at which keys would not be set, or not show the values that they hold."""
    object = channel.owner.id_data
    data = object.animation_data
    if data is None:
        return
    if data.use_tweak_mode:
        raise Refusal(say('"{object}" is being tweaked in the NLA Editor. Leave tweak mode first', object=object.name))
    if data.action is not None and not data.action.is_editable:
        raise Refusal(say('The action "{action}" is linked from another file. Make it local first', action=data.action.name))
    for index in range(len(channel.value)):
        curve = _curve(channel, index)
        if curve is None:
            continue
        if any(part.lock or part.mute for part in (curve, curve.group) if part is not None):
            raise Refusal(say('The curve of {channel} of "{owner}" is locked or muted. Unlock and unmute it first',
                              channel=channel.name(index), owner=channel.owner.name))
        if len(curve.sampled_points) or any(not modifier.mute and modifier.type != 'CYCLES' for modifier in curve.modifiers):
            raise Refusal(say('The curve of {channel} of "{owner}" has modifiers, or is sampled, so that keys are not what it '
                              'shows. Remove the modifiers first', channel=channel.name(index), owner=channel.owner.name))


def hold(channel: Channel, frames: Sequence[float], value: float, otherwise: float, keys: Keying) -> None:
    """Key a single number so that it is `value` from the first of `frames` to the last, and outside what it was.

    otherwise: what it was where it had no keys.
    """
    first, last = min(frames), max(frames)
    before, after = (value_at(channel, frame, otherwise) for frame in around(frames))
    clear(channel, frames)
    rows = [(first, value), (last, value)]
    rows += [(frame, kept) for frame, kept in ((first - 1.0, before), (last + 1.0, after)) if kept != value]
    for frame, number in rows:
        keys.key(channel, frame, number)
    curve = _curve(channel, 0)
    for point in curve.keyframe_points if curve else ():
        if first - 1.0 <= point.co.x <= last:
            point.interpolation = 'CONSTANT'


def around(frames: Sequence[float]) -> tuple[float, float]:
    """The frame before the first of `frames`, and the one after the last."""
    return min(frames) - 1.0, max(frames) + 1.0


def value_at(channel: Channel, frame: float, otherwise: float) -> float:
    """What a single number is at `frame`; otherwise: what it is where it has no keys."""
    curve = _curve(channel, 0)
    return curve.evaluate(frame) if curve else otherwise


def fence(channel: Channel, frames: Sequence[float], otherwise: ArrayLike, keys: Keying) -> None:
    """Key what the channel is at `frames`, so that what is keyed on one side of them changes nothing on the other.

    otherwise: what it was where it had no keys.
    """
    for frame in frames:
        numbers = np.atleast_1d(np.array(otherwise, dtype=float))
        curves = [_curve(channel, index) for index in range(len(numbers))]
        for index, curve in enumerate(curves):
            if curve is not None:
                numbers[index] = curve.evaluate(frame)
                _free_handles(curve, frame)
        keys.key(channel, frame, numbers)


def _free_handles(curve: bpy.types.FCurve, frame: float) -> None:
    """Have the handles around `frame` stay where they are, so that Blender keeps the curve's shape with a key in between."""
    points = curve.keyframe_points
    for before, after in zip(points, points[1:]):
        if before.co.x < frame < after.co.x:
            handles = before.handle_left.copy(), before.handle_right.copy(), after.handle_left.copy(), after.handle_right.copy()
            for point in (before, after):
                point.handle_left_type = point.handle_right_type = 'FREE'
            before.handle_left, before.handle_right, after.handle_left, after.handle_right = handles


def clear(channel: Channel, frames: Sequence[float]) -> None:
    """Take away the keys from the first of `frames` to the last, in place of which others come."""
    first, last = min(frames), max(frames)
    for index in range(len(channel.value)):
        curve = _curve(channel, index)
        if curve is None:
            continue
        points = curve.keyframe_points
        for place in reversed(range(len(points))):
            if first <= points[place].co.x <= last:
                points.remove(points[place])


def _curve(channel: Channel, index: int) -> bpy.types.FCurve | None:
    curves = curves_of(channel.owner.id_data)
    return curves.find(channel.full_path, index=index) if curves is not None else None
