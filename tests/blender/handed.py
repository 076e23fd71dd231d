"""A leg with a hand and a finger, and measurements of how they turn."""

import bpy
import builders as b
import numpy as np
from mathutils import Euler
from numpy.linalg import inv, norm

KNEE, WRIST = (0, -0.25, -0.97), (0, 0, -1.9)
HAND = ("hand", WRIST, (0.3, -0.2, -2.3), "lo", 35)
FINGER = ("finger", (0.3, -0.2, -2.3), (0.5, -0.2, -2.4), "hand", 0)
SAME = 3e-6
"""What single precision may move a matrix by; the leg is 2 long."""


def bare_leg(*extra, name="Leg"):
    """Without IK."""
    object = b.armature(name, [("up", (0, 0, 0), KNEE, "", 0), ("lo", KNEE, WRIST, "up", 10), HAND, FINGER, *extra])
    b.update()
    return object


def handed_leg(*extra, name="Leg", tip="hand", **kwargs):
    """With IK; nothing follows yet."""
    from twobone_addon import rig

    object = bare_leg(*extra, name=name)
    rig.add_limb(object, "lo", tip=tip, **kwargs)
    return object


def follow(object, value=1.0):
    object.pose.bones["lo"].twobone_follow_rotation = value
    b.update()


def target_of(object):
    return object.pose.bones["lo"].twobone_target


def pose(object):
    """World matrices (4, 4) by bone name."""
    return {name: b.world(object) @ matrix for name, matrix in b.bone_matrices(object).items()}


def same(before, after, within=SAME):
    return max(np.abs(before[name] - after[name]).max() for name in before) < within


def axes(matrix):
    return matrix[:3, :3] / norm(matrix[:3, :3], axis=0)


def turn(object, euler=(0.4, -0.7, 0.3)):
    """Turn an object about its own place; returns the rotation (3, 3) it made in the world."""
    before = axes(b.world(object))
    object.rotation_euler.rotate(Euler(euler))
    b.update()
    return axes(b.world(object)) @ inv(before)


def turned_by(rotation, before, after, names=("hand", "finger")):
    """Whether these bones turned by exactly `rotation` between two poses."""
    return all(np.abs(axes(after[name]) - rotation @ axes(before[name])).max() < SAME for name in names)


def degrees_between(first, second):
    """The angle of the rotation from one matrix to the other."""
    cosine = 0.5 * (np.trace(axes(first).T @ axes(second)) - 1.0)
    return float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))


def outputs(object):
    """Names of the bones that have a delivery constraint."""
    return {bone.name for bone in object.pose.bones if "Two-Bone IK" in bone.constraints}


def fk(object, name="hand"):
    bone = object.pose.bones[name]
    return [tuple(getattr(bone, path)) for path in ("location", "rotation_quaternion", "rotation_euler", "scale")]


def frames(*numbers):
    """Go there one by one."""
    for number in numbers:
        bpy.context.scene.frame_set(number)
        yield number
