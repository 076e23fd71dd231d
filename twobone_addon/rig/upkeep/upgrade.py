# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs that an earlier version of the extension has stored, brought to the version of this one.

Each step takes a limb from one version to the next, so that a file of any age goes through all that it lacks. What a
later version has stored is left as it is: `structural_fault` has such limbs rest.
"""

from __future__ import annotations

from collections.abc import Callable

import bpy

from ..limb import Limb, limb_bones, limb_of
from ..properties import VERSION
from .rest import rest_record


def upgrade(armature: bpy.types.Object) -> int:
    """Bring all limbs of the armature up to date; returns how many were not. Doing it again changes nothing."""
    outdated = [bone for bone in limb_bones(armature) if bone.twobone_version < VERSION]
    for bone in outdated:
        for version in range(bone.twobone_version, VERSION):
            STEPS[version](limb_of(bone), bone)
            bone.twobone_version = version + 1
    return len(outdated)


def _store_rest(limb: Limb, bone: bpy.types.PoseBone) -> None:
    """Version 2 tells when the rest pose is not that of the binding any more; version 1 did not know."""
    bone.twobone_rest = rest_record(limb)


STEPS: dict[int, Callable[[Limb, bpy.types.PoseBone], None]] = {1: _store_rest}
"""What leads from each version to the next."""
