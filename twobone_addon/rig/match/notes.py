# SPDX-License-Identifier: GPL-3.0-or-later
"""What a match could not keep, or what of it will not last, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import asin, degrees, radians, sqrt

import bpy
import numpy as np
from numpy.typing import NDArray

from ..animation.channels import Channel
from ..binding import bone_axes
from ..errors import Refusal
from ..limb import OUTPUT, Limb
from ..measure import measure
from ..words import say
from .kept import Kept
from .steer import noise

Array = NDArray[np.float64]

MOVED = 1e-5
"""Share of a limb's length by which a match may move its joints without a word."""

PASSED_ON = 4.0
"""Steps of single precision that pass from bone to bone of a limb far from the origin or in a tiny armature."""

TURNED = radians(0.1)
"""By how much a match may turn a bone without a word."""


@dataclass
class Notes:
    """The worst that happened to each limb and bone, and in which frame; influence: 0 for FK, 1 for IK."""

    influence: float
    moved: dict[str, tuple[float, float]] = field(default_factory=dict)
    turned: dict[str, tuple[float, float]] = field(default_factory=dict)

    def compare(self, kept: Kept, frame: float) -> None:
        """Note how far the limb is now from the pose that was to be kept.

        Refuses FK that a constraint takes elsewhere.
        """
        limb = kept.limb
        depsgraph = bpy.context.evaluated_depsgraph_get()
        now = measure(depsgraph, limb.armature, limb.upper, limb.lower, np.array(limb.binding.tip))
        length = kept.stance.length
        moved = max(float(np.linalg.norm(now.joint - kept.posed.joint)), float(np.linalg.norm(now.tip - kept.posed.tip)))
        if moved > max(MOVED * length, PASSED_ON * noise(limb.armature, kept.posed.tip, length)):
            self._refuse_constrained(limb)
            self.moved[limb.lower] = max(self.moved.get(limb.lower, (0.0, frame)), (moved, frame))
        bones = limb.armature.evaluated_get(depsgraph).pose.bones
        for name, axes in kept.axes.items():
            angle = _angle(bone_axes(axes), bone_axes(np.array(bones[name].matrix, dtype=float)))
            if angle > TURNED:
                self.turned[name] = max(self.turned.get(name, (0.0, frame)), (angle, frame))

    def _refuse_constrained(self, limb: Limb) -> None:
        for bone in limb.bones if self.influence == 0.0 else ():
            for constraint in bone.constraints:
                if constraint.name != OUTPUT and not constraint.mute and constraint.influence > 0.0:
                    raise Refusal(say('The constraint "{constraint}" of "{bone}" keeps FK from the pose. Mute it first',
                                      constraint=constraint.name, bone=bone.name))

    def sentences(self, in_range: bool) -> list[str]:
        """One sentence for each thing that happened; in a range it names the worst frame."""
        found: list[str] = []
        for bone, (moved, frame) in self.moved.items():
            found.append(say('"{bone}" could not be kept quite: in frame {frame:g} its joints moved by {distance:.2g}',
                             bone=bone, frame=frame, distance=moved) if in_range else
                         say('"{bone}" could not be kept quite: its joints moved by {distance:.2g}', bone=bone, distance=moved))
        reason = (say("IK bends the joint about one axis only, and turns no bone about itself") if self.influence else
                  say("FK cannot undo the shear of its parents"))
        for bone, (angle, frame) in self.turned.items():
            found.append(say('"{bone}" turned by {angle:.1f}° in frame {frame:g}: {reason}', bone=bone, frame=frame,
                             angle=degrees(angle), reason=reason) if in_range else
                         say('"{bone}" turned by {angle:.1f}°: {reason}', bone=bone, angle=degrees(angle), reason=reason))
        return found

    def unkeyed(self, chosen: Sequence[Limb], channels: Sequence[Channel]) -> list[str]:
        """A sentence where what was set is animated and was not keyed."""
        names = sorted({channel.owner.name for channel in channels if channel.is_animated})
        if not names:
            return []
        return [say('{names} have keys, and none were set: the match of {limbs} lasts until the frame changes. '
                    'Match again with Set Keys to keep it', names=", ".join(f'"{name}"' for name in names),
                    limbs=", ".join(f'"{limb.lower}"' for limb in chosen))]


def _angle(first: Array, second: Array) -> float:
    """Radians between two rotations (3, 3)."""
    return 2.0 * asin(min(1.0, float(np.linalg.norm(first - second)) / sqrt(8.0)))
