# SPDX-License-Identifier: GPL-3.0-or-later
"""The film strip: pictures of eight frames side by side, targets as balls, what is out of reach as a rod."""

import tempfile
from math import radians, tan
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

from twobone_addon import rig

from . import body
from .shown import Shown, world_points

PICTURES, WIDTH, HEIGHT, SAMPLES, MARGIN = 8, 280, 380, 32, 6
ORANGE, RED, BLUE = (1.0, 0.3, 0.02), (0.85, 0.0, 0.03), (0.1, 0.25, 0.6)
VIEW = Vector((-0.62, -1.0, 0.16)).normalized()


def render(shown: Shown, path: Path) -> Path:
    """Render the strip into `path`; the scene gets camera, lights and markers, and is not saved."""
    scene = bpy.context.scene
    targets = {lower: _target_ball(shown, lower) for lower in shown.limbs}
    rods = {lower: body.rod(f"{lower} gap", 0.016 * _size(shown) / 1.8, RED) for lower in shown.limbs}
    bones = {} if shown.name == "human" else {lower: [
        body.rod(f"{lower} bone {part}", 0.025 * _size(shown) / 1.8, BLUE) for part in (1, 2)] for lower in shown.limbs}
    _light(scene)
    _look(scene, shown)
    pictures = []
    with tempfile.TemporaryDirectory() as folder:
        frames = np.linspace(shown.frames[0], shown.frames[-1], PICTURES + 1).round().astype(int)[:-1]
        for frame in frames.tolist():
            scene.frame_set(frame)
            for lower, ball in targets.items():
                root, joint, tip = world_points(shown.armature, lower)
                for rod, start, stop in zip(bones.get(lower, ()), (root, joint), (joint, tip)):
                    body.stretch(rod, Vector(start), Vector(stop))
                gap = rig.readings(shown.armature, lower).gap
                place = ball.matrix_world.translation
                body.stretch(rods[lower], Vector(tip), place if gap > 1e-4 * _size(shown) else Vector(tip))
            scene.render.filepath = str(Path(folder) / f"{frame}.png")
            bpy.ops.render.render(write_still=True)
            pictures.append(_pixels(scene.render.filepath))
    _save(_side_by_side(pictures), path)
    return path


def _target_ball(shown: Shown, lower: str) -> bpy.types.Object:
    """A ball that goes with the limb's target."""
    limb = next(limb for limb in rig.limbs(shown.armature) if limb.lower == lower)
    ball = body.ball(f"{lower} ball", 0.056 * _size(shown) / 1.8, ORANGE)
    follow = ball.constraints.new('COPY_LOCATION')
    follow.target, follow.subtarget = limb.target.object, limb.target.bone
    return ball


def _bounds(shown: Shown) -> tuple[Vector, Vector]:
    """Lowest and highest corner of the armature and its targets over the frames, in world space."""
    points = []
    for frame in range(shown.frames[0], shown.frames[-1] + 1, 4):
        bpy.context.scene.frame_set(frame)
        points += [shown.armature.matrix_world @ point for bone in shown.armature.pose.bones for point in (bone.head, bone.tail)]
        points += [limb.target.object.matrix_world.translation.copy() for limb in rig.limbs(shown.armature) if limb.target]
    low = Vector(min(point[axis] for point in points) for axis in range(3))
    return low, Vector(max(point[axis] for point in points) for axis in range(3))


def _size(shown: Shown) -> float:
    """The height of a person of whom the limb would be an arm: what balls and rods are sized by, metres."""
    if shown.name == "human":
        return 1.8
    return 3.0 * max(rig.readings(shown.armature, lower).reach_max for lower in shown.limbs)


def _look(scene: bpy.types.Scene, shown: Shown) -> None:
    low, high = _bounds(shown)
    middle, span = (low + high) * 0.5, high - low
    camera = bpy.data.cameras.new("Film")
    camera.lens_unit, camera.angle = 'FOV', radians(24)
    camera.sensor_fit = 'VERTICAL'
    object = bpy.data.objects.new("Film", camera)
    scene.collection.objects.link(object)
    across = abs(span.x) * abs(VIEW.y) + abs(span.y) * abs(VIEW.x)
    needed = (1.0 if shown.name == "human" else 1.2) * max(1.06 * span.z, 1.24 * across * HEIGHT / WIDTH)
    object.location = middle + VIEW * (0.5 * needed / tan(radians(12)) + 0.5 * span.length)
    object.rotation_euler = (-VIEW).to_track_quat('-Z', 'Y').to_euler()
    camera.clip_start, camera.clip_end = 0.01 * needed, 1000.0 * max(span.length, 1.0)
    scene.camera = object
    plane = bpy.data.meshes.new("Floor")
    wide = 30.0 * max(span.length, 1.0)
    plane.from_pydata([(x * wide, y * wide, low.z - 0.02 * span.z) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))], [], [(0, 1, 2, 3)])
    plane.materials.append(body.material("Floor", (0.5, 0.52, 0.56), 0.9))
    scene.collection.objects.link(bpy.data.objects.new("Floor", plane))


def _light(scene: bpy.types.Scene) -> None:
    world = bpy.data.worlds.new("Film")
    scene.world = world
    if world.node_tree is None:
        world.use_nodes = True
    background = next(node for node in world.node_tree.nodes if node.type == 'BACKGROUND')
    background.inputs["Color"].default_value = (0.85, 0.91, 1.0, 1.0)
    background.inputs["Strength"].default_value = 0.42
    sun = bpy.data.lights.new("Sun", 'SUN')
    sun.energy, sun.angle = 1.9, radians(12)
    object = bpy.data.objects.new("Sun", sun)
    object.rotation_euler = (radians(48), radians(8), radians(-38))
    scene.collection.objects.link(object)
    render = scene.render
    render.engine = 'CYCLES'
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = 'CPU', SAMPLES, False
    scene.cycles.max_bounces = 3
    render.resolution_x, render.resolution_y, render.resolution_percentage = WIDTH, HEIGHT, 100
    render.image_settings.file_format = 'PNG'
    scene.view_settings.view_transform = 'Standard'


def _pixels(path: str) -> np.ndarray:
    image = bpy.data.images.load(path)
    values = np.empty(image.size[0] * image.size[1] * 4, dtype=np.float32)
    image.pixels.foreach_get(values)
    bpy.data.images.remove(image)
    return values.reshape(HEIGHT, WIDTH, 4)


def _side_by_side(pictures: list[np.ndarray]) -> np.ndarray:
    gap = np.ones((HEIGHT, MARGIN, 4), dtype=np.float32)
    parts = [gap]
    for picture in pictures:
        parts += [picture, gap]
    row = np.concatenate(parts, axis=1)
    edge = np.ones((MARGIN, row.shape[1], 4), dtype=np.float32)
    return np.concatenate((edge, row, edge))


def _save(pixels: np.ndarray, path: Path) -> None:
    image = bpy.data.images.new("Strip", pixels.shape[1], pixels.shape[0])
    image.pixels.foreach_set(np.ascontiguousarray(pixels, dtype=np.float32).reshape(-1))
    image.filepath_raw, image.file_format = str(path), 'PNG'
    image.save()
    bpy.data.images.remove(image)
