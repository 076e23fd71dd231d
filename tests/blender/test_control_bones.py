"""Controls that are bones of the same armature: made without a trace of how, followed like any other, taken away again."""

from math import radians

import bpy
import builders as b
import numpy as np
import pytest
from snapshots import changes, snapshot

from twobone_addon import rig


def leg(flex=10.0, rolls=(0.0, 0.0), name="Leg"):
    """A leg under a root and a hip bone, with a foot."""
    bones = b.leg(1, 1, flex, rolls, name="Measure")
    (_, knee), (_, ankle) = b.ends(bones)["up"], b.ends(bones)["lo"]
    bpy.data.objects.remove(bones)
    object = b.armature(name, [
        ("root", (0, 0, -2), (0, 0.5, -2), "", 0), ("hip", (0, 0, 0.2), (0, 0, 0), "root", 0),
        ("up", (0, 0, 0), knee, "hip", rolls[0]), ("lo", knee, ankle, "up", rolls[1]),
        ("foot", ankle, ankle + np.array((0, -0.2, -0.05)), "lo", 0)])
    b.update()
    return object


def add(object, lower="lo", **options):
    limb = rig.add_limb(object, lower, controls='BONES', **options)
    assert limb.target.object == limb.pole.object == object
    return object.pose.bones[limb.target.bone], object.pose.bones[limb.pole.bone]


def rotate(object, **turns):
    """Pose bones by degrees about their X and Z axes."""
    for name, (x, z) in turns.items():
        bone = object.pose.bones[name]
        bone.rotation_mode = 'XYZ'
        bone.rotation_euler = (radians(x), 0.1, radians(z))
    b.update()


@pytest.mark.parametrize("parent", [None, "ROOT", "root", "hip"])
@pytest.mark.parametrize("tip", [None, "foot"])
@pytest.mark.parametrize("flex", [0.0, 0.01, 10.0, 100.0])
@pytest.mark.parametrize("posed", [False, True])
def test_adding_moves_nothing(parent, tip, flex, posed):
    object = leg(flex, (30.0, -70.0))
    object.location, object.rotation_euler, object.scale = (3, -1, 2), (0.3, -1, 2), (1.5, 1.5, 1.5)
    if posed:
        rotate(object, root=(10, 5), hip=(-20, 8), up=(25, -30), lo=(40, 0), foot=(-20, 5))
    b.update()
    before, axes = b.ends(object), b.bone_matrices(object)
    target, pole = add(object, tip=tip, control_parent=parent)
    after = b.ends(object)
    assert b.moved(before, after) < 1e-5 * 2
    assert b.turned(axes, b.bone_matrices(object)) < 0.01
    assert np.linalg.norm(after[target.name][0] - after["lo"][1]) < 1e-5
    assert rig.problems(object, "lo") == []
    wanted = {None: None, "ROOT": "root"}.get(parent, parent)
    for bone in (target, pole):
        assert (bone.parent.name if bone.parent else None) == wanted
    if not posed:
        for bone in (target, pole):
            assert np.array_equal(bone.matrix_basis, np.eye(4))


def test_target_is_turned_like_the_foot():
    object = leg()
    rotate(object, hip=(-20, 8), up=(25, -30), foot=(-20, 5))
    target, _pole = add(object, tip="foot", control_parent="hip")
    at = b.bone_matrices(object)
    for axis in range(3):
        assert b.angle(at[target.name][:3, axis], at["foot"][:3, axis]) < 0.01
        rest = [np.array(object.data.bones[name].matrix_local)[:3, axis] for name in (target.name, "foot")]
        assert b.angle(*rest) < 0.01


@pytest.mark.parametrize("flex", [0.0, 10.0])
def test_cleared_controls_show_the_rest_pose(flex):
    """However the limb was posed when they were made."""
    object = leg(flex, (20.0, 20.0))
    rest, axes = b.ends(object), b.bone_matrices(object)
    rotate(object, hip=(5, 3), up=(25, -30), lo=(40 if flex else 1e-3, 0))
    add(object)
    for bone in object.pose.bones:
        bone.matrix_basis.identity()
        bone.rotation_euler = (0, 0, 0)
    for name in ("lo target", "lo pole", "hip"):
        object.pose.bones[name].location = (0, 0, 0)
        object.pose.bones[name].rotation_quaternion = (1, 0, 0, 0)
    b.update()
    at = b.ends(object)
    for name in ("up", "lo"):
        assert np.allclose(at[name], rest[name], atol=0.05)
    assert b.turned({"up": axes["up"]}, {"up": b.bone_matrices(object)["up"]}) < 8.0


def test_they_look_like_controls():
    object = leg()
    for bone, palette in zip(add(object), ('THEME01', 'THEME09')):
        rest = bone.bone
        assert not rest.use_deform
        assert [collection.name for collection in rest.collections] == ["Two-Bone IK"]
        assert rest.color.palette == palette
        assert bone.custom_shape.type == 'MESH'
        assert len(bone.custom_shape.data.edges) >= 12
        assert not bone.custom_shape.users_scene
        assert all(bone.lock_scale)
        assert not any(bone.lock_location)
    assert all(object.pose.bones["lo pole"].lock_rotation)
    assert not any(object.pose.bones["lo target"].lock_rotation)
    assert [bone.name for bone in object.data.bones if not bone.collections] == ["root", "hip", "up", "lo", "foot"]


def test_shapes_are_shared():
    first, second = leg(), leg(name="Second")
    shapes = {bone.custom_shape for object in (first, second) for bone in add(object)}
    assert len(shapes) == 2
    assert len(bpy.data.meshes) == 2
    rig.remove_limb(first, "lo")
    assert len(bpy.data.meshes) == 2
    rig.remove_limb(second, "lo")
    assert not bpy.data.meshes
    assert len(bpy.data.objects) == 2


@pytest.mark.parametrize(("left", "right"), [
    ("forearm.L", "forearm.R"), ("forearm_l", "forearm_r"), ("LeftForeArm", "RightForeArm"), ("L_forearm", "R_forearm"),
    ("forearm.L.001", "forearm.R.001"), ("Forearm Left", "Forearm Right")])
def test_mirror_tools_find_the_other_side(left, right):
    object = b.armature("Arms", [row for name, x in ((left, 1), (right, -1)) for row in (
        (f"{x} arm", (0, 0, 0), (x, 0.1, 0), "", 0), (name, (x, 0.1, 0), (2 * x, 0, 0), f"{x} arm", 0))])
    b.update()
    controls = {name: add(object, name) for name in (left, right)}
    for one, other in zip(controls[left], controls[right]):
        assert bpy.utils.flip_name(one.name) == other.name
        assert "target" in one.name or "pole" in one.name
        rest = np.array(one.bone.head_local) * (-1, 1, 1)
        assert np.allclose(rest, other.bone.head_local, atol=1e-6)


def test_mirror_x_moves_no_bone_of_the_other_side():
    object = b.armature("Arms", [row for side, x in ((".L", 1), (".R", -1)) for row in (
        (f"arm{side}", (0, 0, 0), (x, 0.1, 0), "", 0), (f"forearm{side}", (x, 0.1, 0), (2 * x, 0.3 * x, 0), f"arm{side}", 0))])
    object.data.use_mirror_x = True
    b.update()
    add(object, "forearm.L")
    before = b.ends(object)
    add(object, "forearm.R")
    assert b.moved(before, b.ends(object)) < 1e-6
    assert object.data.use_mirror_x


@pytest.mark.parametrize("parent", [None, "hip"])
def test_removing_takes_them_away(parent):
    object = leg()
    object.data.collections.new("Mine").assign(object.data.bones["up"])
    object.pose.bones["lo"].constraints.new('COPY_SCALE').influence = 0.3
    b.keys(object.pose.bones["foot"], "rotation_quaternion", [(1, (1, 0, 0, 0)), (9, (0.9, 0.1, 0.2, 0.3))])
    bpy.context.scene.frame_set(1)
    before, meshes = snapshot(object), len(bpy.data.meshes)
    for _ in range(3):
        target, _pole = add(object, tip="foot", control_parent=parent)
        b.keys(target, "location", [(1, (0, 0, 0)), (9, (0.1, 0.2, 0))])
        bpy.context.scene.frame_set(5)
        bpy.context.scene.frame_set(1)
        rig.remove_limb(object, "lo")
        assert changes(before, snapshot(object)) == []
        assert len(bpy.data.meshes) == meshes


def test_collection_in_use_stays():
    object = leg()
    add(object)
    object.data.collections["Two-Bone IK"].assign(object.data.bones["foot"])
    rig.remove_limb(object, "lo")
    assert [bone.name for bone in object.data.collections["Two-Bone IK"].bones] == ["foot"]


@pytest.mark.parametrize("use", ["child", "constraint", "limb", "parented object", "driver", "material", "hook"])
def test_control_bones_in_use_stay(use):
    object = leg()
    target, _pole = add(object)
    name = target.name
    if use == "child":
        with b.edited(object) as bones:
            bone = bones.new("mine")
            bone.head, bone.tail, bone.parent = (0, 0, 1), (0, 0, 2), bones[name]
    elif use == "constraint":
        constraint = object.pose.bones["foot"].constraints.new('COPY_ROTATION')
        constraint.target, constraint.subtarget = object, name
    elif use == "limb":
        other = b.leg(1, 1, 30, name="Other")
        b.update()
        rig.add_limb(other, "lo", object, target_bone=name)
    elif use == "parented object":
        b.empty("Prop", parent=object, bone=name)
    elif use == "hook":
        mesh = b.link(bpy.data.objects.new("Mesh", bpy.data.meshes.new("Mesh")))
        hook = mesh.modifiers.new("Hook", 'HOOK')
        hook.object, hook.subtarget = object, name
    else:
        owner = bpy.data.materials.new("Paint") if use == "material" else object.pose.bones["foot"]
        owner["watch"] = 0.0
        driver = owner.driver_add('["watch"]').driver
        variable = driver.variables.new()
        variable.type = 'TRANSFORMS'
        variable.targets[0].id, variable.targets[0].bone_target = object, name
    b.update()
    rig.remove_limb(object, "lo")
    assert name in object.pose.bones
    assert "lo pole" not in object.pose.bones
    assert not object.pose.bones["lo"].twobone_version


def test_bones_and_objects_that_the_user_chose_instead_stay():
    object = leg()
    add(object)
    bone = object.pose.bones["lo"]
    bone.twobone_target_bone = "root"
    bone.twobone_pole = b.empty("Mine", (0, -3, -1))
    b.update()
    rig.remove_limb(object, "lo")
    assert {"root", "lo target", "lo pole"} <= set(object.pose.bones.keys())
    assert "Mine" in bpy.data.objects


def test_an_object_chosen_instead_of_a_created_empty_stays():
    object = leg()
    rig.add_limb(object, "lo")
    object.pose.bones["lo"].twobone_target = b.empty("Mine", (0, 0, -1.5))
    rig.remove_limb(object, "lo")
    assert "Mine" in bpy.data.objects
    assert "lo pole" not in bpy.data.objects


def test_a_deleted_control_bone_is_told():
    object = leg()
    target, _pole = add(object)
    name = target.name
    fk = b.ends(object)["lo"]
    target.location = (0.2, 0.3, 0.1)
    b.update()
    with b.edited(object) as bones:
        bones.remove(bones[name])
    b.update()
    (problem,) = rig.problems(object, "lo")
    assert f'"{object.name}" has no bone "{name}"' in problem
    assert np.allclose(b.ends(object)["lo"], fk, atol=1e-5)
    rig.remove_limb(object, "lo")
    assert [bone.name for bone in object.pose.bones] == ["root", "hip", "up", "lo", "foot"]


def test_a_renamed_control_bone_is_followed_and_removed():
    object = leg()
    target, _pole = add(object)
    target.name = "ik.foot"
    b.update()
    (limb,) = rig.limbs(object)
    assert limb.target.bone == "ik.foot"
    object.pose.bones["ik.foot"].location = (0.2, -0.3, 0.1)
    b.update()
    assert rig.readings(object, "lo").gap < 4e-6
    rig.remove_limb(object, "lo")
    assert "ik.foot" not in object.pose.bones


def test_drag_keys_and_readings():
    object = leg()
    target, _pole = add(object, control_parent="ROOT")
    name = target.name
    b.keys(target, "location", [(1, (0, 0, 0)), (11, (0.3, -0.4, 0.2))])
    for frame in (1, 4, 11):
        bpy.context.scene.frame_set(frame)
        at = b.ends(object)
        assert np.linalg.norm(at["lo"][1] - at[name][0]) < 4e-6
    assert rig.readings(object, "lo").gap < 4e-6


def test_only_what_is_missing_is_made():
    object = leg()
    pole = b.empty("P", (0, -3, -1))
    b.update()
    limb = rig.add_limb(object, "lo", None, pole, controls='BONES')
    assert (limb.pole.object, limb.target.bone) == (pole, "lo target")
    rig.remove_limb(object, "lo")
    target = b.empty("T", (0, 0, -1.5))
    b.update()
    rig.add_limb(object, "lo", target, pole, controls='BONES')
    assert len(object.pose.bones) == 5


@pytest.mark.parametrize("mode", ['OBJECT', 'POSE'])
@pytest.mark.parametrize("step", ["add", "remove"])
def test_nobody_notices_edit_mode(mode, step):
    """Modes, selection, active object and bone of this armature and of others stay what they were."""
    object, other, mesh = leg(), leg(name="Other"), b.link(bpy.data.objects.new("Mesh", bpy.data.meshes.new("Mesh")))
    mesh.select_set(True)
    layer = bpy.context.view_layer
    if step == "remove":
        add(object)
    if mode == 'POSE':
        other.select_set(True)
        object.select_set(True)
        b.select(object, "hip", "foot", active="hip")
        assert other.mode == 'POSE'
    layer.objects.active = mesh if mode == 'OBJECT' else object
    other.data.edit_bones.active = None
    before = interface(object, other, mesh)
    (add if step == "add" else rig.remove_limb)(object, "lo")
    assert interface(object, other, mesh) == before


def interface(*objects):
    """What the user sees of modes and selections."""
    layer = bpy.context.view_layer
    found = {"active": layer.objects.active.name}
    for object in objects:
        found[object.name] = object.mode, object.select_get(), object.hide_get()
        if object.type == 'ARMATURE':
            for bone in object.pose.bones:
                if "target" not in bone.name and "pole" not in bone.name:
                    found[object.name, bone.name] = [bool(getattr(entry, name)) for entry in (bone, bone.bone)
                                                     for name in ("select", "hide") if hasattr(entry, name)]
            active = object.data.bones.active
            found[object.name, "active"] = active.name if active else None
            found[object.name, "settings"] = object.data.use_mirror_x, object.pose.use_mirror_x, object.data.pose_position
    return found


def test_while_other_objects_are_edited():
    """A script may add to an armature while the user edits others."""
    object, other = leg(), leg(name="Other")
    mesh = b.link(bpy.data.objects.new("Mesh", bpy.data.meshes.new("Mesh")))
    layer = bpy.context.view_layer
    layer.objects.active = other
    bpy.ops.object.mode_set(mode='EDIT')
    layer.objects.active = mesh
    bpy.ops.object.mode_set(mode='EDIT')
    before = interface(object, other, mesh)
    assert [other.mode, mesh.mode] == ['EDIT', 'EDIT']
    add(object)
    assert interface(object, other, mesh) == before
    rig.remove_limb(object, "lo")
    assert interface(object, other, mesh) == before


def test_hidden_by_the_eye():
    object = leg()
    object.hide_set(True)
    b.update()
    add(object)
    assert object.hide_get()
    assert object.mode == 'OBJECT'
    object.hide_set(False)
    rig.remove_limb(object, "lo")
    assert len(object.pose.bones) == 5


def test_what_is_posed_and_not_keyed_stays():
    """Leaving Edit Mode evaluates the animation again."""
    object, prop = leg(), b.empty("Prop")
    bone = object.pose.bones["up"]
    bone["bend"] = 0.0
    object.data["wide"] = 0.0
    for frame, value in ((1, 0.0), (10, 1.0)):
        bone.location.x = bone["bend"] = object.data["wide"] = object.location.y = prop.location.z = value
        for owner, path in ((bone, "location"), (bone, '["bend"]'), (object.data, '["wide"]'), (object, "location"),
                            (prop, "location")):
            owner.keyframe_insert(path, frame=frame)
    bpy.context.scene.frame_set(5)
    bone.location, bone["bend"], object.data["wide"] = (0.5, 0.1, 0.2), 0.75, 0.25
    object.location, prop.location = (1, 2, 3), (4, 5, 6)
    b.update()
    before = b.ends(object)

    def stands():
        assert b.moved(before, b.ends(object)) < 2e-5
        assert (object.pose.bones["up"]["bend"], object.data["wide"]) == (0.75, 0.25)
        assert tuple(object.location) == (1, 2, 3)
        assert tuple(prop.location) == (4, 5, 6)
        assert np.allclose(b.place(object), (1, 2, 3))

    add(object)
    stands()
    rig.remove_limb(object, "lo")
    stands()


@pytest.mark.parametrize("step", ["shared", "parent below", "no such parent", "kind", "parent of empties", "no root"])
def test_refusals_change_nothing(step):
    object = leg()
    options, word = {"controls": 'BONES'}, '"Leg"'
    if step == "shared":
        b.link(bpy.data.objects.new("Twin", object.data))
        word = '"Twin"'
    elif step == "parent below":
        options["control_parent"] = word = "foot"
    elif step == "no such parent":
        options["control_parent"] = word = "nose"
    elif step == "kind":
        options["controls"] = word = "CUBES"
    elif step == "parent of empties":
        options = {"control_parent": "hip"}
        word = "hip"
    else:
        object = b.leg(name="Bare")
        options["control_parent"] = "ROOT"
        word = '"up"'
    b.update()
    before = snapshot(object)
    with pytest.raises(rig.Refusal, match=word):
        rig.add_limb(object, "lo", **options)
    assert changes(before, snapshot(object)) == []


def test_by_hand():
    rows = [("root", (0, 0, -1), (0, 0.3, -1), "", 0)]
    for side, x in ((".L", 1), (".R", -1)):
        rows += [(f"arm{side}", (x, 0, 0), (2 * x, 0.1, 0), "root", 0),
                 (f"forearm{side}", (2 * x, 0.1, 0), (3 * x, 0, 0), f"arm{side}", 0)]
    object = b.armature("Arms", rows)
    b.select(object, "forearm.L", "forearm.R")
    b.update()
    before = b.ends(object)
    assert bpy.ops.pose.twobone_add(controls='BONES', control_parent='ROOT') == {'FINISHED'}
    assert object.mode == 'POSE'
    assert b.moved(before, b.ends(object)) < 1e-5
    made = {"target forearm.L", "target forearm.R", "pole forearm.L", "pole forearm.R"}
    assert made < set(object.pose.bones.keys())
    assert {object.pose.bones[name].parent.name for name in made} == {"root"}
    b.select(object, "forearm.L", "forearm.R", *made)
    with pytest.raises(RuntimeError, match="already has"):
        bpy.ops.pose.twobone_add()
    assert bpy.ops.pose.twobone_remove() == {'FINISHED'}
    assert not made & set(object.pose.bones.keys())
    assert bpy.ops.pose.twobone_add(controls='BONES', control_parent='BONE', parent_bone="") == {'FINISHED'}
    assert object.pose.bones["pole forearm.L"].parent is None


def test_made_controls_are_no_limbs():
    object = leg()
    target, _pole = add(object, control_parent="hip")
    b.select(object, target.name)
    with pytest.raises(RuntimeError, match="Select the lower bone"):
        bpy.ops.pose.twobone_add()


def test_one_operator_is_one_undo_step():
    leg()
    b.select(bpy.data.objects["Leg"], "lo")
    bpy.ops.ed.undo_push(message="Built")
    for _ in range(2):
        assert bpy.ops.pose.twobone_add('EXEC_DEFAULT', True, controls='BONES') == {'FINISHED'}
        bpy.data.objects["Leg"].pose.bones["lo target"].location = (0.1, -0.3, 0)
        b.update()
        bpy.ops.ed.undo_push(message="Moved")
        assert rig.readings(bpy.data.objects["Leg"], "lo").gap < 4e-6
        bpy.ops.ed.undo()
        bpy.ops.ed.undo()
        object = bpy.data.objects["Leg"]
        assert len(object.pose.bones) == 5
        assert len(bpy.data.objects) == 1
        assert object.mode == 'POSE'
        assert rig.limbs(object) == []
    bpy.ops.ed.redo()
    bpy.ops.ed.redo()
    object = bpy.data.objects["Leg"]
    assert rig.readings(object, "lo").gap < 4e-6
    assert np.linalg.norm(b.ends(object)["lo"][1] - b.ends(object)["lo target"][0]) < 4e-6


def test_saved_and_reloaded(tmp_path):
    object = leg()
    target, _pole = add(object)
    target.location = (0.2, -0.3, 0.1)
    path = str(tmp_path / "leg.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    object = bpy.data.objects["Leg"]
    assert object.pose.bones["lo target"].custom_shape is not None
    assert rig.readings(object, "lo").gap < 4e-6
    rig.remove_limb(object, "lo")
    assert len(object.pose.bones) == 5
    assert len(bpy.data.objects) == 1


def test_duplicated_armature_keeps_its_own():
    object = leg()
    add(object)
    bpy.context.view_layer.objects.active = object
    object.select_set(True)
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    assert copy.pose.bones["lo"].twobone_target == copy
    rig.remove_limb(copy, "lo")
    assert len(copy.pose.bones) == 5
    object.pose.bones["lo target"].location = (0.2, -0.3, 0.1)
    b.update()
    assert rig.readings(object, "lo").gap < 4e-6


def test_removing_where_bones_are_shared_leaves_them():
    object = leg()
    add(object)
    twin = b.link(bpy.data.objects.new("Twin", object.data))
    b.update()
    rig.remove_limb(object, "lo")
    assert "lo target" in twin.pose.bones
    assert not rig.limbs(object)


@pytest.fixture
def override(tmp_path):
    """An override of a linked character with control bones, and one without IK."""
    path = str(tmp_path / "library.blend")
    for name in ("Rigged", "Bare"):
        object = leg(name=name)
        if name == "Rigged":
            add(object)
        collection = bpy.data.collections.new(name)
        bpy.context.scene.collection.children.link(collection)
        collection.objects.link(object)
        bpy.context.scene.collection.objects.unlink(object)
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)

    def link(name):
        with bpy.data.libraries.load(path, link=True) as (_source, data):
            data.collections = [name]
        instance = b.empty("Instance")
        instance.instance_type, instance.instance_collection = 'COLLECTION', data.collections[0]
        b.update()
        instance.instance_collection.override_hierarchy_create(
            bpy.context.scene, bpy.context.view_layer, reference=instance, do_fully_editable=True)
        b.update()
        return next(object for object in bpy.context.scene.objects if object.type == 'ARMATURE' and object.override_library)
    return link


def test_bones_of_an_override_are_not_edited(override):
    object = override("Bare")
    before = snapshot(object)
    with pytest.raises(rig.Refusal, match="Use empties"):
        rig.add_limb(object, "lo", controls='BONES')
    assert changes(before, snapshot(object)) == []
    rig.add_limb(object, "lo")
    assert rig.problems(object, "lo") == []


def test_override_of_a_rig_with_control_bones(override):
    """Followed as in its own file; removed without its bones, which are the library's."""
    object = override("Rigged")
    object.pose.bones["lo target"].location = (0.2, -0.3, 0.1)
    b.update()
    assert rig.readings(object, "lo").gap < 4e-6
    at = b.ends(object)
    assert np.linalg.norm(at["lo"][1] - at["lo target"][0]) < 4e-6
    rig.remove_limb(object, "lo")
    assert rig.limbs(object) == []
    assert "lo target" in object.pose.bones


@pytest.mark.parametrize("size", [1e-6, 0.1, 10.0])
@pytest.mark.parametrize("softness", [0.0, 0.1])
@pytest.mark.parametrize("flex", [0.0, 1.0, 10.0, 60.0])
def test_size_and_softness_move_nothing(size, softness, flex):
    object = leg(flex)
    before = b.ends(object)
    target, pole = add(object, control_size=size, softness=softness)
    assert b.moved(before, b.ends(object)) < 1e-5 * 2
    assert target.matrix_basis.is_identity
    assert pole.matrix_basis.is_identity
    assert target.length == pytest.approx(0.24 * 2 * size, rel=1e-3 if size > 1e-3 else 1e3)


@pytest.mark.parametrize("side", [1, -1])
def test_symmetrize(side):
    """The copied limb has its own controls at once, and its own bend when it was bound anew, as it asks to be."""
    one, other = (".L", ".R") if side == 1 else (".R", ".L")
    object = b.armature("Arms", [
        ("root", (0, 0, -1), (0, 0.3, -1), "", 0),
        (f"arm{one}", (0.2 * side, 0, 0), (1.2 * side, 0.1, 0.05), "root", 0),
        (f"forearm{one}", (1.2 * side, 0.1, 0.05), (2.2 * side, 0, 0), f"arm{one}", 20)])
    b.update()
    add(object, f"forearm{one}", control_parent="ROOT")
    with b.edited(object) as bones:
        for bone in bones:
            bone.select = bone.select_head = bone.select_tail = True
        bpy.ops.armature.symmetrize()
    b.update()
    for limb, suffix in zip(sorted(rig.limbs(object), key=lambda limb: limb.lower), (".L", ".R")):
        assert (limb.target.bone, limb.pole.bone) == (f"target forearm{suffix}", f"pole forearm{suffix}")
    assert "Rebind" in " ".join(rig.problems(object, f"forearm{other}"))
    rig.rebind(object, f"forearm{other}")
    for sign, suffix in ((1, ".L"), (-1, ".R")):
        object.pose.bones[f"target forearm{suffix}"].matrix_basis.identity()
        assert rig.problems(object, f"forearm{suffix}") == []
        bone = object.pose.bones[f"target forearm{suffix}"]
        bone.matrix = bone.bone.matrix_local.copy()
        bone.matrix.translation = bone.bone.head_local + b.vector((-0.5 * sign, -0.2, 0.3))
    b.update()
    at = b.ends(object)
    assert np.allclose(at["forearm.L"][1], (1.7, -0.2, 0.3), atol=1e-5)
    for name in ("arm", "forearm"):
        for end in (0, 1):
            assert np.allclose(at[f"{name}.L"][end] * (-1, 1, 1), at[f"{name}.R"][end], atol=1e-5)
    rig.remove_limb(object, f"forearm{other}")
    assert f"target forearm{one}" in object.pose.bones
    assert f"target forearm{other}" not in object.pose.bones


def test_a_foot_that_follows_a_control_bone():
    object = leg()
    target, _pole = add(object, tip="foot")
    name, before = target.name, b.bone_matrices(object)
    object.pose.bones["lo"].twobone_follow_rotation = 1.0
    b.update()
    assert b.turned(before, b.bone_matrices(object)) < 0.01
    object.pose.bones[name].rotation_quaternion = (0.9, 0.2, 0.3, -0.1)
    b.update()
    at = b.bone_matrices(object)
    for axis in range(3):
        assert b.angle(at[name][:3, axis], at["foot"][:3, axis]) < 0.01
