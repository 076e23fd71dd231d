"""The overlay's circles and gap are drawn where they belong, in the colour of the state."""

import importlib

import bpy
import builders as b
import numpy as np
from legs import LOWER, MODULE, UPPER, limb_file, rig, tip

REACHED, TOO_FAR = 4, 1
"""Numbers of the theme's colour sets that the preferences start with."""


def scenario(window, check):
    object, target = yield from limb_file(window)
    target.location = (0.0, 0.3, -1.0)
    yield 0.5
    around = ring(UPPER + LOWER)
    seen = share(window, around, REACHED)
    check("within reach, the circle of full reach is dashed in the theme's colour for that", 0.45 < seen < 0.8, seen)
    seen = share(window, ring(UPPER - LOWER), REACHED)
    check("so is the circle of the fold limit", seen > 0.45, seen)
    for factor in (0.95, 1.05):
        seen = share(window, around * factor, REACHED)
        check(f"not so a circle {factor} times as large", seen < 0.1, seen)

    target.location = (0.0, 1.6, -1.4)
    yield 0.5
    seen = share(window, around, TOO_FAR)
    check("out of reach, it has the colour for that", 0.45 < seen < 0.8, seen)
    gap = np.linspace(tip(object), b.place(target), 40)[4:-8]
    seen = share(window, gap, TOO_FAR)
    check("and the gap is a line from the tip to the target", seen > 0.9, seen)
    labels = [label.text for label in importlib.import_module(f"{MODULE}.ui.overlay.draw").State.labels]
    told = bpy.utils.units.to_string('METRIC', 'LENGTH', rig().readings(object, "lo").gap, precision=3)
    check(f"with its length beside it, {told}", labels == [told], labels)
    written = contrast(window, gap[len(gap) // 2])
    check("in letters that can be read", written > 0.4, written)

    window.area().spaces.active.overlay.show_overlays = False
    yield 0.5
    check("without overlays there is no circle", share(window, around, TOO_FAR) < 0.02)
    check("and nothing is written", contrast(window, gap[len(gap) // 2]) < 0.2, contrast(window, gap[len(gap) // 2]))
    window.area().spaces.active.overlay.show_overlays = True
    bpy.context.workspace.twobone_overlay = False
    yield 0.5
    check("nor without ours", share(window, around, TOO_FAR) < 0.02)
    bpy.context.workspace.twobone_overlay = True
    yield 0.5
    check("switched on, it is back", share(window, around, TOO_FAR) > 0.45)


def ring(radius):
    """Points about the leg's root in the plane it bends in, which is seen face on."""
    angles = np.linspace(0.0, 2.0 * np.pi, 720, endpoint=False)
    return radius * np.stack((0.0 * angles, np.cos(angles), np.sin(angles)), axis=1)


def share(window, points, number):
    """Share of the points in sight with a pixel beside them that has the active colour of a colour set."""
    colour = np.array(bpy.context.preferences.themes[0].bone_color_sets[number - 1].active)
    pixels, free = window.pixels(), window.region('UI').x
    places = [window.of_point(point) for point in points]
    alike = [np.abs(pixels[y - 1:y + 2, x - 1:x + 2] - colour).max(axis=-1).min() < 0.2 for x, y in places if x < free]
    return float(np.mean(alike))


def contrast(window, point):
    """Range of brightness in the pixels to the right of a point, where its label is."""
    x, y = window.of_point(point)
    return float(np.ptp(window.pixels()[y:y + 24, x + 16:x + 80].mean(axis=-1)))
