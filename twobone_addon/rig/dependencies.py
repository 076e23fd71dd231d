# SPDX-License-Identifier: GPL-3.0-or-later
"""What hangs on what: objects and bones as nodes, followed from a target up to whatever moves it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

import bpy

from .carrying import carries, inherits_all, leader, replaces_place, takes_all
from .limb import Control, Limb

Node = tuple[bpy.types.Object, str]
"""An object, or one of its bones by name; an object itself goes with an empty name."""

Carrying = tuple[tuple[str, bool | None], ...]
"""What `carrying` says of a node."""

BONE_PATH = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]')

MOVING = re.compile(r'(?:.*\.)?(?:location|rotation_\w+|scale|delta_\w+|twobone_\w+)$|.*\bconstraints\[')
"""Paths of what moves an object or a bone, or sets a limb."""


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
    """The bone that carries something along: that part of the limb in row `limb` of a plan."""

    limb: int
    part: Part

    @property
    def limbs(self) -> frozenset[int]:
        """Rows of the limbs that have a part in it."""
        return frozenset((self.limb,))


@dataclass(frozen=True, eq=False)
class Linkage:
    """How `node` is carried along where it does not move with a limb's bone as one body.

    own: what carries its parent; frame: what carries a bone's armature; leaders: by the names of the constraints that carry
    it, in their order, what carries their targets. None where nothing does.
    """

    node: Node
    own: AnyCarrier | None
    frame: AnyCarrier | None
    leaders: tuple[tuple[str, AnyCarrier | None], ...]

    @property
    def below(self) -> list[AnyCarrier]:
        """What it is made of."""
        return [each for each in (self.own, self.frame, *(carrier for _name, carrier in self.leaders)) if each is not None]

    @property
    def limbs(self) -> frozenset[int]:
        """Rows of the limbs that have a part in it."""
        found: set[int] = set()
        seen: set[AnyCarrier] = set()
        front: list[AnyCarrier] = [self]
        while front:
            carrier = front.pop()
            if isinstance(carrier, Carrier):
                found.add(carrier.limb)
            elif carrier not in seen:
                seen.add(carrier)
                front += carrier.below
        return frozenset(found)


AnyCarrier = Carrier | Linkage


def carrying(node: Node, depsgraph: bpy.types.Depsgraph | None) -> Carrying:
    """The names of a node's constraints, and whether each carries it along, None for one that does nothing; as evaluated in
    `depsgraph`, or the originals where that is None or has others."""
    owner = owner_of(node)
    constraints = owner.constraints
    if not len(constraints):
        return ()
    if depsgraph is not None:
        evaluated = owner_of((node[0].evaluated_get(depsgraph), node[1]))
        if evaluated.constraints.keys() == constraints.keys():
            owner, constraints = evaluated, evaluated.constraints
    return tuple((constraint.name, None if constraint.mute or not constraint.influence else (
        constraint.influence > 0.999 and carries(constraint, owner))) for constraint in constraints)


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
    _carriers: dict[Node, AnyCarrier | None] = field(default_factory=dict)
    _vague: set[Node] = field(default_factory=set)
    _movers: dict[Node, tuple[Node, ...]] = field(default_factory=dict)
    _drivers: dict[bpy.types.Object, dict[str, list[tuple[str, Node]]]] = field(default_factory=dict)

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

    def carrier(self, start: Node) -> AnyCarrier | None:
        """What carries the node `start` along, None where no limb does."""
        front, begun = [start], set()
        while front:
            node = front[-1]
            if node in self._carriers:
                front.pop()
                continue
            parent, links = self._links(node)
            above = [other for other in (parent, *self._leading(node, links)) if other is not None]
            left = [other for other in above if other not in self._carriers and other not in begun]
            begun.add(node)
            if left:
                front += left
                continue
            self._carriers[node] = self._carried_by(node, parent, links)
            if node not in self._moved and (self._acts_otherwise(node) or not self._vague.isdisjoint(above)):
                self._vague.add(node)
        return self._carriers[start]

    def is_vague(self, row: int) -> bool:
        """Whether other limbs move the one in `row` in a way that no carrier tells."""
        limb = self.limbs[row]
        upper = _pose_bone((limb.armature, limb.upper))
        nodes = [node_of(control) for control in (limb.target, limb.pole) if control is not None]
        if upper is not None:
            nodes.append(_parent((limb.armature, limb.upper), upper))
        for node in nodes:
            self.carrier(node)
        bones = [*self._own[row], *([(limb.armature, limb.hand)] if limb.hand else [])]
        return not self._vague.isdisjoint(nodes) or any(map(self._acts_otherwise, bones))

    def _links(self, node: Node) -> tuple[Node | None, list[bpy.types.Constraint]]:
        """The parent of a node, and those of its constraints that carry it along; nothing of a bone that limbs move."""
        if node in self._moved:
            return None, []
        states = carrying(node, self.depsgraph)
        if states:
            self.links[node] = states
        constraints = owner_of(node).constraints
        return _parent(node, _pose_bone(node)), [constraints[name] for name, carries_it in states if carries_it]

    def _leading(self, node: Node, links: Iterable[bpy.types.Constraint]) -> Iterator[Node]:
        """What decides how constraints carry a node: their targets, and its armature where that is a bone."""
        for constraint in links:
            entry = leader(constraint)
            yield entry.target, entry.subtarget
            if constraint.type == 'ARMATURE':
                yield entry.target, ""
        bone = _pose_bone(node)
        if bone is not None and (links or not inherits_all(bone.bone)):
            yield node[0], ""

    def _carried_by(self, node: Node, parent: Node | None, links: list[bpy.types.Constraint]) -> AnyCarrier | None:
        """What carries a node, where that is known of its parent and of what its constraints follow."""
        if node in self._moved:
            return self._moved[node]
        known, bone = self._carriers.get, _pose_bone(node)
        own = known(parent) if parent is not None else None
        frame = known((node[0], "")) if bone is not None else None
        leaders = tuple((constraint.name, known((leader(constraint).target, leader(constraint).subtarget)))
                        for constraint in links)
        fixed = bone is not None and bone.parent is not None and bone.bone.use_connect
        for constraint in links:
            if constraint.type == 'COPY_LOCATION' and not replaces_place(constraint) and (own is not None or len(links) > 1):
                self._vague.add(node)  # where its owner would be without it is not known
            if constraint.type == 'ARMATURE':  # it moves what has not moved with that armature by more
                if own is not known((leader(constraint).target, "")):
                    self._vague.add(node)
                return known((leader(constraint).target, leader(constraint).subtarget))
        if leaders and not fixed and _replaces(links[-1], single=len(links) == 1 and own is frame):
            return leaders[-1][1]
        if not leaders and (own is frame or bone is None or inherits_all(bone.bone)):
            return own
        carried = any(carrier is not None for carrier in (own, frame, *(carrier for _name, carrier in leaders)))
        return Linkage(node, own, frame, leaders) if carried else None

    def _acts_otherwise(self, node: Node) -> bool:
        """Whether a limb moves a node by a driver, or by a constraint that does not carry it along."""
        object, name = node
        bone = _pose_bone(node)
        starts = [other for path, other in self._driver_movers(object).get(name if bone is not None else "", ())
                  if MOVING.match(path)]
        for constraint, (_name, carries_it) in zip(owner_of(node).constraints, carrying(node, self.depsgraph), strict=True):
            if carries_it is False:
                starts += _targets(constraint)
        return any(other in self._moved for other in self._reachable(starts))

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
        yield from (other for _path, other in self._driver_movers(object).get(name if bone is not None else "", ()))
        parent = _parent(node, bone)
        if parent is not None:
            yield parent
        for constraint in owner_of(node).constraints:
            yield from _targets(constraint)
        carrier = self._moved.get(node)
        if carrier is not None:
            limb = self.limbs[carrier.limb]
            yield from (node_of(control) for control in (limb.target, limb.pole) if control is not None)

    def _driver_movers(self, object: bpy.types.Object) -> dict[str, list[tuple[str, Node]]]:
        """By bone name, the paths of that bone's driven properties and what drives them; under '' the object's own."""
        known = self._drivers.get(object)
        if known is None:
            known = self._drivers[object] = {}
            for curve in object.animation_data.drivers if object.animation_data else ():
                match = BONE_PATH.match(curve.data_path)
                name = bpy.utils.unescape_identifier(match.group(1)) if match else ""
                for variable in curve.driver.variables:
                    known.setdefault(name, []).extend(
                        (curve.data_path, (entry.id, entry.bone_target)) for entry in variable.targets
                        if isinstance(entry.id, bpy.types.Object))
        return known


def _replaces(constraint: bpy.types.Constraint, *, single: bool) -> bool:
    """Whether what a constraint carries moves with its target as one body, whatever it did before.

    single: whether it is the only one that carries its owner, which has nothing of its own.
    """
    return constraint.type == 'COPY_TRANSFORMS' or (single and constraint.type == 'CHILD_OF' and takes_all(constraint))


def owner_of(node: Node) -> bpy.types.Object | bpy.types.PoseBone:
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


def _targets(constraint: bpy.types.Constraint) -> Iterator[Node]:
    for entry in (constraint, *getattr(constraint, "targets", ())):
        if isinstance(getattr(entry, "target", None), bpy.types.Object):
            yield entry.target, getattr(entry, "subtarget", "")
        if isinstance(getattr(entry, "pole_target", None), bpy.types.Object):
            yield entry.pole_target, entry.pole_subtarget
