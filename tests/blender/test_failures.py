"""One limb that cannot be solved says so once and rests; all others go on, and nothing is printed over and over."""

import bpy
import builders as b
import numpy as np
import pytest

from twobone_addon import rig
from twobone_addon.rig import live
from twobone_addon.rig.engine import solving

NAN, INF = float("nan"), float("inf")


def three_limbs():
    """Two limbs of one armature and one of another: [(armature, lower bone, target)]."""
    rows = []
    for side, x in ((".L", 1.0), (".R", -1.0)):
        rows += [(f"hip{side}", (x, 0, 0.5), (x, 0, 0), "", 0), (f"up{side}", (x, 0, 0), (x, -0.1, -1), f"hip{side}", 0),
                 (f"lo{side}", (x, -0.1, -1), (x, 0, -2), f"up{side}", 0)]
    pair = b.armature("Pair", rows)
    targets = [b.empty(f"T{side}", (x, 0, -1.5)) for side, x in ((".L", 1.0), (".R", -1.0))]
    poles = [b.empty(f"P{side}", (x, -3, -1)) for side, x in ((".L", 1.0), (".R", -1.0))]
    b.update()
    for side, target, pole in zip((".L", ".R"), targets, poles):
        rig.add_limb(pair, f"lo{side}", target, pole)
    single, target, _pole = b.rigged_leg(name="Single")
    return [(pair, "lo.L", targets[0]), (pair, "lo.R", targets[1]), (single, "lo", target)]


def setter(find, path, index, value):
    def poison(pair):
        owner = find(pair)
        if index is None:
            setattr(owner, path, value)
        else:
            getattr(owner, path)[index] = value
    return poison


def bone(name):
    return lambda pair: pair.pose.bones[name]


POISONS = {
    "target nan": setter(lambda _pair: bpy.data.objects["T.L"], "location", 1, NAN),
    "target inf": setter(lambda _pair: bpy.data.objects["T.L"], "location", 0, INF),
    "pole nan": setter(lambda _pair: bpy.data.objects["P.L"], "location", 2, NAN),
    "pole inf": setter(lambda _pair: bpy.data.objects["P.L"], "location", 1, -INF),
    "hip nan": setter(bone("hip.L"), "location", 0, NAN),
    "hip turned nan": setter(bone("hip.L"), "rotation_quaternion", 1, NAN),
    "hip scale 0": setter(bone("hip.L"), "scale", slice(None), (0, 0, 0)),
    "upper scale 0": setter(bone("up.L"), "scale", slice(None), (0, 0, 0)),
    "lower flat": setter(bone("lo.L"), "scale", slice(None), (1, 0, 1)),
    "lower scale inf": setter(bone("lo.L"), "scale", 1, INF),
    "pole angle inf": setter(bone("lo.L"), "twobone_pole_angle", None, INF),
    "pole angle nan": setter(bone("lo.L"), "twobone_pole_angle", None, NAN),
    "softness nan": setter(bone("lo.L"), "twobone_softness", None, NAN),
    "influence nan": setter(bone("lo.L"), "twobone_influence", None, NAN),
}


@pytest.mark.parametrize("through", ["drags", "frames"])
@pytest.mark.parametrize("kind", POISONS)
def test_not_finite(kind, through, capfd):
    limbs = three_limbs()
    pair = limbs[0][0]
    capfd.readouterr()
    POISONS[kind](pair)
    b.update()
    for step in range(1, 8):
        for object, lower, target in limbs[1:]:
            target.location = b.vector(object.pose.bones[lower].bone.head_local) + b.vector((0.05 * step, 0.2, -0.6))
        if through == "frames":
            bpy.context.scene.frame_set(step)
        else:
            b.update()
        for object, lower, target in limbs[1:]:
            assert b.on_target(object, lower, target)
            assert rig.problems(object, lower) == []
    sentences = rig.problems(pair, "lo.L")
    assert len(sentences) == len(set(sentences)) <= 1
    if sentences:
        assert '"lo.L"' in sentences[0]
        with pytest.raises(rig.Refusal):
            rig.readings(pair, "lo.L")
    limits = [getattr(pair.pose.bones[name].constraints["Two-Bone IK"], f"min_{axis}")
              for name in ("up.L", "lo.L") for axis in "xyz"]
    assert np.isfinite(limits).all()
    assert capfd.readouterr().err == ""
    heal(limbs)
    assert rig.problems(pair, "lo.L") == []
    assert b.on_target(pair, "lo.L", limbs[0][2])


def heal(limbs):
    pair = limbs[0][0]
    bpy.data.objects["T.L"].location, bpy.data.objects["P.L"].location = (1.1, 0, -1.4), (1, -3, -1)
    for name in ("hip.L", "up.L", "lo.L"):
        bone = pair.pose.bones[name]
        bone.location, bone.scale, bone.rotation_quaternion = (0, 0, 0), (1, 1, 1), (1, 0, 0, 0)
    lower = pair.pose.bones["lo.L"]
    lower.twobone_pole_angle, lower.twobone_softness, lower.twobone_influence = 0, 0, 1
    b.update()


@pytest.mark.parametrize("through", ["drags", "frames"])
def test_unexpected_error_in_one_of_three(through, monkeypatch, capfd):
    """User case H15: it is printed once, shown in the panel while it lasts, and gone when it is over."""
    limbs = three_limbs()
    pair = limbs[0][0]
    genuine = solving.deliveries

    def angles(problem):
        if (np.abs(problem.target[:, 1] - 0.123) < 1e-6).any():
            raise ArithmeticError("made up")
        return genuine(problem)

    capfd.readouterr()
    monkeypatch.setattr(solving, "deliveries", angles)
    limbs[0][2].location = (1, 0.123, -1.4)
    for step in range(1, 60):
        for object, lower, target in limbs[1:]:
            target.location = b.vector(object.pose.bones[lower].bone.head_local) + b.vector((0.005 * step, 0.2, -0.6))
        limbs[0][2].location.x = 1 + 0.001 * step
        if through == "frames":
            bpy.context.scene.frame_set(step)
        else:
            b.update()
        assert all(b.on_target(object, lower, target) for object, lower, target in limbs[1:])
        (sentence,) = rig.problems(pair, "lo.L")
        assert "made up" in sentence
    assert capfd.readouterr().err.count("ArithmeticError: made up") == 1
    assert list(live.state.faults) == [(pair.session_uid, "lo.L")]
    limbs[0][2].location.y = 0.1
    b.update()
    assert rig.problems(pair, "lo.L") == []
    assert b.on_target(pair, "lo.L", limbs[0][2])


def odd_parent(target, _pair):
    target.parent, target.parent_type, target.parent_bone = bpy.data.objects["Single"], 'BONE', "no such bone"


def odd_constraints(target, pair):
    for kind in ('CHILD_OF', 'COPY_LOCATION', 'ARMATURE', 'FOLLOW_PATH', 'TRACK_TO', 'PIVOT'):
        target.constraints.new(kind)
    armature = target.constraints.new('ARMATURE')
    armature.targets.new()
    armature.targets.new().target = pair
    copied = target.constraints.new('COPY_TRANSFORMS')
    copied.target, copied.subtarget, copied.influence = bpy.data.objects["Single"], "no such bone", 0.0


def odd_drivers(target, pair):
    bones = pair.pose.bones
    for owner, path in ((target, "location"), (bones["hip.L"], "location"), (bones["lo.L"], "twobone_softness")):
        added = owner.driver_add(path)
        for curve in added if isinstance(added, list) else [added]:
            curve.driver.expression = "no such name +"
            for kind in ('SINGLE_PROP', 'TRANSFORMS', 'ROTATION_DIFF', 'LOC_DIFF'):
                curve.driver.variables.new().type = kind


def odd_vertices(target, _pair):
    mesh = bpy.data.meshes.new("Mesh")
    mesh.from_pydata([(0, 0, 0)], [], [])
    target.parent, target.parent_type = b.link(bpy.data.objects.new("Mesh", mesh)), 'VERTEX'


@pytest.mark.parametrize("odd", [odd_parent, odd_constraints, odd_drivers, odd_vertices])
def test_odd_data_stops_no_limb(odd, capfd):
    """What targets hang on can be half set up, as it is while somebody works on it."""
    limbs = three_limbs()
    capfd.readouterr()
    odd(limbs[0][2], limbs[0][0])
    for step in range(1, 6):
        for object, lower, target in limbs[1:]:
            target.location = b.vector(object.pose.bones[lower].bone.head_local) + b.vector((0.05 * step, 0.2, -0.6))
        b.update()
        bpy.context.scene.frame_set(step)
        assert all(b.on_target(object, lower, target) for object, lower, target in limbs[1:])
    assert np.isfinite(b.ends(limbs[0][0])["lo.L"]).all()
    rig.problems(limbs[0][0], "lo.L")
    assert "twobone_addon" not in capfd.readouterr().err


def test_infinite_scale_does_not_flicker():
    """The pose that overflows is not the one that is shown at rest: the limb stays at rest all the same."""
    object, _target, _pole = b.rigged_leg()
    object.pose.bones["lo"].scale.y = INF
    b.update()
    b.update()
    live.counts.clear()
    for frame in range(5):
        object.update_tag()
        b.update()
        bpy.context.scene.frame_set(frame)
        assert len(rig.problems(object, "lo")) == 1
    assert live.counts.writes == 0


def test_target_bone_that_is_gone_from_an_object_with_constraints():
    """What the object's constraints say is not looked for on a bone that it has no more."""
    first, second, other = b.leg(1, 1, 10, name="A"), b.leg(1, 1, 10, name="B"), b.armature("Aims", [
        ("aim", (0, 0, -1.5), (0, 0, -1), "", 0), ("rest", (1, 0, 0), (1, 0, 1), "", 0)])
    other.constraints.new('COPY_LOCATION').target = b.empty("Far")
    goal = b.empty("Goal", (0, 0.2, -1.6))
    b.update()
    rig.add_limb(first, "lo", other, target_bone="aim")
    rig.add_limb(second, "lo", goal)
    with b.edited(other) as bones:
        bones.remove(bones["aim"])
    goal.location.x += 0.2
    b.update()
    assert 'has no bone "aim"' in rig.problems(first, "lo")[0]
    assert b.on_target(second)
