"""Several scenes and view layers: every depsgraph shows its own scene's pose, and no other scene's limbs are touched."""

import bpy
import builders as b
import numpy as np
import pictures
import pytest
from snapshots import changes, snapshot

from twobone_addon import rig
from twobone_addon.rig import live
from twobone_addon.rig.upkeep.troubles import shared_by

FIRST, LAST = 1, 5


def key_target(target, sign=1):
    b.keys(target, "location", [(FIRST, (0, 0, -1.9)), (LAST, (0.8 * sign, 0, -1.1))])


def wanted(frame, sign=1):
    share = (frame - FIRST) / (LAST - FIRST)
    return 0.8 * sign * share, 0, -1.9 + 0.8 * share


def miss(object, depsgraph, place):
    """How far the tip is from `place` in the armature space that this depsgraph shows."""
    return float(np.abs(np.array(object.evaluated_get(depsgraph).pose.bones["lo"].tail) - place).max())


def shown(scene, layer=0):
    return scene.view_layers[layer].depsgraph


def rig_in(scene, name, sign):
    """A leg with keyed IK that is in this scene alone."""
    object, target, pole = b.rigged_leg(name=name)
    key_target(target, sign)
    for item in (object, target, pole):
        if scene != bpy.context.scene:
            bpy.context.scene.collection.objects.unlink(item)
            scene.collection.objects.link(item)
    return object


def test_limbs_of_other_scenes_are_not_touched():
    first, second = bpy.context.scene, bpy.data.scenes.new("Second")
    one, two = rig_in(first, "One", 1), rig_in(second, "Two", -1)
    for scene, frame in ((first, 2), (second, 4)):
        scene.view_layers[0].update()
        scene.frame_set(frame)
    for scene, object, other, sign in ((first, one, two, 1), (second, two, one, -1)):
        before = snapshot(other)
        for frame in (5, 1, 3):
            scene.frame_set(frame)
            assert miss(object, shown(scene), wanted(frame, sign)) < 4e-6
        assert changes(before, snapshot(other)) == []
    assert miss(one, shown(first), wanted(3)) < 4e-6
    assert [limb.armature for limb in (*rig.limbs(one), *rig.limbs(two))] == [one, two]


@pytest.mark.parametrize("render", [False, True])
def test_limb_linked_by_a_script_that_updates_nothing(render, tmp_path):
    """As farms do: a character is put into a scene that was evaluated before, and the next thing is a frame."""
    scene = pictures.studio()
    first = rig_in(scene, "First", 1)
    second = rig_in(scene, "Second", -1)
    pictures.bar(second, "lo")
    members = [second, *(getattr(second.pose.bones["lo"], f"twobone_{role}") for role in ("target", "pole"))]
    for item in members:
        scene.collection.objects.unlink(item)
    for frame in (1, 2, 3):
        scene.frame_set(frame)
    assert len(live.plan_of(scene).limbs) == 1
    for item in members:
        scene.collection.objects.link(item)
    if not render:
        scene.frame_set(5)
        assert miss(first, shown(scene), wanted(5)) < 4e-6
        assert miss(second, shown(scene), wanted(5, -1)) < 4e-6
        return
    film = film_of(scene, tmp_path, scene.view_layers[0].name)
    pictures.key_as_fk(pictures.viewport_poses([second], range(FIRST, LAST + 1)))
    truth = film_of(scene, tmp_path, scene.view_layers[0].name)
    for frame in truth:
        assert pictures.differ(film[frame], truth[frame]) <= 0.25, frame


def test_scene_without_limbs_pays_nothing():
    other = bpy.data.scenes.new("Empty")
    b.rigged_leg()
    bystander = bpy.data.objects.new("Bystander", None)
    other.collection.objects.link(bystander)
    other.view_layers[0].update()
    live.counts.clear()
    for frame in range(5):
        other.frame_set(frame)
        bystander.location.x = frame
        other.view_layers[0].update()
    assert live.counts == type(live.counts)()


def test_one_armature_in_two_scenes():
    """Each scene at its own frame is right whenever it was evaluated last, however they take turns."""
    first, second = bpy.context.scene, bpy.data.scenes.new("Second")
    object, target, pole = b.rigged_leg()
    key_target(target)
    for item in (object, target, pole):
        second.collection.objects.link(item)
    for here, there in ((1, 5), (3, 2), (4, 4)):
        first.frame_set(here)
        second.frame_set(there)
        assert miss(object, shown(second), wanted(there)) < 4e-6
        for _ in range(3):
            first.view_layers[0].update()
            assert miss(object, shown(first), wanted(here)) < 4e-6
            second.view_layers[0].update()
            assert miss(object, shown(second), wanted(there)) < 4e-6
    live.counts.clear()
    for _ in range(5):
        first.view_layers[0].update()
        second.view_layers[0].update()
    assert live.counts.writes == 0  # at the same frame they agree


def test_target_in_the_other_scene_only():
    first, second = bpy.context.scene, bpy.data.scenes.new("Second")
    object, target, pole = b.rigged_leg()
    key_target(target)
    second.collection.objects.link(object)
    first.view_layers[0].update()
    for frame in (5, 2, 4):
        second.frame_set(frame)
        assert miss(object, shown(second), wanted(frame)) < 4e-6
        first.frame_set(6 - frame)
        assert miss(object, shown(first), wanted(6 - frame)) < 4e-6


@pytest.mark.parametrize("excluded", [False, True])
def test_view_layers(excluded):
    """All layers of a scene show one pose, also a layer that excludes the controls."""
    scene = bpy.context.scene
    object, target, pole = b.rigged_leg()
    key_target(target)
    controls = bpy.data.collections.new("Controls")
    scene.collection.children.link(controls)
    for item in (target, pole):
        scene.collection.objects.unlink(item)
        controls.objects.link(item)
    second = scene.view_layers.new("Second")
    second.layer_collection.children["Controls"].exclude = excluded
    for layer in scene.view_layers:
        layer.update()
    for frame in (5, 1, 3):
        scene.frame_set(frame)
        for layer in scene.view_layers:
            assert miss(object, layer.depsgraph, wanted(frame)) < 4e-6
    target.animation_data_clear()
    target.location = (0.4, 0.2, -1.3)
    for _ in range(2):
        for layer in scene.view_layers:
            layer.update()
            assert miss(object, layer.depsgraph, (0.4, 0.2, -1.3)) < 4e-6


def film_of(scene, folder, layer):
    """Pixels by frame of an animation render of `scene`, of that view layer alone."""
    for each in scene.view_layers:
        each.use = each.name == layer
    scene.frame_start, scene.frame_end = FIRST, LAST
    scene.render.filepath = str(folder / "film_####")
    bpy.ops.render.render(animation=True, scene=scene.name)
    return {frame: pictures.read(folder / f"film_{frame:04d}.png") for frame in range(FIRST, LAST + 1)}


def test_every_view_layer_is_rendered_right(tmp_path):
    scene = pictures.studio()
    object, target, pole = b.rigged_leg()
    for bone in ("up", "lo"):
        pictures.bar(object, bone)
    key_target(target)
    controls = bpy.data.collections.new("Controls")
    scene.collection.children.link(controls)
    for item in (target, pole):
        scene.collection.objects.unlink(item)
        controls.objects.link(item)
    second = scene.view_layers.new("Second")
    second.layer_collection.children["Controls"].exclude = True
    b.update()
    films = {layer.name: film_of(scene, tmp_path, layer.name) for layer in scene.view_layers}
    pictures.key_as_fk(pictures.viewport_poses([object], range(FIRST, LAST + 1)))
    truth = film_of(scene, tmp_path, "Second")
    for film in films.values():
        for frame in truth:
            assert pictures.differ(film[frame], truth[frame]) <= 0.25, frame
    assert pictures.differ(truth[FIRST], truth[LAST]) > 2.5


def test_another_scene_is_rendered_right(tmp_path):
    """While one scene is shown another is rendered; one of its limbs is in both."""
    first = pictures.studio()
    object, target, pole = b.rigged_leg()
    key_target(target)
    for bone in ("up", "lo"):
        pictures.bar(object, bone)
    bpy.ops.scene.new(type='LINK_COPY')
    second = bpy.context.scene
    assert second != first
    bpy.context.window.scene = first
    first.frame_set(4)
    pose = b.bone_matrices(object)
    film = film_of(second, tmp_path, second.view_layers[0].name)
    b.update()
    for name, matrix in b.bone_matrices(object).items():
        assert np.allclose(matrix, pose[name], atol=1e-6)
    pictures.key_as_fk(pictures.viewport_poses([object], range(FIRST, LAST + 1)))
    truth = film_of(second, tmp_path, second.view_layers[0].name)
    for frame in truth:
        assert pictures.differ(film[frame], truth[frame]) <= 0.25, frame
    assert pictures.differ(truth[FIRST], truth[LAST]) > 2.5


def test_character_shown_as_an_instance():
    """A scene that shows another's collection by an instance solves the limbs in it."""
    first, second = bpy.context.scene, bpy.data.scenes.new("Second")
    object, target, pole = b.rigged_leg()
    key_target(target)
    character = bpy.data.collections.new("Character")
    first.collection.children.link(character)
    for item in (object, target, pole):
        first.collection.objects.unlink(item)
        character.objects.link(item)
    instance = bpy.data.objects.new("Instance", None)
    instance.instance_type, instance.instance_collection = 'COLLECTION', character
    second.collection.objects.link(instance)
    first.frame_set(1)
    for frame in (5, 2, 4):
        second.frame_set(frame)
        assert miss(object, shown(second), wanted(frame)) < 4e-6


def test_windows_at_different_frames_are_warned_of():
    """One armature shown by two windows at two frames has them evaluate each other for ever."""
    first, second = bpy.context.scene, bpy.data.scenes.new("Second")
    object, _target, _pole = b.rigged_leg()
    (limb,) = rig.limbs(object)
    first.frame_set(1)
    second.frame_set(6)
    assert list(shared_by(limb, {first, second})) == []
    second.collection.objects.link(object)
    assert list(shared_by(limb, {first})) == []
    (trouble,) = shared_by(limb, {first, second})
    assert '"Second"' in trouble.sentence
    second.frame_set(1)
    assert list(shared_by(limb, {first, second})) == []
