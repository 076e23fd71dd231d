"""The operators take the selection, explain what they will not do, and leave nothing half done."""

import bpy
import builders as b
import pytest

from twobone_addon import rig


def message(operator):
    """What Blender says when the operator's poll refuses."""
    with pytest.raises(RuntimeError) as caught:
        operator()
    return str(caught.value)


@pytest.mark.parametrize("chosen", [("lo",), ("up", "lo")])
def test_one_bone_or_two(chosen):
    object = b.leg()
    b.select(object, *chosen)
    assert bpy.ops.pose.twobone_add() == {'FINISHED'}
    (limb,) = rig.limbs(object)
    assert (limb.upper, limb.lower) == ("up", "lo")
    assert limb.target.object.name == "lo target"
    assert limb.pole.object.name == "lo pole"


def arms():
    rows = []
    for side, x in (("L", 1), ("R", -1)):
        rows += [(f"shoulder.{side}", (0, 0, 2), (x * 0.2, 0, 2), "", 0),
                 (f"arm.{side}", (x * 0.2, 0, 2), (x * 0.6, 0.05, 2), f"shoulder.{side}", 0),
                 (f"forearm.{side}", (x * 0.6, 0.05, 2), (x, 0, 2), f"arm.{side}", 0)]
    rows += [("hand_ik", (1.0, 0.1, 2), (1.2, 0.1, 2), "", 0), ("elbow_ik", (0.6, 1, 2), (0.6, 1.2, 2), "", 0)]
    return b.armature("Arms", rows)


def test_several_forearms():
    object = arms()
    b.select(object, "forearm.L", "forearm.R")
    assert bpy.ops.pose.twobone_add() == {'FINISHED'}
    assert [limb.lower for limb in rig.limbs(object)] == ["forearm.L", "forearm.R"]


def test_selected_bones_serve_as_controls():
    object = arms()
    b.select(object, "elbow_ik", "hand_ik", "forearm.L")
    assert bpy.ops.pose.twobone_add() == {'FINISHED'}
    (limb,) = rig.limbs(object)
    assert (limb.target.bone, limb.pole.bone) == ("hand_ik", "elbow_ik")


@pytest.mark.parametrize("names", [("near",), ("near", "far"), ("far", "near")])
def test_selected_empties_serve_as_controls(names):
    places = {"near": (0, 0, -2), "far": (0, -2, -1)}
    object = b.leg()
    controls = {name: b.empty(name, places[name]) for name in names}
    b.update()
    b.select(object, "lo")
    object.select_set(True)
    for control in controls.values():
        control.select_set(True)
    assert bpy.ops.pose.twobone_add() == {'FINISHED'}
    (limb,) = rig.limbs(object)
    assert limb.target.object == controls["near"]
    assert limb.pole.object == (controls["far"] if len(names) == 2 else bpy.data.objects["lo pole"])


def test_remove_and_rebind():
    object = arms()
    b.select(object, "forearm.L", "forearm.R")
    bpy.ops.pose.twobone_add()
    assert bpy.ops.pose.twobone_rebind() == {'FINISHED'}
    b.select(object, "arm.L")
    assert bpy.ops.pose.twobone_remove() == {'FINISHED'}
    assert [limb.lower for limb in rig.limbs(object)] == ["forearm.R"]


def test_poll_messages():
    assert "Pose Mode" in message(bpy.ops.pose.twobone_add)
    object = arms()
    b.select(object)
    assert "Select the lower bone" in message(bpy.ops.pose.twobone_add)
    b.select(object, "hand_ik")
    assert '"hand_ik" has no parent bone' in message(bpy.ops.pose.twobone_add)
    assert '"hand_ik" has no Two-Bone IK' in message(bpy.ops.pose.twobone_remove)
    b.select(object, "forearm.L")
    bpy.ops.pose.twobone_add()
    assert "already has Two-Bone IK" in message(bpy.ops.pose.twobone_add)
    assert '"forearm.L"' in message(bpy.ops.pose.twobone_add)


def test_a_refusal_among_several_leaves_the_others():
    object = arms()
    b.select(object, "forearm.L")
    bpy.ops.pose.twobone_add()
    b.select(object, "forearm.L", "forearm.R")
    assert bpy.ops.pose.twobone_add() == {'FINISHED'}
    assert len(rig.limbs(object)) == 2


@pytest.mark.parametrize("name", ["twobone_add", "twobone_remove", "twobone_rebind"])
def test_described_and_undoable(name):
    kind = getattr(bpy.ops.pose, name).get_rna_type()
    assert len(kind.description) > 30
    assert not kind.description.endswith(".")
    assert "UNDO" in getattr(bpy.ops.pose, name).bl_options
