# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels that matching and baking set: what they are called, and who else has a say in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import bpy
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import Refusal
from ..limb import Control
from ..words import say
from .fcurves import find_animation
from .rotation_batches import channel_values, rotations_from

Array = NDArray[np.float64]
Owner: TypeAlias = "bpy.types.Object | bpy.types.PoseBone"

FOUR_NUMBERS = {'QUATERNION': "rotation_quaternion", 'AXIS_ANGLE': "rotation_axis_angle"}
"""The property that holds a rotation, by mode; every other mode is one of Euler angles."""

UNMOVED = 1e-5
"""Radians, or shares of a limb's length, by which a locked channel may be wrong without being needed."""


@dataclass(frozen=True)
class Channel:
    """A property of an object or pose bone that is set and keyed as a whole."""

    owner: Owner
    path: str

    @property
    def value(self) -> Array:
        """Its present value, (1,) for a single number."""
        return np.atleast_1d(np.array(getattr(self.owner, self.path), dtype=float))

    def set(self, value: ArrayLike) -> None:
        """Give it a value of as many numbers as it has."""
        numbers = np.atleast_1d(np.asarray(value, dtype=float)).tolist()
        is_array = self.owner.bl_rna.properties[self.path].is_array
        setattr(self.owner, self.path, numbers if is_array else numbers[0])

    @property
    def full_path(self) -> str:
        """Its path from the object that owns it."""
        return self.path if isinstance(self.owner, bpy.types.Object) else self.owner.path_from_id(self.path)

    @property
    def is_animated(self) -> bool:
        """Whether keys or a driver set one of its numbers."""
        return any(find_animation(self.owner.id_data, self.full_path, index) for index in range(len(self.value)))

    def name(self, index: int) -> str:
        """How people know one of its numbers, such as "Y Location"."""
        prop = self.owner.bl_rna.properties[self.path]
        return f"{'WXYZ'[index + 4 - prop.array_length]} {prop.name}" if prop.is_array else prop.name

    def check(self) -> None:
        """Refuse one that cannot be set, or that a driver would set otherwise."""
        object = self.owner.id_data
        if not object.is_editable:
            raise Refusal(say('"{object}" is linked from another file. Make a library override of it first',
                              object=object.name))
        drivers = object.animation_data.drivers if object.animation_data else None
        for index in range(len(self.value)):
            if drivers is not None and drivers.find(self.full_path, index=index) is not None:
                raise Refusal(say('{channel} of "{owner}" is driven. Remove the driver, or change what drives it',
                                  channel=self.name(index), owner=self.owner.name))

    def check_locks(self, value: Array, scale: ArrayLike = 1.0) -> Array:
        """`value` with locked numbers as they are; refuses where one would have to change.

        scale: (k,) by how much a change of each number counts, against UNMOVED.
        """
        present = self.value
        change = np.abs(value - present) * np.asarray(scale)
        locks = self._locks()
        for index in np.flatnonzero(locks & (change > UNMOVED)).tolist():
            self._refuse_lock(self.name(index))
        if not locks.any() and self.path in FOUR_NUMBERS.values() and any(self.owner.lock_rotation):
            self._check_as_euler(value, present)
        return np.where(locks, present, value)

    def _locks(self) -> NDArray[np.bool_]:
        owner = self.owner
        if self.path == "location":
            locks: Sequence[bool] = owner.lock_location
        elif self.path == "rotation_euler":
            locks = owner.lock_rotation
        elif self.path in FOUR_NUMBERS.values():
            locks = ((owner.lock_rotation_w, *owner.lock_rotation) if owner.lock_rotations_4d
                     else (all(owner.lock_rotation),) * 4)
        else:
            locks = (False,) * len(self.value)
        return np.array(locks, dtype=bool)

    def _check_as_euler(self, value: Array, present: Array) -> None:
        """Blender takes the locks of a rotation that is no Euler angle, and not locked by its four numbers, for those of one."""
        mode = self.owner.rotation_mode
        before, after = (channel_values('XYZ', rotations_from(mode, numbers)[None], np.zeros(3))[0]
                         for numbers in (present, value))
        change = np.abs((after - before + np.pi) % (2.0 * np.pi) - np.pi)
        for index in np.flatnonzero(np.array(self.owner.lock_rotation) & (change > UNMOVED)).tolist():
            self._refuse_lock(f"{'XYZ'[index]} Euler Rotation")

    def _refuse_lock(self, name: str) -> None:
        raise Refusal(say('{channel} of "{owner}" is locked and would have to change. Unlock it first',
                          channel=name, owner=self.owner.name))


def rotation_channel(owner: Owner) -> Channel:
    """The channel that holds the rotation of `owner` in its own rotation mode."""
    return Channel(owner, FOUR_NUMBERS.get(owner.rotation_mode, "rotation_euler"))


def owner_of(control: Control) -> Owner:
    """The object or pose bone whose channels move a target or pole."""
    return control.object.pose.bones[control.bone] if control.bone else control.object
