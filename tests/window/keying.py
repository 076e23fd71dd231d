"""Hovering the influence and pressing I keys it."""

import importlib

import bpy
import builders as b
import numpy as np
from legs import MODULE, leg_file, rig, tip

FIELD = "twobone_influence"
PATH = f'pose.bones["lo"].{FIELD}'


def scenario(window, check):
    object = yield from leg_file(window)
    target = rig().add_limb(object, "lo").target.object
    scene, bone = bpy.context.scene, object.pose.bones["lo"]
    bone.rotation_mode, bone.rotation_euler.x = 'XYZ', 0.5
    target.location = (0.3, -0.2, -1.0)
    yield 0.5
    fields = yield from window.fields()
    check("the influence is in the sidebar", FIELD in fields, sorted(fields))
    for frame, value in ((1, 1.0), (21, 0.0)):
        scene.frame_set(frame)
        bone.twobone_influence = value
        yield from window.move(fields[FIELD])
        yield 0.2
        yield from window.press('I')
        yield 0.2
    points = keys(object)
    check("I keys it", points == [(1.0, 1.0), (21.0, 0.0)], points)

    tips = {}
    for frame in (1, 11, 21):
        scene.frame_set(frame)
        yield 0.1
        tips[frame] = tip(object)
    check("at 1 the tip is at the target", np.linalg.norm(tips[1] - b.place(target)) < 4e-6, tips[1])
    check("at 0 the limb shows its FK pose", np.linalg.norm(tips[21] - fk_tip(object)) < 1e-5, tips[21], fk_tip(object))
    way = [float(np.linalg.norm(tips[11] - tips[frame])) for frame in (1, 21)]
    check("in between it is on the way", min(way) > 0.1, way)


def keys(object):
    """(frame, value) of every key of the influence."""
    find = importlib.import_module(f"{MODULE}.rig.animation.fcurves").curves_of
    return [tuple(point.co) for curve in find(object) if curve.data_path == PATH for point in curve.keyframe_points]


def fk_tip(object):
    """Where the tip is by the bones' own channels."""
    bones = object.pose.bones
    matrix = object.matrix_world.copy()
    for name in ("up", "lo"):
        rest = bones[name].bone
        local = rest.matrix_local if rest.parent is None else rest.parent.matrix_local.inverted() @ rest.matrix_local
        matrix = matrix @ local @ bones[name].matrix_basis
    return np.array(matrix.translation) + np.array(matrix.col[1][:3]) * bones["lo"].bone.length
