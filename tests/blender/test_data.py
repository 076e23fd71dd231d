"""Duplicating, deleting, exchanging: the limb goes with its data, or says what is missing."""

import bpy
import builders as b
import numpy as np
import pytest

from twobone_addon import rig
from twobone_addon.rig import live


def select_objects(*objects):
    bpy.ops.object.select_all(action='DESELECT')
    for object in objects:
        object.select_set(True)
    bpy.context.view_layer.objects.active = objects[0]


@pytest.mark.parametrize("made_here", [True, False])
@pytest.mark.parametrize("linked", [True, False])
@pytest.mark.parametrize("selected", ["all", "armature and target", "armature"])
def test_duplicated(selected, linked, made_here):
    """The copy follows the copies of the controls that were duplicated with it, and else the same ones."""
    object = b.leg()
    b.update()
    rig.add_limb(object, "lo", *(() if made_here else (b.empty("T", (0, 0, -1.5)), b.empty("P", (0, -3, -1)))))
    bone = object.pose.bones["lo"]
    target, pole = bone.twobone_target, bone.twobone_pole
    select_objects(*{"all": (object, target, pole), "armature and target": (object, target), "armature": (object,)}[selected])
    bpy.ops.object.duplicate(linked=linked)
    copy = bpy.context.object
    followed, bent = (getattr(copy.pose.bones["lo"], f"twobone_{role}") for role in ("target", "pole"))
    assert copy != object
    assert (followed != target) == (selected != "armature")
    assert (bent != pole) == (selected == "all")
    followed.location = (0.5, 0.1, -1.2)
    b.update()
    for each in (object, copy):
        assert b.on_target(each)
        assert rig.problems(each, "lo") == []
    rig.remove_limb(copy, "lo")
    target.location = (0.2, 0, -1.4)
    b.update()
    assert b.on_target(object)
    assert rig.problems(object, "lo") == []


def test_copied_by_a_script():
    object, target, _pole = b.rigged_leg()
    copy = b.link(object.copy())
    copy.location.x = 0.3
    target.location = (0.5, 0.1, -1.2)
    b.update()
    assert copy.pose.bones["lo"].twobone_target == target
    assert b.on_target(object)
    assert b.on_target(copy)


@pytest.mark.parametrize("selected", ["all", "armature"])
def test_copied_and_pasted(selected):
    """The clipboard is a file: what the armature follows comes along."""
    object, target, pole = b.rigged_leg()
    select_objects(*((object, target, pole) if selected == "all" else (object,)))
    bpy.ops.view3d.copybuffer()
    bpy.ops.view3d.pastebuffer()
    pasted = next(item for item in bpy.data.objects if item.type == 'ARMATURE' and item != object)
    followed = pasted.pose.bones["lo"].twobone_target
    assert followed != target
    followed.location = (0.5, 0.1, -1.2)
    b.update()
    assert b.on_target(pasted)
    assert b.on_target(object)
    assert rig.problems(pasted, "lo") == []


def test_appended_as_users_do(tmp_path):
    object = b.leg()
    b.update()
    rig.add_limb(object, "lo")
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    for _ in range(2):
        bpy.ops.wm.append(directory=path + "/Object/", filename="Leg", do_reuse_local_id=False)
    b.update()
    legs = [item for item in bpy.data.objects if item.type == 'ARMATURE']
    assert len(legs) == 2
    for x, leg in enumerate(legs):
        assert rig.problems(leg, "lo") == []
        leg.pose.bones["lo"].twobone_target.location = (0.2 * x, 0.1, -1.2)
    b.update()
    assert legs[0].pose.bones["lo"].twobone_target != legs[1].pose.bones["lo"].twobone_target
    assert all(b.on_target(leg) for leg in legs)


def test_target_unlinked_from_every_scene_and_linked_again():
    object, target, _pole = b.rigged_leg()
    fk = np.array(object.data.bones["lo"].matrix_local)
    target.use_fake_user = True
    bpy.context.scene.collection.objects.unlink(target)
    b.update()
    (problem,) = rig.problems(object, "lo")
    assert '"T"' in problem
    assert np.abs(b.bone_matrices(object)["lo"] - fk).max() < 1e-6
    b.link(target)
    target.location = (0.3, 0.2, -1.2)
    b.update()
    assert rig.problems(object, "lo") == []
    assert b.on_target(object)


def test_armature_deleted(capfd):
    object, target, _pole = b.rigged_leg()
    other, other_target, _pole = b.rigged_leg(name="Other")
    select_objects(object)
    bpy.ops.object.delete()
    for frame in range(5):
        target.location.x = 0.1 * frame
        other_target.location = (0.1 * frame, 0.1, -1.3)
        bpy.context.scene.frame_set(frame)
        b.update()
        assert b.on_target(other)
    bpy.data.orphans_purge()
    b.update()
    bpy.data.objects.remove(other)
    bpy.context.scene.frame_set(1)
    b.update()
    assert capfd.readouterr().err == ""


def break_limb(kind):
    """Delete or unlink what the leg needs."""
    object = bpy.data.objects["Leg"]
    bone = object.pose.bones["lo"]
    if kind.endswith("bone"):
        with b.edited(object) as bones:
            bones.remove(bones["lo" if kind == "lower bone" else "up"])
    elif kind == "target unlinked":
        bone.twobone_target.use_fake_user = True
        bpy.context.scene.collection.objects.unlink(bone.twobone_target)
    elif kind == "rest pose":
        with b.edited(object) as bones:
            bones["up"].roll += 0.5
    else:
        select_objects({"armature": object, "target": bone.twobone_target, "pole": bone.twobone_pole}[kind])
        bpy.ops.object.delete()


@pytest.mark.parametrize("kind", ["armature", "target", "pole", "target unlinked", "lower bone", "upper bone", "rest pose"])
def test_undo_and_redo(kind, capfd):
    """Broken, brought back, broken again: each time as it was, and the limb follows whenever it can."""
    b.rigged_leg(target=(0.2, 0.3, -1.3))
    bpy.ops.ed.undo_push(message="Built")
    shown = b.ends(bpy.data.objects["Leg"])
    break_limb(kind)
    b.update()
    bpy.ops.ed.undo_push(message="Broken")
    there = "Leg" in bpy.data.objects
    broken = b.ends(bpy.data.objects["Leg"]) if there else {}
    for _ in range(3):
        bpy.context.scene.frame_set(2)
        bpy.ops.ed.undo()
        object = bpy.data.objects["Leg"]
        assert b.moved(shown, b.ends(object)) < 2e-6
        assert rig.problems(object, "lo") == []
        bpy.ops.ed.redo()
        b.update()
        assert ("Leg" in bpy.data.objects) == there
        if there:
            assert b.moved(broken, b.ends(bpy.data.objects["Leg"])) < 2e-6
    bpy.ops.ed.undo()
    object = bpy.data.objects["Leg"]
    object.pose.bones["lo"].twobone_target.location.x = 0.4
    b.update()
    assert b.on_target(object)
    assert "Traceback" not in capfd.readouterr().err


def test_target_deleted_and_pole_deleted():
    object, target, pole = b.rigged_leg()
    fk = np.array(object.data.bones["lo"].matrix_local)
    bpy.data.objects.remove(pole)
    b.update()
    assert b.on_target(object)
    bpy.ops.object.select_all(action='DESELECT')
    target.select_set(True)
    bpy.ops.object.delete()
    b.update()
    assert any("target" in problem for problem in rig.problems(object, "lo"))
    assert np.abs(b.bone_matrices(object)["lo"] - fk).max() < 1e-6
    for _ in range(20):
        b.update()
        bpy.context.scene.frame_set(bpy.context.scene.frame_current + 1)
    with pytest.raises(rig.Refusal, match="target"):
        rig.readings(object, "lo")
    object.pose.bones["lo"].twobone_target = b.empty("New", (0, 0, -1.3))
    b.update()
    assert b.on_target(object)
    assert rig.problems(object, "lo") == []


def test_constraint_deleted_and_rebound():
    object, _target, _pole = b.rigged_leg()
    bone = object.pose.bones["lo"]
    bone.constraints.remove(bone.constraints["Two-Bone IK"])
    b.update()
    assert "Rebind" in rig.problems(object, "lo")[0]
    rig.rebind(object, "lo")
    assert rig.problems(object, "lo") == []
    assert b.on_target(object)


def test_muted_by_the_user_stays_muted():
    object, target, _pole = b.rigged_leg()
    object.pose.bones["up"].constraints["Two-Bone IK"].mute = True
    target.location = (0.5, 0, -1)
    b.update()
    bpy.data.objects.remove(target)
    b.update()
    object.pose.bones["lo"].twobone_target = b.empty("New", (0, 0, -1.3))
    b.update()
    assert object.pose.bones["up"].constraints["Two-Bone IK"].mute
    assert not object.pose.bones["lo"].constraints["Two-Bone IK"].mute


def test_newer_data_is_left_alone():
    object, target, _pole = b.rigged_leg()
    bone = object.pose.bones["lo"]
    bone.twobone_version = 99
    b.update()
    pose = b.bone_matrices(object)
    live.counts.clear()
    target.location = (0.6, 0, -1)
    b.update()
    assert live.counts.writes == 0
    assert all((matrix == pose[name]).all() for name, matrix in b.bone_matrices(object).items())
    assert "newer" in rig.problems(object, "lo")[0]
    for action in (rig.remove_limb, rig.rebind):
        with pytest.raises(rig.Refusal, match="newer"):
            action(object, "lo")


def test_target_renamed_and_moved_to_another_collection():
    object, target, _pole = b.rigged_leg()
    target.name = "Something else"
    collection = bpy.data.collections.new("Controls")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(target)
    bpy.context.scene.collection.objects.unlink(target)
    b.update()
    target.location = (0.3, 0.1, -1.4)
    b.update()
    assert b.on_target(object)


def test_pole_deleted_keeps_the_bend():
    object, target, pole = b.rigged_leg(1, 1, 10, target=(0, 0, -1.5))
    bpy.ops.object.select_all(action='DESELECT')
    pole.select_set(True)
    bpy.ops.object.delete()
    b.update()
    assert any("pole" in problem for problem in rig.problems(object, "lo"))
    assert np.allclose(b.ends(object)["lo"][0], (0, -0.6614378, -0.75), atol=4e-6)
    target.location = (0, 0, -1)
    b.update()
    assert b.on_target(object)
    assert np.allclose(b.ends(object)["lo"][0], (0, -0.8660254, -0.5), atol=4e-6)


def test_one_broken_limb_among_five(capfd):
    """The four others are solved, the fifth says why it is not, and nothing is printed."""
    legs = [b.rigged_leg(name=f"Leg{index}") for index in range(5)]
    with b.edited(legs[2][0]) as bones:
        bones.remove(bones["up"])
    for step in range(100):
        for _object, target, _pole in legs:
            target.location = (0.005 * step, 0.1, -1.3)
        bpy.context.scene.frame_set(step)
        assert all(b.on_target(object) for object, _target, _pole in legs[:2] + legs[3:])
    assert len(rig.problems(legs[2][0], "lo")) == 1
    assert capfd.readouterr().err == ""


def test_pose_copied_from_one_object_to_another():
    """Two objects that share one armature each have their own limb."""
    object, target, _pole = b.rigged_leg()
    other = b.link(bpy.data.objects.new("Other", object.data))
    other.location = (1, 0, 0)
    b.update()
    assert rig.limbs(other) == []
    second = b.empty("T2", (1.2, 0, -1.4))
    b.update()
    rig.add_limb(other, "lo", second)
    target.location = (0.3, 0.2, -1.2)
    b.update()
    assert b.on_target(object)
    assert b.on_target(other)
