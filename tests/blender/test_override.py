"""Linked characters: an override keeps its limb, its settings and what it follows over a reload."""

import bpy
import builders as b
import numpy as np
import pytest

from twobone_addon import rig


@pytest.fixture
def library(tmp_path):
    """A file with a rig that has IK in a collection, and one without."""
    for name, with_ik in (("Rigged", True), ("Bare", False)):
        object = b.leg(1, 1, 10, name=name)
        b.update()
        if with_ik:
            rig.add_limb(object, "lo")
        collection = bpy.data.collections.new(f"{name} character")
        bpy.context.scene.collection.children.link(collection)
        for member in [object, *object.children]:
            collection.objects.link(member)
            bpy.context.scene.collection.objects.unlink(member)
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    return path


def linked(path, name):
    with bpy.data.libraries.load(path, link=True) as (_source, data):
        data.collections = [f"{name} character"]
    return bpy.data.collections[f"{name} character"]


def overridden(path, name):
    """The override armature of a linked character."""
    instance = b.empty("Instance")  # as the interface links a character; 5.3 overrides nothing that is in no scene
    instance.instance_type, instance.instance_collection = 'COLLECTION', linked(path, name)
    b.update()
    instance.instance_collection.override_hierarchy_create(
        bpy.context.scene, bpy.context.view_layer, reference=instance, do_fully_editable=True)
    b.update()
    return own(name)


def own(name):
    return next(object for object in bpy.context.scene.objects
                if object.name.startswith(name) and object.type == 'ARMATURE' and object.override_library)


def on_target(object):
    target = object.pose.bones["lo"].twobone_target
    assert target in set(bpy.context.scene.objects)
    tip = (b.world(object) @ np.append(b.ends(object)["lo"][1], 1))[:3]
    return np.linalg.norm(tip - b.place(target)) < 4e-6


def test_override_follows_its_own_target_and_keeps_its_settings(library, tmp_path):
    object = overridden(library, "Rigged")
    bone = object.pose.bones["lo"]
    assert bone.twobone_target.library is None
    bone.twobone_target.location = (0.3, 0.1, -1.2)
    bone.twobone_pole_angle = 0.4
    b.update()
    assert on_target(object)
    path = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    object = own("Rigged")
    bone = object.pose.bones["lo"]
    assert object.library is None
    assert bone.twobone_target.library is None
    assert bone.twobone_pole_angle == pytest.approx(0.4)
    assert np.allclose(bone.twobone_target.location, (0.3, 0.1, -1.2))
    assert on_target(object)
    bone.twobone_target.location = (0.5, 0.1, -1.0)
    b.update()
    assert on_target(object)


def test_ik_added_to_an_override_survives(library, tmp_path):
    object = overridden(library, "Bare")
    rig.add_limb(object, "lo")
    object.pose.bones["lo"].twobone_target.location = (0.3, 0.1, -1.2)
    b.update()
    assert on_target(object)
    path = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    object = own("Bare")
    assert rig.problems(object, "lo") == []
    object.pose.bones["lo"].twobone_target.location = (0.1, 0.4, -1.3)
    b.update()
    assert on_target(object)


def test_linked_rig_is_left_alone_and_says_so(library):
    from twobone_addon.rig import live

    collection = linked(library, "Rigged")
    bpy.context.scene.collection.children.link(collection)
    b.update()
    object = next(object for object in collection.all_objects if object.type == 'ARMATURE')
    live.counts.clear()
    bpy.context.scene.frame_set(5)
    assert live.counts.writes == 0
    assert any("library override" in problem for problem in rig.problems(object, "lo"))
