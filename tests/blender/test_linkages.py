"""What hangs on several things at once, or on a bone that does not turn with its parent, is carried along in the same frame."""

import bpy
import builders as b
import pytest
from mathutils import Euler, Matrix, Vector
from test_order import chained, miss

from twobone_addon import rig
from twobone_addon.rig import live

PLACE = tuple(f"use_location_{axis}" for axis in "xyz")
TURN = tuple(f"use_rotation_{axis}" for axis in "xyz")
SIZE = tuple(f"use_scale_{axis}" for axis in "xyz")


def follow(owner, kind, target, bone="lo", unused=(), **settings):
    constraint = owner.constraints.new(kind)
    constraint.target, constraint.subtarget = target, bone
    for name, value in {**settings, **dict.fromkeys(unused, False)}.items():
        setattr(constraint, name, value)
    if kind == 'CHILD_OF':
        constraint.set_inverse_pending = False
        constraint.inverse_matrix = Matrix.LocRotScale((0.1, -0.2, 0.3), Euler((0.2, 0.5, -0.3)), None)


def hold(object, armature):
    object.parent, object.parent_type, object.parent_bone = armature, 'BONE', "lo"


def on_a_third(goal):
    """Rigs A and C, keyed, and B, which reaches for what `goal` makes of A and C; returns B and that."""
    first, second, aim, held = chained("parent")
    bpy.data.objects.remove(held)
    third = b.leg(1, 1, 10, name="C")
    third.location = (0.5, 0.3, 0.2)
    other = b.empty("TC", (0.2, 0, -1.3))
    b.keys(other, "location", [(1, (0.2, 0.3, -1.2)), (11, (0.7, 0.5, -0.9))])
    target = goal(first, third)
    second.location = (0, 0, 0)
    b.update()
    second.location = target.matrix_world.translation + second.matrix_world @ Vector((0.1, 0.2, 1.5))
    b.update()
    for object, control in ((first, aim), (third, other), (second, target)):
        rig.add_limb(object, "lo", control)
    return second, target


def never_late(goal, predicting, monkeypatch):
    monkeypatch.setattr(live.state, "predicting", predicting)
    second, target = on_a_third(goal)
    assert rig.problems(second, "lo") == []
    for frame in (1, 6, 11, 3, 9, 5):
        bpy.context.scene.frame_set(frame)
        assert miss(second, target) < 5e-6, frame


PROPS = {
    "a turn alone": (False, [("C", 'COPY_ROTATION', {})]),
    "parent, Child Of": (True, [("C", 'CHILD_OF', {})]),
    "parent, place": (True, [("C", 'COPY_LOCATION', {"head_tail": 0.4})]),
    "parent, turn": (True, [("C", 'COPY_ROTATION', {})]),
    "parent, all": (True, [("C", 'COPY_TRANSFORMS', {})]),
    "place, turn": (False, [("A", 'COPY_LOCATION', {}), ("C", 'COPY_ROTATION', {})]),
    "two Child Of": (False, [("A", 'CHILD_OF', {}), ("C", 'CHILD_OF', {})]),
    "place, turn, Child Of": (False, [("A", 'COPY_LOCATION', {}), ("C", 'COPY_ROTATION', {"bone": "up"}), ("C", 'CHILD_OF', {})]),
    "place without height": (False, [("C", 'COPY_LOCATION', {"unused": ("use_z",), "invert_x": True})]),
    "parent, Child Of place": (True, [("C", 'CHILD_OF', {"unused": (*TURN, *SIZE)})]),
    "parent, Child Of turn": (True, [("C", 'CHILD_OF', {"unused": (*PLACE, *SIZE)})]),
    "parent, Child Of some": (True, [("C", 'CHILD_OF', {"unused": TURN[1:2]})]),
}


@pytest.mark.parametrize("predicting", [True, False])
@pytest.mark.parametrize("case", PROPS)
def test_a_prop_that_follows_two_hands(case, predicting, monkeypatch):
    held, constraints = PROPS[case]

    def goal(first, third):
        prop = b.empty("Prop", (0.1, 0.05, -0.1))
        prop.rotation_euler = (0.3, 0.2, 0.1)
        if held:
            hold(prop, first)
        for target, kind, settings in constraints:
            follow(prop, kind, {"A": first, "C": third}[target], **settings)
        return b.empty("Grip", (0.2, 0.1, 0.15), prop)
    never_late(goal, predicting, monkeypatch)


BONES = {
    "plain": (None, []),
    "Child Of": (None, [('CHILD_OF', {})]),
    "Child Of place": (None, [('CHILD_OF', {"unused": (*TURN, *SIZE)})]),
    "turn": (None, [('COPY_ROTATION', {})]),
    "place, turn": (None, [('COPY_LOCATION', {"head_tail": 0.3}), ('COPY_ROTATION', {})]),
    "all": (None, [('COPY_TRANSFORMS', {})]),
    "on a bone that does, Child Of": ('CHILD_OF', [('CHILD_OF', {})]),
    "on a bone that does, turn": ('COPY_ROTATION', [('CHILD_OF', {})]),
}

HELD = {"alone": {}, "connected": {"connected": True}, "without turn": {"use_inherit_rotation": False},
        "without scale": {"inherit_scale": 'NONE'}, "place unturned": {"use_local_location": False}}


@pytest.mark.parametrize("predicting", [True, False])
@pytest.mark.parametrize(("case", "way"), [
    *((case, "alone") for case in BONES if "bone" not in case), ("turn", "connected"),
    *((case, way) for case in BONES if "bone" in case for way in HELD)])
def test_a_bone_of_a_rig_in_a_hand_that_follows_another(case, way, predicting, monkeypatch):
    """Its parent follows that one too, in some; it is connected to it, or inherits a part, in others."""
    middle, constraints = BONES[case]
    settings = dict(HELD[way])

    def goal(first, third):
        head = (0, 0, 0.3) if settings.pop("connected", False) else (0.1, 0.1, 0.4)
        held = b.armature("Held", [("root", (0, 0, 0), (0, 0, 0.3), "", 20), ("free", head, (0.1, 0.2, 0.8), "root", 40),
                                   ("tip", (0.2, 0.1, 0.9), (0.2, 0.3, 1.2), "free", 0)])
        held.rotation_euler, held.scale = (0.2, 0.4, 0.1), (0.5, 0.5, 0.5)
        hold(held, first)
        bone = held.pose.bones["free"]
        bone.rotation_mode, bone.rotation_euler, bone.location = 'XYZ', (0.3, 0.1, 0.2), (0.1, 0.2, 0.3)
        for name, value in settings.items():
            setattr(held.data.bones["free"], name, value)
        if middle:
            follow(held.pose.bones["root"], middle, third, "up")
        b.update()
        for kind, more in constraints:
            follow(bone, kind, third, **more)
        return b.empty("Grip", (0.2, 0.1, 0.15), held, "tip")
    never_late(goal, predicting, monkeypatch)


@pytest.mark.parametrize("kind", ['CHILD_OF', 'COPY_LOCATION', 'DAMPED_TRACK'])
def test_what_is_carried_in_part_is_named(kind):
    """Where a parent carries a target and a second limb does so in a way that is not told, too."""
    def goal(first, third):
        prop = b.empty("Prop", (0.1, 0.05, -0.1))
        hold(prop, first)
        follow(prop, kind, third, influence=0.5)
        return prop
    second, _target = on_a_third(goal)
    assert any("one frame late" in problem for problem in rig.problems(second, "lo"))
    bpy.data.objects["Prop"].constraints[0].mute = True
    b.update()
    bpy.context.scene.frame_set(4)
    assert rig.problems(second, "lo") == []
