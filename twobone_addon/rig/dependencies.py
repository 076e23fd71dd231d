# SPDX-License-Identifier: GPL-3.0-or-later
"""What hangs on what: objects and bones as nodes, followed from a target up to whatever moves it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum

import bpy

from .limb import Control, Limb

Node = tuple[bpy.types.Object, str]
"""An object, or one of its bones by name; an object itself goes with an empty name."""

Carrying = tuple[tuple[str, bool], ...]
"""What `carrying` says of a node."""

BONE_PATH = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]')

RIGID = frozenset(('CHILD_OF', 'COPY_LOCATION', 'COPY_TRANSFORMS', 'ARMATURE'))
"""Constraints that, at full influence, carry their owner's place along with their target like a parent does."""

TURNING = frozenset(('CHILD_OF', 'COPY_ROTATION', 'COPY_TRANSFORMS', 'ARMATURE'))
"""The same for its rotation."""


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


class Part(Enum):
    """The bones of a limb that carry things along."""

    UPPER = "upper"
    LOWER = "lower"
    HAND = "hand"


@dataclass(frozen=True)
class Carrier:
    """The bone that carries something along: that part of the limb in row `limb` of a plan.

    at: the node whose place alone follows the bone, and what hangs on it with it, without turning; None where all is carried.
    """

    limb: int
    part: Part
    at: Node | None = None


def carrying(node: Node, depsgraph: bpy.types.Depsgraph | None) -> Carrying:
    """The names of a node's constraints, and whether each acts wholly, as evaluated in `depsgraph`; the originals where that
    is None or has others."""
    constraints = _owner(node).constraints
    if not len(constraints):
        return ()
    if depsgraph is not None:
        evaluated = _owner((node[0].evaluated_get(depsgraph), node[1])).constraints
        if evaluated.keys() == constraints.keys():
            constraints = evaluated
    return tuple((constraint.name, not constraint.mute and constraint.influence > 0.999) for constraint in constraints)


@dataclass
class Graph:
    """The nodes of a scene and what moves them, remembered as it is asked for. `limbs` are all limbs there are.

    depsgraph: the one whose evaluated constraints say how much they do, None for the originals'. links: by the nodes that
    were followed and have constraints, what `carrying` says of them.
    """

    limbs: list[Limb]
    depsgraph: bpy.types.Depsgraph | None = None
    links: dict[Node, Carrying] = field(default_factory=dict)
    _moved: dict[Node, Carrier] = field(default_factory=dict)
    _own: list[set[Node]] = field(default_factory=list)
    _carriers: dict[tuple[Node, frozenset[str]], Carrier | None] = field(default_factory=dict)
    _movers: dict[Node, tuple[Node, ...]] = field(default_factory=dict)
    _drivers: dict[bpy.types.Object, dict[str, list[Node]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for row, limb in enumerate(self.limbs):
            self._own.append(limb_nodes(limb.armature, limb.upper, limb.lower))
            for node in self._own[row]:
                self._moved[node] = Carrier(row, Part.LOWER if node[1] == limb.lower else Part.UPPER)
            if limb.hand:
                self._moved.setdefault((limb.armature, limb.hand), Carrier(row, Part.HAND))

    def depends_on(self, start: Node, goals: set[Node]) -> bool:
        """Whether anything in `goals` moves `start`, over parents, constraints, drivers and other limbs."""
        return any(node in goals for node in self._reachable([start]))

    def limbs_behind(self, row: int) -> set[int]:
        """Rows of the limbs whose pose moves the root, target or pole of the limb in `row`; itself where it is a loop."""
        own = self._own[row]
        starts = [node for part in own for node in self.movers(part) if node not in own]
        return {self._moved[node].limb for node in self._reachable(starts) if node in self._moved}

    def carrier(self, node: Node, kinds: frozenset[str] = RIGID) -> Carrier | None:
        """The nearest limb bone that carries `node` along rigidly, None where none does.

        kinds: the constraints that do so, RIGID for its place, TURNING for its rotation.
        """
        start = node
        seen: dict[Node, None] = {}
        found, shifted = None, 0
        while node not in seen:
            if (node, kinds) in self._carriers:
                found = self._carriers[node, kinds]
                break
            seen[node] = None
            found = self._moved.get(node)
            following, turns = self._rigid_mover(node, kinds) if found is None else (None, True)
            if following is None:
                break
            if not turns:
                shifted = len(seen)
            node = following
        nodes = list(seen)
        at = nodes[shifted - 1] if shifted else None
        for place, each in enumerate(nodes):
            carried_whole = found is None or found.at is not None or place >= shifted
            self._carriers[each, kinds] = found if carried_whole else replace(found, at=at)
        return self._carriers[start, kinds]

    def _rigid_mover(self, node: Node, kinds: frozenset[str]) -> tuple[Node | None, bool]:
        """What carries `node` along rigidly: its last full-influence constraint of one of these kinds, else its parent, if it
        has one; and whether that turns it, too."""
        constraints, states = _owner(node).constraints, carrying(node, self.depsgraph)
        if states:
            self.links[node] = states
        for constraint, (_name, carries) in zip(reversed(constraints), reversed(states), strict=True):
            if constraint.type in kinds and carries:
                entries = constraint.targets if constraint.type == 'ARMATURE' else (constraint,)
                if len(entries) == 1 and entries[0].target is not None:
                    return (entries[0].target, entries[0].subtarget), constraint.type != 'COPY_LOCATION'
        return _parent(node, _pose_bone(node)), True

    def _reachable(self, starts: Iterable[Node]) -> Iterator[Node]:
        front = list(starts)
        seen = set(front)
        while front:
            node = front.pop()
            yield node
            for mover in self.movers(node):
                if mover not in seen:
                    seen.add(mover)
                    front.append(mover)

    def movers(self, node: Node) -> tuple[Node, ...]:
        """The nodes that `node` directly follows."""
        known = self._movers.get(node)
        if known is None:
            known = self._movers[node] = tuple(self._find_movers(node))
        return known

    def _find_movers(self, node: Node) -> Iterator[Node]:
        object, name = node
        bone = _pose_bone(node)
        yield from self._driver_movers(object).get(name if bone is not None else "", ())
        parent = _parent(node, bone)
        if parent is not None:
            yield parent
        yield from _constraint_movers(_owner(node))
        carrier = self._moved.get(node)
        if carrier is not None:
            limb = self.limbs[carrier.limb]
            yield from (node_of(control) for control in (limb.target, limb.pole) if control is not None)

    def _driver_movers(self, object: bpy.types.Object) -> dict[str, list[Node]]:
        """By bone name, what drives that bone's properties; under '' what drives the object's own."""
        known = self._drivers.get(object)
        if known is None:
            known = self._drivers[object] = {}
            for curve in object.animation_data.drivers if object.animation_data else ():
                match = BONE_PATH.match(curve.data_path)
                name = bpy.utils.unescape_identifier(match.group(1)) if match else ""
                for variable in curve.driver.variables:
                    known.setdefault(name, []).extend(
                        (entry.id, entry.bone_target) for entry in variable.targets
                        if isinstance(entry.id, bpy.types.Object))
        return known


def _owner(node: Node) -> bpy.types.Object | bpy.types.PoseBone:
    """What has the constraints of a node: a bone, or the object, also where its bone is gone."""
    bone = _pose_bone(node)
    return bone if bone is not None else node[0]


def _pose_bone(node: Node) -> bpy.types.PoseBone | None:
    object, name = node
    return object.pose.bones.get(name) if name and object.pose else None


def _parent(node: Node, bone: bpy.types.PoseBone | None) -> Node | None:
    """The parent bone or object of a node, which is that bone or an object; a bone without a parent hangs on its armature."""
    object, _name = node
    if bone is not None:
        parent = bone.parent
        return (object, parent.name) if parent is not None else (object, "")
    above = object.parent
    if above is None:
        return None
    return above, object.parent_bone if object.parent_type == 'BONE' else ""


def _constraint_movers(owner: bpy.types.Object | bpy.types.PoseBone) -> Iterator[Node]:
    for constraint in owner.constraints:
        for entry in (constraint, *getattr(constraint, "targets", ())):
            if isinstance(getattr(entry, "target", None), bpy.types.Object):
                yield entry.target, getattr(entry, "subtarget", "")
            if isinstance(getattr(entry, "pole_target", None), bpy.types.Object):
                yield entry.pole_target, entry.pole_subtarget
