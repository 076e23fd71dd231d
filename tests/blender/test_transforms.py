"""Moved, turned, scaled, mirrored armatures, scaled parents and bones: the tip is on the target all the same."""

from math import radians

import builders as b
import numpy as np
import pytest

from twobone_addon import rig

STEP = float(np.finfo(np.float32).eps)


def rounding(object):
    """World units by which a bone may be off for no reason but its detour through world space in single precision.

    A constraint of any kind sends its bone there and back; no single number is off by more than a few steps of the
    largest coordinate on the way.
    """
    return 4 * STEP * float(np.abs(b.world(object)[:3, 3]).max())


def place_controls(object, target, pole, towards, distance, bend):
    """Put target and pole where the armature's own coordinates say."""
    matrix = object.matrix_world.copy()
    target.location = matrix @ b.vector(b.direction(*towards) * distance)
    pole.location = matrix @ b.vector(bend)
    b.update()


@pytest.mark.parametrize("scale", [1, 0.01, 100, 1e-4])
@pytest.mark.parametrize("at", [(0, 0, 0), (12, -7, 3)])
def test_scaled_armature(scale, at):
    """User case T1: the tip is exact in the limb's own size, though far from the origin the bones themselves shift.

    The engine reads the root where its constraint has put it, so that what is lost there is not lost at the tip.
    """
    object, target, pole = b.rigged_leg(1, 1, 10)
    object.location, object.rotation_euler, object.scale = at, (radians(-65), 0, radians(40)), (scale,) * 3
    b.update()
    rng = np.random.default_rng(1)
    for _ in range(12):
        place_controls(object, target, pole, rng.normal(size=3), rng.uniform(0.3, 1.99), rng.uniform(-3, 3, 3))
        assert b.tip_error(object, target) <= 2e-6 * scale * 2
        assert b.segments(object) == pytest.approx([1, 1], abs=max(1e-6, rounding(object) / scale))


OBJECTS = {
    "moved": ((1, 2, 3), (0.3, -1.2, 2.0), (1, 1, 1)),
    "mirrored": ((0.2, 0.1, 0), (0.4, 0.1, 0.2), (-1, 1, 1)),
    "inside out": ((0, 0, 0), (0.4, 0.1, 0.2), (-1, -1, -1)),
    "flattened": ((0.2, 0.1, 0), (0.4, 0.1, 0.2), (1, 0.5, 2)),
}


@pytest.mark.parametrize("kind", OBJECTS)
@pytest.mark.parametrize("size", [(1, 1), (1, 0.6), (0.3, 1), (0.45, 0.42)])
@pytest.mark.parametrize("rolls", [(0, 0), (137, -60), (-90, 180)])
def test_sweep(kind, size, rolls):
    """Ratios, rolls and directions on every kind of armature object: tip, lengths and the joint's side."""
    object, target, pole = b.rigged_leg(*size, 10, rolls=rolls)
    object.location, object.rotation_euler, object.scale = OBJECTS[kind]
    b.update()
    limb = sum(size)
    own = b.segments(object)
    rng = np.random.default_rng(5)
    for _ in range(15):
        distance = rng.uniform(abs(size[0] - size[1]), limb) * 0.98 + 0.01 * limb
        place_controls(object, target, pole, rng.normal(size=3), distance, rng.normal(size=3) * 2)
        assert b.tip_error(object, target) <= 2e-6 * limb * max(abs(object.scale.x), abs(object.scale.y), abs(object.scale.z))
        assert b.segments(object) == pytest.approx(own, rel=1e-6)
        root, joint, _tip = b.joints(object)
        aim, side = (b.in_armature(object, b.place(control)) for control in (target, pole))
        if b.angle(aim - root, side - root) % 179 > 1.0 and b.angle(joint - root, aim - root) > 1.0:
            assert b.plane_error(joint, root, aim, side) < 0.05


@pytest.mark.parametrize("parent_type", ["empty", "bone"])
def test_armature_under_a_parent(parent_type):
    if parent_type == "empty":
        carrier = parent = b.empty("Carrier", (1, 0, 0))
    else:
        parent = b.armature("Horse", [("saddle", (0, 0, 0), (0, 1, 0), "", 0)])
        carrier = parent.pose.bones["saddle"]
    object, target, _pole = b.rigged_leg(1, 1, 10)
    object.parent = parent
    if parent_type == "bone":
        object.parent_type, object.parent_bone = 'BONE', "saddle"
    for step in range(5):
        carrier.location = (0.1 * step, 0.05, -0.02 * step)
        carrier.scale = (1 + 0.1 * step,) * 3
        b.update()
        target.location = b.world(object)[:3, 3] + (0.3, 0.1, -1.2)
        b.update()
        assert b.tip_error(object, target) < 8e-6


def hip_and_leg():
    knee = (0, -0.0871557, -0.9961947)
    return b.armature("Leg", [("hip", (0, 0, 0.3), (0, 0, 0), "", 0), ("up", (0, 0, 0), knee, "hip", 0),
                              ("lo", knee, (0, 0, -1.9923894), "up", 0)])


SCALED = {
    "hip 2": {"hip": (2, 2, 2)},
    "hip y 2": {"hip": (1, 2, 1)},
    "hip z 2.5, turned": {"hip": (1, 1, 2.5), "turn": True},
    "hip mirrored": {"hip": (-1, 1, 1)},
    "up y 1.5": {"up": (1, 1.5, 1)},
    "up x and z 2": {"up": (2, 1, 2)},
    "lo y 0.5": {"lo": (1, 0.5, 1)},
    "lo does not inherit": {"up": (1.5, 1.5, 1.5), "inherit": 'NONE'},
    "lo aligned": {"hip": (1, 2, 1), "inherit": 'ALIGNED'},
}


@pytest.mark.parametrize("kind", SCALED)
@pytest.mark.parametrize("when", ["before adding", "after adding"])
def test_scaled_bones(kind, when):
    """User case T4: squash and stretch above the limb or in it."""
    object, scales = hip_and_leg(), dict(SCALED[kind])
    object.data.bones["lo"].inherit_scale = scales.pop("inherit", 'FULL')
    target, pole = b.empty("T", (0, 0, -1.5)), b.empty("P", (0, -3, -1))
    b.update()
    if when == "after adding":
        rig.add_limb(object, "lo", target, pole)
    if scales.pop("turn", False):
        object.pose.bones["hip"].rotation_quaternion = (0.9, 0.2, 0.3, 0.1)
        object.pose.bones["up"].rotation_quaternion = (0.9, 0.1, 0, 0.2)
    for name, scale in scales.items():
        object.pose.bones[name].scale = scale
    b.update()
    if when == "before adding":
        rig.add_limb(object, "lo", target, pole)
    reach = rig.readings(object, "lo").reach_max
    for towards in ((0.2, -0.4, -0.9), (-0.5, 0.5, -0.3), (0.1, 0.1, -1)):
        target.location = b.ends(object)["up"][0] + b.direction(*towards) * 0.8 * reach
        b.update()
        assert np.isfinite(b.ends(object)["lo"]).all()
        assert b.tip_error(object, target) < 5e-5
        assert rig.readings(object, "lo").reach_max == pytest.approx(reach, rel=1e-5)


SQUARE = ("hip 2", "lo y 0.5", "lo does not inherit")


@pytest.mark.parametrize("kind", [*SCALED, "none", "lo mirrored"])
def test_shear_and_mirroring_are_said(kind):
    """What the constraint takes out of a bone changes how it looks; what it keeps is not complained of."""
    object, scales = hip_and_leg(), dict(SCALED.get(kind, {"lo": (1, 1, -1)} if kind == "lo mirrored" else {}))
    object.data.bones["lo"].inherit_scale = scales.pop("inherit", 'FULL')
    turn = scales.pop("turn", False)
    target = b.empty("T", (0.2, -0.3, -1.4))
    b.update()
    rig.add_limb(object, "lo", target)
    assert rig.problems(object, "lo") == []
    object.pose.bones["hip"].rotation_quaternion = (0.9, 0.2, 0.3, 0.1)
    object.pose.bones["up"].rotation_quaternion = (0.9, 0.1, 0, 0.2) if turn else (0.9, 0.3, 0, 0)
    object.pose.bones["lo"].rotation_quaternion = (0.9, 0.3, 0, 0)
    for name, scale in scales.items():
        object.pose.bones[name].scale = scale
    b.update()
    assert b.tip_error(object, target) == pytest.approx(rig.readings(object, "lo").gap, abs=5e-5)
    said = [problem for problem in rig.problems(object, "lo") if "sheared" in problem]
    assert bool(said) == (kind not in (*SQUARE, "none"))


@pytest.mark.parametrize("name", ["up", "lo"])
def test_without_inherited_rotation(name):
    object = hip_and_leg()
    object.data.bones[name].use_inherit_rotation = False
    object.pose.bones["hip"].rotation_quaternion = (0.9, 0.2, 0.3, 0.1)
    target = b.empty("T", (0.2, -0.3, -1.4))
    b.update()
    rig.add_limb(object, "lo", target)
    for place in ((0.2, -0.3, -1.4), (0.5, 0.4, -1)):
        target.location = place
        b.update()
        assert b.tip_error(object, target) < 4e-6


INHERIT = ('FULL', 'FIX_SHEAR', 'ALIGNED', 'AVERAGE', 'NONE', 'NONE_LEGACY')


@pytest.mark.parametrize("hip", ["turned", "scaled", "squashed", "mirrored"])
@pytest.mark.parametrize("rotation", [True, False])
@pytest.mark.parametrize("scale", INHERIT)
@pytest.mark.parametrize("name", ["up", "lo"])
def test_inherited_rotation_and_scale(name, scale, rotation, hip):
    """Every way in which a limb's bone can take over from its parents: the tip is on the target, whenever IK was added."""
    for when in ("before adding", "after adding"):
        object = hip_and_leg()
        bone = object.data.bones[name]
        bone.use_inherit_rotation, bone.inherit_scale = rotation, scale
        target, pole = b.empty("T", (0.2, -0.3, -1.4)), b.empty("P", (0, -3, -1))
        b.update()
        if when == "after adding":
            rig.add_limb(object, "lo", target, pole)
        parent = object.pose.bones["hip"]
        parent.rotation_quaternion = (0.9, 0.2, 0.3, 0.1)
        parent.scale = {"turned": (1, 1, 1), "scaled": (1.5, 1.5, 1.5), "squashed": (1.2, 0.8, 1.1), "mirrored": (-1, 1, 1)}[hip]
        object.pose.bones["up"].scale = (1.1, 1.2, 1.1)
        b.update()
        if when == "before adding":
            rig.add_limb(object, "lo", target, pole)
        reach = rig.readings(object, "lo").reach_max
        for towards in ((0.2, -0.4, -0.9), (-0.5, 0.5, -0.3)):
            target.location = b.ends(object)["up"][0] + b.direction(*towards) * 0.8 * reach
            b.update()
            assert b.tip_error(object, target) < 5e-5, when


@pytest.mark.parametrize("unit", [1e4, 100, 0.01, 1e-3])
@pytest.mark.parametrize("lengths", [(1, 1), (1, 0.4)])
def test_units(unit, lengths):
    """Rigs built in millimetres or in kilometres: everything is in proportion, adding moves nothing, the tip is exact."""
    object = b.leg(*(unit * length for length in lengths), 10)
    b.update()
    before = b.ends(object), b.bone_matrices(object)
    limb = unit * sum(lengths)
    rig.add_limb(object, "lo")
    assert b.moved(before[0], b.ends(object)) < 1e-5 * limb
    assert b.turned({name: matrix / unit for name, matrix in before[1].items()},
                    {name: matrix / unit for name, matrix in b.bone_matrices(object).items()}) < 0.01
    target = object.pose.bones["lo"].twobone_target
    own = b.segments(object)
    for towards, share in (((0.2, -0.4, -0.9), 0.8), ((1, 0.3, -0.1), 0.6), ((0, 0, 1), 0.95)):
        target.location = b.direction(*towards) * share * limb
        b.update()
        assert b.tip_error(object, target) < 2e-6 * limb
        assert b.segments(object) == pytest.approx(own, rel=1e-6)
    target.location = b.vector((0, -2 * limb, 0))
    b.update()
    reading = rig.readings(object, "lo")
    assert reading.gap == pytest.approx(limb, rel=1e-5)
    assert reading.reach_max == pytest.approx(limb, rel=1e-5)
