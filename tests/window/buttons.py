"""The panel's buttons lead to the target and back, and switch between FK and IK while the pose stays."""

import bpy
import builders as b
from legs import leg_file, miss, rig


def scenario(window, check):
    object = yield from leg_file(window)
    limb = rig().add_limb(object, "lo")
    target, bone = limb.target.object, object.pose.bones["lo"]
    target.location = (0.0, 0.4, -1.0)
    yield 0.5
    shown, ends = b.bone_matrices(object), b.ends(object)
    fields = yield from window.fields()

    yield from press(window, fields, "match_fk")
    check("FK turns the influence off", bone.twobone_influence == 0.0, bone.twobone_influence)
    check("and keeps the pose", stays(object, shown, ends), b.turned(shown, b.bone_matrices(object)))
    target.location = (0.0, -0.5, -0.7)
    yield 0.3
    check("the target moves nothing now", stays(object, shown, ends), b.turned(shown, b.bone_matrices(object)))
    yield from press(window, fields, "match_ik")
    check("IK turns it on", bone.twobone_influence == 1.0, bone.twobone_influence)
    check("and keeps the pose", stays(object, shown, ends), b.turned(shown, b.bone_matrices(object)))
    check("with the target at the tip", miss(object, target) < 2e-5, miss(object, target))

    yield from press(window, fields, "select_target")
    check("the arrow leads to the target", bpy.context.object == target and target.select_get()
          and bpy.context.mode == 'OBJECT', bpy.context.object, bpy.context.mode)
    yield from window.move(window.of_point(b.place(target)))
    yield from window.press('G')
    yield from window.move(window.of_point((0.0, 0.1, -1.4)))
    yield from window.press('LEFTMOUSE')
    yield 0.2
    check("where it can be dragged", abs(b.place(target)[1] - 0.1) < 0.02 and miss(object, target) < 4e-6, b.place(target))

    fields = yield from window.fields()
    yield from press(window, fields, "select_limb")
    check("a button leads back to the limb", bpy.context.object == object and bpy.context.mode == 'POSE'
          and bpy.context.active_pose_bone.name == "lo", bpy.context.object, bpy.context.mode)


def press(window, fields, name):
    """Steps that press the button of an operator in the panel."""
    yield from window.click(fields[f"bpy.ops.pose.twobone_{name}"])
    yield 0.5


def stays(object, shown, ends):
    return b.turned(shown, b.bone_matrices(object)) < 0.01 and b.moved(ends, b.ends(object)) < 2e-5
