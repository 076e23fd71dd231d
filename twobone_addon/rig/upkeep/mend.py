# SPDX-License-Identifier: GPL-3.0-or-later
"""What edits of an armature's bones leave behind: limbs that have lost their place, constraints that have lost their limb.

Bones are edited in ways of which nobody is told (Edit Mode, joined armatures, appended files), so each armature is looked
at again whenever the limbs on it stand elsewhere than before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import bpy

from ..controls.mirrored import take_own_controls
from ..engine.deliver import add_output, is_output, remove_output
from ..limb import limb_bones, limb_of, limb_versions, output_constraint, upper_bone
from ..properties import VERSION
from .upgrade import upgrade


@dataclass
class Looked:
    """By session uid of an armature, where its limbs stood when it was last looked at."""

    places: dict[int, tuple[bytes, tuple[str, ...]]] = field(default_factory=dict)

    def clear(self) -> None:
        """Look at every armature again."""
        self.places.clear()


looked = Looked()


def mend_all(armatures: Iterable[bpy.types.Object]) -> bool:
    """Bring the limbs of those armatures that have changed up to date and in order; whether anything was done."""
    changed = False
    for armature in armatures:
        if not armature.is_editable or armature.data.is_editmode:
            continue
        if looked.places.get(armature.session_uid) != _places(armature):
            changed |= bool(upgrade(armature)) | mend(armature)
            looked.places[armature.session_uid] = _places(armature)
    return changed


def mend(armature: bpy.types.Object) -> bool:
    """Have limbs find their upper bones and constraints, and remove the constraints of limbs that are gone; whether any.

    An armature with limbs of a newer version is left alone.
    """
    if (limb_versions(armature) > VERSION).any():
        return False
    changed = False
    for lower in limb_bones(armature):
        changed |= _find_upper(lower) | take_own_controls(lower)
    members = _members(armature)
    for bone in armature.pose.bones:
        constraint = output_constraint(bone)
        if bone.name in members and constraint is not None and not is_output(constraint):
            add_output(bone)  # symmetrizing bones has mirrored its limits
            changed = True
        elif bone.name not in members and is_output(constraint):
            if constraint.is_override_data:
                constraint.mute = True  # what the library has brought cannot be removed
            else:
                remove_output(bone)
            changed = True
    return changed


def _find_upper(lower: bpy.types.PoseBone) -> bool:
    """Where a bone was put in between or taken out, the upper bone is the one that still has the limb's constraint."""
    upper = upper_bone(lower, lower.twobone_upper_steps)
    if upper is not None and output_constraint(upper) is not None:
        return False
    others = _members(lower.id_data, except_for=lower)
    for steps, bone in enumerate(lower.parent_recursive, start=1):
        if bone.name in others:
            return False
        if is_output(output_constraint(bone)):
            lower.twobone_upper_steps = steps
            return True
    return False


def _members(armature: bpy.types.Object, except_for: bpy.types.PoseBone | None = None) -> set[str]:
    """Names of all bones that a limb delivers to."""
    limbs = [limb_of(bone) for bone in limb_bones(armature) if bone != except_for]
    return {name for limb in limbs for name in (limb.upper, limb.lower, limb.hand)}


def _places(armature: bpy.types.Object) -> tuple[bytes, tuple[str, ...]]:
    limbs = map(limb_of, limb_bones(armature))
    return limb_versions(armature).tobytes(), tuple(name for limb in limbs for name in (limb.upper, limb.hand))
