# SPDX-License-Identifier: GPL-3.0-or-later
"""What is stored on a limb: direct, overridable properties of its lower pose bone.

Direct properties (rather than a group) survive library overrides in every supported version and can be keyed by
hovering over them. Each has an update callback, if only an empty one: without it Blender tags nothing when a script
sets the value, and the limb would not follow.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from .errors import Refusal
from .words import say

VERSION = 2
"""Version of the stored data. 0 on a bone that is not the lower bone of a limb."""

PREFIX = "twobone_"
HAND_MARK = "twobone_is_hand"
"""Stored on a hand or foot bone, not on the lower bone."""

OVERRIDABLE = {'LIBRARY_OVERRIDABLE'}
KEYABLE = {'ANIMATABLE', 'LIBRARY_EDITABLE'}
STORED = {'LIBRARY_EDITABLE', 'HIDDEN'}

TARGET_CREATED, POLE_CREATED = 1, 2
"""Bits of `twobone_created`."""

structure_changed: list[Callable[[], None]] = []
"""Called when a property that decides which limbs exist, or what they hang on, was set."""

follow_changed: list[Callable[[bpy.types.PoseBone], None]] = []
"""Called with the lower bone of which somebody has set how much its hand follows the target's rotation."""


def _touch(_bone: bpy.types.PoseBone, _context: bpy.types.Context) -> None:
    """Exist: a property with an update callback tags its owner, one without does not."""


def _restructure(_bone: bpy.types.PoseBone, _context: bpy.types.Context) -> None:
    for callback in structure_changed:
        callback()


def _replaced(created: int) -> Callable[[bpy.types.PoseBone, bpy.types.Context], None]:
    """The callback of a target or pole: one that somebody chooses was not made for the limb; created: its bit."""
    def update(bone: bpy.types.PoseBone, context: bpy.types.Context) -> None:
        if bone.twobone_created & created:
            bone.twobone_created &= ~created
        _restructure(bone, context)
    return update


def _refollow(bone: bpy.types.PoseBone, _context: bpy.types.Context) -> None:
    for callback in follow_changed:
        callback(bone)


def _definitions() -> dict[str, Any]:
    def target(name: str, description: str, created: int) -> Any:
        return PointerProperty(type=bpy.types.Object, name=name, description=description, options={'LIBRARY_EDITABLE'},
                               override=OVERRIDABLE, update=_replaced(created))

    def bone_name(name: str, description: str) -> Any:
        return StringProperty(name=name, description=description, options={'LIBRARY_EDITABLE'},
                              override=OVERRIDABLE, update=_restructure)

    return {
        "twobone_version": IntProperty(
            name="Two-Bone IK Version", description="Version of the stored limb, 0 where there is none",
            default=0, min=0, options=STORED, override=OVERRIDABLE, update=_restructure),
        "twobone_bind": StringProperty(
            name="Binding", description="What was measured when the limb was bound",
            options=STORED, override=OVERRIDABLE, update=_restructure),
        "twobone_rest": StringProperty(
            name="Bound Rest Pose", description="The rest pose of the limb's bones when it was bound",
            options=STORED, override=OVERRIDABLE, update=_touch),
        "twobone_upper_steps": IntProperty(
            name="Upper Bone", description="How many parents above the lower bone the upper bone is",
            default=1, min=1, options=STORED, override=OVERRIDABLE, update=_restructure),
        "twobone_created": IntProperty(
            name="Created Controls", description="1: the target was made for this limb, 2: the pole was, 3: both were",
            default=0, min=0, max=3, options=STORED, override=OVERRIDABLE, update=_restructure),
        "twobone_control": BoolProperty(
            name="Control Bone", description="This bone was made as a limb's target or pole",
            default=False, options=STORED, override=OVERRIDABLE, update=_restructure),
        "twobone_resting": IntProperty(
            name="Resting", description="Not 0 while the limb cannot be solved and shows its FK pose: what was muted for it",
            default=0, min=0, max=15, options=STORED, override=OVERRIDABLE, update=_touch),
        "twobone_target": target("Target", "Object that the limb reaches for", TARGET_CREATED),
        "twobone_target_bone": bone_name("Target Bone", "Bone of the target armature whose head the limb reaches for"),
        "twobone_pole": target("Pole", "Object that the joint points to", POLE_CREATED),
        "twobone_pole_bone": bone_name("Pole Bone", "Bone of the pole armature whose head the joint points to"),
        "twobone_influence": FloatProperty(
            name="Influence", description="How much of the IK pose is used; at 0 the limb shows its FK pose",
            default=1.0, min=0.0, max=1.0, subtype='FACTOR', options=KEYABLE, override=OVERRIDABLE, update=_touch),
        "twobone_softness": FloatProperty(
            name="Softness", description="Share of the reach over which the limb slows down before it is straight, "
            "so that the joint does not pop; the tip then stays a little short of the target",
            default=0.0, min=0.0, max=0.99, soft_max=0.2, subtype='FACTOR',
            options=KEYABLE, override=OVERRIDABLE, update=_touch),
        "twobone_pole_angle": FloatProperty(
            name="Pole Angle", description="Turns the joint about the line from the root to the target",
            default=0.0, soft_min=-pi, soft_max=pi, subtype='ANGLE', unit='ROTATION',
            options=KEYABLE, override=OVERRIDABLE, update=_touch),
        "twobone_bend_min": FloatProperty(
            name="Minimum Bend", description="Least angle between the bones, 0 is straight; the reach ends where it is come to",
            default=0.0, min=0.0, max=pi, subtype='ANGLE', unit='ROTATION',
            options=KEYABLE, override=OVERRIDABLE, update=_touch),
        "twobone_bend_max": FloatProperty(
            name="Maximum Bend", description="Greatest angle between the bones, 180° is folded; "
            "the reach ends where it is come to",
            default=pi, min=0.0, max=pi, subtype='ANGLE', unit='ROTATION',
            options=KEYABLE, override=OVERRIDABLE, update=_touch),
        "twobone_follow_rotation": FloatProperty(
            name="Follow Rotation", description="How much the hand or foot bone turns with the target; "
            "switching it on moves nothing",
            default=0.0, min=0.0, max=1.0, subtype='FACTOR', options=KEYABLE, override=OVERRIDABLE, update=_refollow),
        "twobone_hand_bind": StringProperty(
            name="Hand Binding", description="The hand's rotation in that of the target; empty while it does not follow",
            options=STORED, override=OVERRIDABLE, update=_restructure),
        HAND_MARK: BoolProperty(
            name="Hand", description="Stored on a hand or foot bone: it is that of the next limb above it",
            default=False, options=STORED, override=OVERRIDABLE, update=_restructure),
    }


DEFINITIONS = _definitions()


def register() -> None:
    """Put the properties on PoseBone."""
    for name, definition in DEFINITIONS.items():
        setattr(bpy.types.PoseBone, name, definition)


def unregister() -> None:
    """Take them off again; values in files stay where they are."""
    for name in reversed(DEFINITIONS):
        if hasattr(bpy.types.PoseBone, name):
            delattr(bpy.types.PoseBone, name)


def is_limb(bone: bpy.types.PoseBone) -> bool:
    """Whether `bone` is the lower bone of a limb (asks a plain property: reading an unset pointer creates it)."""
    return bool(bone.twobone_version)


def clear(bone: bpy.types.PoseBone) -> None:
    """Remove everything stored on `bone`, as if it had never been a limb; it may still be the hand or a control of another."""
    for name in DEFINITIONS.keys() - {HAND_MARK, "twobone_control"}:
        bone.property_unset(name)


def check_version(bone: bpy.types.PoseBone) -> None:
    """Refuse a limb that a newer version of the extension has stored."""
    if bone.twobone_version > VERSION:
        raise Refusal(say('"{bone}" was set up by a newer Two-Bone IK (data version {stored}, this one knows {known}). '
                          'Update the extension to use it', bone=bone.name, stored=bone.twobone_version, known=VERSION))
