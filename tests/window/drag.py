"""The mouse drags the target past the reach and back."""

import bpy
import builders as b
import numpy as np
from legs import LOWER, UPPER, limb_file, miss, rig, tip

PATH = ((0.2, -1.2), (0.6, -1.5), (0.9, -1.7), (1.2, -2.1), (1.0, -1.8), (0.4, -1.4), (0.1, -0.6), (0.03, -0.1), (0.2, -0.9))
"""Where the mouse goes, as y and z in world space: within reach, beyond, back, inside the fold limit, back."""


def scenario(window, check):
    object, target = yield from limb_file(window)
    start, matrices = b.place(target), b.bone_matrices(object)
    yield from window.move(window.of_point(start))
    yield from window.press('G')
    states = []
    for y, z in PATH:
        yield from window.move(window.of_point((0.0, y, z)))
        yield 0.1
        readings = rig().readings(object, "lo")
        states.append(readings.state.name)
        where = f"y {y}, z {z}"
        check(f"{where}: the target is under the mouse", np.linalg.norm(b.place(target) - (0.0, y, z)) < 0.02, b.place(target))
        check(f"{where}: the tip is where it has to be", miss(object, target) < 4e-6, miss(object, target))
        distance = np.linalg.norm(b.place(target))
        right = 'TOO_FAR' if distance > UPPER + LOWER else 'TOO_CLOSE' if distance < UPPER - LOWER else 'REACHED'
        check(f"{where}: the state is {right}", states[-1] == right, states[-1])
        gap = np.linalg.norm(b.place(target) - tip(object))
        check(f"{where}: the gap is told", abs(readings.gap - gap) < 4e-6, readings.gap, gap)
        lengths = b.segments(object)
        check(f"{where}: the bones keep their length", np.allclose(lengths, (UPPER, LOWER), rtol=0, atol=2e-6), lengths)
    check("the way led through every state", {'TOO_FAR', 'TOO_CLOSE', 'REACHED'} <= set(states), states)
    yield from window.press('LEFTMOUSE')
    yield 0.3
    check("dropped, the target stays", np.linalg.norm(b.place(target) - (0.0, *PATH[-1])) < 0.02, b.place(target))
    check("and the tip with it", miss(object, target) < 4e-6, miss(object, target))

    yield from window.press('G')
    yield from window.move(window.of_point((0.0, 1.0, -2.0)))
    yield from window.press('ESC')
    yield 0.3
    check("Esc while dragging brings the pose back", np.linalg.norm(b.place(target) - (0.0, *PATH[-1])) < 0.02
          and miss(object, target) < 4e-6, b.place(target), miss(object, target))

    yield from window.press('Z', ctrl=True)
    yield 0.5
    object, target = bpy.data.objects["Leg"], bpy.data.objects["lo target"]
    check("Ctrl Z brings the first pose back", np.allclose(b.place(target), start, rtol=0, atol=1e-6)
          and b.turned(matrices, b.bone_matrices(object)) < 0.01, b.place(target), b.turned(matrices, b.bone_matrices(object)))
