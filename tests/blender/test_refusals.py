"""What cannot be done is refused in a sentence, and nothing is changed."""

import bpy
import builders as b
import pytest
from snapshots import changes, snapshot

from twobone_addon import rig
from twobone_addon.rig import live


def refused(object, words, *args, **kwargs):
    before = snapshot(object)
    with pytest.raises(rig.Refusal) as caught:
        rig.add_limb(object, *args, **kwargs)
    message = str(caught.value)
    for word in words:
        assert word in message, message
    assert message[-1].isalnum() or message[-1] == '"', message  # the interface adds the full stop, where one belongs
    assert len(message.split()) > 6, message
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
    refused(leg, ['"lo"'], "lo", upper="lo")
    refused(leg, ['"side"', "not below"], "lo", tip="side")
    refused(leg, ['"up"', "not below"], "lo", tip="up")
    refused(leg, ['"lo"', "not below"], "lo", tip="lo")
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


def test_upper_bone_of_another_armature(leg):
    b.armature("Elsewhere", [("thigh", (0, 0, 0), (0, 0, -1), "", 0)])
    b.update()
    refused(leg, ['"thigh"', '"Leg"'], "lo", upper="thigh")


@pytest.mark.parametrize("role", ["target", "pole"])
def test_controls_that_hang_on_the_limb_by_detours(leg, role):
    def wanted(object, bone=""):
        return {role: object, f"{role}_bone": bone}

    first = b.empty("First", parent=leg, bone="toe")
    second = b.empty("Second", parent=first)
    refused(leg, [role, '"Second"', '"lo"'], "lo", **wanted(second))
    follower = b.empty("Follower")
    follower.constraints.new('COPY_LOCATION').target = second
    refused(leg, [role, '"Follower"'], "lo", **wanted(follower))
    other = b.armature("Other", [("base", (0, 0, 0), (0, 0, 1), "", 0), ("ctl", (0, 0, 1), (0, 0, 2), "base", 0)])
    constraint = other.pose.bones["base"].constraints.new('CHILD_OF')
    constraint.target, constraint.subtarget = leg, "lo"
    refused(leg, [role, '"ctl"'], "lo", **wanted(other, "ctl"))
    driven = b.empty("Driven")
    variable = driven.driver_add("location", 0).driver.variables.new()
    variable.type = 'TRANSFORMS'
    variable.targets[0].id, variable.targets[0].bone_target = leg, "up"
    refused(leg, [role, '"Driven"'], "lo", **wanted(driven))


def test_controls_of_the_wrong_kind(leg):
    bystander = b.empty("Bystander")
    refused(leg, ["target", "object"], "lo", "Bystander")
    refused(leg, ["pole", "object"], "lo", None, leg.data)
    refused(leg, ['"Bystander"', "not an armature"], "lo", bystander, target_bone="hand")


def test_root_that_hangs_on_its_own_limb(leg):
    """The limb's root follows an object that follows the limb."""
    held = b.empty("Held", parent=leg, bone="lo")
    leg.constraints.new('COPY_LOCATION').target = held
    b.update()
    refused(leg, ['"lo"'], "lo")


def test_twice(leg):
    rig.add_limb(leg, "lo")
    for lower, words in (("lo", "already has"), ("toe", "already belongs")):
        with pytest.raises(rig.Refusal, match=words):
            rig.add_limb(leg, lower)
    assert len(rig.limbs(leg)) == 1


def test_edit_mode(leg):
    with b.edited(leg), pytest.raises(rig.Refusal, match="Edit Mode"):
        rig.add_limb(leg, "lo")


def linked_leg(tmp_path):
    """A leg linked from another file, in the scene."""
    b.leg(1, 1, 10)
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_source, data):
        data.objects = ["Leg"]
    object = b.link(bpy.data.objects["Leg"])
    b.update()
    return object


def test_linked_rig(tmp_path):
    object = linked_leg(tmp_path)
    refused(object, ['"Leg"', "linked", "library override"], "lo")
    bpy.context.view_layer.objects.active = object
    with pytest.raises(RuntimeError, match=r"library override|Pose Mode"):
        bpy.ops.pose.twobone_add()


def test_overridden_rig_is_not_refused(tmp_path):
    linked = linked_leg(tmp_path)
    object = linked.override_create(remap_local_usages=True)
    b.update()
    assert object.override_library is not None
    before = b.ends(object)
    rig.add_limb(object, "lo")
    assert b.moved(before, b.ends(object)) < 2e-5
    object.pose.bones["lo"].twobone_target.location = (0.3, 0.1, -1.3)
    b.update()
    assert b.on_target(object)


def test_limb_in_a_linked_rig_is_read_only(tmp_path):
    """A rig with IK, linked and not overridden: readable, never written, and it says why it cannot be changed."""
    b.rigged_leg()
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_source, data):
        data.objects = ["Leg"]
    object = b.link(bpy.data.objects["Leg"])
    b.update()
    before = snapshot(object)
    live.counts.clear()
    for frame in range(5):
        bpy.context.scene.frame_set(frame)
    assert live.counts.writes == 0
    assert [limb.lower for limb in rig.limbs(object)] == ["lo"]
    assert any("override" in problem for problem in rig.problems(object, "lo"))
    for action in (rig.remove_limb, rig.rebind):
        with pytest.raises(rig.Refusal, match="override"):
            action(object, "lo")
    assert changes(before, snapshot(object)) == []


def test_zero_scale(leg):
    leg.pose.bones["up"].scale = (0, 0, 0)
    b.update()
    refused(leg, ["scaled to zero"], "lo")


def test_armature_scaled_to_zero(leg):
    leg.scale = (0, 0, 0)
    b.update()
    refused(leg, ["scaled to zero", '"Leg"'], "lo", b.empty("T", (0, 0, -1.5)))


@pytest.mark.parametrize("name", ["up", "lo"])
def test_bone_at_no_finite_place(leg, name):
    leg.pose.bones[name].location = (float("nan"), 0, 0)
    if name == "lo":
        with b.edited(leg) as bones:
            bones["lo"].use_connect = False
    b.update()
    refused(leg, [f'"{name}"', "finite"] if name == "up" else ["finite"], "lo")


@pytest.mark.parametrize("how", ["eye", "monitor", "collection monitor", "excluded"])
def test_hidden_armature_is_refused_or_keeps_its_pose(leg, how):
    """Blender does not evaluate what the monitor icon hides: a limb must not be bound to the pose of before."""
    collection = bpy.data.collections.new("Hidden")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(leg)
    bpy.context.scene.collection.objects.unlink(leg)
    layer = bpy.context.view_layer.layer_collection.children["Hidden"]
    b.update()

    def hide(hidden):
        if how == "eye":
            leg.hide_set(hidden)
        elif how == "excluded":
            layer.exclude = hidden
        else:
            (leg if how == "monitor" else collection).hide_viewport = hidden
        b.update()

    hide(True)
    leg.pose.bones["up"].rotation_quaternion, leg.pose.bones["lo"].rotation_quaternion = (0.9, 0.3, 0.1, 0), (0.8, 0.5, 0, 0)
    b.update()
    try:
        rig.add_limb(leg, "lo")
    except rig.Refusal as refusal:
        assert "visible" in str(refusal)
        assert how != "eye"
        assert rig.limbs(leg) == []
        return
    hide(False)
    shown = b.ends(leg)
    for bone in leg.pose.bones:
        for constraint in bone.constraints:
            constraint.mute = True
    b.update()
    assert b.moved(b.ends(leg), shown) < 2e-5


def test_no_limb(leg):
    for action in (rig.remove_limb, rig.rebind, rig.readings, rig.problems):
        with pytest.raises(rig.Refusal, match='"lo" has no Two-Bone IK'):
            action(leg, "lo")


def test_not_in_the_view_layer(leg):
    bpy.context.scene.collection.objects.unlink(leg)
    with pytest.raises(rig.Refusal, match="view layer"):
        rig.add_limb(leg, "lo")
