# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects and bones whose matrices follow from their channels and parents alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import bpy
from mathutils import Euler, Matrix, Quaternion, Vector

from ..animation.channels import FOUR_NUMBERS
from ..dependencies import Carrier, Node
from ..limb import OUTPUT, output_constraint
from .channels import Animation, Pass, Unpredictable, Values
from .constraints import Follow, carried, follows_of


@dataclass(frozen=True)
class Basis:
    """An object's or bone's own transform; delta: an object's delta transform, None where it changes nothing."""

    location: Values
    rotation: Values
    mode: str
    scale: Values
    delta: tuple[Vector, Matrix, Vector] | None = None

    @property
    def is_constant(self) -> bool:
        """Whether no curve moves it."""
        return not (self.location.curves or self.rotation.curves or self.scale.curves)

    def at(self, now: Pass) -> Matrix:
        """The matrix (4, 4) at the frame of `now`."""
        location, own, scale = self.location.at(now), turn(self.mode, self.rotation.at(now)), self.scale.at(now)
        if self.delta is None:
            return Matrix.LocRotScale(Vector(location), own, Vector(scale))
        more_location, more_turn, more_scale = self.delta
        own = own.to_matrix() if not isinstance(own, Matrix) else own
        return Matrix.LocRotScale(Vector(location) + more_location, more_turn @ own, Vector(scale) * more_scale)


def turn(mode: str, rotation: Sequence[float]) -> Euler | Quaternion | Matrix:
    """The rotation that `rotation` stands for in the rotation mode `mode`."""
    if mode == 'QUATERNION':
        return Quaternion(rotation).normalized()
    if mode == 'AXIS_ANGLE':
        return Matrix.Rotation(rotation[0], 3, Vector(rotation[1:]))
    return Euler(rotation, mode)


def basis(animation: Animation, owner: bpy.types.Object | bpy.types.PoseBone, prefix: str) -> Basis:
    """The transform of `owner`, whose properties' paths start with `prefix`."""
    animation.refuse(f"{prefix}rotation_mode")
    mode = owner.rotation_mode
    location, rotation, scale = (animation.values(prefix + name, tuple(getattr(owner, name)))
                                 for name in ("location", FOUR_NUMBERS.get(mode, "rotation_euler"), "scale"))
    return Basis(location, rotation, mode, scale)


class Nodes:
    """The nodes of a scene, each looked at once. solved: the bones that limbs move, which no channel decides.

    turned: those among the bones that limbs move of which is told how these turn them; None where all that carries others
    along is left to Blender, constraints too.
    """

    def __init__(self, solved: set[Node], turned: Mapping[Node, Carrier] | None = None) -> None:
        self.solved, self.turned = solved, turned
        self.animations: dict[bpy.types.Object, Animation] = {}
        self.objects: dict[bpy.types.Object, ObjectNode | None] = {}
        self.bones: dict[tuple[bpy.types.Object, str], BoneNode | None] = {}

    def animation(self, object: bpy.types.Object) -> Animation:
        """What animates `object`."""
        known = self.animations.get(object)
        if known is None:
            known = self.animations[object] = Animation(object)
        return known

    def object(self, object: bpy.types.Object) -> ObjectNode:
        """The node of an object; raises Unpredictable."""
        if object not in self.objects:
            self.objects[object] = None
            self.objects[object] = self._object(object)
        node = self.objects[object]
        if node is None:
            raise Unpredictable
        return node

    def bone(self, armature: bpy.types.Object, name: str) -> BoneNode:
        """The node of a pose bone; raises Unpredictable, for one that a limb moves too unless it is in `turned`."""
        key = armature, name
        if key in self.solved:
            raise Unpredictable
        if key not in self.bones:
            self.bones[key] = None
            parent = armature.pose.bones[name].parent
            above = self.bone(armature, parent.name) if parent else None
            carrier = self.turned.get(key) if self.turned else None
            self.bones[key] = self._carried(armature, name, above) if carrier is None else self._turned(
                self.fk_bone(armature, name, above), carrier)
        node = self.bones[key]
        if node is None:
            raise Unpredictable
        return node

    def frame(self, armature: bpy.types.Object) -> ObjectNode | None:
        """The node of an armature, None where it is not to be told."""
        with suppress(Unpredictable):
            return self.object(armature)
        return None

    def _turned(self, node: BoneNode, carrier: Carrier) -> TurnedBone:
        """The node of a bone that a limb turns, whose own channels make it `node`; raises Unpredictable where that is muted."""
        constraint = output_constraint(node.armature.pose.bones[node.name])
        if constraint is None or constraint.mute:
            raise Unpredictable
        return TurnedBone(node.armature, node.name, node.basis, node.parent, node.to_parent, node.plain,
                          frame=self.frame(node.armature), carrier=carrier)

    def local_basis(self, object: bpy.types.Object) -> Basis:
        """An object's own transform; raises Unpredictable where physics may add to it, or curves to its constraints."""
        animation = self.animation(object)
        animation.refuse_below("constraints[")
        animation.refuse_below("delta_")
        if object.rigid_body is not None:
            raise Unpredictable
        own = basis(animation, object, "")
        quaternion = object.rotation_mode == 'QUATERNION'
        more = object.delta_rotation_quaternion.normalized() if quaternion else object.delta_rotation_euler
        if object.rotation_mode == 'AXIS_ANGLE':
            more = Euler()
        delta = object.delta_location.copy(), more.to_matrix(), object.delta_scale.copy()
        if delta == (Vector((0, 0, 0)), Matrix.Identity(3), Vector((1, 1, 1))):
            return own
        return Basis(own.location, own.rotation, own.mode, own.scale, delta)

    def _object(self, object: bpy.types.Object) -> ObjectNode:
        own, follows = self.local_basis(object), self._follows(object)
        if object.parent is None:
            return ObjectNode(own, Matrix.Identity(4), None, None, Matrix.Identity(4), follows)
        parent, inverse = self.object(object.parent), object.matrix_parent_inverse.copy()
        if object.parent_type == 'OBJECT':
            return ObjectNode(own, inverse, parent, None, inverse, follows)
        if object.parent_type != 'BONE' or object.parent.type != 'ARMATURE':
            raise Unpredictable
        bone = object.parent.pose.bones.get(object.parent_bone)
        if bone is None or bone.bone.use_relative_parent:
            raise Unpredictable
        to_tail = Matrix.Translation((0.0, bone.bone.length, 0.0))
        return ObjectNode(own, to_tail @ inverse, parent, self.bone(object.parent, bone.name), inverse, follows,
                          bone.bone.length)

    def _follows(self, owner: bpy.types.Object | bpy.types.PoseBone) -> tuple[Follow, ...]:
        if self.turned is None and any(not constraint.mute for constraint in owner.constraints):
            raise Unpredictable
        return follows_of(self, owner)

    def _carried(self, armature: bpy.types.Object, name: str, parent: BoneNode | None) -> BoneNode:
        """The node of a bone of no limb, which constraints may carry along; raises Unpredictable."""
        follows = self._follows(armature.pose.bones[name])
        node = self.fk_bone(armature, name, parent, follows)
        return replace(node, follows=follows, frame=self.object(armature)) if follows else node

    def fk_bone(self, armature: bpy.types.Object, name: str, parent: BoneNode | None,
                follows: tuple[Follow, ...] = ()) -> BoneNode:
        """The node of a pose bone below `parent` as its channels alone place it; raises Unpredictable.

        follows: what is known of its constraints already.
        """
        bone = armature.pose.bones[name]
        if armature.data.pose_position == 'REST' or bone.is_in_ik_chain:
            raise Unpredictable
        if not follows and any(not constraint.mute for constraint in bone.constraints if constraint.name != OUTPUT):
            raise Unpredictable
        animation = self.animation(armature)
        prefix = f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"].'
        animation.refuse_below(f"{prefix}constraints[")
        own = basis(animation, bone, prefix)
        rest = bone.bone
        if rest.use_connect:  # Blender pays no heed to the location
            own = replace(own, location=Values(animation, (0.0, 0.0, 0.0), ()))
        plain = rest.use_local_location and (
            parent is None or (rest.use_inherit_rotation and rest.inherit_scale == 'FULL'))
        to_parent = rest.matrix.to_4x4()
        to_parent.translation = rest.head + (Vector((0.0, rest.parent.length, 0.0)) if rest.parent else Vector())
        return BoneNode(armature, bone.name, own, parent, to_parent, plain)


@dataclass(frozen=True, eq=False)
class ObjectNode:
    """An object: world = parent's world, times a bone's pose where it hangs on one, times `inverse`, times its basis; then
    what it follows by constraints.

    inverse is the object's `parent_inverse`, from the tail of that bone, which is so long.
    """

    basis: Basis
    inverse: Matrix
    parent: ObjectNode | None
    parent_bone: BoneNode | None
    parent_inverse: Matrix
    follows: tuple[Follow, ...] = ()
    length: float = 0.0

    def at(self, now: Pass) -> Matrix:
        """World matrix (4, 4)."""
        known = now.matrices.get(id(self))
        if known is None:
            known = self.inverse @ self.basis.at(now)
            if self.parent_bone is not None:
                known = self.parent_bone.at(now) @ known
            if self.parent is not None:
                known = self.parent.at(now) @ known
            known = now.matrices[id(self)] = carried(self.follows, now, known)
        return known

    @property
    def is_constant(self) -> bool:
        """Whether no curve moves it."""
        return (self.basis.is_constant and (self.parent is None or self.parent.is_constant)
                and (self.parent_bone is None or self.parent_bone.is_constant)
                and all(follow.is_constant for follow in self.follows))


@dataclass(frozen=True, eq=False)
class BoneNode:
    """A pose bone in armature space: parent's pose times `to_parent` times its basis where it inherits all (`plain`); then
    what it follows by constraints.

    frame: its armature where that matters and can be told, else None.
    """

    armature: bpy.types.Object
    name: str
    basis: Basis
    parent: BoneNode | None
    to_parent: Matrix
    plain: bool
    follows: tuple[Follow, ...] = ()
    frame: ObjectNode | None = None

    def at(self, now: Pass) -> Matrix:
        """Pose matrix (4, 4)."""
        known = now.matrices.get(id(self))
        if known is None:
            known = now.matrices[id(self)] = self._following(now, self._at(now))
        return known

    def _following(self, now: Pass, pose: Matrix) -> Matrix:
        if not self.follows:
            return pose
        to_world = self.frame.at(now)
        found = to_world.inverted_safe() @ carried(self.follows, now, to_world @ pose, to_world)
        if self.is_connected:
            found.translation = pose.translation
        return found

    def _at(self, now: Pass) -> Matrix:
        own = self.basis.at(now)
        if self.plain:
            rest = self.to_parent if self.parent is None else self.parent.at(now) @ self.to_parent
            return rest @ own
        rest = self.armature.data.bones[self.name]
        if self.parent is None:
            return rest.convert_local_to_pose(own, rest.matrix_local)
        return rest.convert_local_to_pose(own, rest.matrix_local, parent_matrix=self.parent.at(now),
                                          parent_matrix_local=rest.parent.matrix_local)

    @property
    def is_constant(self) -> bool:
        """Whether no curve moves it."""
        return self.basis.is_constant and (self.parent is None or self.parent.is_constant) and all(
            part.is_constant for part in (*self.follows, *([self.frame] if self.follows else ())))

    @property
    def is_connected(self) -> bool:
        """Whether its head stays with its parent's tail, whatever its constraints do."""
        return self.armature.data.bones[self.name].use_connect

    @property
    def keeps_size(self) -> bool:
        """Whether no curve scales it or what it hangs on."""
        return not self.basis.scale.curves and not self.follows and (self.parent is None or self.parent.keeps_size)


@dataclass(frozen=True, eq=False, kw_only=True)
class TurnedBone(BoneNode):
    """A pose bone that a limb turns, here as FK has it, whose place and scale stay. carrier: which bone of which limb it is."""

    carrier: Carrier

    @property
    def is_constant(self) -> bool:
        """Whether nothing moves it."""
        return False
