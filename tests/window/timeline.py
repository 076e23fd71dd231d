"""The pose is right on every frame, scrubbed with the mouse and played."""

import bpy
import builders as b
from legs import limb_file, miss

KEYS = {1: (0.1, 0.3, -1.5), 15: (0.5, 1.4, -1.9), 30: (-0.3, -0.6, -0.6)}
"""Places of the target by frame; the second is out of reach."""


def scenario(window, check):
    object, target = yield from limb_file(window)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 30
    for frame, place in KEYS.items():
        target.location = place
        target.keyframe_insert("location", frame=frame)
    scene.frame_set(1)
    yield 0.3

    yield from window.move(strip(window, 2))
    window.event('LEFTMOUSE', 'PRESS')
    yield None
    for frame in (4, 9, 15, 22, 30, 12, 3):
        yield from window.move(strip(window, frame))
        yield 0.1
        check(f"scrubbed to frame {frame}", scene.frame_current == frame, scene.frame_current)
        check(f"frame {frame}: the tip is where it has to be", miss(object, target) < 4e-6, miss(object, target))
    window.event('LEFTMOUSE', 'RELEASE')
    yield 0.2

    yield from window.move(window.middle())
    yield from window.press('SPACE')
    check("Space plays", window.window.screen.is_animation_playing)
    seen, worst = set(), 0.0
    for _ in range(80):
        yield None
        seen.add(scene.frame_current)
        worst = max(worst, miss(object, target))
    yield from window.press('SPACE')
    check("many frames are shown", len(seen) >= 10, seen)
    check("and the tip is right in all of them", worst < 4e-6, worst)
    check("Space stops it", not window.window.screen.is_animation_playing)
    frame = scene.frame_current
    matrices = b.bone_matrices(object)
    scene.frame_set(1)
    scene.frame_set(frame)
    check("stopped, the pose is that of the frame", b.turned(matrices, b.bone_matrices(object)) < 1e-3)


def strip(window, frame):
    """Where a frame is in the timeline's row of numbers."""
    region = window.region('WINDOW', 'DOPESHEET_EDITOR')
    x, _y = region.view2d.view_to_region(frame, 0, clip=False)
    return region.x + x, region.y + region.height - 8
