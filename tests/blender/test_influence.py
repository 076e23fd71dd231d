"""Influence blends the FK pose and the IK pose the way Blender blends any constraint, and never bends a bone's length."""

import bpy
import builders as b
import numpy as np
import pytest
from mathutils import Matrix

from twobone_addon import rig


@pytest.fixture
def leg():
    """A leg with a posed FK, its target aside; returns (armature, FK pose, IK pose), poses as bone matrices."""
    object, target, _pole = b.rigged_leg(1, 0.8, 15, rolls=(35, -70))
    target.location = (0.7, 0.2, -1.1)
    object.pose.bones["up"].rotation_quaternion = (0.95, 0.2, -0.1, 0.2)
    object.pose.bones["lo"].rotation_quaternion = (0.9, 0.3, 0.1, -0.1)
    b.update()
    solved = b.bone_matrices(object)
    output = [bone.constraints["Two-Bone IK"] for bone in object.pose.bones]
    for constraint in output:
        constraint.mute = True
    b.update()
    posed = b.bone_matrices(object)
    for constraint in output:
        constraint.mute = False
    b.update()
    return object, posed, solved


def blended(posed, solved, influence):
    """The pose (4, 4) of both bones by Blender's rule: each bone turns its share of the way from where its parent put it."""
    upper = turned(posed["up"], solved["up"], influence)
    hung = upper @ np.linalg.inv(posed["up"]) @ posed["lo"]
    return {"up": upper, "lo": turned(hung, solved["lo"], influence)}


def turned(start, end, influence):
    rotation = Matrix(start).to_quaternion().slerp(Matrix(end).to_quaternion(), influence)
    matrix = start.copy()
    matrix[:3, :3] = np.array(rotation.to_matrix())
    return matrix


@pytest.mark.parametrize("influence", [0.0, 0.1, 0.25, 0.5, 0.9, 1.0])
def test_every_share(leg, influence):
    object, posed, solved = leg
    object.pose.bones["lo"].twobone_influence = influence
    b.update()
    shown, expected = b.bone_matrices(object), blended(posed, solved, influence)
    for name in ("up", "lo"):
        assert np.abs(shown[name] - expected[name]).max() < 2e-6
    if influence == 0.0:
        for name in ("up", "lo"):
            assert (shown[name] == posed[name]).all()
    at = b.ends(object)
    assert b.segments(object) == pytest.approx([1.0, 0.8], rel=1e-6)
    assert np.allclose(at["up"][1], at["lo"][0], atol=1e-6)


@pytest.mark.parametrize("order", [range(1, 12), (11, 3, 7, 1, 6, 2)])
def test_keyed_influence_follows_the_frame(leg, order):
    object, posed, solved = leg
    b.keys(object.pose.bones["lo"], "twobone_influence", [(1, 0.0), (11, 1.0)])
    for frame in order:
        bpy.context.scene.frame_set(frame)
        expected = blended(posed, solved, (frame - 1) / 10)
        for name, matrix in b.bone_matrices(object).items():
            assert np.abs(matrix - expected[name]).max() < 2e-6, frame


def test_driven_influence_follows(leg):
    object, posed, solved = leg
    knob = b.empty("Knob")
    driver = object.pose.bones["lo"].driver_add("twobone_influence").driver
    variable = driver.variables.new()
    variable.type = 'TRANSFORMS'
    variable.targets[0].id, variable.targets[0].transform_type = knob, 'LOC_X'
    driver.type = 'SUM'
    for value in (0.3, 0.8, 0.0):
        knob.location.x = value
        b.update()
        expected = blended(posed, solved, value)
        for name, matrix in b.bone_matrices(object).items():
            assert np.abs(matrix - expected[name]).max() < 2e-6, value


def test_switching_between_ik_and_fk_keeps_both(leg):
    object, posed, solved = leg
    bone = object.pose.bones["lo"]
    for _ in range(20):
        for influence, pose in ((0.0, posed), (1.0, solved)):
            bone.twobone_influence = influence
            b.update()
            for name, matrix in b.bone_matrices(object).items():
                assert np.abs(matrix - pose[name]).max() < 1e-6
    assert rig.readings(object, "lo").gap < 4e-6
