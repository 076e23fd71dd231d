# SPDX-License-Identifier: GPL-3.0-or-later
"""Shots of a window with the demo's human in it; make_pictures.py runs this inside a Blender, with the demo's file."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import bpy
from mathutils import Vector

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

import twobone_addon
from window import MARK
from window.session import Steps, Window, play, save

OUTPUT = Path(os.environ["TWOBONE_OUTPUT"])
LIMB = "forearm.L"
WITHIN, BEYOND = Vector((0.4, -0.12, 0.16)), Vector((0.76, -0.12, 0.4))
"""Where the target is, seen from the shoulder, within reach and out of it; metres."""

ELBOW = Vector((0.5, 0.1, -0.65))
"""Where the pole is, seen from the shoulder: the elbow hangs, and the circle of reach is seen from its front."""

VIEW, MIDDLE, DISTANCE = Vector((-0.35, -1.0, 0.12)), Vector((0.25, 0.0, 1.36)), 2.15
"""From where the human is seen, and what is in the middle of the picture."""

WIDE = (860, 640)
"""Size of the pictures of the view, in pixels."""

TAB = "Animation"
SCALE = 1.3
"""Of the interface, so that the panel can be read in a document."""


def shots(window: Window, file: str) -> Steps:
    """Take all of them."""
    twobone_addon.register()
    bpy.context.preferences.view.show_splash = False
    bpy.context.preferences.view.ui_scale = SCALE
    bpy.ops.wm.open_mainfile(filepath=file, load_ui=False)
    yield 0.5
    armature = bpy.data.objects["Human"]
    target = _pose(armature)
    _dress(window, armature)
    yield 1.0
    shoulder = armature.matrix_world @ armature.pose.bones["upper_arm.L"].head
    for place, name in ((WITHIN, "within"), (BEYOND, "beyond")):
        target.location = shoulder + place
        yield 1.0
        x, y = window.of_point(armature.matrix_world @ MIDDLE)
        _shoot(f"overlay_{name}", window, x - WIDE[0] // 2, y - WIDE[1] // 2, *WIDE)
    yield from _open_panel(window)
    region = window.region('UI')
    height = _panel_height(window)
    _shoot("panel", window, region.x, region.y + region.height - height, region.width, height)


def _pose(armature: bpy.types.Object) -> bpy.types.Object:
    """Select the arm, all other bones out of sight, its elbow down; returns the target, which no key moves any more."""
    bpy.context.scene.frame_set(1)
    bpy.context.scene.render.use_lock_interface = True
    limb = next(limb for limb in twobone_addon.rig.limbs(armature) if limb.lower == LIMB)
    for bone in armature.pose.bones:
        flags = bone if hasattr(bone, "hide") else bone.bone
        flags.select = bone.name == limb.lower
        flags.hide = bone.name not in (limb.upper, limb.lower)
    armature.data.bones.active = armature.data.bones[limb.lower]
    for other in twobone_addon.rig.limbs(armature):
        for control in (other.target, other.pole):
            control.object.hide_set(other != limb)
    limb.target.object.animation_data_clear()
    limb.pole.object.location = armature.pose.bones[limb.upper].head + ELBOW
    return limb.target.object


def _dress(window: Window, armature: bpy.types.Object) -> None:
    """Pose Mode in a quiet view."""
    for object in bpy.context.view_layer.objects:
        object.select_set(object == armature)
    bpy.context.view_layer.objects.active = armature
    armature.data.display_type = 'STICK'
    bpy.data.objects["Floor"].hide_set(True)
    space = window.area().spaces.active
    space.show_gizmo = space.overlay.show_floor = space.overlay.show_axis_x = space.overlay.show_axis_y = False
    space.overlay.show_relationship_lines = space.overlay.show_text = space.overlay.show_cursor = False
    shading = space.shading
    shading.type, shading.light, shading.color_type, shading.single_color = 'SOLID', 'STUDIO', 'SINGLE', (0.72, 0.69, 0.65)
    shading.show_cavity = shading.show_object_outline = True
    shading.background_type, shading.background_color = 'VIEWPORT', (0.035, 0.04, 0.05)
    view = space.region_3d
    view.view_perspective = 'PERSP'
    view.view_rotation = (-VIEW.normalized()).to_track_quat('-Z', 'Y')
    view.view_location, view.view_distance = armature.matrix_world @ MIDDLE, DISTANCE
    with window.context():
        bpy.ops.object.mode_set(mode='POSE')


def _open_panel(window: Window) -> Steps:
    """Show the sidebar with nothing but our panel in its tab, its readings unfolded."""
    for cls in bpy.types.Panel.__subclasses__():
        if getattr(cls, "bl_category", "") == TAB and cls.is_registered and not cls.__name__.startswith("TWOBONE"):
            bpy.utils.unregister_class(cls)
    window.area().spaces.active.show_region_ui = True
    yield 0.5
    window.region('UI').active_panel_category = TAB
    window.region('UI').tag_redraw()
    yield 1.0
    fields = yield from window.fields()
    _x, y = fields["twobone_pole"]
    yield from window.click((window.region('UI').x + 90, y - round(25 * SCALE)))  # what is folded right below the pole
    yield from window.move((1, 1))
    yield 1.0


def _panel_height(window: Window) -> int:
    """How far down the sidebar's panel goes: it is grey, the view behind it is bluish."""
    region = window.region('UI')
    column = window.pixels()[region.y:region.y + region.height, region.x + int(0.89 * region.width)][::-1]
    start = region.height // 6
    bluish = column[start:, 2] - column[start:, 0] > 0.02
    return start + int(bluish.argmax()) + 12


def _shoot(name: str, window: Window, x: int, y: int, width: int, height: int) -> None:
    save(window.pixels()[y:y + height, x:x + width], OUTPUT / f"{name}.png")


if __name__ == "__main__":
    def end(error: BaseException | None) -> None:
        """Leave; whoever waits is told."""
        print(f"{MARK}{'failed: ' + repr(error) if error else 'done'}", flush=True)
        bpy.ops.wm.quit_blender()

    play(shots(Window(), sys.argv[-1]), end)
