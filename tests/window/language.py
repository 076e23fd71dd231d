"""The interface speaks Chinese where Blender does."""

import bpy
import numpy as np
from legs import leg_file, rig

BUTTON, LANGUAGE = "Add Two-Bone IK", "zh_HANS"


def scenario(window, check):
    object = yield from leg_file(window)
    rig().add_limb(object, "lo")
    told = bpy.app.translations.pgettext
    yield 0.5
    english, view = sidebar(window), bpy.context.preferences.view
    check("it starts in English", told(BUTTON, "Operator") == BUTTON, told(BUTTON, "Operator"))
    view.language, view.use_translate_interface = LANGUAGE, True
    try:
        yield 0.5
        check("a button has another label", told(BUTTON, "Operator") != BUTTON, told(BUTTON, "Operator"))
        check("the panel looks different", different(english, sidebar(window)) > 0.01, different(english, sidebar(window)))
        try:
            rig().add_limb(object, "up")
        except rig().Refusal as refusal:
            check("a refusal is in Chinese", any(letter > "\u4e00" for letter in str(refusal)), refusal)
            check("and names the bone", "up" in str(refusal), refusal)
    finally:
        view.language = "en_US"
    yield 0.5
    check("back in English, it is as before", different(english, sidebar(window)) < 0.002, different(english, sidebar(window)))


def sidebar(window):
    """What the sidebar shows."""
    region = window.region('UI')
    return window.pixels()[region.y:region.y + region.height, region.x:region.x + region.width]


def different(first, second):
    """Share of the pixels that differ."""
    return float(np.mean(np.abs(first - second).max(axis=-1) > 0.1))
