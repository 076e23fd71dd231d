"""Renders of a few pixels, and the same motion keyed as FK to compare them with."""

import bpy
import builders as b
import numpy as np

WIDTH, HEIGHT, SAMPLES = 64, 40, 8


def studio():
    """Cycles on the CPU, a camera that looks along +Y at x in [-2, 2] and z in [-2.25, 0.25], black all around."""
    scene = bpy.context.scene
    scene.render.engine = 'CYCLES'
    scene.cycles.device = 'CPU'
    scene.cycles.samples = SAMPLES
    scene.cycles.use_adaptive_sampling = scene.cycles.use_denoising = False
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = WIDTH, HEIGHT, 100
    scene.render.image_settings.file_format = 'PNG'
    scene.render.image_settings.color_mode = 'BW'
    scene.view_settings.view_transform = 'Raw'
    data = bpy.data.cameras.new("Camera")
    data.type, data.ortho_scale = 'ORTHO', 4.0
    scene.camera = b.link(bpy.data.objects.new("Camera", data))
    scene.camera.location, scene.camera.rotation_euler = (0, -10, -1), (np.pi / 2, 0, 0)
    return scene


def bar(object, bone, brightness=1.0):
    """A glowing octahedron along `bone`, parented to it."""
    length, half = object.data.bones[bone].length, 0.12
    points = [(0, 0, 0), (half, -length / 2, 0), (0, -length / 2, half), (-half, -length / 2, 0), (0, -length / 2, -half),
              (0, -length, 0)]
    sides = [(first, 1 + k, 1 + (k + 1) % 4) for first in (0, 5) for k in range(4)]
    mesh = bpy.data.meshes.new(f"{bone} bar")
    mesh.from_pydata(points, [], sides)
    mesh.materials.append(_glow(brightness))
    child = b.link(bpy.data.objects.new(f"{bone} bar", mesh))
    child.parent, child.parent_type, child.parent_bone = object, 'BONE', bone
    return child


def _glow(brightness):
    material = bpy.data.materials.new("Glow")
    if material.node_tree is None:
        material.use_nodes = True
    nodes = material.node_tree.nodes
    nodes.clear()
    emission, output = nodes.new('ShaderNodeEmission'), nodes.new('ShaderNodeOutputMaterial')
    emission.inputs["Strength"].default_value = brightness
    material.node_tree.links.new(emission.outputs[0], output.inputs[0])
    return material


def film(folder, first, last):
    """An animation render, {frame: pixels (HEIGHT, WIDTH) in [0, 1]}."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = first, last
    scene.render.filepath = str(folder / "film_####")
    bpy.ops.render.render(animation=True)
    return {frame: read(folder / f"film_{frame:04d}.png") for frame in range(first, last + 1)}


def still(folder):
    """A render of the current frame, pixels (HEIGHT, WIDTH)."""
    bpy.context.scene.render.filepath = str(folder / "still.png")
    bpy.ops.render.render(write_still=True)
    return read(folder / "still.png")


def read(path):
    """Pixels (HEIGHT, WIDTH) of a rendered picture, which is deleted."""
    image = bpy.data.images.load(str(path))
    image.colorspace_settings.name = 'Non-Color'
    values = np.empty(WIDTH * HEIGHT * 4, dtype=np.float32)
    image.pixels.foreach_get(values)
    bpy.data.images.remove(image)
    path.unlink()
    return values.reshape(HEIGHT, WIDTH, 4)[::-1, :, 0]


def differ(first, second):
    """How much two pictures differ: the sum of all pixels' differences, in pixels of full brightness."""
    return float(np.abs(first - second).sum())


def viewport_poses(objects, frames):
    """What the viewport shows: {frame: {(object, bone name): armature-space matrix}}, fractional frames included."""
    scene, poses = bpy.context.scene, {}
    for frame in frames:
        scene.frame_set(int(frame), subframe=frame - int(frame))
        poses[frame] = {(object, bone.name): bone.matrix.copy()
                        for object in objects for bone in b.evaluated(object).pose.bones}
    return poses


def key_as_fk(poses):
    """Replace every constraint and key of the posed bones by keys that give exactly `poses`, straight lines between."""
    from twobone_addon.rig.animation.fcurves import remove_animation

    objects = {object for object, _name in next(iter(poses.values()))}
    for object in objects:
        remove_animation(object, "pose.bones")
        for bone in object.pose.bones:
            for constraint in list(bone.constraints):
                bone.constraints.remove(constraint)
            bone.rotation_mode = 'QUATERNION'
    for frame, matrices in poses.items():
        for (object, name), matrix in matrices.items():
            _key(object.pose.bones[name], frame, matrix, matrices)
    for object in objects:
        b.straighten(object)


def _key(bone, frame, matrix, matrices):
    rest, parent = bone.bone.matrix_local, bone.parent
    hung = {} if parent is None else {"parent_matrix": matrices[bone.id_data, parent.name],
                                      "parent_matrix_local": parent.bone.matrix_local}
    before = bone.rotation_quaternion.copy()
    bone.matrix_basis = bone.bone.convert_local_to_pose(matrix, rest, invert=True, **hung)
    if before.dot(bone.rotation_quaternion) < 0.0:
        bone.rotation_quaternion.negate()
    for path in ("location", "rotation_quaternion", "scale"):
        bone.keyframe_insert(path, frame=frame)
