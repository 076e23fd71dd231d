"""Softness takes the pop out of a walking knee, at the price of a tip a little short of its target."""

from math import cos, pi

import builders as b
import numpy as np
import pytest

from twobone_addon import rig
from twobone_addon.solver import State


def knee_steps(object, target, hip):
    """(largest change of the knee angle from frame to frame in degrees, largest gap) over a planted walk cycle."""
    knees, gaps = [], []
    for frame in range(25):
        target.location = (0, -0.3 * cos(2 * pi * frame / 24), -hip)
        b.update()
        readings = rig.readings(object, "lo")
        knees.append(np.degrees(readings.relative_angle))
        if readings.state != State.TOO_FAR:
            gaps.append(readings.gap)
    return np.abs(np.diff(knees)).max(), max(gaps)


@pytest.mark.parametrize("hip, hard", [(0.84, 12.04), (0.86, 14.03)])
def test_knee_pop(hip, hard):
    object, target, _pole = b.rigged_leg(0.45, 0.42, 10, target=(0, 0, -0.84), pole=(0, -2, -0.4))
    step, gap = knee_steps(object, target, hip)
    assert step == pytest.approx(hard, abs=0.05)
    assert gap < 1e-6
    object.pose.bones["lo"].twobone_softness = 0.05
    step, gap = knee_steps(object, target, hip)
    assert step < 0.5 * hard
    assert 0 < gap < 0.03 * 0.87


def test_softness_is_said_and_keeps_the_lengths():
    object, target, _pole = b.rigged_leg(1, 1, 10)
    object.pose.bones["lo"].twobone_softness = 0.1
    target.location = (0, 0, -1.97)
    b.update()
    readings = rig.readings(object, "lo")
    assert readings.state == State.SOFTENED
    assert 0 < readings.gap < 0.1
    at = b.ends(object)["lo"]
    assert np.linalg.norm(at[1] - at[0]) == pytest.approx(1, abs=1e-6)
    assert np.linalg.norm(at[1] - b.place(target)) == pytest.approx(readings.gap, abs=2e-6)
