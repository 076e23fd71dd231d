"""Baking with a progress bar: Esc stops it, Enter in its dialog begins it, one undo takes it back; the reach report."""

import importlib
from time import perf_counter

import bpy
import builders as b
from legs import MODULE, leg_file, rig

from scripts.window.session import until

ROTATION = 'pose.bones["lo"].rotation_quaternion'
LAST = 3000


def scenario(window, check):
    object = yield from leg_file(window)
    scene = bpy.context.scene
    target = b.unforeseeable(rig().add_limb(object, "lo").target.object)  # else it is over at once
    b.keys(target, "location", [(1, (0, 0, -1.2)), (LAST, (0.4, -0.3, -1.5))])
    scene.frame_start, scene.frame_end = 1, LAST
    scene.frame_set(7)
    with window.context():
        bpy.ops.ed.undo_push(message="Keys")
    yield 0.3

    yield from begin(window)
    yield from until(lambda: at_work(window))
    check("baking is at work", at_work(window), list(window.window.modal_operators))
    yield from window.press('ESC')
    yield 0.3
    check("Esc leaves no keys", keys(object) == 0, keys(object))
    check("Esc goes back to the frame", scene.frame_current == 7, scene.frame_current)

    yield from begin(window)
    started = perf_counter()
    while keys(object) == 0 and perf_counter() - started < 60.0:
        yield 0.2
    check("left alone it sets its keys", keys(object) == LAST, keys(object))
    check("and goes back to the frame", scene.frame_current == 7, scene.frame_current)
    yield 0.3
    yield from window.press('Z', ctrl=True)
    yield 0.5
    object = bpy.context.object
    check("one undo takes them back", keys(object) == 0, keys(object))
    influence = object.pose.bones["lo"].twobone_influence
    check("and the IK is on again", influence == 1.0, influence)

    scene = bpy.context.scene
    scene.frame_end = 50
    latest = importlib.import_module(f"{MODULE}.rig.frames.report_files").latest
    with window.context():
        bpy.ops.pose.twobone_reach_report('INVOKE_DEFAULT')
    started = perf_counter()
    while latest.report is None and perf_counter() - started < 20.0:
        yield 0.2
    yield 0.5
    check("the report is made", latest.report is not None and len(latest.report.frames) == 50)
    yield from window.press('ESC')
    yield 0.2


def begin(window):
    """Call the operator as a button does, and say OK."""
    yield from window.move(window.middle())
    with window.context():
        bpy.ops.pose.twobone_bake('INVOKE_DEFAULT', after='ZERO_INFLUENCE')
    yield 0.5
    window.event('RET', 'PRESS')
    window.event('RET', 'RELEASE')


def at_work(window):
    """Whether the operator is under way in the window."""
    return "POSE_OT_twobone_bake" in [operator.bl_idname for operator in window.window.modal_operators]


def keys(object):
    find = importlib.import_module(f"{MODULE}.rig.animation.fcurves").curves_of
    return max((len(curve.keyframe_points) for curve in find(object) or () if curve.data_path == ROTATION), default=0)
