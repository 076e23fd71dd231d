"""What cannot be done is refused in a sentence, and nothing is changed."""

import bpy
import builders as b
import pytest
from snapshots import changes, snapshot

from twobone_addon import rig


def refused(object, words, *args, **kwargs):
    before = snapshot(object)
    with pytest.raises(rig.Refusal) as caught:
        rig.add_limb(object, *args, **kwargs)
    message = str(caught.value)
    for word in words:
        assert word in message, message
    assert changes(before, snapshot(object)) == []
    assert rig.limbs(object) == []


@pytest.fixture
def leg():
    object = b.leg(1, 1, 10, extra=[("toe", (0, 0, -1.9923894), (0, -0.2, -2), "lo", 0),
                                    ("side", (1, 0, 0), (1, 0, 1), "", 0)])
    b.update()
    return object


def test_chain(leg):
    refused(leg, ['"up"', "no parent"], "up")
    refused(leg, ['"nothing"', "no bone"], "nothing")
    refused(leg, ['"elsewhere"'], "lo", upper="elsewhere")
    refused(leg, ['"side"', "not above"], "lo", upper="side")
    refused(leg, ['"toe"', "not above"], "lo", upper="toe")
    refused(leg, ['"side"', "not below"], "lo", tip="side")
    refused(leg, ['"none"'], "lo", tip="none")


def test_not_an_armature():
    with pytest.raises(rig.Refusal, match='"E" is not an armature'):
        rig.add_limb(b.empty("E"), "lo")
    with pytest.raises(rig.Refusal, match="not an armature"):
        rig.add_limb(None, "lo")


def test_target(leg):
    refused(leg, ['"Leg"', "target"], "lo", leg)
    for bone in ("up", "lo", "toe"):
        refused(leg, [f'"{bone}"', "target"], "lo", leg, target_bone=bone)
    refused(leg, ["pole", '"toe"'], "lo", None, leg, pole_bone="toe")
    refused(leg, ['"wrong"', "no bone"], "lo", leg, target_bone="wrong")
    refused(leg, ["side", "armature"], "lo", target_bone="side")
    loose = bpy.data.objects.new("Loose", None)
    refused(leg, ['"Loose"', "no scene"], "lo", loose)
    held = b.empty("Held", parent=leg, bone="toe")
    refused(leg, ['"Held"'], "lo", held)
    follower = b.empty("Follower")
    constraint = follower.constraints.new('CHILD_OF')
    constraint.target, constraint.subtarget = leg, "lo"
    refused(leg, ['"Follower"'], "lo", follower)
    nowhere = b.empty("Nowhere", (float("nan"), 0, 0))
    b.update()
    refused(leg, ['"Nowhere"', "finite"], "lo", nowhere)


def test_twice(leg):
    rig.add_limb(leg, "lo")
    for lower, words in (("lo", "already has"), ("toe", "already belongs")):
        with pytest.raises(rig.Refusal, match=words):
            rig.add_limb(leg, lower)
    assert len(rig.limbs(leg)) == 1


def test_edit_mode(leg):
    with b.edited(leg), pytest.raises(rig.Refusal, match="Edit Mode"):
        rig.add_limb(leg, "lo")


def test_linked_rig(tmp_path):
    b.leg(1, 1, 10)
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_source, data):
        data.objects = ["Leg"]
    object = b.link(bpy.data.objects["Leg"])
    b.update()
    with pytest.raises(rig.Refusal, match="library override"):
        rig.add_limb(object, "lo")


def test_zero_scale(leg):
    leg.pose.bones["up"].scale = (0, 0, 0)
    b.update()
    refused(leg, ["scaled to zero"], "lo")


def test_no_limb(leg):
    for action in (rig.remove_limb, rig.rebind, rig.readings, rig.problems):
        with pytest.raises(rig.Refusal, match='"lo" has no Two-Bone IK'):
            action(leg, "lo")


def test_not_in_the_view_layer(leg):
    bpy.context.scene.collection.objects.unlink(leg)
    with pytest.raises(rig.Refusal, match="view layer"):
        rig.add_limb(leg, "lo")
