"""Removing leaves the armature exactly as it was."""

import bpy
import builders as b

from twobone_addon import rig

VIEW = {"rna_type", "bl_rna", "id_data", "is_in_ik_chain"}


def dump(struct, depth=0):
    """Every readable RNA value of a pose bone, constraints and custom data included."""
    found = {}
    for prop in struct.bl_rna.properties:
        name = prop.identifier
        if name in VIEW or (prop.type == 'POINTER' and name.startswith("twobone_") and not struct.twobone_version):
            continue  # reading an unset pointer would itself create it
        value = getattr(struct, name)
        if prop.type == 'COLLECTION':
            found[name] = [dump(item, depth + 1) for item in value] if depth < 2 and name == "constraints" else len(value)
        elif prop.type == 'POINTER':
            found[name] = getattr(value, "name", value is None)
        elif hasattr(value, "__len__") and not isinstance(value, str):
            found[name] = [tuple(item) if hasattr(item, "__len__") else item for item in value]
        else:
            found[name] = value
    return found


def snapshot(object):
    bones = {bone.name: dump(bone) for bone in object.pose.bones}
    return bones, {bone.name: sorted(bone.keys()) for bone in object.pose.bones}, sorted(bpy.data.objects.keys())


def test_everything_is_as_before():
    object = b.leg(1, 1, 10, extra=[("hand", (0, 0, -1.9923894), (0, -0.2, -2), "lo", 0)])
    copy = object.pose.bones["lo"].constraints.new('COPY_SCALE')
    copy.influence = 0.3
    b.update()
    before = snapshot(object)
    rig.add_limb(object, "lo", tip="hand")
    assert snapshot(object) != before
    object.pose.bones["lo"].twobone_influence = 0.4
    object.pose.bones["lo"].keyframe_insert("twobone_influence", frame=1)
    bpy.context.scene.frame_set(4)
    rig.remove_limb(object, "lo")
    assert snapshot(object) == before
    assert b.curves(object) == []
    assert not object.pose.bones["lo"].is_property_set("twobone_target")


def test_controls_of_the_user_stay():
    object, _target, _pole = b.rigged_leg(1, 1, 10)
    rig.remove_limb(object, "lo")
    assert {"T", "P"} <= set(bpy.data.objects.keys())


def test_created_controls_in_use_stay():
    object = b.leg(1, 1, 10)
    b.update()
    rig.add_limb(object, "lo")
    target, pole = object.pose.bones["lo"].twobone_target, object.pose.bones["lo"].twobone_pole
    constraint = b.empty("User").constraints.new('COPY_LOCATION')
    constraint.target = target
    b.empty("Child", parent=pole)
    b.update()
    rig.remove_limb(object, "lo")
    assert {"lo target", "lo pole"} <= set(bpy.data.objects.keys())


def test_created_controls_without_use_go():
    object = b.leg(1, 1, 10)
    b.update()
    rig.add_limb(object, "lo")
    rig.remove_limb(object, "lo")
    assert set(bpy.data.objects.keys()) == {"Leg"}
