# SPDX-License-Identifier: GPL-3.0-or-later
"""The overlay's cost for one redraw of a 3D View with twenty selected limbs.

With Blender as the module bpy, or in background, everything but the graphics card is measured. In a window, by
`blender --python scripts/benchmark.py -- overlay`, so are the draw handlers as Blender calls them.
"""

import os
import sys
from collections.abc import Callable
from typing import Any

import bpy

import twobone_addon

from .live import character
from .measuring import medians, save

LIMBS, LIMIT = 20, 0.3e-3
"""How many limbs are drawn, and the seconds that a redraw may take while nothing changes."""


def scene_with_limbs() -> None:
    """Characters with LIMBS limbs in Pose Mode, every bone selected; every second target is out of reach."""
    scene = bpy.data.scenes.new("Overlay")
    bpy.context.window.scene = scene
    targets: list[Any] = []
    for index in range(LIMBS // 4):
        armature, made = character(scene, "this extension", f"character {index}", skinned=False)
        armature.location.y = 2.0 * index
        targets += made
        armature.select_set(True)
        for bone in armature.pose.bones:
            (bone if hasattr(bone, "select") else bone.bone).select = True
    for target in targets[::2]:
        target.animation_data_clear()
        target.location.z -= 2.0
    bpy.ops.object.mode_set(mode='POSE')
    bpy.context.view_layer.update()


def steps(draw: Any, context: bpy.types.Context) -> dict[str, Callable[[], object]]:
    """The work without the graphics card, while nothing changes and when something did."""
    from twobone_addon.ui.overlay.changes import Count

    def unchanged() -> object:
        return draw.prepared_limbs(draw.view_of(context), make=lambda picture: picture)

    def changed() -> object:
        Count.updates += 1
        return unchanged()

    return {"unchanged, prepared": unchanged, "changed, to segments": changed}


def draws(draw: Any) -> dict[str, Callable[[], object]]:
    """The handler as Blender calls it; to be timed while a 3D View is drawn."""
    from twobone_addon.ui.overlay.changes import Count

    def changed() -> None:
        Count.updates += 1
        draw.draw_view()

    def hidden() -> None:
        overlay = bpy.context.space_data.overlay
        overlay.show_overlays = False
        draw.draw_view()
        overlay.show_overlays = True

    return {"unchanged, drawn": draw.draw_view, "changed, drawn": changed, "hidden": hidden}


def report(arguments: list[str], times: dict[str, float]) -> int:
    """Print and save what was measured; returns the exit status."""
    print(f"Blender {bpy.app.version_string}; {LIMBS} limbs, median of one redraw")
    for name, seconds in times.items():
        print(f"{name:22} {1e3 * seconds:8.4f} ms")
    save(arguments, {"blender": bpy.app.version_string, "limbs": LIMBS, "seconds": times})
    slow = {name: seconds for name, seconds in times.items() if name.startswith("unchanged") and seconds > LIMIT}
    for name in slow:
        print(f"{name}: more than {1e3 * LIMIT} ms")
    return 1 if slow else 0


def leave(status: int) -> None:
    """End the process: Blender's clean-up may crash."""
    twobone_addon.unregister()
    sys.stdout.flush()
    os._exit(status)


def main(arguments: list[str]) -> int:
    """Measure and leave; in a window, once that is drawn."""
    twobone_addon.register()
    from twobone_addon.ui.overlay import draw

    if bpy.app.background:
        scene_with_limbs()
        leave(report(arguments, medians(steps(draw, bpy.context), 200)))
    handlers: list[Any] = []

    def measure() -> None:
        bpy.types.SpaceView3D.draw_handler_remove(handlers.pop(), 'WINDOW')
        times = medians(steps(draw, bpy.context), 200)
        draw.start_again()
        times.update(medians(draws(draw), 200))
        bpy.app.timers.register(lambda: leave(report(arguments, times)), first_interval=0.1)

    def begin() -> None:
        scene_with_limbs()
        handlers.append(bpy.types.SpaceView3D.draw_handler_add(measure, (), 'WINDOW', 'POST_VIEW'))

    bpy.app.timers.register(begin, first_interval=1.0)
    return 0
