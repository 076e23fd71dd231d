"""A file that is saved and opened again goes on as before."""

import bpy
import builders as b
from checks import OUTPUT
from legs import activate, limb_file, miss, rig


def scenario(window, check):
    object, target = yield from limb_file(window)
    target.location = (0.0, 0.7, -1.1)
    yield 0.2
    matrices = b.bone_matrices(object)
    path = str(OUTPUT / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    target.location = (0.0, -0.5, -0.9)
    yield 0.2
    bpy.ops.wm.open_mainfile(filepath=path)
    yield 0.5
    object = bpy.data.objects["Leg"]
    target = rig().limbs(object)[0].target.object
    check("the pose is that of the saved file", b.turned(matrices, b.bone_matrices(object)) < 1e-3,
          b.turned(matrices, b.bone_matrices(object)))
    check("nothing is wrong with the limb", rig().problems(object, "lo") == [], rig().problems(object, "lo"))
    activate(target)
    yield from window.move(window.of_point(b.place(target)))
    yield from window.press('G')
    yield from window.move(window.of_point((0.0, 0.2, -1.4)))
    yield 0.1
    check("and the target can be dragged on", abs(b.place(target)[1] - 0.2) < 0.02 and miss(object, target) < 4e-6,
          b.place(target), miss(object, target))
    yield from window.press('LEFTMOUSE')
    yield 0.2
