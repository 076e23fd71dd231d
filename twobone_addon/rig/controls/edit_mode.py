# SPDX-License-Identifier: GPL-3.0-or-later
"""Edit Mode and back: bones can be made and deleted nowhere else, and nobody may notice that we were there.

Leaving Edit Mode evaluates the armature's animation again, which throws away what was posed and not keyed: channels
and animated values are therefore put back. Entering and leaving take selected armatures along: modes, selection and
the active object are put back too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import bpy

from ..animation.animated import animated_values, put_back
from ..errors import Refusal
from ..words import say

CHANNELS = ("location", "rotation_quaternion", "rotation_axis_angle", "rotation_euler", "scale")


@contextmanager
def edit_bones(armature: bpy.types.Object) -> Iterator[Any]:
    """The armature's edit bones for the time of the block; mode, selection and pose are as before when it ends.

    Pose bones that were looked up before are invalid afterwards. Refuses an armature that Blender does not let into
    Edit Mode. X-mirroring is off inside, so that a new bone moves none of the other side.
    """
    data = armature.data
    mirrored = data.use_mirror_x
    with _pose_kept(armature), _modes_kept(bpy.context.view_layer):
        _enter(armature, 'EDIT')
        if not data.is_editmode:
            raise Refusal(say('"{armature}" cannot be put into Edit Mode. Use empties as controls', armature=armature.name))
        try:
            data.use_mirror_x = False
            yield data.edit_bones
        finally:
            data.use_mirror_x = mirrored
            _enter(armature, 'OBJECT')


def _enter(object: bpy.types.Object, mode: str) -> None:
    """Switch the mode of `object` alone; where Blender does not, it stays in the mode it had."""
    bpy.context.view_layer.objects.active = object
    with bpy.context.temp_override(active_object=object, object=object), suppress(RuntimeError):
        bpy.ops.object.mode_set(mode=mode)


@contextmanager
def _modes_kept(view_layer: bpy.types.ViewLayer) -> Iterator[None]:
    """Put back every object's mode, the selected armatures and the active object; inside, no armature is selected."""
    active = view_layer.objects.active
    modes = {object: object.mode for object in view_layer.objects}
    selected = [object for object in view_layer.objects if object.type == 'ARMATURE' and object.select_get()]
    for object in selected:
        object.select_set(False)
    try:
        yield
    finally:
        for object, mode in modes.items():
            if object.mode != mode:
                _enter(object, mode)
        for object in selected:
            object.select_set(True)
        view_layer.objects.active = active


@contextmanager
def _pose_kept(armature: bpy.types.Object) -> Iterator[None]:
    """Put back the channels of the armature and its bones, and the animated values of both its data blocks."""
    channels = _channels(armature)
    animated = [(owner, animated_values(owner)) for owner in (armature, armature.data)]
    try:
        yield
    finally:
        bpy.context.view_layer.update()
        for name, values in channels.items():
            bone = armature.pose.bones.get(name) if name else armature
            for channel, value in values.items() if bone is not None else ():
                if tuple(getattr(bone, channel)) != value:
                    setattr(bone, channel, value)
        put_back(animated)


def _channels(armature: bpy.types.Object) -> dict[str, dict[str, tuple[float, ...]]]:
    """Transform channels by bone name, those of the object under ''."""
    owners = {"": armature, **{bone.name: bone for bone in armature.pose.bones}}
    return {name: {channel: tuple(getattr(owner, channel)) for channel in CHANNELS} for name, owner in owners.items()}
