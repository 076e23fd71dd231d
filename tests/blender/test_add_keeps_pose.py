"""Adding IK moves nothing, whatever the roll, the bend and the place of the pole."""

from math import degrees

import builders as b
import pytest

from twobone_addon import rig

POLES = {"created": None, "in front": (0, -3, -1), "beside": (1.026, -2.819, -1), "behind": (0, 3, -1)}
ROLLS = [(roll, roll) for roll in (0, 45, 90, 137, 180, -90)] + [(0, 90), (137, -20), (-90, 180)]
LEGS = [(1, 1, 30), (1, 1, 0.1), (1, 1, 0.01), (1, 1, 0.001), (1, 1, 0), (0.45, 0.42, 5), (1, 0.6, 170), (1, 1, 90)]


@pytest.mark.parametrize("rolls", ROLLS)
@pytest.mark.parametrize("size", LEGS)
@pytest.mark.parametrize("pole", POLES)
def test_leg(size, rolls, pole):
    object = b.leg(*size, rolls=rolls)
    at = POLES[pole] and b.empty("P", POLES[pole])
    b.update()
    before, axes = b.ends(object), b.bone_matrices(object)
    rig.add_limb(object, "lo", pole=at)
    assert b.moved(before, b.ends(object)) < 1e-5 * (size[0] + size[1])
    assert b.turned(axes, b.bone_matrices(object)) < 0.01


@pytest.mark.parametrize("scale", [1, 0.01, 100, 1e-4])
def test_posed_start_on_a_moved_armature(scale):
    object = b.leg(1, 0.8, 10, rolls=(30, 77))
    object.location, object.rotation_euler, object.scale = (12, -7, 3), (-1.13, 0, 0.7), (scale,) * 3
    object.pose.bones["up"].rotation_quaternion = (0.9, 0.3, -0.2, 0.1)
    object.pose.bones["lo"].rotation_quaternion = (0.8, 0.5, 0.1, 0.1)
    b.update()
    before, axes = b.ends(object), b.bone_matrices(object)
    rig.add_limb(object, "lo")
    # A constraint of any kind takes its bone through world space in single precision: the root itself shifts by some
    # steps of 12 m, 1e-6 m each, and the limb turns as much to stay on its target.
    shift = 5e-6 / scale
    assert b.moved(before, b.ends(object)) < max(1e-5 * 1.8, shift)
    assert b.turned(axes, b.bone_matrices(object)) < max(0.01, 2.0 * degrees(shift))


def test_rebind_keeps_the_fk_pose():
    object, target, _pole = b.rigged_leg(1, 1, 20)
    before = b.ends(object)
    target.location = before["lo"][1]
    b.update()
    with b.edited(object) as bones:
        bones["up"].roll = 1.0
        bones["lo"].roll = -0.6
    rig.rebind(object, "lo")
    assert b.moved(before, b.ends(object)) < 2e-5


@pytest.mark.parametrize("mode", ['QUATERNION', 'XYZ', 'ZXY', 'AXIS_ANGLE'])
@pytest.mark.parametrize("pole", POLES)
def test_posed_start(pole, mode):
    """From a pose far from rest, the joint out of every plane of the axes, in every rotation mode."""
    object = b.leg(1, 0.8, 10, rolls=(30, 77))
    for bone, turn in (("up", (0.9, 0.3, -0.2, 0.1)), ("lo", (0.8, 0.5, 0.1, 0.1))):
        object.pose.bones[bone].rotation_quaternion = turn
        object.pose.bones[bone].rotation_mode = mode
    at = POLES[pole] and b.empty("P", POLES[pole])
    b.update()
    before, axes = b.ends(object), b.bone_matrices(object)
    rig.add_limb(object, "lo", pole=at)
    assert b.moved(before, b.ends(object)) < 1e-5 * 1.8
    assert b.turned(axes, b.bone_matrices(object)) < 0.01


def test_a_target_elsewhere_pulls_the_limb_to_itself():
    object, target, _pole = b.rigged_leg(1, 1, 10, target=(0.5, 0.2, -1.2))
    assert b.tip_error(object, target) < 4e-6


def test_bent_plane_of_a_nearly_straight_limb_is_kept():
    """What is added in the limb's own bend plane stays in it, also when the limb folds up later."""
    object = b.leg(0.45, 0.42, 5, rolls=(137, 20))
    b.update()
    rig.add_limb(object, "lo")
    target = object.pose.bones["lo"].twobone_target
    for share in (0.99, 0.9, 0.5, 0.2):
        target.location = (0, 0, -0.87 * share)
        b.update()
        joint = b.ends(object)["lo"][0]
        assert joint[1] < -0.01
        assert abs(joint[0]) < 0.45 * 0.05 * 3.14159 / 180
