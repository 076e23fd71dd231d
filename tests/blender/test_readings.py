"""What the panel and scripts are told: distances in world units, angles, and the sentence about the target."""

from math import radians

import bpy
import builders as b
import numpy as np
import pytest

from twobone_addon import rig
from twobone_addon.solver import State
from twobone_addon.ui import wording


@pytest.mark.parametrize("scale", [1.0, 0.01, 3.0])
def test_world_units(scale):
    object, target, _pole = b.rigged_leg(1, 0.6, 10)
    object.scale, object.location = (scale,) * 3, (1, 2, 3)
    for distance, state, gap in ((1.2, State.REACHED, 0.0), (2.0, State.TOO_FAR, 0.4), (0.1, State.TOO_CLOSE, 0.3)):
        target.location = np.array((1, 2, 3)) + b.direction(0.2, -0.4, -0.9) * distance * scale
        b.update()
        readings = rig.readings(object, "lo")
        assert readings.state == state
        assert readings.distance == pytest.approx(distance * scale, abs=2e-6)
        assert (readings.reach_min, readings.reach_max) == pytest.approx((0.4 * scale, 1.6 * scale), rel=1e-5)
        assert readings.gap == pytest.approx(gap * scale, abs=2e-6)
        assert readings.gap == pytest.approx(b.tip_error(object, target), abs=4e-6)


def test_stretched_armature_measures_along_the_line():
    object, target, _pole = b.rigged_leg(1, 1, 10)
    object.scale = (1, 1, 2)
    target.location = (0, 0, -5)
    b.update()
    readings = rig.readings(object, "lo")
    assert (readings.distance, readings.reach_max, readings.gap) == pytest.approx((5, 4, 1), abs=1e-5)


def test_angles():
    object, target, _pole = b.rigged_leg(1, 0.8, 10, rolls=(30, 60))
    for place in ((0.3, -0.2, -1.3), (0, 0, -5), (0.5, 0.5, 0.5)):
        target.location = place
        b.update()
        root, joint, tip = b.joints(object)
        readings = rig.readings(object, "lo")
        assert readings.root_angle == pytest.approx(radians(b.angle(joint - root, np.array(place) - root)), abs=1e-5)
        assert readings.relative_angle == pytest.approx(radians(b.angle(joint - root, tip - joint)), abs=1e-5)


def test_of_another_frame_s_depsgraph():
    """A handler of the user's own gets the readings of the frame it is called for."""
    object, target, _pole = b.rigged_leg(1, 1, 10)
    b.keys(target, "location", [(1, (0, 0, -1)), (11, (0, 0, -3))])
    seen = {}

    def note(scene, depsgraph):
        seen[scene.frame_current] = rig.readings(object, "lo", depsgraph).gap

    bpy.app.handlers.frame_change_post.append(note)
    try:
        for frame in (1, 11, 6):
            bpy.context.scene.frame_set(frame)
    finally:
        bpy.app.handlers.frame_change_post.remove(note)
    assert seen == pytest.approx({1: 0.0, 6: 0.0, 11: 1.0}, abs=4e-6)


def test_softened():
    object, target, _pole = b.rigged_leg(1, 1, 10)
    object.pose.bones["lo"].twobone_softness = 0.1
    target.location = (0, 0, -1.99)
    b.update()
    readings = rig.readings(object, "lo")
    assert readings.state == State.SOFTENED
    assert 0.0 < readings.gap < 0.1
    assert readings.gap == pytest.approx(b.tip_error(object, target), abs=4e-6)


@pytest.mark.parametrize("distance, words", [(1.2, "Target reached"), (1.632, "Out of reach by 3.2 cm"),
                                             (0.368, "Too close by 3.2 cm")])
def test_sentence(distance, words):
    object, target, _pole = b.rigged_leg(1, 0.6, 10, target=(0, 0, -distance))
    assert wording.sentence(bpy.context.scene, rig.readings(object, "lo")) == words


def test_sentence_in_the_scene_s_units():
    object, target, _pole = b.rigged_leg(1, 0.6, 10, target=(0, 0, -1.9048))
    scene, readings = bpy.context.scene, rig.readings(bpy.data.objects["Leg"], "lo")
    scene.unit_settings.system = 'IMPERIAL'
    assert wording.sentence(scene, readings) == "Out of reach by 1'"
    scene.unit_settings.system = 'NONE'
    assert wording.sentence(scene, readings) == "Out of reach by 0.3048"
