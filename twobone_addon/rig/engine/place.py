# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a target or pole stands, in the armature space of its limb and in double precision."""

from __future__ import annotations

from collections.abc import Iterable
from math import nan

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ..limb import Control

Array = NDArray[np.float64]


IDENTITY = np.eye(4)


def parent_inverse(control: Control, armature: bpy.types.Object) -> Array | None:
    """Parent inverse (4, 4) of an object that is a plain child of `armature`, None for every other control.

    It is the very object IDENTITY where it changes nothing.

    The place of a plain child is read without the detour through world space, which would cost it most of its digits
    on a far or tiny armature.
    """
    object = control.object
    if control.bone or object.parent != armature or object.parent_type != 'OBJECT' or object.constraints:
        return None
    inverse = np.array(object.matrix_parent_inverse, dtype=float)
    return IDENTITY if (inverse == IDENTITY).all() else inverse


def control_axes(depsgraph: bpy.types.Depsgraph, armature: bpy.types.Object, control: Control,
                 inverse: Array | None) -> Array:
    """Axes (axis, 3) of `control` in the space of the evaluated `armature`, scale included; NaN where that is zero.

    inverse: what `parent_inverse` says of the control.
    """
    object = control.object.evaluated_get(depsgraph)
    if inverse is not None:
        return (inverse[:3, :3] @ np.array(object.matrix_basis, dtype=float)[:3, :3]).T
    axes = np.array(object.pose.bones[control.bone].matrix, dtype=float)[:3, :3] if control.bone else np.eye(3)
    if control.bone and object == armature:
        return axes.T
    axes = np.array(object.matrix_world, dtype=float)[:3, :3] @ axes
    try:
        return np.linalg.solve(np.array(armature.matrix_world, dtype=float)[:3, :3], axes).T
    except np.linalg.LinAlgError:
        return np.full((3, 3), np.nan)


def control_point(depsgraph: bpy.types.Depsgraph, armature: bpy.types.Object, control: Control,
                  inverse: Array | None) -> Iterable[float]:
    """Place (3 numbers) of `control` in the space of the evaluated `armature`; NaN where that object is scaled to zero.

    inverse: what `parent_inverse` says of the control.
    """
    object = control.object.evaluated_get(depsgraph)
    if inverse is IDENTITY:
        return object.matrix_basis.translation[:]
    if inverse is not None:
        return inverse[:3, :3] @ np.array(object.matrix_basis.translation, dtype=float) + inverse[:3, 3]
    if control.bone and object == armature:
        return np.array(object.pose.bones[control.bone].head, dtype=float)
    (a, b, c, x), (d, e, f, y), (g, h, i, z), _last = object.matrix_world
    if control.bone:
        u, v, w = object.pose.bones[control.bone].head
        x, y, z = a * u + b * v + c * w + x, d * u + e * v + f * w + y, g * u + h * v + i * w + z
    return _into(armature.matrix_world, x, y, z)


def _into(to_world: Matrix, x: float, y: float, z: float) -> Iterable[float]:
    """A place in the space that `to_world` leads out of, in double precision; NaN where that is flat.

    Written out, since numpy takes ten times as long for one place.
    """
    (a, b, c, at_x), (d, e, f, at_y), (g, h, i, at_z), _last = to_world
    x, y, z = x - at_x, y - at_y, z - at_z
    first, second, third = e * i - f * h, f * g - d * i, d * h - e * g
    volume = a * first + b * second + c * third
    if volume == 0.0:
        return (nan, nan, nan)
    return ((first * x + (c * h - b * i) * y + (b * f - c * e) * z) / volume,
            (second * x + (a * i - c * g) * y + (c * d - a * f) * z) / volume,
            (third * x + (b * g - a * h) * y + (a * e - b * d) * z) / volume)
