"""Arguments of the wrong kind: each function refuses them in a sentence, and has changed nothing."""

import bpy
import builders as b
import pytest
from snapshots import changes, snapshot

from twobone_addon import rig

NAN, INF = float("nan"), float("inf")

ON_LIMBS = {action.__name__: action for action in (
    rig.remove_limb, rig.rebind, rig.readings, rig.problems, rig.match_fk, rig.match_ik, rig.bake, rig.reach_report,
    rig.to_native, rig.from_native)}
OVER_FRAMES = {action.__name__: action for action in (rig.match_fk, rig.match_ik, rig.bake, rig.reach_report)}


def refused(object, action, *args, **kwargs):
    before = snapshot(object)
    with pytest.raises(rig.Refusal) as caught:
        action(*args, **kwargs)
    assert len(str(caught.value).split()) > 6
    assert changes(before, snapshot(object)) == []


@pytest.fixture
def leg():
    return b.rigged_leg()[0]


def deleted():
    object = b.empty("Deleted")
    bpy.data.objects.remove(object)
    return object


@pytest.mark.parametrize("action", [*ON_LIMBS.values(), rig.add_limb], ids=[*ON_LIMBS, "add_limb"])
def test_no_armature(leg, action):
    for wrong in (None, "Leg", leg.data, leg.pose.bones["lo"], bpy.context.scene, deleted(), bpy.data.objects["T"]):
        refused(leg, action, wrong, "lo")


@pytest.mark.parametrize("action", [*ON_LIMBS.values(), rig.add_limb], ids=[*ON_LIMBS, "add_limb"])
def test_no_name(leg, action):
    for wrong in ("", "nothing", 3, b"lo", [None], ["lo", "nothing"], {}):
        refused(leg, action, leg, wrong)


def test_limbs_of_what_has_none(leg):
    assert rig.limbs(bpy.data.objects["T"]) == rig.limbs(None) == []
    refused(leg, rig.limbs, deleted())


@pytest.mark.parametrize("action", OVER_FRAMES.values(), ids=OVER_FRAMES)
def test_no_frames(leg, action):
    for wrong in ([], "all", 5, [None], ["1"], [1, NAN], [INF], [1e9], range(10, 1), range(10**8)):
        refused(leg, action, leg, "lo", frames=wrong)


@pytest.mark.parametrize("action", [rig.bake, rig.reach_report])
def test_no_range(leg, action):
    for start, end, step in ((10, 1, 1), (NAN, 5, 1), (1, NAN, 1), (-INF, 5, 1), (1, 1e12, 1), ("a", 5, 1), (1, 5, 0),
                             (1, 5, -1), (1, 5, NAN), (1, 5, INF), (1, 5, 1e-12), (1, 5, "a")):
        refused(leg, action, leg, "lo", start=start, end=end, step=step)


def test_no_numbers(leg):
    for wrong in (-1.0, NAN, "a", None):
        refused(leg, rig.bake, leg, "lo", start=1, end=5, tolerance=wrong)
        refused(leg, rig.reach_report, leg, "lo", start=1, end=5, pop=wrong)
    for wrong in ("REMOVED", None):
        refused(leg, rig.bake, leg, "lo", start=1, end=5, after=wrong)


@pytest.mark.parametrize("controls", ["EMPTIES", "BONES"])
def test_adding_with_wrong_arguments(controls):
    object = b.leg()
    b.update()
    objects = len(bpy.data.objects)
    for wrong in ({"softness": NAN}, {"softness": -0.1}, {"softness": 1.0}, {"softness": "a"}, {"control_size": NAN},
                  {"control_size": 0.0}, {"control_size": -1.0}, {"control_size": INF}, {"upper": 3}, {"tip": 3},
                  {"control_parent": 3}, {"target": deleted()}, {"pole": deleted()}, {"target": "T"}):
        refused(object, rig.add_limb, object, "lo", controls=controls, **wrong)
    assert rig.limbs(object) == []
    assert len(bpy.data.objects) == objects


def test_rebinding_to_a_bone_that_is_not_there(leg):
    bone = leg.pose.bones["lo"]
    bone.twobone_target, bone.twobone_target_bone = leg, "nothing"
    b.update()
    refused(leg, rig.rebind, leg, "lo")
