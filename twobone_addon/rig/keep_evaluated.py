# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeping targets and poles that somebody has hidden evaluated.

Blender evaluates what is shown and what that depends on. It does not know that a limb depends on its controls, so that
one which is hidden in viewports or in renders, or is in another scene only, would stand still there. A muted native
constraint on the lower bone tells Blender. Only limbs with such controls get one: with it every drag of the
control evaluates the armature once more.
"""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from .fcurves import find_animation
from .limb import Control, Limb
from .plan import Plan

LINKS = {"target": "Two-Bone IK Target", "pole": "Two-Bone IK Pole"}
"""Names of the constraints that tell Blender of a control."""

HIDING = ("hide_viewport", "hide_render")


def keep_evaluated(plan: Plan) -> bool:
    """Have the controls of the plan's limbs evaluated wherever their armatures are; whether something was changed for it.

    Armatures that cannot be edited are left alone: `is_kept` says so.
    """
    layers: dict[bpy.types.ViewLayer, set[bpy.types.Collection]] = {}
    changed = False
    for planned in plan.limbs:
        limb = planned.limb
        if not limb.armature.is_editable or limb.armature.data.is_editmode:
            continue
        for role, control in (("target", limb.target), ("pole", limb.pole)):
            needed = not planned.fault and control is not None and _is_hidden_somewhere(limb, control, layers)
            changed |= _link(limb, role, control if needed else None)
    return changed


def is_kept(limb: Limb, role: str) -> bool:
    """Whether Blender was told of the limb's "target" or "pole"."""
    control: Control | None = getattr(limb, role)
    constraint = limb.armature.pose.bones[limb.lower].constraints.get(LINKS[role])
    return control is not None and constraint is not None and constraint.target == control.object


def remove_links(bone: bpy.types.PoseBone) -> None:
    """Take the constraints of all that was made here away from a limb's lower bone."""
    for name in LINKS.values():
        _remove(bone.constraints, bone.constraints.get(name))


def _remove(constraints: bpy.types.PoseBoneConstraints, constraint: bpy.types.Constraint | None) -> bool:
    """Remove the constraint where there is one, and it does not come from a library; whether it was."""
    if constraint is None or constraint.is_override_data:
        return False
    constraints.remove(constraint)
    return True


def _link(limb: Limb, role: str, control: Control | None) -> bool:
    """Tell Blender of `control`, or of none; whether that was news."""
    constraints = limb.armature.pose.bones[limb.lower].constraints
    constraint = constraints.get(LINKS[role])
    if control is None:
        return _remove(constraints, constraint)
    if constraint is None:
        active = constraints.active
        constraint = constraints.new('COPY_LOCATION')
        constraint.name, constraint.influence, constraint.show_expanded = LINKS[role], 0.0, False
        constraint.mute = True  # it is evaluated all the same, and nothing that looks at constraints need wonder about it
        constraints.active = active or constraint
    elif (constraint.target, constraint.subtarget) == (control.object, control.bone):
        return False
    constraint.target, constraint.subtarget = control.object, control.bone
    return True


def _is_hidden_somewhere(limb: Limb, control: Control, layers: dict[bpy.types.ViewLayer, set[bpy.types.Collection]]) -> bool:
    """Whether a view layer that has the limb's armature does not evaluate `control` by itself."""
    object = control.object
    if object == limb.armature or not object.users_scene:
        return False
    if any(getattr(object, name) or find_animation(object, name) for name in HIDING):
        return True
    own = set(object.users_collection)
    return any(own.isdisjoint(_shown(layer, layers)) for scene in limb.armature.users_scene for layer in scene.view_layers)


def _shown(layer: bpy.types.ViewLayer, known: dict[bpy.types.ViewLayer, set[bpy.types.Collection]]) -> set[bpy.types.Collection]:
    """The collections of which `layer` evaluates the objects, in viewports as well as in renders."""
    if layer not in known:
        known[layer] = set(_shown_below(layer.layer_collection))
    return known[layer]


def _shown_below(layer: bpy.types.LayerCollection) -> Iterator[bpy.types.Collection]:
    if any(getattr(layer.collection, name) for name in HIDING):
        return
    if not layer.exclude:
        yield layer.collection
    for child in layer.children:
        yield from _shown_below(child)
