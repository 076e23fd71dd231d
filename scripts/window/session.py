# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside a Blender with a window: eyes and hands for scripts, and the clock that steps through them.

A script is a generator of one Window. Each `yield` lets Blender handle what was done and draw; `yield seconds` waits.
The mouse and the keyboard are those of Blender's own simulation, so it has to be started with --enable-event-simulate.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import bpy
import numpy as np
from bpy_extras import view3d_utils
from mathutils import Vector
from numpy.typing import NDArray

Steps: TypeAlias = Generator[float | None, None, None]
Picture: TypeAlias = NDArray[np.float32]
Place: TypeAlias = tuple[int, int]
"""Pixels from the window's lower left corner."""

STRIDE, COLUMNS = 13, (0.45, 0.56, 0.67, 0.76)
"""Where fields are looked for: every so many pixels, less than a button's height, at these shares of the width."""

TICK = 0.04
"""Seconds between two steps; drawing takes what it takes on top."""


class Window:
    """Blender's main window: what is where in it, and what is done to it."""

    def __init__(self) -> None:
        self.mouse: Place = (1, 1)

    @property
    def window(self) -> bpy.types.Window:
        """The first window, asked anew: files that are loaded replace it."""
        return bpy.context.window_manager.windows[0]

    def area(self, kind: str = 'VIEW_3D') -> bpy.types.Area:
        """The largest editor of a kind."""
        return max((area for area in self.window.screen.areas if area.type == kind), key=lambda area: area.width * area.height)

    def region(self, kind: str = 'WINDOW', area: str = 'VIEW_3D') -> bpy.types.Region:
        """A part of that editor."""
        return next(region for region in self.area(area).regions if region.type == kind)

    @contextmanager
    def context(self, kind: str = 'WINDOW', area: str = 'VIEW_3D') -> Iterator[None]:
        """Operators called within act there."""
        with bpy.context.temp_override(window=self.window, area=self.area(area), region=self.region(kind, area)):
            yield

    def close_others(self) -> None:
        """Close every window but the first."""
        for other in list(bpy.context.window_manager.windows)[1:]:
            with bpy.context.temp_override(window=other):
                bpy.ops.wm.window_close()

    def middle(self, kind: str = 'WINDOW', area: str = 'VIEW_3D') -> Place:
        """The middle of a region."""
        region = self.region(kind, area)
        return region.x + region.width // 2, region.y + region.height // 2

    def of_point(self, point: Iterable[float]) -> Place:
        """Where a point in world space is seen in the 3D View."""
        region = self.region()
        seen = view3d_utils.location_3d_to_region_2d(region, self.area().spaces.active.region_3d, Vector(point))
        return region.x + round(seen.x), region.y + round(seen.y)

    def event(self, kind: str, value: str, **modifiers: bool) -> None:
        """One event, with the mouse where it is."""
        x, y = self.mouse
        self.window.event_simulate(type=kind, value=value, x=x, y=y, **modifiers)

    def move(self, place: Place) -> Steps:
        """Move the mouse there."""
        self.mouse = place
        self.event('MOUSEMOVE', 'NOTHING')
        yield None

    def press(self, key: str, **modifiers: bool) -> Steps:
        """Press and release a key or a button of the mouse."""
        self.event(key, 'PRESS', **modifiers)
        yield None
        self.event(key, 'RELEASE', **modifiers)
        yield None

    def click(self, place: Place) -> Steps:
        """Press the left button there."""
        yield from self.move(place)
        yield from self.press('LEFTMOUSE')

    def fields(self, kind: str = 'UI', area: str = 'VIEW_3D') -> Generator[float | None, None, dict[str, Place]]:
        """What can be clicked in a region, found by hovering: names of properties, calls of operators, and their places."""
        region, found = self.region(kind, area), dict[str, Place]()
        for y in range(region.y + region.height - 4, region.y + 4, -STRIDE):
            for share in COLUMNS:
                yield from self.move((region.x + int(share * region.width), y))
                with self.context(kind, area):
                    under = bpy.context.property
                    if under is not None:
                        found.setdefault(under[1].rsplit(".", 1)[-1], self.mouse)
                    elif bpy.ops.ui.copy_python_command_button.poll():
                        bpy.ops.ui.copy_python_command_button()
                        found.setdefault(bpy.context.window_manager.clipboard.split("(")[0], self.mouse)
        return found

    def pixels(self) -> Picture:
        """What the window shows: (height, width, 3) in 0 to 1, row 0 at the bottom."""
        if "TWOBONE_SCREEN" in os.environ:
            return _in_memory(Path(os.environ["TWOBONE_SCREEN"]) / "Xvfb_screen0")
        with tempfile.TemporaryDirectory() as folder, bpy.context.temp_override(
                window=self.window, screen=self.window.screen, area=self.area(), region=self.region()):
            path = str(Path(folder) / "window.png")
            bpy.ops.screen.screenshot(filepath=path)
            return load(path)

    def picture(self, path: Path) -> Path:
        """Write what the window shows into a PNG file."""
        save(self.pixels(), path)
        return path


def _in_memory(path: Path) -> Picture:
    """The screen that Xvfb keeps in a file, in the X window dump format: a header of big-endian words, then colours.

    (Blender's own screenshots are black on the drivers that draw in memory.)
    """
    data = path.read_bytes()
    header = np.frombuffer(data, ">u4", 25)
    size, width, height, stride, colours = (int(header[word]) for word in (0, 4, 5, 12, 19))
    rows = np.frombuffer(data, np.uint8, stride * height, size + 12 * colours).reshape(height, stride // 4, 4)
    return rows[::-1, :width, 2::-1].astype(np.float32) / 255.0


def load(path: str) -> Picture:
    """The colours of a picture in a file."""
    image = bpy.data.images.load(path)
    image.colorspace_settings.name = 'Non-Color'
    values = np.empty(image.size[0] * image.size[1] * 4, dtype=np.float32)
    image.pixels.foreach_get(values)
    shape = image.size[1], image.size[0], 4
    bpy.data.images.remove(image)
    return values.reshape(shape)[..., :3]


def save(pixels: Picture, path: Path) -> None:
    """Write a picture into a PNG file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    height, width = pixels.shape[:2]
    image = bpy.data.images.new(path.stem, width, height, alpha=False)
    image.colorspace_settings.name = 'Non-Color'
    image.pixels.foreach_set(np.concatenate((pixels, np.ones_like(pixels[..., :1])), axis=2, dtype=np.float32).ravel())
    image.filepath_raw, image.file_format = str(path), 'PNG'
    image.save()
    bpy.data.images.remove(image)


def until(holds: Callable[[], object], seconds: float = 10.0) -> Steps:
    """Wait until something holds, but no longer than `seconds`."""
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        yield None


def play(script: Steps, when_done: Callable[[BaseException | None], None]) -> None:
    """Step through `script` on Blender's clock; `when_done` is told the error that ended it, if any."""

    def tick() -> float | None:
        try:
            pause = next(script)
        except StopIteration:
            when_done(None)
            return None
        except Exception as error:  # noqa: BLE001
            traceback.print_exc()
            sys.stderr.flush()
            when_done(error)
            return None
        return TICK if pause is None else pause

    bpy.app.timers.register(tick, first_interval=1.0, persistent=True)


def new_file(window: Window) -> Steps:
    """Open an empty file with the factory's layout; what is set in the preferences stays."""
    bpy.context.preferences.view.show_splash = False
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_splash=False)
    yield 0.3
    for object in list(bpy.data.objects):
        bpy.data.objects.remove(object)
    yield None
