"""A linked character without an override is read-only, and the panel says so."""

import bpy
import builders as b
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
