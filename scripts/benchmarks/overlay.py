# SPDX-License-Identifier: GPL-3.0-or-later
"""The overlay's cost for one redraw of a 3D View with twenty selected limbs.

With Blender as the module bpy, or in background, everything but the graphics card is measured. In a window, by
`blender --python scripts/benchmark.py -- overlay`, so are the draw handlers as Blender calls them.
"""

import os
import sys
from collections.abc import Callable
from itertools import cycle
from statistics import median
from time import perf_counter
from typing import Any

import bpy
import gpu

import twobone_addon
from twobone_addon.ops.views import redraw_views

from .live import character
from .measuring import medians, save

LIMBS, LIMIT = 20, 0.3e-3
"""How many limbs are drawn, and the seconds that a redraw may take while nothing changes."""

SOFTWARE = ("llvmpipe", "softpipe")
"""Renderers that are programs."""

REDRAWS = 40
"""Of each kind."""


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
    """The handler as Blender calls it; to be called while a 3D View is drawn."""
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
    """Print and save what was measured; returns the exit status.

    Where a program stands in for the graphics card, its work is seen but not held against the overlay.
    """
    renderer = "" if bpy.app.background else gpu.platform.renderer_get()
    print(f"Blender {bpy.app.version_string}; {LIMBS} limbs, median of one redraw{', drawn by ' * bool(renderer)}{renderer}")
    for name, seconds in times.items():
        print(f"{name:22} {1e3 * seconds:8.4f} ms")
    save(arguments, {"blender": bpy.app.version_string, "renderer": renderer, "limbs": LIMBS, "seconds": times})
    counted = ["unchanged, prepared"] if renderer.startswith(SOFTWARE) else list(times)
    slow = [name for name in counted if name.startswith("unchanged") and times[name] > LIMIT]
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
    draw.unregister()  # so that what is timed is the only one that draws
    timed = Redraws(draws(draw), lambda times: leave(report(arguments, {**medians(steps(draw, bpy.context), 200), **times})))

    def begin() -> None:
        scene_with_limbs()
        timed.begin()

    bpy.app.timers.register(begin, first_interval=1.0)
    return 0


class Redraws:
    """Times functions that draw, one call per redraw of the 3D View, taking turns; then hands the medians on."""

    def __init__(self, functions: dict[str, Callable[[], object]], then: Callable[[dict[str, float]], object]) -> None:
        self.functions, self.then = functions, then
        self.times: dict[str, list[float]] = {name: [] for name in functions}
        self.turns = cycle(functions.items())
        self.handler: Any = None

    def begin(self) -> None:
        """Draw until there is enough."""
        self.handler = bpy.types.SpaceView3D.draw_handler_add(self._time_one, (), 'WINDOW', 'POST_VIEW')
        bpy.app.timers.register(self._again)

    def _time_one(self) -> None:
        name, function = next(self.turns)
        start = perf_counter()
        function()
        self.times[name].append(perf_counter() - start)

    def _again(self) -> float | None:
        if min(map(len, self.times.values())) <= REDRAWS:
            redraw_views(bpy.context)
            return 0.01
        bpy.types.SpaceView3D.draw_handler_remove(self.handler, 'WINDOW')
        self.then({name: median(values[1:]) for name, values in self.times.items()})
        return None
