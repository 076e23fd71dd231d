# SPDX-License-Identifier: GPL-3.0-or-later
"""Camera, light and floor around what is shown, and how it is rendered."""

from __future__ import annotations

from importlib import import_module
from math import radians, tan

import bpy
import numpy as np
from mathutils import Vector
from numpy.typing import ArrayLike, NDArray

from . import materials, shapes
from .shown import Shown, straighten

WIDTH, HEIGHT, SAMPLES = 300, 420, 16
"""Of one picture, in pixels, and rays a pixel, of which more are needed without a denoiser."""

FIELD = radians(22.0)
"""The camera's angle from the foot of the picture to its top."""

CAPTION = 0.06
"""Share of the height that is left free below for a caption."""


def set_up(shown: Shown, view: Vector, points: ArrayLike, margin: float = 0.06) -> None:
    """Light the active scene and look at the `points` (n, 3) against the direction `view`."""
    scene = bpy.context.scene
    camera, size = _camera(view.normalized(), np.asarray(points, dtype=float), margin)
    scene.camera = camera
    _floor(shown, size)
    _sky(scene)
    _sun(view)
    _quality(scene)


def _quality(scene: bpy.types.Scene) -> None:
    """Small, quick pictures, whatever the scene was set to."""
    render = scene.render
    render.engine = 'CYCLES'
    clean = _can_denoise()
    scene.cycles.device, scene.cycles.use_denoising = 'CPU', clean
    scene.cycles.samples = SAMPLES if clean else 4 * SAMPLES
    scene.cycles.max_bounces = 3
    render.resolution_x, render.resolution_y, render.resolution_percentage = WIDTH, HEIGHT, 100
    render.pixel_aspect_x = render.pixel_aspect_y = 1.0
    render.use_single_layer = True
    render.use_compositing = render.use_sequencer = render.use_border = render.use_motion_blur = False
    render.film_transparent = False
    if hasattr(render.image_settings, "media_type"):
        render.image_settings.media_type = 'IMAGE'
    render.image_settings.file_format = 'PNG'
    scene.view_settings.view_transform, scene.view_settings.look = 'Standard', 'None'
    scene.view_settings.exposure, scene.view_settings.gamma = 0.0, 1.0


def _can_denoise() -> bool:
    """Whether this Blender was built with a denoiser; some of the distributions' are not, and rendering would fail."""
    return bool(getattr(import_module("_cycles"), "with_openimagedenoise", False))


def _camera(view: Vector, points: NDArray[np.float64], margin: float) -> tuple[bpy.types.Object, float]:
    """A camera with all points in the picture, and how high the picture is where they are."""
    data = bpy.data.cameras.new("Film")
    data.sensor_fit, data.lens_unit, data.angle = 'VERTICAL', 'FOV', FIELD
    camera = link(bpy.data.objects.new("Film", data))
    turn = (-view).to_track_quat('-Z', 'Y').to_matrix()
    across, up, back = np.array(turn).T
    places = points @ np.stack((across, up, back), axis=1)
    middle = 0.5 * (places.max(axis=0) + places.min(axis=0))
    height = tan(0.5 * FIELD)
    half = height * np.array((WIDTH / HEIGHT, 1.0 - CAPTION)) / (1.0 + 2.0 * margin)
    distance = float((np.abs(places - middle)[:, :2] / half + (places - middle)[:, 2:]).max())
    distance = distance or 1.0
    camera.rotation_euler = turn.to_euler()
    camera.location = Vector(np.array(turn) @ (middle + (0.0, -CAPTION * height * distance, distance)))
    data.clip_start, data.clip_end = 0.01 * distance, 1000.0 * distance
    return camera, 2.0 * height * distance


def _floor(shown: Shown, size: float) -> None:
    """A floor of tiles, which moves with the feet where the walk is on the spot."""
    pieces, wide, tile = shapes.Pieces(), 40.0 * size, 0.275 if shown.tread else 0.12 * size
    pieces.vertices += [Vector((x * wide, y * wide, 0.0)) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    pieces.faces.append((0, 1, 2, 3))
    floor = shapes.add_mesh("Floor", pieces, materials.checker("Floor", (0.56, 0.58, 0.62), (0.5, 0.52, 0.56), tile))
    floor.location.z = shown.floor
    if shown.tread:
        for frame in (shown.frames[0], shown.frames[-1]):
            floor.location.y = shown.tread * (frame - shown.frames[0])
            floor.keyframe_insert("location", index=1, frame=frame)
        straighten(floor)


def _sky(scene: bpy.types.Scene) -> None:
    world = bpy.data.worlds.new("Film")
    scene.world = world
    if world.node_tree is None:  # what later Blenders make by themselves
        world.use_nodes = True
    background = next(node for node in world.node_tree.nodes if node.type == 'BACKGROUND')
    background.inputs["Color"].default_value = (0.86, 0.91, 1.0, 1.0)
    background.inputs["Strength"].default_value = 0.55


def _sun(view: Vector) -> None:
    """Light from above the camera's left shoulder."""
    data = bpy.data.lights.new("Sun", 'SUN')
    data.energy, data.angle = 2.4, radians(10.0)
    sun = link(bpy.data.objects.new("Sun", data))
    left = Vector((0.0, 0.0, 1.0)).cross(view)
    towards = view.normalized() - 0.7 * left + Vector((0.0, 0.0, 1.5))
    sun.rotation_euler = (-towards).to_track_quat('-Z', 'Y').to_euler()


def link(object: bpy.types.Object) -> bpy.types.Object:
    """Put a new object into the active scene."""
    bpy.context.scene.collection.objects.link(object)
    return object
