"""A hidden target is followed wherever the limb is: in viewports, in renders, in every view layer and scene."""

import bpy
import builders as b
import numpy as np
import pictures
import pytest
from test_override import on_target, overridden, own
from test_render import FIRST, LAST, SAME, moving_leg

from twobone_addon import rig
from twobone_addon.rig import live

LINKS = ("Two-Bone IK Target", "Two-Bone IK Pole")


def in_collection(*objects):
    """The objects, moved into a collection of their own."""
    collection = bpy.data.collections.new("Controls")
    bpy.context.scene.collection.children.link(collection)
    for object in objects:
        collection.objects.link(object)
        bpy.context.scene.collection.objects.unlink(object)
    return collection


def hide(how, object):
    """Hide `object`, the only one in its collection."""
    collection = object.users_collection[0]
    if how == "eye":
        object.hide_set(True)
    elif how == "monitor":
        object.hide_viewport = True
    elif how == "camera":
        object.hide_render = True
    elif how == "collection monitor":
        collection.hide_viewport = True
    elif how == "collection camera":
        collection.hide_render = True
    elif how == "excluded":
        bpy.context.view_layer.layer_collection.children[collection.name].exclude = True
    elif how == "keyed camera":
        object.keyframe_insert("hide_render", frame=1)
    else:
        other = bpy.data.scenes.new("Other")
        other.collection.objects.link(object)
        collection.objects.unlink(object)


HOW = ["eye", "monitor", "camera", "collection monitor", "collection camera", "excluded", "keyed camera", "other scene"]


def links(object):
    return [constraint.name for constraint in object.pose.bones["lo"].constraints if constraint.name in LINKS]


@pytest.mark.parametrize("when", ["before adding", "after adding"])
@pytest.mark.parametrize("how", HOW)
def test_hidden_target_is_followed(how, when):
    object = b.leg()
    target, pole = b.empty("T", (0, 0, -1)), b.empty("P", (0, -3, -1))
    in_collection(target)
    b.keys(target, "location", [(1, (0, 0, -1)), (11, (0.6, 0, -1.2))])
    b.update()
    if when == "before adding":
        hide(how, target)
        b.update()
    rig.add_limb(object, "lo", target, pole)
    if when == "after adding":
        hide(how, target)
        b.update()
    for frame, x in ((11, 0.6), (6, 0.3), (1, 0.0)):
        bpy.context.scene.frame_set(frame)
        assert np.abs(b.ends(object)["lo"][1] - (x, 0, -1 - x / 3)).max() < 4e-6
    assert rig.problems(object, "lo") == []
    assert links(object) == ([LINKS[0]] if how != "eye" else [])


@pytest.mark.parametrize("how", ["monitor", "collection monitor"])
def test_dragged_while_hidden(how):
    object, target, pole = b.rigged_leg()
    in_collection(pole)
    hide(how, pole)
    b.update()
    for x in (1, 2):
        pole.location.x = x
        b.update()
        root, joint, tip = b.joints(object)
        assert b.plane_error(joint, root, tip, b.place(pole)) < 0.02
    assert links(object) == [LINKS[1]]


def test_a_parent_that_is_hidden_with_the_target():
    object, target, _pole = b.rigged_leg()
    carrier = b.empty("Carrier")
    target.parent = carrier
    b.keys(carrier, "location", [(1, (0, 0, 0)), (11, (0.6, 0, 0))])
    in_collection(target, carrier)
    hide("excluded", target)
    b.update()
    for frame in (11, 6):
        bpy.context.scene.frame_set(frame)
        assert np.abs(b.ends(object)["lo"][1] - ((frame - 1) * 0.06, 0, -1.5)).max() < 4e-6


def test_bone_of_a_hidden_armature():
    holder = b.armature("Controls", [("hand", (0, 0, -1.5), (0, 0, -1.2), "", 0)])
    object = b.leg()
    b.update()
    rig.add_limb(object, "lo", holder, target_bone="hand")
    holder.hide_viewport = holder.hide_render = True
    b.keys(holder.pose.bones["hand"], "location", [(1, (0, 0, 0)), (11, (0.5, 0.1, 0.2))])
    b.update()
    for frame in (11, 1, 6):
        bpy.context.scene.frame_set(frame)
        hand = object.pose.bones["lo"].constraints[LINKS[0]]
        assert (hand.target, hand.subtarget) == (holder, "hand")
        depsgraph = bpy.context.evaluated_depsgraph_get()
        place = np.array(holder.evaluated_get(depsgraph).pose.bones["hand"].head)
        assert np.abs(b.ends(object)["lo"][1] - place).max() < 4e-6


def test_shown_targets_cost_nothing():
    """What is not needed any more goes, and leaves nothing behind."""
    object, target, _pole = b.rigged_leg()
    names = [constraint.name for constraint in object.pose.bones["lo"].constraints]
    in_collection(target)
    b.update()
    assert links(object) == []
    hide("camera", target)
    b.update()
    assert links(object) == [LINKS[0]]
    target.hide_render = False
    b.update()
    assert [constraint.name for constraint in object.pose.bones["lo"].constraints] == names
    hide("camera", target)
    b.update()
    rig.remove_limb(object, "lo")
    assert not object.pose.bones["lo"].constraints


@pytest.mark.parametrize("carry", ["bone parent", 'CHILD_OF', 'COPY_TRANSFORMS', "object parent"])
def test_hidden_target_that_follows_its_own_armature(carry, capfd):
    """No dependency cycle comes of it: Blender knows each bone by itself."""
    object = b.leg(extra=[("hip", (0, 0, 0), (0, 0, 0.3), "", 0)])
    target = b.empty("T", (0.1, 0, -1.4))
    if carry == "object parent":
        target.parent = object
    elif carry == "bone parent":
        target.parent, target.parent_type, target.parent_bone = object, 'BONE', "hip"
        target.location = (0.1, -0.3, -1.4)
    else:
        constraint = target.constraints.new(carry)
        constraint.target, constraint.subtarget = object, "hip"
    b.update()
    rig.add_limb(object, "lo", target)
    target.hide_render = target.hide_viewport = True
    b.keys(object.pose.bones["hip"], "location", [(1, (0, 0, 0)), (11, (0.3, 0.2, 0.1))])
    b.update()
    assert links(object) == [LINKS[0]]
    for frame in (11, 6, 1):
        bpy.context.scene.frame_set(frame)
        assert b.tip_error(object, target) - rig.readings(object, "lo").gap < 4e-6
    assert rig.problems(object, "lo") == []
    out, err = capfd.readouterr()
    assert "cycle" not in (out + err).lower()


def test_frames_are_foretold_all_the_same():
    object, target, _pole = b.rigged_leg()
    target.hide_render = True
    b.keys(target, "location", [(1, (0, 0, -1)), (11, (0.6, 0, -1.2))])
    b.update()
    for frame in range(1, 8):
        live.counts.clear()
        bpy.context.scene.frame_set(frame)
    assert links(object) == [LINKS[0]]
    assert live.counts.foreseen == 1
    assert b.on_target(object)


def test_target_exchanged():
    object, target, _pole = b.rigged_leg()
    other = b.empty("Other", (0.3, 0, -1.2))
    target.hide_render = other.hide_render = True
    b.update()
    object.pose.bones["lo"].twobone_target = other
    b.update()
    assert object.pose.bones["lo"].constraints[LINKS[0]].target == other
    assert b.on_target(object)
    object.pose.bones["lo"].twobone_target = None
    b.update()
    assert links(object) == []


@pytest.mark.parametrize("how", ["camera", "collection camera", "collection monitor", "excluded"])
def test_rendered(how, tmp_path):
    """Control collections are usually hidden from renders."""
    pictures.studio()
    object, target, pole = moving_leg()
    in_collection(target)
    poses = pictures.viewport_poses([object], range(FIRST, LAST + 1))
    bpy.context.scene.frame_set(FIRST)
    hide(how, target)
    live = pictures.film(tmp_path, FIRST, LAST)
    pictures.key_as_fk(poses)
    truth = pictures.film(tmp_path, FIRST, LAST)
    for frame in truth:
        assert pictures.differ(live[frame], truth[frame]) <= SAME, frame
    assert pictures.differ(truth[FIRST], truth[LAST]) > 10 * SAME


@pytest.mark.parametrize("hidden_in", ["library", "shot"])
def test_overridden_character(hidden_in, tmp_path):
    """Control collections are hidden by who makes the character as well as by who lights it."""
    object = b.leg(name="Rigged")
    b.update()
    rig.add_limb(object, "lo")
    character, controls = bpy.data.collections.new("Rigged character"), bpy.data.collections.new("Controls")
    bpy.context.scene.collection.children.link(character)
    character.children.link(controls)
    for collection, members in ((character, [object]), (controls, object.children)):
        for member in members:
            collection.objects.link(member)
            bpy.context.scene.collection.objects.unlink(member)
    controls.hide_render = hidden_in == "library"
    b.update()
    library, shot = str(tmp_path / "library.blend"), str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=library)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    object = overridden(library, "Rigged")
    object.pose.bones["lo"].twobone_target.hide_render = True
    b.update()
    for reopened in (False, True):
        if reopened:
            bpy.ops.wm.save_as_mainfile(filepath=shot)
            bpy.ops.wm.open_mainfile(filepath=shot)
            object = own("Rigged")
        target = object.pose.bones["lo"].twobone_target
        link = object.pose.bones["lo"].constraints[LINKS[0]]
        assert link.target == target
        assert target.library is None
        target.location = (0.3, 0.1, -1.2 - 0.1 * reopened)
        b.update()
        assert on_target(object)
        assert rig.problems(object, "lo") == []
    rig.remove_limb(object, "lo")
    left = [constraint for bone in object.pose.bones for constraint in bone.constraints]
    assert all(constraint.influence == 0.0 or constraint.mute for constraint in left)
