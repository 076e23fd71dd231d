"""What an earlier version has stored works on, and is brought up to date once; what a later one has stored is left alone."""

import bpy
import builders as b
import numpy as np
import pytest

import twobone_addon
from twobone_addon import rig
from twobone_addon.rig import properties
from twobone_addon.rig.upkeep import upgrade

OF_VERSION_2 = ("twobone_rest",)
"""Properties that version 1 did not have."""


def make_version_1(object, lower="lo"):
    """Store the limb as version 1 did."""
    bone = object.pose.bones[lower]
    for name in OF_VERSION_2:
        bone.property_unset(name)
    bone.twobone_version = 1


def test_there_is_a_way_from_every_version():
    assert list(upgrade.STEPS) == list(range(1, properties.VERSION))


def test_upgraded_once():
    object, target, _pole = b.rigged_leg()
    wanted, pose = b.settings(object.pose.bones["lo"]), b.bone_matrices(object)
    make_version_1(object)
    assert upgrade.upgrade(object) == 1
    assert b.settings(object.pose.bones["lo"]) == wanted
    assert upgrade.upgrade(object) == 0
    assert b.settings(object.pose.bones["lo"]) == wanted
    b.update()
    for name, matrix in b.bone_matrices(object).items():
        assert (matrix == pose[name]).all()


@pytest.mark.parametrize("how", ["opened", "enabled", "appended"])
def test_upgraded_when_it_is_met(how, tmp_path):
    object, target, pole = b.rigged_leg()
    make_version_1(object)
    twobone_addon.unregister()
    path = str(tmp_path / "old.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    if how == "enabled":
        twobone_addon.register()
    elif how == "opened":
        twobone_addon.register()
        bpy.ops.wm.open_mainfile(filepath=path)
    else:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        twobone_addon.register()
        with bpy.data.libraries.load(path) as (_source, data):
            data.objects = ["Leg", "T", "P"]
        for item in data.objects:
            b.link(item)
        b.update()
    object = bpy.data.objects["Leg"]
    bone = object.pose.bones["lo"]
    assert bone.twobone_version == properties.VERSION
    assert all(getattr(bone, name) for name in OF_VERSION_2)
    assert rig.problems(object, "lo") == []
    bone.twobone_target.location = (0.3, 0.2, -1.2)
    b.update()
    assert b.on_target(object)


def test_old_limb_without_its_upper_bone():
    object, _target, _pole = b.rigged_leg()
    with b.edited(object) as bones:
        bones.remove(bones["up"])
    make_version_1(object)
    assert upgrade.upgrade(object) == 1
    b.update()
    (problem,) = rig.problems(object, "lo")
    assert "upper bone" in problem


def test_newer_limb_is_left_alone():
    """Neither upgraded nor mended, whatever this version makes of its bones; older limbs beside it are."""
    knees = [((x, -0.1, -1), (x, 0, -2)) for x in (0, 1)]
    object = b.armature("Legs", [row for x, (knee, foot) in enumerate(knees) for row in (
        (f"up{x}", (x, 0, 0), knee, "", 0), (f"lo{x}", knee, foot, f"up{x}", 0))] + [("spare", (2, 0, 0), (2, 0, 1), "", 0)])
    b.update()
    for x in (0, 1):
        rig.add_limb(object, f"lo{x}")
    newer = object.pose.bones["lo0"]
    newer.twobone_version = 99
    make_version_1(object, "lo1")
    stored = b.settings(newer)
    spare = object.pose.bones["spare"].constraints.new('LIMIT_ROTATION')
    spare.name, spare.max_x, spare.max_y, spare.max_z = "Two-Bone IK", -10, -10, -10  # a third bone, say
    b.update()
    bpy.context.scene.frame_set(3)
    assert b.settings(newer) == stored
    assert "Two-Bone IK" in object.pose.bones["spare"].constraints
    assert object.pose.bones["lo1"].twobone_version == properties.VERSION
    object.pose.bones["lo1"].twobone_target.location = (1.2, 0.2, -1.4)
    b.update()
    assert b.on_target(object, "lo1")
    assert "newer" in rig.problems(object, "lo0")[0]


def test_linked_old_limb_is_not_written_to(tmp_path):
    object, _target, _pole = b.rigged_leg()
    make_version_1(object)
    path = str(tmp_path / "old.blend")
    twobone_addon.unregister()
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    twobone_addon.register()
    with bpy.data.libraries.load(path, link=True) as (_source, data):
        data.objects = ["Leg", "T", "P"]
    for item in data.objects:
        b.link(item)
    b.update()
    object = next(item for item in data.objects if item.type == 'ARMATURE')
    assert object.pose.bones["lo"].twobone_version == 1
    assert np.isfinite(b.ends(object)["lo"]).all()
    assert any("library override" in problem for problem in rig.problems(object, "lo"))
