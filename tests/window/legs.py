"""A leg in a file of its own, seen from its side, and where its tip has to be."""

import importlib

import bpy
import builders as b
import numpy as np

from scripts.window.session import new_file

MODULE = "bl_ext.user_default.twobone_addon"
UPPER, LOWER = 1.0, 0.8
"""Lengths of the bones."""

TAB = "Animation"
"""Of the sidebar."""


def rig():
    """The installed extension's interface for scripts."""
    return importlib.import_module(MODULE + ".rig")


def leg_file(window):
    """Steps to a new file with a leg in Pose Mode, its lower bone selected, and the sidebar open; returns the armature."""
    yield from new_file(window)
    bpy.context.preferences.view.smooth_view = 0
    object = b.leg(UPPER, LOWER, flex=60.0)
    activate(object)
    space = window.area().spaces.active
    space.show_region_ui = True
    with window.context():
        bpy.ops.view3d.view_axis(type='LEFT')
        bpy.ops.object.mode_set(mode='POSE')
    space.region_3d.view_location, space.region_3d.view_distance = (0.0, 0.3, -1.0), 8.0
    select_bone(object, "lo")
    yield 0.3  # only now are the tabs of Pose Mode there
    window.region('UI').active_panel_category = TAB
    window.region('UI').tag_redraw()
    bpy.ops.ed.undo_push(message="Leg")
    yield 0.3
    return object


def limb_file(window):
    """Steps to such a leg with IK, in Object Mode with the target selected; returns armature and target."""
    object = yield from leg_file(window)
    target = rig().add_limb(object, "lo").target.object
    with window.context():
        bpy.ops.object.mode_set(mode='OBJECT')
    activate(target)
    bpy.ops.ed.undo_push(message="Limb")
    yield 0.3
    return object, target


def activate(object):
    for other in bpy.context.view_layer.objects:
        other.select_set(other == object)
    bpy.context.view_layer.objects.active = object


def select_bone(object, name):
    bone = object.pose.bones[name]
    (bone if hasattr(bone, "select") else bone.bone).select = True
    object.data.bones.active = bone.bone


def right_tip(object, target):
    """Where the tip has to be in world space, by the geometry alone."""
    root = (b.world(object) @ np.append(b.joints(object)[0], 1.0))[:3]
    line = b.place(target) - root
    distance = np.linalg.norm(line)
    return root + line / distance * min(max(distance, UPPER - LOWER), UPPER + LOWER)


def tip(object):
    """Where the tip is in world space."""
    return (b.world(object) @ np.append(b.joints(object)[2], 1.0))[:3]


def miss(object, target):
    """How far the tip is from where it has to be."""
    return float(np.linalg.norm(tip(object) - right_tip(object, target)))
