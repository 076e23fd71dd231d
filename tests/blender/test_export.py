"""What other programs get: exported, read back, and compared with the pose that the viewport shows."""

from functools import partial

import addon_utils
import bpy
import builders as b
import numpy as np
import pytest

from twobone_addon import rig

FIRST, LAST = 1, 11
FRAMES = (1, 6, 11)
WITHIN = 1e-3
"""World units; the limb is 2 long and moves by far more."""


def skinned(object, bones):
    """A mesh of one octahedron per bone, bound to it by vertex groups; its shading splits no vertex."""
    points, faces, groups = [], [], {}
    for name in bones:
        bone, first = object.data.bones[name], len(points)
        along, x, z = bone.tail_local - bone.head_local, 0.1 * bone.x_axis, 0.1 * bone.z_axis
        middle = bone.head_local + 0.3 * along
        points += [bone.head_local, middle + x, middle + z, middle - x, middle - z, bone.tail_local]
        faces += [(first + end, first + 1 + k, first + 1 + (k + 1) % 4) for end in (0, 5) for k in range(4)]
        groups[name] = list(range(first, len(points)))
    mesh = bpy.data.meshes.new("Skin")
    mesh.from_pydata(points, [], faces)
    mesh.shade_smooth()
    skin = b.link(bpy.data.objects.new("Skin", mesh))
    for name, members in groups.items():
        skin.vertex_groups.new(name=name).add(members, 1.0, 'REPLACE')
    skin.parent = object
    skin.modifiers.new("Armature", 'ARMATURE').object = object
    return skin


def character(action_on_rig=True):
    """A skinned leg with IK under a hip, beside it a flag that is no part of the limb; everything moves.

    Without `action_on_rig` only the target and the pole are keyed.
    """
    knee = (0, -0.0871557, -0.9961947)
    object = b.armature("Leg", [("hip", (0, 0, 0.3), (0, 0, 0), "", 0), ("up", (0, 0, 0), knee, "hip", 40),
                                ("lo", knee, (0, 0, -1.9923894), "up", -70),
                                ("flag", (-1, 0, -1), (-1, 0, -0.2), "", 0)])
    skin = skinned(object, ("hip", "up", "lo", "flag"))
    target, pole = b.empty("T", (0, 0, -1.5)), b.empty("P", (0, -3, -1))
    b.update()
    rig.add_limb(object, "lo", target, pole)
    b.keys(target, "location", [(FIRST, (0, 0, -1.5)), (LAST, (0.9, -0.4, -1.1))])
    b.keys(pole, "location", [(FIRST, (0, -3, -1)), (LAST, (2, -3, -1))])
    if action_on_rig:
        turned = (0.924, 0.1, 0.2, 0.3)
        for name in ("flag", "hip", "up", "lo"):
            b.keys(object.pose.bones[name], "rotation_quaternion", [(FIRST, (1, 0, 0, 0)), (LAST, turned)])
        b.keys(object.pose.bones["lo"], "twobone_influence", [(FIRST, 1.0), (LAST, 0.7)])
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = FIRST, LAST
    return object, skin


def vertices(object):
    """World places (n, 3) of the mesh as it is evaluated."""
    mesh = b.evaluated(object).to_mesh()
    points = np.empty(3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", points)
    b.evaluated(object).to_mesh_clear()
    matrix = b.world(object)
    return points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def shapes(skin):
    """The mesh at each of FRAMES."""
    found = {}
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        found[frame] = vertices(skin)
    return found


def apart(first, second):
    """The farthest that any vertex of one mesh is from the nearest of the other, both ways."""
    distances = np.linalg.norm(first[:, None] - second[None], axis=-1)
    return max(float(distances.min(0).max()), float(distances.min(1).max()))


def gltf_export(path, **options):
    bpy.ops.export_scene.gltf(filepath=path, export_format='GLB', **options)


def fbx_export(path):
    """The scene as it plays: with takes of single actions or strips nothing else would be exported."""
    bpy.ops.export_scene.fbx(filepath=path, bake_anim_use_all_actions=False, bake_anim_use_nla_strips=False)


def alembic_export(path, **options):
    bpy.ops.wm.alembic_export(filepath=path, start=FIRST, end=LAST, **options)


def usd_export(path, **options):
    bpy.ops.wm.usd_export(filepath=path, export_animation=True, **options)


def gltf_import(path):
    bpy.ops.import_scene.gltf(filepath=path)


def fbx_import(path):
    bpy.ops.import_scene.fbx(filepath=path, anim_offset=0.0)


def fbx_import_of_5(path):
    bpy.ops.wm.fbx_import(filepath=path, anim_offset=0.0)


def alembic_import(path):
    bpy.ops.wm.alembic_import(filepath=path)


def usd_import(path):
    bpy.ops.wm.usd_import(filepath=path)


FORMATS = {
    "gltf scene": (".glb", partial(gltf_export, export_animation_mode='SCENE'), gltf_import),
    "gltf actions": (".glb", partial(gltf_export, export_bake_animation=True), gltf_import),
    "fbx": (".fbx", fbx_export, fbx_import),
    "fbx, new importer": (".fbx", fbx_export, fbx_import_of_5),
    "alembic": (".abc", alembic_export, alembic_import),
    "alembic viewport": (".abc", partial(alembic_export, evaluation_mode='VIEWPORT'), alembic_import),
    "usd skeleton": (".usdc", partial(usd_export, export_armatures=True), usd_import),
    "usd cache": (".usdc", partial(usd_export, export_armatures=False), usd_import),
    "usd viewport": (".usdc", partial(usd_export, export_armatures=False, evaluation_mode='VIEWPORT'), usd_import),
}
OPERATORS = {
    "gltf": ("export_scene.gltf", "import_scene.gltf"), "fbx": ("export_scene.fbx", "import_scene.fbx"),
    "fbx, new importer": ("export_scene.fbx", "wm.fbx_import"), "alembic": ("wm.alembic_export", "wm.alembic_import"),
    "usd": ("wm.usd_export", "wm.usd_import"),
}
ADD_ONS = ("io_scene_gltf2", "io_scene_fbx")


def skip_without_operators(kind):
    """Blender can be built without a format, and has had one FBX importer or another."""
    for name in OPERATORS.get(kind) or OPERATORS[kind.split()[0]]:
        module, operator = name.split(".")
        if operator not in dir(getattr(bpy.ops, module)):
            pytest.skip(f"this Blender has no {name}")


@pytest.fixture(params=FORMATS)
def exchange(request, tmp_path):
    """Exports the scene when first asked for an item; the second is the mesh, read back into an empty scene."""
    for module in ADD_ONS:
        addon_utils.enable(module)
    skip_without_operators(request.param)
    suffix, export, read = FORMATS[request.param]
    path = str(tmp_path / f"character{suffix}")

    def through_the_file():
        export(path)
        yield
        rate = bpy.context.scene.render.fps
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.context.scene.render.fps = rate
        for module in ADD_ONS:
            addon_utils.enable(module)
        read(path)
        yield next(object for object in bpy.context.scene.objects if object.type == 'MESH' and len(object.data.vertices) > 6)

    return through_the_file()


@pytest.mark.parametrize("started_from", [FIRST, LAST])
@pytest.mark.parametrize("action_on_rig", [True, False])
def test_exported_character_moves_as_it_did(exchange, action_on_rig, started_from):
    object, skin = character(action_on_rig)
    live = shapes(skin)
    assert apart(live[FIRST], live[LAST]) > 100 * WITHIN
    bpy.context.scene.frame_set(started_from)
    shown = b.bone_matrices(object)
    next(exchange)
    assert bpy.context.scene.frame_current == started_from
    for name, matrix in b.bone_matrices(object).items():
        assert np.allclose(matrix, shown[name], atol=1e-6)
    arrived = shapes(next(exchange))
    for frame in FRAMES:
        assert apart(live[frame], arrived[frame]) < WITHIN, frame
