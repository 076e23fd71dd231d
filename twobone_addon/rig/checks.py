# SPDX-License-Identifier: GPL-3.0-or-later
"""What is refused before anything is changed."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from . import properties
from .dependencies import Graph, limb_nodes, node_of
from .engine.place import control_point, parent_inverse
from .errors import Refusal
from .given import check_is_armature, kind_of
from .limb import Control, find_bone, limb_bones, limb_of
from .words import say


def check_armature(armature: bpy.types.Object) -> None:
    """Refuse what is no armature, cannot be edited, is being edited, or is not in the active view layer."""
    check_is_armature(armature)
    if not armature.is_editable:
        raise Refusal(say('"{armature}" is linked from another file. Make a library override of it first',
                          armature=armature.name))
    if armature.data.is_editmode:
        raise Refusal(say('"{armature}" is in Edit Mode. Leave Edit Mode first', armature=armature.name))
    if bpy.context.scene not in armature.users_scene or (
            bpy.context.view_layer.objects.get(armature.name) != armature):
        raise Refusal(say('"{armature}" is not in the active view layer. Link it to the scene, or make it visible there',
                          armature=armature.name))


def check_evaluated(depsgraph: bpy.types.Depsgraph, armature: bpy.types.Object) -> None:
    """Refuse an armature that Blender does not evaluate, whose pose would be that of before it was hidden."""
    if not armature.evaluated_get(depsgraph).is_evaluated:
        raise Refusal(say('"{armature}" is hidden in viewports and therefore not evaluated. Make it visible first',
                          armature=armature.name))


def chain_of(armature: bpy.types.Object, lower: str, upper: str | None) -> tuple[bpy.types.PoseBone, int]:
    """The upper bone and how many parents above the lower bone it is; refuses everything that is no chain."""
    bone = find_bone(armature, lower)
    if bone.parent is None:
        raise Refusal(say('"{bone}" has no parent bone. Choose the lower bone of a limb, such as a forearm or shin', bone=lower))
    if upper is None:
        return bone.parent, 1
    find_bone(armature, upper)
    steps, ancestor = 1, bone.parent
    while ancestor is not None and ancestor.name != upper:
        steps, ancestor = steps + 1, ancestor.parent
    if ancestor is None:
        raise Refusal(say('"{upper}" is not above "{lower}" in "{armature}". Choose a parent of "{lower}"',
                          upper=upper, lower=lower, armature=armature.name))
    return ancestor, steps


def check_free(armature: bpy.types.Object, upper: str, lower: str) -> None:
    """Refuse bones that another limb moves already."""
    wanted = limb_nodes(armature, upper, lower)
    for other in limb_bones(armature):
        limb = limb_of(other)
        if limb.lower == lower:
            properties.check_version(other)
            raise Refusal(say('"{bone}" already has Two-Bone IK. Remove it first, or press Rebind', bone=lower))
        taken = wanted & (limb_nodes(armature, limb.upper, limb.lower) | {(armature, limb.hand)})
        if taken:
            name = min(name for _object, name in taken)
            raise Refusal(say('"{bone}" already belongs to the limb of "{limb}". Remove that IK first',
                              bone=name, limb=limb.lower))


def check_root(graph: Graph, armature: bpy.types.Object, upper: str, lower: str) -> None:
    """Refuse a limb whose root hangs on another limb that follows this one; graph: of the scene before it is added."""
    root = (armature, armature.pose.bones[upper].parent.name if armature.pose.bones[upper].parent else "")
    if graph.depends_on(root, limb_nodes(armature, upper, lower)):
        raise Refusal(say('The root of "{upper}" moves with the limb of "{lower}" itself. Undo that dependency first',
                          upper=upper, lower=lower))


def check_tip(armature: bpy.types.Object, lower: str, tip: str | None) -> None:
    """Refuse a tip bone that does not hang on the lower bone."""
    if tip is None:
        return
    bone = find_bone(armature, tip)
    if armature.pose.bones[lower] not in bone.parent_recursive:
        raise Refusal(say('"{tip}" is not below "{lower}". Choose the hand or foot bone of this limb', tip=tip, lower=lower))


def check_control(graph: Graph, armature: bpy.types.Object, upper: str, lower: str, object: bpy.types.Object | None,
                  bone: str, role: str) -> Control | None:
    """The control that was asked for, None where none was; refuses what cannot be followed.

    graph: of the scene before the limb is added. role: how the message calls it.
    """
    if object is None:
        if bone:
            raise Refusal(say('The {role} bone "{bone}" was given without an armature. Give its armature object too',
                              role=role, bone=bone))
        return None
    if not kind_of(object):
        raise Refusal(say('The {role} is not an object. Choose an object, or an armature and one of its bones', role=role))
    if bone:
        find_bone(object, bone)
    elif object == armature:
        raise Refusal(say('"{armature}" cannot be the {role} of its own limb. Choose another object, or one of its bones',
                          armature=armature.name, role=role))
    if not object.users_scene:
        raise Refusal(say('The {role} "{object}" is in no scene. Link it to the scene first', role=role, object=object.name))
    control = Control(object, bone)
    if graph.depends_on(node_of(control), limb_nodes(armature, upper, lower)):
        raise Refusal(say('The {role} {control} moves with the limb of "{lower}". Choose one that does not hang on it',
                          role=role, control=control.label, lower=lower))
    return control


def check_place(depsgraph: bpy.types.Depsgraph, armature: bpy.types.Object, control: Control, role: str) -> NDArray[np.float64]:
    """Place (3,) of the control in armature space; refuses one that is not finite."""
    if control.bone:
        find_bone(control.object, control.bone)
    evaluated = armature.evaluated_get(depsgraph)
    place = np.array(control_point(depsgraph, evaluated, control, parent_inverse(control, armature)), dtype=float)
    if not np.isfinite(place).all():
        raise Refusal(say('The {role} {control} is not at a finite place, or "{armature}" is scaled to zero. '
                          'Check their transforms', role=role, control=control.label, armature=armature.name))
    return place
