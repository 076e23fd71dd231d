"""From Blender's own IK constraint to a limb and back: the pose, the animation, and what is said of the rest."""

from math import cos, radians, sin

import bpy
import builders as b
import numpy as np
import pytest
from snapshots import changes, snapshot

from twobone_addon import rig
from twobone_addon.rig import Refusal

LENGTH = 1.8
ALIKE = 1e-3 * LENGTH
"""Native IK itself is not more exact."""


def native(object, target, pole=None, pole_angle=0.0, owner="lo", target_bone="", pole_bone="", use_tail=True):
    """Blender's IK constraint on two bones of a leg."""
    ik = object.pose.bones[owner].constraints.new('IK')
    ik.target, ik.subtarget, ik.chain_count, ik.use_tail = target, target_bone, 2, use_tail
    if pole is not None:
        ik.pole_target, ik.pole_subtarget, ik.pole_angle = pole, pole_bone, pole_angle
    b.update()
    return ik


def native_leg(pole_angle=-1.2, **kwargs):
    object = b.leg(1, 0.8, 20, **kwargs)
    target, pole = b.empty("T", (0.2, -0.3, -1.2)), b.empty("P", (0.5, -3, -0.5))
    return object, target, native(object, target, pole, pole_angle)


def positions(object, target):
    """The limb's joints while the target goes its way, all of it within reach."""
    found, start = [], tuple(target.location)
    for step in range(12):
        t = 0.5 * step
        target.location = (0.3 * sin(t), -0.3 + 0.3 * cos(t), -1.2 + 0.2 * sin(2 * t))
        b.update()
        found.append(b.joints(object))
    target.location = start
    b.update()
    return found


def apart(first, second):
    return max(float(np.linalg.norm(new - old)) for a, c in zip(first, second) for old, new in zip(a, c))


def kinds(bone):
    return [constraint.type for constraint in bone.constraints]


@pytest.mark.parametrize("rolls", [(0, 0), (30, 70), (-120, 95)])
@pytest.mark.parametrize("pole_angle", [0.0, -1.2, 2.5])
def test_there_and_back_over_a_motion(rolls, pole_angle):
    object, target, ik = native_leg(pole_angle, rolls=rolls)
    before = positions(object, target)
    assert rig.from_native(object, "lo") == []
    assert kinds(object.pose.bones["lo"]) == ['LIMIT_ROTATION']
    assert b.on_target(object)
    assert apart(before, positions(object, target)) < ALIKE
    assert rig.to_native(object, "lo") == []
    assert kinds(object.pose.bones["lo"]) == ['IK'] and not object.pose.bones["up"].constraints
    assert object.pose.bones["lo"].constraints["IK"].pole_angle == pytest.approx(pole_angle, abs=1e-4)
    assert apart(before, positions(object, target)) < ALIKE
    assert rig.limbs(object) == []


@pytest.mark.parametrize("pole_angle, twobone_angle", [(0.0, 0.0), (1.0, 0.0), (0.4, -0.9)])
def test_limbs_become_native(pole_angle, twobone_angle):
    object = b.leg(1, 0.8, 20, rolls=(pole_angle * 50, 10))
    b.update()
    limb = rig.add_limb(object, "lo")
    object.pose.bones["lo"].twobone_pole_angle = twobone_angle
    target = limb.target.object
    target.location = (0.2, -0.3, -1.2)
    b.update()
    before, axes = positions(object, target), b.bone_matrices(object)
    assert rig.to_native(object, "lo") == []
    assert apart(before, positions(object, target)) < ALIKE
    assert b.turned(axes, b.bone_matrices(object)) < 0.1
    assert {limb.target.object.name, limb.pole.object.name} <= set(bpy.data.objects.keys())


def test_a_limb_bound_straight_becomes_native_and_bends():
    object = b.leg(1, 0.8, 0)
    b.update()
    limb = rig.add_limb(object, "lo")
    target = limb.target.object
    target.location = (0.2, -0.3, -1.2)
    b.update()
    before = positions(object, target)
    said = rig.to_native(object, "lo")
    assert len(said) == 1 and "FK pose" in said[0]
    assert apart(before, positions(object, target)) < ALIKE


def test_a_straight_limb_that_bends_in_fk_keeps_its_side():
    object, target, ik = native_leg(0.0)
    object.pose.bones["up"].rotation_mode = 'XYZ'
    before = positions(object, target)
    target.location = (0.1, -1.0, -4)
    b.update()
    assert rig.from_native(object, "lo") == []
    target.location = (0.2, -0.3, -1.2)
    assert apart(before, positions(object, target)) < ALIKE


@pytest.mark.parametrize("object_scale", [1.0, 0.01])
def test_moved_and_scaled_armatures(object_scale):
    object, target, ik = native_leg()
    object.location, object.rotation_euler, object.scale = (1, -2, 0.5), (0.3, 0.2, -1), [object_scale] * 3
    for control in (target, bpy.data.objects["P"]):
        control.parent = object
    b.update()
    before = positions(object, target)
    assert rig.from_native(object, "lo") == []
    assert apart(before, positions(object, target)) < ALIKE
    assert rig.to_native(object, "lo") == []
    assert apart(before, positions(object, target)) < ALIKE


def test_bones_as_target_and_pole():
    object = b.leg(1, 0.8, 20, extra=[("T", (0.2, -0.3, -1.2), (0.2, -0.3, -1), "", 0),
                                      ("P", (0.5, -3, -0.5), (0.5, -3, 0), "", 0)])
    b.update()
    native(object, object, object, 0.7, target_bone="T", pole_bone="P")
    before = b.joints(object)
    assert rig.from_native(object, "lo") == []
    limb, = rig.limbs(object)
    assert (limb.target.object, limb.target.bone, limb.pole.object, limb.pole.bone) == (object, "T", object, "P")
    assert apart([before], [b.joints(object)]) < ALIKE
    assert rig.to_native(object, "lo") == []
    ik = object.pose.bones["lo"].constraints["IK"]
    assert (ik.target, ik.subtarget, ik.pole_target, ik.pole_subtarget) == (object, "T", object, "P")
    assert {"T", "P"} <= set(object.pose.bones.keys())


@pytest.mark.parametrize("named", ["lo", "foot"])
def test_a_constraint_that_reaches_with_the_head_of_its_bone(named):
    object = b.leg(1, 0.8, 20, extra=[("foot", (0, 0, -1.773), (0, -0.3, -1.8), "lo", 0)])
    target, pole = b.empty("T", (0.2, -0.3, -1.2)), b.empty("P", (0.5, -3, -0.5))
    native(object, target, pole, -1.2, owner="foot", use_tail=False)
    before = positions(object, target)
    assert rig.from_native(object, named) == []
    assert not object.pose.bones["foot"].constraints
    assert apart(before, positions(object, target)) < ALIKE


def test_without_a_pole():
    object = b.leg(1, 0.8, 20)
    target = b.empty("T", (0, -0.3, -1.2))
    native(object, target)
    before = b.joints(object)
    objects = set(bpy.data.objects)
    said = rig.from_native(object, "lo")
    assert len(said) == 1 and "no pole" in said[0]
    assert apart([before], [b.joints(object)]) < ALIKE
    assert rig.limbs(object)[0].pole is None and set(bpy.data.objects) == objects
    said = rig.to_native(object, "lo")
    assert any("no pole" in sentence for sentence in said)
    assert object.pose.bones["lo"].constraints["IK"].pole_target is None
    assert apart([before], [b.joints(object)]) < ALIKE


# Influence and its animation

def influence_path(object):
    paths = [curve.data_path for curve in b.curves(object)]
    drivers = object.animation_data.drivers if object.animation_data else ()
    return [path for path in [*paths, *(curve.data_path for curve in drivers)] if "influence" in path]


def over_time(object):
    found = []
    for frame in (1, 4, 6, 9, 11):
        bpy.context.scene.frame_set(frame)
        found.append(b.joints(object))
    return found


@pytest.mark.parametrize("frame", [1, 6, 11])
def test_keyed_influence_moves_along_and_back(frame):
    object, target, ik = native_leg()
    for at, value in ((1, 0.0), (11, 1.0)):
        ik.influence = value
        ik.keyframe_insert("influence", frame=at)
    b.straighten(object)
    bpy.context.scene.frame_set(frame)
    curve, = b.curves(object)
    rows = [(tuple(point.co), point.interpolation) for point in curve.keyframe_points]
    assert rig.from_native(object, "lo") == []
    assert influence_path(object) == ['pose.bones["lo"].twobone_influence']
    assert object.pose.bones["lo"].twobone_influence == pytest.approx((frame - 1) / 10)
    curve, = b.curves(object)
    assert [(tuple(point.co), point.interpolation) for point in curve.keyframe_points] == rows
    on_time = over_time(object)
    assert b.on_target(object, target=target)
    bpy.context.scene.frame_set(frame)
    assert rig.to_native(object, "lo") == []
    assert influence_path(object) == ['pose.bones["lo"].constraints["IK"].influence']
    assert object.pose.bones["lo"].constraints["IK"].influence == pytest.approx((frame - 1) / 10)
    back = over_time(object)
    assert apart([on_time[0], on_time[-1]], [back[0], back[-1]]) < ALIKE


def test_driven_influence_moves_along_and_back():
    object, target, ik = native_leg()
    object["switch"] = 1.0
    driver = ik.driver_add("influence").driver
    driver.type = 'SUM'
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = object, '["switch"]'
    b.update()
    before = b.joints(object)
    assert rig.from_native(object, "lo") == []
    assert influence_path(object) == ['pose.bones["lo"].twobone_influence']
    assert apart([before], [b.joints(object)]) < ALIKE
    object["switch"] = 0.0
    object.update_tag()
    b.update()
    fk = b.joints(object)
    assert apart([before], [fk]) > 0.1
    assert rig.to_native(object, "lo") == []
    assert influence_path(object) == ['pose.bones["lo"].constraints["IK"].influence']
    assert apart([fk], [b.joints(object)]) < ALIKE
    object["switch"] = 1.0
    object.update_tag()
    b.update()
    assert apart([before], [b.joints(object)]) < ALIKE


def test_influence_on_an_nla_track_moves_along():
    object, target, ik = native_leg()
    for at, value in ((1, 0.0), (11, 1.0)):
        ik.influence = value
        ik.keyframe_insert("influence", frame=at)
    data = object.animation_data
    track = data.nla_tracks.new()
    track.strips.new("Strip", 1, data.action)
    if hasattr(data, "action_slot"):
        slot = data.action_slot
        track.strips[0].action_slot = slot
    data.action = None
    bpy.context.scene.frame_set(11)
    rig.from_native(object, "lo")
    bpy.context.scene.frame_set(1)
    assert object.pose.bones["lo"].twobone_influence == 0.0
    bpy.context.scene.frame_set(11)
    assert object.pose.bones["lo"].twobone_influence == 1.0


def test_partial_influence():
    object, target, ik = native_leg()
    ik.influence = 0.4
    b.update()
    assert rig.from_native(object, "lo") == []
    bone = object.pose.bones["lo"]
    assert bone.twobone_influence == pytest.approx(0.4)
    bone.twobone_influence = 1.0
    b.update()
    assert b.on_target(object, target=target)


def test_a_muted_constraint_stays_without_effect():
    object, target, ik = native_leg()
    ik.mute = True
    b.update()
    before = b.joints(object)
    said = rig.from_native(object, "lo")
    assert len(said) == 1 and "muted" in said[0]
    assert apart([before], [b.joints(object)]) < 1e-6
    rig.to_native(object, "lo")
    assert object.pose.bones["lo"].constraints["IK"].mute
    assert apart([before], [b.joints(object)]) < 1e-6


# What has no counterpart

@pytest.mark.parametrize("owner, setting, value, word", [
    ("ik", "iterations", 50, "Iterations 50"), ("ik", "weight", 0.5, "Weight 0.5"), ("ik", "use_rotation", True, "Rotation"),
    ("lo", "ik_stretch", 0.1, "IK Stretch 0.1"), ("up", "ik_stretch", 0.25, "IK Stretch 0.25"),
    ("lo", "use_ik_limit_x", True, "IK X Limit"), ("lo", "lock_ik_y", True, "IK Y Lock"),
    ("up", "ik_stiffness_z", 0.5, "IK Z Stiffness 0.5")])
def test_settings_of_the_constraint_without_counterpart_are_said(owner, setting, value, word):
    object, target, ik = native_leg()
    struct = ik if owner == "ik" else object.pose.bones[owner]
    setattr(struct, setting, value)
    b.update()
    said = rig.from_native(object, "lo")
    sentence, = [sentence for sentence in said if word in sentence]
    assert f'"{"lo" if owner == "ik" else owner}"' in sentence


def test_animated_settings_of_the_constraint_are_said():
    object, target, ik = native_leg()
    ik.keyframe_insert("pole_angle", frame=1)
    said = rig.from_native(object, "lo")
    assert any("Pole Angle" in sentence for sentence in said)
    assert b.curves(object) == []


@pytest.mark.parametrize("path, value, word", [
    ("twobone_softness", 0.1, "Softness 0.1"), ("twobone_bend_min", radians(10), "10.0°"),
    ("twobone_bend_max", radians(150), "150.0°")])
def test_settings_of_the_limb_without_counterpart_are_said(path, value, word):
    object, _target, _pole = b.rigged_leg(1, 0.8, 20)
    setattr(object.pose.bones["lo"], path, value)
    b.update()
    assert any(word in sentence for sentence in rig.to_native(object, "lo"))


def test_animated_settings_of_the_limb_are_said():
    object, _target, _pole = b.rigged_leg(1, 0.8, 20)
    bone = object.pose.bones["lo"]
    b.keys(bone, "twobone_softness", [(1, 0.0), (10, 0.1)])
    b.keys(bone, "twobone_pole_angle", [(1, 0.0), (10, 0.1)])
    bpy.context.scene.frame_set(1)
    said = rig.to_native(object, "lo")
    assert any("Softness" in sentence for sentence in said) and any("Pole Angle" in sentence for sentence in said)
    assert b.curves(object) == []


def test_a_tip_beside_the_tail_is_said():
    object = b.leg(1, 0.8, 20, extra=[("foot", (0.1, 0, -1.773), (0.1, -0.3, -1.8), "lo", 0)])
    b.update()
    rig.add_limb(object, "lo", tip="foot")
    assert any("tail" in sentence for sentence in rig.to_native(object, "lo"))


# Refusals

def refused(object, convert, name="lo"):
    stored = snapshot(object)
    with pytest.raises(Refusal) as refusal:
        convert(object, name)
    assert changes(stored, snapshot(object)) == []
    return str(refusal.value)


def test_what_has_no_constraint_is_refused():
    assert '"lo" has no IK constraint' in refused(b.leg(), rig.from_native)
    assert '"lo" has no Two-Bone IK' in refused(b.leg(name="Other"), rig.to_native)


def three(object, ik):
    ik.chain_count = 0


def one(object, ik):
    ik.chain_count = 1


def no_target(object, ik):
    ik.target = None


def keyed_mute(object, ik):
    ik.keyframe_insert("mute", frame=1)


def another(object, ik):
    native(object, b.empty("Other T", (0, 0, -1.5))).name = "Second"


def distance(object, ik):
    ik.ik_type = 'DISTANCE'


def on_its_own_bone(object, ik):
    ik.target.parent, ik.target.parent_type, ik.target.parent_bone = object, 'BONE', "lo"


def driven_influence_on_its_own_bone(object, ik):
    """A refusal that comes after the influence's driver has been moved."""
    ik.driver_add("influence").driver.expression = "1.0"
    on_its_own_bone(object, ik)


@pytest.mark.parametrize("change, word", [
    (three, "two bones"), (one, "two bones"), (no_target, "target"), (keyed_mute, "mute"), (another, '"Second"'),
    (distance, "place"), (on_its_own_bone, "moves with"), (driven_influence_on_its_own_bone, "moves with")])
def test_what_no_limb_can_stand_for_is_refused(change, word):
    object = b.armature("Leg", [("hip", (0, 0.3, 0.3), (0, 0, 0), "", 0), ("up", (0, 0, 0), (0, -0.2, -1), "hip", 0),
                                ("lo", (0, -0.2, -1), (0, 0, -1.8), "up", 0)])
    ik = native(object, b.empty("T", (0.2, -0.3, -1.2)), b.empty("P", (0.5, -3, -0.5)), -1.2)
    change(object, ik)
    b.update()
    assert word in refused(object, rig.from_native)


def test_bones_that_have_a_limb_already_are_refused():
    object, target, pole = b.rigged_leg(1, 0.8, 20)
    ik = native(object, target)
    ik.mute = True
    b.update()
    assert "already" in refused(object, rig.from_native)


def test_a_limb_over_more_than_two_bones_is_refused():
    object = b.armature("Leg", [("up", (0, 0, 0), (0, -0.1, -0.5), "", 0), ("twist", (0, -0.1, -0.5), (0, -0.2, -1), "up", 0),
                                ("lo", (0, -0.2, -1), (0, 0, -1.8), "twist", 0)])
    b.update()
    rig.add_limb(object, "lo", upper="up")
    assert "Bake" in refused(object, rig.to_native)


def test_what_comes_from_a_library_is_refused(tmp_path):
    object, target, ik = native_leg()
    limbed, other, pole = b.rigged_leg(1, 0.8, 20, name="Limbed")
    collection = bpy.data.collections.new("Character")
    for member in (object, target, ik.pole_target, limbed, other, pole):
        collection.objects.link(member)
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {collection})
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_there, here):
        here.collections = ["Character"]
    instance = b.empty("Instance")
    instance.instance_type, instance.instance_collection = 'COLLECTION', bpy.data.collections["Character"]
    b.update()
    instance.instance_collection.override_hierarchy_create(
        bpy.context.scene, bpy.context.view_layer, reference=instance, do_fully_editable=True)
    b.update()
    own = {object.name: object for object in bpy.context.scene.objects if object.override_library}
    assert "library" in refused(own["Leg"], rig.from_native)
    assert "library" in refused(own["Limbed"], rig.to_native)


def test_a_muted_constraint_beside_the_one_that_works_is_left():
    object, target, ik = native_leg()
    other = native(object, b.empty("Other T", (0, 0, -1.5)))
    other.name, other.mute = "Spare", True
    b.update()
    before = b.joints(object)
    assert rig.from_native(object, "lo") == []
    assert apart([before], [b.joints(object)]) < ALIKE
    assert [constraint.name for constraint in object.pose.bones["lo"].constraints] == ["Spare", "Two-Bone IK"]


# Operators

def test_operators_convert_and_are_undone_as_one_step():
    object, target, ik = native_leg()
    b.select(object, "lo")
    bpy.ops.ed.undo_push(message="before")
    before = b.joints(object)
    assert bpy.ops.pose.twobone_from_native('EXEC_DEFAULT', True) == {'FINISHED'}
    assert kinds(object.pose.bones["lo"]) == ['LIMIT_ROTATION']
    assert bpy.ops.pose.twobone_to_native('EXEC_DEFAULT', True) == {'FINISHED'}
    assert kinds(bpy.data.objects["Leg"].pose.bones["lo"]) == ['IK']
    bpy.ops.ed.undo()
    assert kinds(bpy.data.objects["Leg"].pose.bones["lo"]) == ['LIMIT_ROTATION']
    bpy.ops.ed.undo()
    object = bpy.data.objects["Leg"]
    assert kinds(object.pose.bones["lo"]) == ['IK'] and rig.limbs(object) == []
    assert apart([before], [b.joints(object)]) < 1e-6


def test_an_operator_says_what_is_lost(capfd):
    object, target, ik = native_leg()
    ik.iterations = 20
    b.select(object, "up")
    assert bpy.ops.pose.twobone_from_native() == {'FINISHED'}
    assert "Iterations 20" in capfd.readouterr().out


def test_an_operator_needs_a_chain():
    object = b.leg(1, 0.8)
    b.select(object, "lo")
    for operator in (bpy.ops.pose.twobone_from_native, bpy.ops.pose.twobone_to_native):
        assert not operator.poll()
        with pytest.raises(RuntimeError):
            operator()
