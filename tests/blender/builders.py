"""Small rigs, and measurements of them in double precision."""

from math import atan2, cos, degrees, radians, sin, sqrt

import bpy
import numpy as np
from mathutils import Vector


def link(object):
    bpy.context.scene.collection.objects.link(object)
    return object


def empty(name, location=(0, 0, 0), parent=None, bone=""):
    """An empty; with `bone` it is parented to that bone of the armature `parent`, else to the object."""
    object = link(bpy.data.objects.new(name, None))
    object.location = location
    if parent is not None:
        object.parent = parent
        if bone:
            object.parent_type, object.parent_bone = 'BONE', bone
    return object


def armature(name, bones):
    """An armature of (name, head, tail, parent, roll in degrees) rows; bones touching their parent are connected."""
    data = bpy.data.armatures.new(name)
    object = link(bpy.data.objects.new(name, data))
    with edited(object):
        for bone_name, head, tail, parent, roll in bones:
            bone = data.edit_bones.new(bone_name)
            bone.head, bone.tail, bone.roll = head, tail, radians(roll)
            if parent:
                bone.parent = data.edit_bones[parent]
                bone.use_connect = (bone.parent.tail - bone.head).length < 1e-6
    return object


class edited:
    """`with edited(armature): …` is in Edit Mode."""

    def __init__(self, object):
        self.object = object

    def __enter__(self):
        if bpy.context.object is not None and bpy.context.object.mode != 'OBJECT':
            bpy.ops.object.mode_set(mode='OBJECT')
        bpy.context.view_layer.objects.active = self.object
        bpy.ops.object.mode_set(mode='EDIT')
        return self.object.data.edit_bones

    def __exit__(self, *_error):
        bpy.ops.object.mode_set(mode='OBJECT')


def leg(a=1.0, b=1.0, flex=10.0, rolls=(0.0, 0.0), name="Leg", extra=()):
    """Bones `up` and `lo` hanging from the armature's origin down -Z, the knee bent towards -Y by `flex` degrees."""
    bend = radians(flex)
    reach = sqrt(a * a + b * b + 2 * a * b * cos(bend))
    at_root = atan2(b * sin(bend), a + b * cos(bend))
    knee = (0.0, -a * sin(at_root), -a * cos(at_root))
    return armature(name, [("up", (0, 0, 0), knee, "", rolls[0]), ("lo", knee, (0, 0, -reach), "up", rolls[1]), *extra])


def rigged_leg(*args, target=(0, 0, -1.5), pole=(0, -3, -1), **kwargs):
    """(armature, target, pole) of a leg with IK to two empties."""
    from twobone_addon import rig

    object = leg(*args, **kwargs)
    target, pole = empty("T", target), empty("P", pole)
    update()
    rig.add_limb(object, "lo", target, pole)
    return object, target, pole


def update():
    bpy.context.view_layer.update()


def evaluated(object):
    return object.evaluated_get(bpy.context.evaluated_depsgraph_get())


def bone_matrices(object):
    """Armature-space matrices (4, 4) by bone name."""
    return {bone.name: np.array(bone.matrix, dtype=float) for bone in evaluated(object).pose.bones}


def ends(object):
    """Armature-space (head, tail) by bone name."""
    return {bone.name: (np.array(bone.head, dtype=float), np.array(bone.tail, dtype=float))
            for bone in evaluated(object).pose.bones}


def joints(object, upper="up", lower="lo"):
    """Root, joint and tip of a limb in armature space."""
    at = ends(object)
    return at[upper][0], at[lower][0], at[lower][1]


def segments(object, upper="up", lower="lo"):
    """Lengths of a limb's two segments, in armature units."""
    root, joint, tip = joints(object, upper, lower)
    return [float(np.linalg.norm(joint - root)), float(np.linalg.norm(tip - joint))]


def moved(before, after):
    """The farthest that any head or tail moved between two results of `ends`."""
    return max(float(np.linalg.norm(after[name][end] - before[name][end])) for name in before for end in (0, 1))


def turned(before, after):
    """Degrees that any axis of any bone turned between two results of `bone_matrices`."""
    return max(angle(before[name][:3, axis], after[name][:3, axis]) for name in before for axis in range(3))


def angle(first, second):
    """Degrees between two vectors, exact for small ones too."""
    return degrees(atan2(float(np.linalg.norm(np.cross(first, second))), float(first @ second)))


def plane_error(joint, root, target, pole):
    """Degrees from the half plane that starts at the root-target line and holds the pole to the joint."""
    return angle(off_line(pole - root, target - root), off_line(joint - root, target - root))


def off_line(vector, line):
    """The part of `vector` perpendicular to `line`."""
    forward = direction(*line)
    return vector - forward * (forward @ vector)


def world(object):
    return np.array(evaluated(object).matrix_world, dtype=float)


def place(object):
    return world(object)[:3, 3]


def tip_error(object, target, lower="lo"):
    """Distance from the lower bone's tail to the target's place, in world units."""
    tip = world(object) @ np.append(ends(object)[lower][1], 1.0)
    return float(np.linalg.norm(tip[:3] - place(target)))


def on_target(object, lower="lo", target=None, within=4e-6):
    """Whether the lower bone's tail stands where its target object does."""
    return tip_error(object, target or object.pose.bones[lower].twobone_target, lower) < within


def settings(bone):
    """Every stored setting of a limb by name, objects by theirs."""
    values = {prop.identifier: getattr(bone, prop.identifier) for prop in bone.bl_rna.properties
              if prop.identifier.startswith("twobone_")}
    return {name: getattr(value, "name", value) for name, value in values.items()}


def in_armature(object, point):
    return (np.linalg.inv(world(object)) @ np.append(point, 1.0))[:3]


def direction(*vector):
    vector = np.array(vector, dtype=float)
    return vector / np.linalg.norm(vector)


def keys(object, path, rows, interpolation='LINEAR'):
    """Key `path` of an object or pose bone with (frame, value) rows."""
    for frame, value in rows:
        setattr(object, path, value)
        object.keyframe_insert(path, frame=frame)
    straighten(object.id_data, interpolation)


def unforeseeable(object):
    """Have only Blender's evaluation tell where the object is: it has a constraint, if one that does nothing."""
    object.constraints.new('LIMIT_LOCATION')
    return object


def straighten(object, interpolation='LINEAR'):
    """Give every key of the object this interpolation, straight lines by default."""
    for curve in curves(object):
        for point in curve.keyframe_points:
            point.interpolation = interpolation


def curves(object):
    from twobone_addon.rig.animation.fcurves import curves_of

    return list(curves_of(object) or ())


def select(object, *names, active=None):
    """Pose Mode with exactly these bones selected."""
    bpy.context.view_layer.objects.active = object
    if object.mode != 'POSE':
        bpy.ops.object.mode_set(mode='POSE')
    for bone in object.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name in names
    if names:
        object.data.bones.active = object.data.bones[active or names[-1]]


def vector(values):
    return Vector([float(value) for value in values])
