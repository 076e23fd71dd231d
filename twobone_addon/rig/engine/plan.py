# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene's limbs, laid out once for reading them every frame.

A plan holds what changes only when somebody edits the rig: which limbs there are, where their bones stand in
`pose.bones`, what kind of thing each target is, and the bound constants as arrays. It is thrown away whenever the
structure of the scene changes; no pose is kept in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from .. import properties
from ..binding import Binding
from ..dependencies import AnyCarrier, Carrying, Graph, Node, carrying, node_of
from ..limb import OUTPUT, Control, Limb, limb_bones, limb_of, limb_versions, output_constraint
from ..words import say
from .follow import loads
from .layout import Layout
from .place import parent_inverse
from .problem import Constants

IDENTITY_ROW = 0
"""Row of the matrices that stands for the missing parent of a root bone."""

LAYOUTS = 16
"""So many lots of limbs, each read together, are remembered."""


@dataclass(frozen=True)
class Source:
    """A target or pole, how it is read, and what other limb carries it.

    row: the bone's row among the plan's matrices where it belongs to the limb's own armature, else -1.
    inverse: what `place.parent_inverse` says of the control; read: the object's parent inverse that it was said of.
    """

    control: Control
    row: int
    inverse: NDArray[np.float64] | None
    read: Matrix
    carrier: AnyCarrier | None

    @property
    def is_current(self) -> bool:
        """Whether the parent inverse is what it was: setting it changes no structure."""
        return bool(self.inverse is None or self.control.object.matrix_parent_inverse == self.read)


@dataclass(frozen=True)
class PlannedHand:
    """A hand or foot that follows its target's rotation: its row in the matrices, the bound rotation (3, 3) from the
    target to it."""

    name: str
    row: int
    rotation: NDArray[np.float64]


@dataclass(frozen=True)
class PlannedArmature:
    """An armature with limbs: its rows in the matrices, what shows that its bones are still the same, its carrier."""

    object: bpy.types.Object
    first_row: int
    versions: NDArray[np.int32]
    carrier: AnyCarrier | None

    @property
    def rows(self) -> slice:
        """This armature's part of the plan's matrices."""
        return slice(self.first_row, self.first_row + len(self.versions))


@dataclass(frozen=True)
class PlannedLimb:
    """A limb, resolved: the rows of its bones, its sources, the limb that carries its root.

    fault: the sentence that says why it rests, or ''. note: one that says what it cannot do in the same frame, or ''.
    """

    limb: Limb
    armature: int
    upper_row: int
    lower_row: int
    parent_row: int
    target: Source | None
    pole: Source | None
    root_carrier: AnyCarrier | None
    hand: PlannedHand | None
    binding: Binding | None
    fault: str
    note: str


@dataclass(frozen=True)
class Watched:
    """A bone that limbs know by name or by place: where it stood when the plan was made, among how many.

    lower, setting: the limb and the property of its lower bone that stores this bone's name, '' where none does.
    """

    object: bpy.types.Object
    index: int
    count: int
    name: str
    rest: tuple[float, ...] = ()
    armature: bpy.types.Object | None = None
    lower: str = ""
    setting: str = ""

    @property
    def is_there(self) -> bool:
        """Whether the bone still has its name and its place."""
        bones = self.object.pose.bones
        return self.index < len(bones) and bones[self.index].name == self.name


@dataclass(frozen=True)
class Plan:
    """All limbs of a scene. `matrices` (rows, 4, 4) is the buffer that bone matrices are read into, column by column.

    watched: bones whose renaming would make the plan wrong. names: the same by object, as (index, name).
    levels: rows of limbs, those that hang on none first, then those that hang only on these, and so on.
    bone_rows: (3, N) rows of the upper bones, the lower bones and the upper bones' parents.
    followers: for each limb the rows of the limbs that hang on it. readers: by session uid of an object, the rows of the
    limbs that read it. children: by session uid, the targets and poles that are plain children of their armatures.
    kin: for each armature those with the same data, itself among them: where one is written to, all are copied anew.
    links: what decides which limb carries what, by constraints, as `carrying` says of each.
    layouts: the limbs that were read last, laid out for that.
    """

    armatures: tuple[PlannedArmature, ...]
    limbs: tuple[PlannedLimb, ...]
    matrices: NDArray[np.float32]
    bone_rows: NDArray[np.intp]
    constants: Constants
    watched: tuple[Watched, ...]
    names: tuple[tuple[bpy.types.Object, tuple[tuple[int, str], ...]], ...]
    levels: tuple[tuple[int, ...], ...]
    followers: tuple[frozenset[int], ...]
    readers: dict[int, frozenset[int]]
    children: dict[int, Source]
    kin: tuple[frozenset[int], ...]
    links: tuple[tuple[Node, Carrying], ...]
    layouts: dict[tuple[int, ...], Layout] = field(default_factory=dict)

    @property
    def is_current(self) -> bool:
        """Whether every armature has the bones and limbs, and every child the parent inverse, that the plan was made for."""
        try:
            return self.has_same_bones(None) and all(source.is_current for source in self.children.values())
        except ReferenceError:
            return False

    def has_same_bones(self, changed: set[int] | None, *, renamed: bool = True) -> bool:
        """Whether the armatures whose session uids are in `changed`, all where that is None, have the bones and limbs they had.

        renamed: whether bones may have other names than before. Raises ReferenceError where one is gone.
        """
        return all(_same_bones(armature) for armature in self.armatures
                   if changed is None or armature.object.session_uid in changed) and all(
            _same_names(object.pose.bones, places) for object, places in (self.names if renamed else ())
            if changed is None or object.session_uid in changed)

    def layout(self, rows: Sequence[int], width: int) -> Layout:
        """The limbs `rows`, laid out for readings of so many numbers each."""
        key = tuple(rows)
        layout = self.layouts.get(key)
        if layout is None:
            if len(self.layouts) >= LAYOUTS:
                self.layouts.clear()
            layout = self.layouts[key] = Layout(self, key, width)
        return layout

    def is_carried_as_planned(self, depsgraph: bpy.types.Depsgraph) -> bool:
        """Whether every constraint does as much as it did: muting one, or its influence, changes no structure."""
        return all(carrying(node, depsgraph) == states for node, states in self.links)

    def follow_renames(self) -> None:
        """Have limbs follow target and pole bones that were renamed since the plan was made.

        Blender renames a bone in native constraints by itself; here the bone at the same place tells the new name.
        """
        for bone in self.watched:
            try:
                bones = bone.object.pose.bones
                if not bone.setting or len(bones) != bone.count or bone.is_there:
                    continue
                if _rest(bones[bone.index]) != bone.rest:
                    continue  # another bone has come to stand here
                owner = next((other for other in self.watched if other.object == bone.armature and not other.setting
                              and other.name == bone.lower), None)
                lower = owner.object.pose.bones[owner.index] if owner else None
                if lower is not None and getattr(lower, bone.setting) == bone.name:
                    setattr(lower, bone.setting, bones[bone.index].name)
            except (IndexError, ReferenceError):
                continue

    def has_all_limbs_of(self, scene: bpy.types.Scene) -> bool:
        """Whether `scene` has limbs on no other armatures than when the plan was made."""
        known = {armature.object for armature in self.armatures}
        return known == {object for object in armatures_of(scene) if limb_versions(object).any()}

    def row_of(self, limb: Limb) -> int | None:
        """The row of `limb`, None where the scene does not have it."""
        return next((row for row, planned in enumerate(self.limbs)
                     if (planned.limb.armature, planned.limb.lower) == (limb.armature, limb.lower)), None)

    def with_followers(self, rows: set[int]) -> list[int]:
        """The rows and all that hang on them, in order."""
        front, found = list(rows), set(rows)
        while front:
            for follower in self.followers[front.pop()] - found:
                found.add(follower)
                front.append(follower)
        return sorted(found)


def make_plan(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None = None) -> Plan:
    """The plan of all limbs of `scene`, with constraints as evaluated in `depsgraph`; empty where it has none."""
    members = set(_objects(scene))
    graph = scene_graph(scene, depsgraph)
    behind = [graph.limbs_behind(row) for row in range(len(graph.limbs))]
    looped = _looped(behind)
    armatures: list[PlannedArmature] = []
    limbs: list[PlannedLimb] = []
    watched: list[Watched] = []
    next_row = IDENTITY_ROW + 1
    for object in dict.fromkeys(limb.armature for limb in graph.limbs):
        versions = limb_versions(object)
        armatures.append(PlannedArmature(object, next_row, versions, graph.carrier((object, ""))))
        row_of = {name: row for row, name in enumerate(object.pose.bones.keys(), next_row)}
        for row in range(len(limbs), len(limbs) + np.count_nonzero(versions)):
            fault = _loop_fault(graph.limbs[row]) if row in looped else structural_fault(graph.limbs[row], members)
            limbs.append(_planned(graph, row, len(armatures) - 1, row_of, members, fault))
            watched += _watched(graph.limbs[row], row_of, next_row)
        next_row += len(versions)
    matrices = np.zeros((next_row, 4, 4), dtype=np.float32)
    matrices[IDENTITY_ROW] = np.eye(4)
    return Plan(tuple(armatures), tuple(limbs), matrices,
                np.array([(limb.upper_row, limb.lower_row, limb.parent_row) for limb in limbs], dtype=np.intp).reshape(-1, 3).T,
                Constants.of([limb.binding for limb in limbs]),
                tuple(watched), _by_object(watched), _levels(behind, looped), _followers(behind),
                _readers(limbs), _children(limbs), _kin(armatures),
                tuple(graph.links.items()))


def _rest(bone: bpy.types.PoseBone) -> tuple[float, ...]:
    """The bone's rest place, by which it is known again under another name."""
    rest = bone.bone
    return (*rest.head_local, *rest.tail_local, *rest.x_axis)


def _watched(limb: Limb, row_of: dict[str, int], first_row: int) -> Iterator[Watched]:
    for name in filter(None, (limb.lower, limb.upper, limb.hand)):
        yield Watched(limb.armature, row_of[name] - first_row, len(row_of), name)
    for control, setting in ((limb.target, "twobone_target_bone"), (limb.pole, "twobone_pole_bone")):
        if control is not None and control.bone and control.bone in control.object.pose.bones:
            bones = control.object.pose.bones
            yield Watched(control.object, bones.find(control.bone), len(bones), control.bone, _rest(bones[control.bone]),
                          limb.armature, limb.lower, setting)


def scene_graph(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None = None) -> Graph:
    """The graph of everything that moves in `scene`, with constraints as evaluated in `depsgraph`."""
    return Graph([limb_of(bone) for object in armatures_of(scene) for bone in limb_bones(object)], depsgraph)


def armatures_of(scene: bpy.types.Scene) -> Iterator[bpy.types.Object]:
    """Every armature of `scene`."""
    return (object for object in _objects(scene) if object.type == 'ARMATURE')


def _objects(scene: bpy.types.Scene) -> Iterable[bpy.types.Object]:
    """The objects of `scene`, and those of other scenes that it shows as instances of a collection."""
    found = dict.fromkeys(scene.objects)
    front = [object.instance_collection for object in found if object.instance_type == 'COLLECTION']
    while front:
        collection = front.pop()
        new = {object: None for object in (collection.all_objects if collection else ())
               if object.is_editable and object not in found}
        front += [object.instance_collection for object in new if object.instance_type == 'COLLECTION']
        found.update(new)
    return found


def _looped(behind: list[set[int]]) -> set[int]:
    """Rows of limbs that hang on themselves, over whatever detour."""
    return {row for row, rows in enumerate(behind) if row in rows}


def _levels(behind: list[set[int]], looped: set[int]) -> tuple[tuple[int, ...], ...]:
    levels: list[tuple[int, ...]] = [tuple(sorted(looped))] if looped else []
    done = set(looped)
    while len(done) < len(behind):
        level = tuple(row for row in range(len(behind)) if row not in done and behind[row] <= done)
        levels.append(level)
        done.update(level)
    return tuple(levels)


def _followers(behind: list[set[int]]) -> tuple[frozenset[int], ...]:
    followers: list[set[int]] = [set() for _ in behind]
    for row, rows in enumerate(behind):
        for other in rows - {row}:
            followers[other].add(row)
    return tuple(map(frozenset, followers))


def _loop_fault(limb: Limb) -> str:
    return say('"{bone}" is paused: its root, target or pole moves with the limb itself. '
               'Choose a target and pole that do not hang on it', bone=limb.lower)


def _planned(graph: Graph, row: int, armature: int, row_of: dict[str, int], members: set[bpy.types.Object],
             fault: str) -> PlannedLimb:
    limb = graph.limbs[row]
    upper = limb.armature.pose.bones.get(limb.upper)
    parent = upper.parent if upper else None
    target = _source(graph, limb.target, limb.armature, row_of)
    pole = _source(graph, None if pole_fault(limb, members) else limb.pole, limb.armature, row_of)
    root_carrier = graph.carrier((limb.armature, parent.name if parent else ""))
    note = say('"{bone}" follows another limb through a constraint or driver that cannot be carried forward, and may '
               'be one frame late. Use a parent, Child Of, Copy Location or Copy Transforms at full influence',
               bone=limb.lower) if graph.is_vague(row) else ""
    return PlannedLimb(
        limb=limb, armature=armature, upper_row=row_of.get(limb.upper, IDENTITY_ROW), lower_row=row_of[limb.lower],
        parent_row=row_of[parent.name] if parent else IDENTITY_ROW, target=target, pole=pole,
        root_carrier=root_carrier, hand=None if fault else _hand(limb, row_of),
        binding=None if fault else limb.binding, fault=fault, note=note)


def structural_fault(limb: Limb, members: set[bpy.types.Object]) -> str:
    """The sentence that says why `limb` cannot be solved whatever the frame, or ''."""
    bone = limb.armature.pose.bones[limb.lower]
    if bone.twobone_version > properties.VERSION:
        return say('"{bone}" was set up by a newer Two-Bone IK: update the extension to use it', bone=limb.lower)
    if not limb.upper:
        return say('"{bone}" has lost its upper bone: remove the IK and add it again', bone=limb.lower)
    if limb.target is None:
        return say('"{bone}" has no target: choose one in the panel', bone=limb.lower)
    if missing := _missing(limb.target, members):
        return say('The target of "{bone}" is missing: {reason}', bone=limb.lower, reason=missing)
    try:
        limb.binding  # noqa: B018 (asks whether the text can be read)
    except ValueError:
        return say('"{bone}" has lost its binding: press Rebind', bone=limb.lower)
    for part in limb.bones:
        if output_constraint(part) is None:
            return say('"{bone}" has lost its constraint "{constraint}": press Rebind', bone=part.name, constraint=OUTPUT)
    return ""


def pole_fault(limb: Limb, members: set[bpy.types.Object]) -> str:
    """The sentence that says why the pole of `limb` is not used, or ''; the limb then keeps its bound bend."""
    if limb.pole is None:
        return ""
    missing = _missing(limb.pole, members)
    return say('The pole of "{bone}" is missing: {reason}', bone=limb.lower, reason=missing) if missing else ""


def _missing(control: Control, members: set[bpy.types.Object]) -> str:
    if control.object not in members and not control.object.users_scene:
        return say('"{object}" is in no scene', object=control.object.name)
    if control.bone and control.bone not in control.object.pose.bones:
        return say('"{object}" has no bone "{bone}"', object=control.object.name, bone=control.bone)
    return ""


def _source(graph: Graph, control: Control | None, armature: bpy.types.Object, row_of: dict[str, int]) -> Source | None:
    if control is None:
        return None
    own_bone = control.bone and control.object == armature
    return Source(control, row_of.get(control.bone, -1) if own_bone else -1, parent_inverse(control, armature),
                  control.object.matrix_parent_inverse.copy(), graph.carrier(node_of(control)))


def _hand(limb: Limb, row_of: dict[str, int]) -> PlannedHand | None:
    bones = limb.armature.pose.bones
    if not limb.hand or output_constraint(bones[limb.hand]) is None:
        return None
    try:
        rotation = loads(bones[limb.lower].twobone_hand_bind)
    except ValueError:
        return None
    return PlannedHand(limb.hand, row_of[limb.hand], rotation)


def _readers(limbs: Iterable[PlannedLimb]) -> dict[int, frozenset[int]]:
    readers: dict[int, set[int]] = {}
    for row, limb in enumerate(limbs):
        readers.setdefault(limb.limb.armature.session_uid, set()).add(row)
        for source in (limb.target, limb.pole):
            if source is not None:
                readers.setdefault(source.control.object.session_uid, set()).add(row)
    return {uid: frozenset(rows) for uid, rows in readers.items()}


def _children(limbs: Iterable[PlannedLimb]) -> dict[int, Source]:
    return {source.control.object.session_uid: source for limb in limbs for source in (limb.target, limb.pole)
            if source is not None and source.inverse is not None}


def _kin(armatures: Sequence[PlannedArmature]) -> tuple[frozenset[int], ...]:
    owners: dict[bpy.types.ID, set[int]] = {}
    for index, armature in enumerate(armatures):
        owners.setdefault(armature.object.data, set()).add(index)
    return tuple(frozenset(owners[armature.object.data]) for armature in armatures)


def _by_object(watched: Iterable[Watched]) -> tuple[tuple[bpy.types.Object, tuple[tuple[int, str], ...]], ...]:
    places: dict[bpy.types.Object, set[tuple[int, str]]] = {}
    for bone in watched:
        places.setdefault(bone.object, set()).add((bone.index, bone.name))
    return tuple((object, tuple(sorted(entries))) for object, entries in places.items())


def _same_names(bones: Any, places: tuple[tuple[int, str], ...]) -> bool:
    count = len(bones)
    return all(index < count and bones[index].name == name for index, name in places)


def _same_bones(armature: PlannedArmature) -> bool:
    return limb_versions(armature.object).tobytes() == armature.versions.tobytes()
