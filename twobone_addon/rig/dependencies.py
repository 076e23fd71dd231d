# SPDX-License-Identifier: GPL-3.0-or-later
"""What hangs on what: objects and bones as nodes, followed from a target up to whatever moves it."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from .limb import Control, limb_bones, limb_of

Node = tuple[bpy.types.Object, str]
"""An object, or one of its bones by name; an object itself goes with an empty name."""


def node_of(control: Control) -> Node:
    """The node that a target or pole stands for."""
    return control.object, control.bone


def limb_nodes(armature: bpy.types.Object, upper: str, lower: str) -> set[Node]:
    """The bones that a limb moves by itself: upper, lower and what lies between."""
    nodes, bone = set(), armature.pose.bones.get(lower)
    while bone is not None:
        nodes.add((armature, bone.name))
        if bone.name == upper:
            break
        bone = bone.parent
    return nodes


def depends_on(start: Node, goals: set[Node]) -> bool:
    """Whether anything in `goals` moves `start`, over parents, constraints, drivers and other limbs."""
    seen, front = {start}, [start]
    while front:
        node = front.pop()
        if node in goals:
            return True
        for mover in movers(node):
            if mover not in seen:
                seen.add(mover)
                front.append(mover)
    return False


def movers(node: Node) -> Iterator[Node]:
    """The nodes that `node` directly follows."""
    object, name = node
    bone = object.pose.bones.get(name) if name and object.pose else None
    if bone is None:
        yield from _object_movers(object)
        yield from _driver_movers(object, "")
        return
    yield (object, bone.parent.name) if bone.parent else (object, "")
    yield from _constraint_movers(bone)
    yield from _driver_movers(object, f'pose.bones["{bpy.utils.escape_identifier(name)}"]')
    for lower in limb_bones(object):
        limb = limb_of(lower)
        if name in (limb.lower, limb.upper):
            yield from (node_of(control) for control in (limb.target, limb.pole) if control is not None)
            if name == limb.lower and limb.upper:
                yield object, limb.upper


def _object_movers(object: bpy.types.Object) -> Iterator[Node]:
    if object.parent is not None:
        yield object.parent, object.parent_bone if object.parent_type == 'BONE' else ""
    yield from _constraint_movers(object)


def _constraint_movers(owner: bpy.types.Object | bpy.types.PoseBone) -> Iterator[Node]:
    for constraint in owner.constraints:
        entries = [constraint, *getattr(constraint, "targets", ())]
        for entry in entries:
            if isinstance(getattr(entry, "target", None), bpy.types.Object):
                yield entry.target, getattr(entry, "subtarget", "")
            if isinstance(getattr(entry, "pole_target", None), bpy.types.Object):
                yield entry.pole_target, entry.pole_subtarget


def _driver_movers(object: bpy.types.Object, prefix: str) -> Iterator[Node]:
    drivers = object.animation_data.drivers if object.animation_data else ()
    for curve in drivers:
        if not curve.data_path.startswith(prefix) or (not prefix and curve.data_path.startswith("pose.")):
            continue
        for variable in curve.driver.variables:
            for entry in variable.targets:
                if isinstance(entry.id, bpy.types.Object):
                    yield entry.id, entry.bone_target
