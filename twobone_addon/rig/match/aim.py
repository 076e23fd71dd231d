# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a limb's target and pole have to be for the solver to answer with the pose that is shown. Arrays only, no bpy."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin

import numpy as np
from numpy.typing import NDArray

from ... import solver
from ..binding import NEAR_ROOT, NOISE, SNAP, off_line

Array = NDArray[np.float64]

PAST_LIMIT = 4e-7
"""Share by which the target of a straight limb is put out of its reach, so that single precision does not bend it."""


FOLDED_FLAT = 1e-4
"""Share of its length by which the target of a limb that is folded flat is put off its root, where it has no direction."""


@dataclass(frozen=True)
class Stance:
    """A limb in the pose to keep, in armature space: points (3,), unit vectors (3,), lengths.

    `forward` leads from root to tip, `bend` towards the joint, `height` is how far off the line the joint is, `reach` the
    tip from the root. `free`: the joint is so close to the line that `bend` is the bound one of the bones instead.
    """

    root: Array
    joint: Array
    tip: Array
    upper: float
    lower: float
    forward: Array
    bend: Array
    height: float
    reach: float
    free: bool

    @property
    def length(self) -> float:
        """The limb's length when straight."""
        return self.upper + self.lower

    @property
    def flexion(self) -> float:
        """The angle between the bones, 0 when straight; radians."""
        first, second = self.joint - self.root, self.tip - self.joint
        return float(np.arctan2(np.linalg.norm(np.cross(first, second)), first @ second))


def stance(root: Array, upper_frame: Array, lower_frame: Array, upper: float, lower: float) -> Stance:
    """The stance of bones of lengths `upper` and `lower` whose solver frames (3, 3) are shown turned like this.

    A straight limb bends where its upper bone was bound to bend, and so does one so nearly straight that no more than
    SNAP of its length depends on it.
    """
    joint = root + upper_frame[:, 0] * upper
    tip = joint + lower_frame[:, 0] * lower
    length = upper + lower
    line = tip - root
    reach = float(np.linalg.norm(line))
    normal = upper_frame[:, 2]
    if reach > NOISE * length:
        forward = line / reach
    else:  # folded flat: any line across the bones, if it only lies in their plane
        forward = np.cross(upper_frame[:, 0], normal)
    bound = off_line(np.cross(normal, forward), forward)
    size = float(np.linalg.norm(bound))
    across = off_line(joint - root, forward)
    height = float(np.linalg.norm(across))
    if size > NOISE:
        bound = bound / size
        error = height if height <= NOISE * length else float(np.linalg.norm(across - height * bound))
        if error <= SNAP * length and (height <= SNAP * length or across @ bound > 0.0):
            return Stance(root, joint, tip, upper, lower, forward, bound, height, reach, height <= SNAP * length)
    return Stance(root, joint, tip, upper, lower, forward, across / height, height, reach, False)


def target_place(pose: Stance, softness: float, residual: Array, bend_min: float, bend_max: float) -> Array:
    """Where (3,) the target has to be, in armature space: farther than the tip where softness slows the limb down.

    residual: what the limb's binding adds to its target. bend_min, bend_max: the limits of its joint.
    """
    distance = float(solver.unsoften(pose.reach, pose.upper, pose.lower, softness, bend_min=bend_min, bend_max=bend_max))
    if pose.reach <= NOISE * pose.length:
        distance = FOLDED_FLAT * pose.length
    elif pose.free:
        stretched = (pose.joint - pose.root) @ (pose.tip - pose.joint) > 0.0
        distance *= 1.0 + (PAST_LIMIT if stretched else -PAST_LIMIT)
    place = pose.root + pose.forward * distance
    return place - residual if distance > NEAR_ROOT * pose.length else place


def pole_place(pose: Stance, pole_angle: float) -> Array:
    """Where (3,) a pole goes that lies one limb's length in front of the joint; pole_angle: all that the limb adds."""
    around = turned(pose.bend, pose.forward, -pole_angle)
    centre = pose.joint - off_line(pose.joint - pose.root, pose.forward)
    return centre + around * (pose.height + pose.length)


def pole_turn(pose: Stance, pole: Array) -> float:
    """The angle about the root-tip line from the half plane of `pole` (3,), or of a bend direction added to the root, to
    that of the bend; 0 where it lies on the line."""
    across = off_line(pole - pose.root, pose.forward)
    return float(np.arctan2(pose.forward @ np.cross(across, pose.bend), across @ pose.bend))


def turned(vector: Array, axis: Array, angle: float) -> Array:
    """`vector` (3,), which is perpendicular to the unit vector `axis`, turned about it."""
    return vector * cos(angle) + np.cross(axis, vector) * sin(angle)
