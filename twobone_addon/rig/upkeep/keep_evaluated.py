# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeping targets and poles that somebody has hidden evaluated.

Blender evaluates what is shown and what that depends on. It does not know that a limb depends on its controls, so that
one which is hidden in viewports or in renders, or is in another scene only, would stand still there. A muted native
constraint on the lower bone tells Blender. Only limbs with such controls get one: with it every drag of the
control evaluates the armature once more.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import bpy

from ..animation.fcurves import find_animation
from ..engine.plan import Plan
from ..limb import Control, Limb

LINKS = {"target": "Two-Bone IK Target", "pole": "Two-Bone IK Pole"}
"""Names of the constraints that tell Blender of a control."""

HIDING = ("hide_viewport", "hide_render")


def keep_evaluated(plan: Plan) -> bool:
    """Have the controls of the plan's limbs evaluated wherever their armatures are; whether something was changed for it.

    Armatures that cannot be edited are left alone: `is_kept` says so.
    """
    scenes = [(set(scene.objects), [set(_shown(layer)) for layer in scene.view_layers])
              for scene in bpy.data.scenes] if plan.limbs else []
    layers = {armature.object: [shown for members, shows in scenes if armature.object in members for shown in shows]
              for armature in plan.armatures}
    changed = False
    for planned in plan.limbs:
        limb = planned.limb
        if not limb.armature.is_editable or limb.armature.data.is_editmode:
            continue
        for role, control in (("target", limb.target), ("pole", limb.pole)):
            needed = not planned.fault and control is not None and _is_hidden_somewhere(limb, control, layers[limb.armature])
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


def _is_hidden_somewhere(limb: Limb, control: Control, layers: list[set[bpy.types.Object]]) -> bool:
    """Whether one of the view layers that have the limb's armature does not evaluate `control` by itself.

    layers: what each of them evaluates.
    """
    object = control.object
    if object == limb.armature:
        return False
    if object.hide_viewport or object.hide_render or any(object not in shown for shown in layers):
        return bool(object.users_scene)
    return object.animation_data is not None and any(find_animation(object, name) for name in HIDING)


def _shown(layer: bpy.types.ViewLayer) -> Iterator[bpy.types.Object]:
    """The objects that `layer` evaluates in viewports as well as in renders, unless they are hidden themselves."""
    return chain.from_iterable(collection.objects for collection in _shown_below(layer.layer_collection))


def _shown_below(layer: bpy.types.LayerCollection) -> Iterator[bpy.types.Collection]:
    if any(getattr(layer.collection, name) for name in HIDING):
        return
    if not layer.exclude:
        yield layer.collection
    for child in layer.children:
        yield from _shown_below(child)
