"""F12 renders what the window shows."""

import bpy
import builders as b
import numpy as np
import pictures
from checks import OUTPUT
from legs import limb_file, miss

from scripts.window.session import load, until

PLACES = {1: (-1.0, 0.0, -0.9), 10: (1.0, 0.0, -0.7)}
"""Of the target, by frame."""


def scenario(window, check):
    object, target = yield from limb_file(window)
    scene = pictures.studio()
    for name in ("up", "lo"):
        pictures.bar(object, name)
    for frame, place in PLACES.items():
        target.location = place
        target.keyframe_insert("location", frame=frame)
    yield from window.move(window.middle())
    for frame in PLACES:
        scene.frame_set(frame)
        yield 0.2
        yield from rendered(window)
        path = str(OUTPUT / f"render-{frame}.png")
        bpy.data.images["Render Result"].save_render(path)
        picture = load(path)[..., 0]
        lit = {name: seen_at(picture, middle(object, name)) for name in ("up", "lo")}
        check(f"frame {frame}: F12 renders the bones where the window has them", min(lit.values()) > 0.8, lit)
        mirrored = {name: seen_at(picture, middle(object, name) * (-1, 1, 1)) for name in ("up", "lo")}
        check(f"frame {frame}: and nowhere else", max(mirrored.values()) < 0.2, mirrored)
        check(f"frame {frame}: the window's pose is right afterwards", miss(object, target) < 4e-6, miss(object, target))
        window.close_others()
        yield 0.3


def rendered(window):
    """Steps that press F12 and wait for the picture."""
    done = []
    bpy.app.handlers.render_post.append(lambda *_: done.append(True))
    yield from window.press('F12')
    yield from until(lambda: done and not bpy.app.is_job_running('RENDER'), 60)
    bpy.app.handlers.render_post.pop()
    yield 0.3


def middle(object, name):
    """The middle of a bone, in world space."""
    return sum(b.ends(object)[name]) / 2


def seen_at(picture, point):
    """Brightness of the picture where the studio's camera sees a point."""
    height, width = picture.shape
    x = (point[0] / 4.0 + 0.5) * width
    y = (point[2] + 1.0) / 4.0 * width + 0.5 * height
    return float(np.clip(picture[int(y), int(x)], 0.0, 1.0))
