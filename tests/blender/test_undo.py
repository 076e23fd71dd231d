"""Undo and redo: the pose is always the one of the target that came back, and one operator is one step."""

import bpy
import builders as b
import numpy as np
import pytest

from twobone_addon import rig


def push(message):
    bpy.ops.ed.undo_push(message=message)


def undo(times=1):
    for _ in range(times):
        assert bpy.ops.ed.undo() == {'FINISHED'}


def redo():
    assert bpy.ops.ed.redo() == {'FINISHED'}


def leg(name="Leg"):
    """The leg as it is now: an undo replaces all data."""
    return bpy.data.objects[name]


def constraints(object):
    return [constraint.name for bone in object.pose.bones for constraint in bone.constraints]


@pytest.fixture(autouse=True)
def two_legs():
    for name, x in (("Leg", 0.0), ("Second", 1.0)):
        object = b.leg(1, 1, 10, name=name)
        object.location.x = x
    b.update()
    push("Built")


def add(object):
    b.select(object, "lo")
    push("Selected")
    assert bpy.ops.pose.twobone_add('EXEC_DEFAULT', True) == {'FINISHED'}
    return object.pose.bones["lo"].twobone_target


def follows(object, x):
    target = object.pose.bones["lo"].twobone_target
    return target.location.x == pytest.approx(x) and b.tip_error(object, target) < 4e-6


def test_drag():
    add(leg("Second"))
    bpy.ops.object.mode_set(mode='OBJECT')
    target = add(leg())
    start = target.location.x
    for x in (0.1, 0.2):
        leg().pose.bones["lo"].twobone_target.location = (x, 0, -1.5)
        b.update()
        push("Move")
    assert follows(leg(), 0.2)
    undo()
    assert follows(leg(), 0.1)
    undo()
    assert follows(leg(), start)
    redo()
    assert follows(leg(), 0.1)
    leg().pose.bones["lo"].twobone_target.location.x = 0.3
    b.update()
    assert follows(leg(), 0.3)
    assert follows(leg("Second"), 0.0)


def test_add_is_one_step():
    before = b.ends(leg())
    add(leg())
    assert len(bpy.data.objects) == 4
    undo()
    assert rig.limbs(leg()) == []
    assert constraints(leg()) == []
    assert len(bpy.data.objects) == 2
    assert b.moved(before, b.ends(leg())) == 0.0
    redo()
    assert [limb.lower for limb in rig.limbs(leg())] == ["lo"]
    leg().pose.bones["lo"].twobone_target.location = (0.1, 0.2, -1.4)
    b.update()
    assert follows(leg(), 0.1)


def test_remove_is_one_step():
    target = add(leg())
    target.location = (0.3, 0.1, -1.3)
    b.update()
    push("Move")
    assert bpy.ops.pose.twobone_remove('EXEC_DEFAULT', True) == {'FINISHED'}
    assert constraints(leg()) == []
    undo()
    assert follows(leg(), 0.3)
    leg().pose.bones["lo"].twobone_target.location.x = 0.4
    b.update()
    assert follows(leg(), 0.4)
    undo()
    redo()


def test_rebind_is_one_step():
    add(leg())
    binding = leg().pose.bones["lo"].twobone_bind
    leg().pose.bones["lo"].rotation_quaternion = (0.9, 0.3, 0, 0)
    b.update()
    push("Pose")
    assert bpy.ops.pose.twobone_rebind('EXEC_DEFAULT', True) == {'FINISHED'}
    assert leg().pose.bones["lo"].twobone_bind != binding
    undo()
    assert leg().pose.bones["lo"].twobone_bind == binding


def test_setting_changed():
    add(leg())
    leg().pose.bones["lo"].twobone_target.location = (0.3, 0, -1.2)
    b.update()
    push("Move")
    knee = b.ends(leg())["lo"][0]
    leg().pose.bones["lo"].twobone_pole_angle = 1.0
    b.update()
    push("Turn")
    assert np.linalg.norm(b.ends(leg())["lo"][0] - knee) > 0.1
    undo()
    assert np.linalg.norm(b.ends(leg())["lo"][0] - knee) < 1e-6


@pytest.mark.parametrize("doomed", ["armature", "target", "pole", "lower bone"])
def test_deleted_and_brought_back(doomed):
    add(leg())
    leg().pose.bones["lo"].twobone_target.location = (0.2, 0.3, -1.3)
    b.update()
    push("Move")
    shown = b.ends(leg())
    bpy.ops.object.mode_set(mode='OBJECT')
    push("Object Mode")
    if doomed == "lower bone":
        with b.edited(leg()) as bones:
            bones.remove(bones["lo"])
    else:
        bone = leg().pose.bones["lo"]
        bpy.ops.object.select_all(action='DESELECT')
        {"armature": leg(), "target": bone.twobone_target, "pole": bone.twobone_pole}[doomed].select_set(True)
        bpy.ops.object.delete()
        bpy.data.orphans_purge()
    b.update()
    push("Delete")
    bpy.context.scene.frame_set(2)
    undo()
    assert b.moved(shown, b.ends(leg())) < 2e-6
    assert rig.problems(leg(), "lo") == []
    leg().pose.bones["lo"].twobone_target.location.x = 0.4
    b.update()
    assert follows(leg(), 0.4)


def renamed_like_by_hand(armature, names):
    """Rename bones as the interface does: the undo step is taken before Blender evaluates anything."""
    for old, new in names:
        armature.data.bones[old].name = new
    push("Rename")
    b.update()


def test_rename_of_the_limb():
    add(leg())
    renamed_like_by_hand(leg(), [("up", "thigh"), ("lo", "shin")])
    for x in (0.1, 0.2):
        leg().pose.bones["shin"].twobone_target.location = (x, 0, -1.5)
        b.update()
        push("Move")
    undo()
    assert b.tip_error(leg(), leg().pose.bones["shin"].twobone_target, "shin") < 4e-6
    undo(2)
    assert [limb.lower for limb in rig.limbs(leg())] == ["lo"]
    leg().pose.bones["lo"].twobone_target.location = (0.4, 0, -1.5)
    b.update()
    assert follows(leg(), 0.4)


def test_names_of_both_bones_swapped_with_others():
    add(leg())
    with b.edited(leg()) as bones:
        for name in ("up", "lo"):
            bone = bones.new(f"{name}.2")
            bone.head, bone.tail = bones[name].head + b.vector((1, 0, 0)), bones[name].tail + b.vector((1, 0, 0))
            bone.parent = bones.get("up.2") if name == "lo" else None
    push("Extrude")
    renamed_like_by_hand(leg(), [(old, new) for name in ("up", "lo")
                                 for old, new in ((name, "x"), (f"{name}.2", name), ("x", f"{name}.2"))])
    leg().pose.bones["lo.2"].twobone_target.location = (0.1, 0.2, -1.4)
    b.update()
    push("Move")
    assert b.on_target(leg(), "lo.2")
    undo(2)
    leg().pose.bones["lo"].twobone_target.location = (0.3, 0.2, -1.4)
    b.update()
    assert follows(leg(), 0.3)


def test_rename_of_the_target_bone():
    """The limb follows the renamed bone, also after undoing what was done since the renaming."""
    with b.edited(leg()) as bones:
        bones.new("hand").head, bones["hand"].tail = (0, 0, -1.6), (0, 0, -1.9)
    b.update()
    rig.add_limb(leg(), "lo", leg(), target_bone="hand")
    push("Add")
    renamed_like_by_hand(leg(), [("hand", "hand.ik")])
    for x in (0.1, 0.2):
        leg().pose.bones["hand.ik"].location.x = x
        b.update()
        push("Move")
    for _ in range(2):
        undo()
        assert rig.problems(leg(), "lo") == []
        assert np.allclose(b.ends(leg())["lo"][1], b.ends(leg())["hand.ik"][0], atol=4e-6)
    undo()
    assert rig.problems(leg(), "lo") == []
    assert np.allclose(b.ends(leg())["lo"][1], b.ends(leg())["hand"][0], atol=4e-6)
