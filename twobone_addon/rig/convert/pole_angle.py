# SPDX-License-Identifier: GPL-3.0-or-later
"""The pole angle of Blender's IK constraint and that of a limb. Arrays only, no bpy.

Before it solves, Blender turns the chain from its FK pose so that its root-tip line points to the target and the
direction X cos + Z sin, of the upper bone's own axes and the pole angle, lies in the half plane of the pole
(`ConstrainPoleVector` in its IK solver). The angle about the line from that half plane to the bend thus is the one that
the FK pose has, and stays. It is the limb's whole pole angle.
"""

from __future__ import annotations

from math import atan2, cos, pi, sin

import numpy as np
from numpy.typing import NDArray

from ..binding import off_line
from ..match.aim import turned

Array = NDArray[np.float64]


def limb_angle(native: float, axes: Array, forward: Array, bend: Array) -> float:
    """The limb's pole angle for the constraint's, both in radians.

    axes: (3, 3) of the upper bone, in the pose that native IK starts from, its root-tip line and bend unit vectors (3,).
    """
    up = off_line(axes[:, 0] * cos(native) + axes[:, 2] * sin(native), forward)
    return float(np.arctan2(forward @ np.cross(up, bend), up @ bend))


def native_angle(limb: float, axes: Array, forward: Array, bend: Array) -> float:
    """The constraint's pole angle for the limb's; the inverse of `limb_angle`."""
    up = turned(bend, forward, -limb)
    normal = np.cross(forward, up)
    angle = atan2(-axes[:, 0] @ normal, axes[:, 2] @ normal)
    if (axes[:, 0] * cos(angle) + axes[:, 2] * sin(angle)) @ up < 0.0:
        angle += pi if angle <= 0.0 else -pi
    return angle
