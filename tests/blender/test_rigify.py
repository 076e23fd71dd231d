"""A generated Rigify human: its arms and legs become limbs, or are refused with the reason."""

import subprocess
import sys
from math import cos, pi, sin
from pathlib import Path

import bpy
import builders as b
import pytest
from snapshots import changes, snapshot

from twobone_addon import rig

LIMBS = [(f"MCH-{lower}_ik.{side}", f"{upper}_parent.{side}") for lower, upper in (("forearm", "upper_arm"), ("shin", "thigh"))
         for side in "LR"]
NO_POLE, POLE = "IK", "IK.001"
"""The two constraints of each limb, of which a driver mutes one."""


@pytest.fixture(scope="module")
def human_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("rigify") / "human.blend"
    made = subprocess.run([sys.executable, str(Path(__file__).with_name("rigify_human.py")), str(path)],
                          capture_output=True, text=True, timeout=600)
    if not path.exists():
        pytest.skip(f"this Blender generates no Rigify human: {made.stderr[-300:]}")
    return str(path)


@pytest.fixture
def human(human_file):
    bpy.ops.wm.open_mainfile(filepath=human_file)
    return next(object for object in bpy.data.objects if object.type == 'ARMATURE')


def settle_on(human, kept, stretch=False):
    """Decide for one of the constraints of each limb, as the refusal asks for."""
    for lower, parent in LIMBS:
        human.pose.bones[parent]["pole_vector"] = type(human.pose.bones[parent]["pole_vector"])(kept == POLE)
        constraints = human.pose.bones[lower].constraints
        for name in (NO_POLE, POLE):
            constraints[name].driver_remove("mute")
        constraints.remove(constraints[POLE if kept == NO_POLE else NO_POLE])
        constraints[kept].mute = False
        constraints[kept].use_stretch = stretch
    human.update_tag()
    b.update()


def deform(human):
    return {name: ends for name, ends in b.ends(human).items() if name.startswith("DEF-")}


def motion(human):
    """Deform bones while hands and feet go their way, all of it within reach."""
    found = []
    for step in range(16):
        t = step / 15 * 2 * pi
        in_, side = (1 - cos(t)) / 2, sin(t)
        for sign, letter in ((1, "L"), (-1, "R")):
            human.pose.bones[f"hand_ik.{letter}"].location = (
                -0.2 * sign * in_, -0.2 * in_ + 0.05 * side, 0.15 * in_ + 0.05 * side)
            human.pose.bones[f"foot_ik.{letter}"].location = (0.05 * sign * side, -0.2 * in_, 0.25 * in_)
        b.update()
        found.append(deform(human))
    return found


def test_limbs_that_switch_between_constraints_are_refused_each_with_its_reason(human):
    stored = snapshot(human)
    for lower, _parent in LIMBS:
        with pytest.raises(rig.Refusal) as refusal:
            rig.from_native(human, lower)
        assert f'"{lower}"' in str(refusal.value) and "mute" in str(refusal.value)
    assert changes(stored, snapshot(human)) == []


@pytest.mark.parametrize("kept", [NO_POLE, POLE])
def test_deform_bones_stay_over_a_motion(human, kept):
    settle_on(human, kept)
    before = motion(human)
    human.pose.bones["hand_ik.L"].location = human.pose.bones["foot_ik.L"].location = (0, 0, 0)
    b.update()
    for lower, _parent in LIMBS:
        said = rig.from_native(human, lower)
        assert any("no pole" in sentence for sentence in said) == (kept == NO_POLE)
    assert {limb.lower for limb in rig.limbs(human)} == {lower for lower, _parent in LIMBS}
    after = motion(human)
    assert max(b.moved(old, new) for old, new in zip(before, after)) < 1e-3
    for lower, _parent in LIMBS:
        rig.to_native(human, lower)
    back = motion(human)
    assert max(b.moved(old, new) for old, new in zip(before, back)) < 1e-3


def test_what_rigify_sets_besides_is_said(human):
    settle_on(human, POLE, stretch=True)
    said = rig.from_native(human, "MCH-forearm_ik.L")
    assert any("IK Stretch" in sentence and '"MCH-forearm_ik.L"' in sentence for sentence in said)
    assert any("IK Y Lock" in sentence for sentence in said)


def test_rigify_locks_its_mechanism_against_matching(human):
    settle_on(human, POLE)
    lower = "MCH-shin_ik.L"
    rig.from_native(human, lower)
    human.pose.bones["foot_ik.L"].location = (0.03, -0.15, 0.2)
    b.update()
    before = deform(human)
    with pytest.raises(rig.Refusal, match=r'"thigh_ik\.L" is locked'):
        rig.match_fk(human, lower)
    assert b.moved(before, deform(human)) < 1e-6
