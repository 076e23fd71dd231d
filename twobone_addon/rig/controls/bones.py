# SPDX-License-Identifier: GPL-3.0-or-later
"""Controls that are bones of the limb's own armature, so that an animator need not leave Pose Mode for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
import numpy as np
from mathutils import Matrix

from ..animation.fcurves import remove_animation
from ..dependencies import Graph, limb_nodes, node_of
from ..errors import Refusal
from ..limb import Control, find_bone, limb_bones, limb_of
from ..words import say
from . import POLE, TARGET, Array, Wanted
from . import shapes as control_shapes
from .edit_mode import edit_bones

ROOT = 'ROOT'
"""Stands for the topmost bone above the limb, unless a bone has that very name."""

COLLECTION = "Two-Bone IK"
"""Bone collection of the control bones; with the last of them it goes too."""

PALETTE = {TARGET: 'THEME01', POLE: 'THEME09'}

NOISE = 5e-7
"""A control that is off its rest place by less than this share of the limb is left there, with clean channels.

Half of what the bind residual makes up for.
"""

SHORTEST = 1e-5
"""Blender deletes bones that are hardly shorter when it leaves Edit Mode, away from the origin even longer ones."""

NOISE_ANGLE = 1e-5
"""The same for its axes, in radians."""


def check(armature: bpy.types.Object, graph: Graph, upper: str, lower: str, parent: str | None) -> str:
    """The name of the bone that control bones will hang on, '' for none; refuses where there cannot be any.

    parent: None, ROOT or a bone's name. graph: of the scene before the limb is added.
    """
    if not _can_edit(armature):
        raise Refusal(say('The bones of "{armature}" come from another file, and Blender lets nobody add any. '
                          'Use empties as controls', armature=armature.name))
    if others := _sharing(armature):
        raise Refusal(say('"{armature}" shares its bones with "{other}", which would get control bones too. Make its data '
                          'single-user first, or use empties as controls', armature=armature.name, other=others[0].name))
    if not parent:
        return ""
    if parent == ROOT and parent not in armature.pose.bones:
        above = armature.pose.bones[upper].parent_recursive
        if not above:
            raise Refusal(say('"{upper}" has no bone above it that controls could hang on. Choose a bone, or none',
                              upper=upper))
        parent = above[-1].name
    find_bone(armature, parent)
    if graph.depends_on((armature, parent), limb_nodes(armature, upper, lower)):
        raise Refusal(say('"{bone}" moves with the limb of "{lower}", so its controls cannot hang on it. Choose another bone, '
                          'or none', bone=parent, lower=lower))
    return parent


def _can_edit(armature: bpy.types.Object) -> bool:
    return not any(block.library or block.override_library for block in (armature, armature.data))


def _sharing(armature: bpy.types.Object) -> list[bpy.types.Object]:
    """Other objects with the same bones."""
    return [object for object in bpy.data.objects if object.data == armature.data and object != armature]


def name_of(lower: str, role: str) -> str:
    """A name of which Blender's mirror tools find the other side where they find that of `lower`."""
    name = f"{lower} {role}"
    flipped = bpy.utils.flip_name(lower)
    if flipped != lower and bpy.utils.flip_name(name) == name:
        return f"{role} {lower}"
    return name


def create(armature: bpy.types.Object, lower: str, wanted: Sequence[Wanted], parent: str) -> list[Control]:
    """Control bones for the limb of bone `lower`; pose bones that were looked up before are invalid afterwards.

    parent: a bone's name, or '' for none. Raises Refusal, with nothing changed, where there is no Edit Mode.
    """
    with edit_bones(armature) as bones:
        made = [_new_bone(bones, lower, control, parent) for control in wanted]
    bpy.context.view_layer.update()
    collection = armature.data.collections.get(COLLECTION) or armature.data.collections.new(COLLECTION)
    for name, control in zip(made, wanted):
        rest = armature.data.bones[name]
        for other in list(rest.collections):
            other.unassign(rest)
        collection.assign(rest)
        rest.color.palette = PALETTE[control.role]
        bone = armature.pose.bones[name]
        bone.twobone_control = True
        bone.custom_shape = control_shapes.shape(control.role)
        bone.lock_scale = (True, True, True)
        if control.role == POLE:
            bone.lock_rotation = (True, True, True)
            bone.lock_rotation_w = True
        _stand(bone, control)
    return [Control(armature, name) for name in made]


def _new_bone(bones: bpy.types.ArmatureEditBones, lower: str, control: Wanted, parent: str) -> str:
    bone = bones.new(name_of(lower, control.role))
    head, along, up = (control.rest[:3, column] for column in (3, 1, 2))
    shortest = SHORTEST * max(1.0, np.abs(head).max())
    bone.head, bone.tail = head, head + max(2.0 * control.size, shortest) * along
    bone.align_roll(up.tolist())
    bone.use_deform = False
    if parent:
        bone.parent = bones[parent]
    return bone.name


def _stand(bone: bpy.types.PoseBone, control: Wanted) -> None:
    """Pose the bone to where the control is wanted, its scale left alone."""
    if _same(control.pose, control.rest, control.limb) and _is_at_rest(bone.parent, control.limb):
        return
    above = {}
    if bone.parent is not None:
        above = {"parent_matrix": bone.parent.matrix, "parent_matrix_local": bone.parent.bone.matrix_local}
    basis = bone.bone.convert_local_to_pose(Matrix(control.pose.tolist()), bone.bone.matrix_local, invert=True, **above)
    place, turn, _scale = basis.decompose()
    bone.matrix_basis = Matrix.LocRotScale(place, turn, None)


def _is_at_rest(bone: bpy.types.PoseBone | None, limb: float) -> bool:
    return bone is None or _same(np.array(bone.matrix, dtype=float), np.array(bone.bone.matrix_local, dtype=float), limb)


def _same(first: Array, second: Array, limb: float) -> bool:
    """Whether two matrices (4, 4) differ by rounding errors alone."""
    difference = np.abs(first - second)
    return bool(difference[:3, 3].max() < NOISE * limb and difference[:3, :3].max() < NOISE_ANGLE)


def remove_unused(armature: bpy.types.Object, names: Iterable[str]) -> None:
    """Delete those of the control bones `names` that nothing else uses, their keys, and what only they needed.

    Bones of the user's own are none of them; where the armature's bones cannot be edited all stay.
    """
    if not _can_edit(armature) or _sharing(armature):
        return
    made = {name for name in names if name in armature.pose.bones and armature.pose.bones[name].twobone_control}
    going = made - _used_bones(armature, made) if made else made
    if not going:
        return
    with edit_bones(armature) as bones:
        for name in going:
            bones.remove(bones[name])
    for name in going:
        remove_animation(armature, f'pose.bones["{bpy.utils.escape_identifier(name)}"].')
    collection = armature.data.collections.get(COLLECTION)
    if collection is not None and not collection.bones and not collection.children:
        armature.data.collections.remove(collection)
    control_shapes.remove_unused()


def _used_bones(armature: bpy.types.Object, apart_from: set[str]) -> set[str]:
    """The bones that a child, limb, constraint, modifier or driver of anything but the bones `apart_from` hangs on."""
    graph = Graph([])
    used: set[str] = set()
    for user in {armature, *bpy.data.user_map(subset={armature}).get(armature, ())}:
        if isinstance(user, bpy.types.Object):
            bones = user.pose.bones.keys() if user.pose else ()
            names = ["", *(name for name in bones if user != armature or name not in apart_from)]
            nodes = [mover for name in names for mover in graph.movers((user, name))]
            nodes += [node_of(control) for limb in map(limb_of, limb_bones(user))
                      for control in (limb.target, limb.pole) if control is not None]
            nodes += [(modifier.object, modifier.subtarget) for modifier in user.modifiers if hasattr(modifier, "subtarget")]
        else:
            drivers = getattr(getattr(user, "animation_data", None), "drivers", ())
            nodes = [(entry.id, entry.bone_target) for curve in drivers
                     for variable in curve.driver.variables for entry in variable.targets]
        used.update(name for object, name in nodes if object == armature)
    return used
