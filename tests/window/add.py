"""The button in the sidebar adds a limb, and Ctrl Z takes it away."""

import bpy
import builders as b
from legs import leg_file, miss, rig

BUTTON = "bpy.ops.pose.twobone_add"


def scenario(window, check):
    object = yield from leg_file(window)
    before, matrices = b.ends(object), b.bone_matrices(object)
    fields = yield from window.fields()
    check("the button is in the sidebar", BUTTON in fields, sorted(fields))
    yield from window.click(fields[BUTTON])
    yield 0.5
    limbs = rig().limbs(object)
    check("pressing it adds the limb", [limb.lower for limb in limbs] == ["lo"], limbs)
    check("no bone moves", b.moved(before, b.ends(object)) < 1e-5, b.moved(before, b.ends(object)))
    check("no bone turns", b.turned(matrices, b.bone_matrices(object)) < 0.01, b.turned(matrices, b.bone_matrices(object)))

    yield from window.move(window.middle())
    yield from window.press('Z', ctrl=True)
    yield 0.5
    object = bpy.data.objects["Leg"]
    check("Ctrl Z takes limb, target and pole away", not rig().limbs(object) and len(bpy.data.objects) == 1,
          rig().limbs(object), list(bpy.data.objects))
    check("and the constraints", not any(bone.constraints for bone in object.pose.bones))
    yield from window.press('Z', ctrl=True, shift=True)
    yield 0.5
    object = bpy.data.objects["Leg"]
    limbs = rig().limbs(object)
    check("Ctrl Shift Z brings it back", len(limbs) == 1, limbs)
    target = limbs[0].target.object
    target.location = (0.2, -0.4, -1.1)
    yield 0.2
    check("and it follows its target", miss(object, target) < 4e-6, miss(object, target))
