"""Limbs that hang on each other are solved in order, in the same frame; loops are refused or paused."""

import bpy
import builders as b
import numpy as np
import pytest

from twobone_addon import rig
from twobone_addon.rig import live


def chained(mode):
    """Rig A and rig B, whose target hangs on A's hand; not yet rigged."""
    first = b.leg(1, 1, 10, name="A")
    second = b.leg(1, 1, 10, name="B")
    second.location, second.rotation_euler = (1, 0, -1), (0, 0.3, 0.2)
    aim = b.empty("TA", (0, 0, -1.5))
    b.keys(aim, "location", [(1, (0, 0, -1.9)), (11, (0.8, -0.3, -1.2))])
    if mode == "parent":
        held = b.empty("TB", parent=first, bone="lo")
    else:
        held = b.empty("TB")
        constraint = held.constraints.new(mode)
        constraint.target, constraint.subtarget = first, "lo"
        if mode != 'CHILD_OF':
            constraint.head_tail = 1.0
    b.update()
    return first, second, aim, held


def miss(object, target):
    """How much farther the tip is from its target than the readings say."""
    tip = (b.world(object) @ np.append(b.ends(object)["lo"][1], 1))[:3]
    return abs(np.linalg.norm(tip - b.place(target)) - rig.readings(object, "lo").gap)


@pytest.mark.parametrize("influence", [1.0, 0.5])
@pytest.mark.parametrize("mode", ["parent", 'COPY_LOCATION', 'CHILD_OF', 'COPY_TRANSFORMS'])
@pytest.mark.parametrize("order", ["AB", "BA"])
def test_other_rig_in_the_same_frame(mode, order, influence):
    first, second, aim, held = chained(mode)
    rigs = {"A": (first, aim), "B": (second, held)}
    for name in order:
        rig.add_limb(rigs[name][0], "lo", rigs[name][1])
    first.pose.bones["lo"].twobone_influence = influence
    for frame in (1, 6, 11, 3, 9):
        bpy.context.scene.frame_set(frame)
        assert miss(second, held) < 1e-5
    aim.animation_data_clear()
    aim.location = (0.3, 0.2, -1.1)
    b.update()
    assert miss(second, held) < 1e-5


def test_root_on_another_limb_of_the_same_armature():
    rows = [("up", (0, 0, 0), (0, -0.1, -1), "", 0), ("lo", (0, -0.1, -1), (0, 0, -2), "up", 0),
            ("claw", (0, 0, -2), (0.5, -0.05, -2), "lo", 0), ("tip", (0.5, -0.05, -2), (1, 0, -2), "claw", 0)]
    object = b.armature("Crane", rows)
    first, second = b.empty("T1", (0, 0, -2)), b.empty("T2", (1, 0, -2))
    b.update()
    rig.add_limb(object, "tip", second)
    rig.add_limb(object, "lo", first)
    assert [limb.lower for limb in rig.limbs(object)] == ["lo", "tip"]
    b.keys(first, "location", [(1, (0, 0, -1.9)), (11, (0.4, 0, -1.4))])
    b.keys(second, "location", [(1, (0.8, 0, -1.9)), (11, (0.9, 0.2, -1.2))])
    for frame in (1, 11, 4, 8):
        bpy.context.scene.frame_set(frame)
        assert np.linalg.norm(b.ends(object)["lo"][1] - b.place(first)) < 4e-6
        assert np.linalg.norm(b.ends(object)["tip"][1] - b.place(second)) < 4e-6


@pytest.mark.parametrize("predicting", [True, False])
@pytest.mark.parametrize("grip", [False, True])
def test_a_whole_rig_in_a_hand_and_another_hand_on_it(grip, predicting):
    """The held rig's limb aims at something in the world, whether or not its root has a parent bone."""
    first, second, aim, _held = chained("parent")
    rows = [("low", (0, 0, 0), (0, 0.05, 0.5), "grip" if grip else "", 0), ("high", (0, 0.05, 0.5), (0, 0, 1), "low", 0)]
    sword = b.armature("Sword", ([("grip", (0, 0, -0.2), (0, 0, 0), "", 0)] if grip else []) + rows)
    sword.parent, sword.parent_type, sword.parent_bone, sword.rotation_euler = first, 'BONE', "lo", (0, 1, 0)
    edge, point = b.empty("Edge", parent=sword, bone="low"), b.empty("Point", (0.9, -0.2, -1.6))
    b.update()
    rig.add_limb(first, "lo", aim)
    rig.add_limb(sword, "high", point)
    rig.add_limb(second, "lo", edge)
    live.state.predicting = predicting
    for frame in (1, 6, 11, 3, 9, 9, 9):
        bpy.context.scene.frame_set(frame)
        assert miss(second, edge) < 1e-5
        tip = (b.world(sword) @ np.append(b.ends(sword)["high"][1], 1))[:3]
        assert abs(np.linalg.norm(tip - b.place(point)) - rig.readings(sword, "high").gap) < 1e-5
    live.state.predicting = True


@pytest.mark.parametrize("predicting", [True, False])
@pytest.mark.parametrize("again", [False, True])
def test_what_hangs_on_something_that_follows_a_hand_in_place_alone(again, predicting):
    """Copy Location turns nothing: neither a target a little off what has it, nor a rig that has it as a whole."""
    first, second, aim, prop = chained('COPY_LOCATION')
    prop.rotation_euler = (0.4, 0.2, -0.3)
    if again:
        middle = b.empty("Middle", (0.1, 0.3, 0.2), parent=prop)
        prop = b.empty("Prop")
        prop.constraints.new('COPY_LOCATION').target = middle
    target = b.empty("Aside", (0.3, -0.2, 0.25), parent=prop)
    third = b.leg(1, 1, 10, name="C")
    third.constraints.new('COPY_LOCATION').target = prop
    above, last = b.empty("Above", (0.4, 0.3, -2.6)), b.empty("On", parent=third, bone="up")
    fourth = b.leg(1, 1, 10, name="D")
    fourth.location = (0, 0.4, -1)
    b.update()
    limbs = (first, aim), (second, target), (third, above), (fourth, last)
    for object, goal in limbs:
        rig.add_limb(object, "lo", goal)
    live.state.predicting = predicting
    for frame in (1, 6, 11, 3, 9):
        bpy.context.scene.frame_set(frame)
        assert max(miss(object, goal) for object, goal in limbs) < 1e-5, frame
    live.state.predicting = True


def test_loop_that_arises_later_is_paused():
    first, second, aim, held = chained("parent")
    rig.add_limb(first, "lo", aim)
    rig.add_limb(second, "lo", held)
    aim.parent, aim.parent_type, aim.parent_bone = second, 'BONE', "lo"
    b.update()
    pose = b.ends(first), b.ends(second)
    for _ in range(100):
        first.update_tag()
        second.update_tag()
        b.update()
    assert b.moved(pose[0], b.ends(first)) == 0.0
    assert b.moved(pose[1], b.ends(second)) == 0.0
    for object in (first, second):
        assert "paused" in rig.problems(object, "lo")[0]
    aim.parent = None
    b.update()
    assert rig.problems(first, "lo") == []


@pytest.mark.parametrize("carry", ["parent", 'CHILD_OF', 'COPY_LOCATION', "driver"])
def test_target_that_comes_to_hang_on_its_own_limb_is_paused(carry):
    object, target, _pole = b.rigged_leg(target=(0, 0, -1.5))
    if carry == "parent":
        target.parent, target.parent_type, target.parent_bone = object, 'BONE', "up"
    elif carry == "driver":
        variable = target.driver_add("location", 0).driver.variables.new()
        variable.type = 'TRANSFORMS'
        variable.targets[0].id, variable.targets[0].bone_target = object, "lo"
    else:
        constraint = target.constraints.new(carry)
        constraint.target, constraint.subtarget = object, "lo"
    b.update()
    assert "paused" in rig.problems(object, "lo")[0]
    pose = b.ends(object)
    for frame in range(10):
        object.update_tag()
        b.update()
        bpy.context.scene.frame_set(frame)
    assert b.moved(pose, b.ends(object)) == 0.0


def test_driver_dependency_is_named():
    first, second, aim, held = chained("parent")
    rig.add_limb(first, "lo", aim)
    loose = b.empty("Loose", (1, 0, -2.5))
    driver = loose.driver_add("location", 0).driver
    variable = driver.variables.new()
    variable.type = 'TRANSFORMS'
    variable.targets[0].id, variable.targets[0].bone_target = first, "lo"
    b.update()
    rig.add_limb(second, "lo", loose)
    assert any("one frame late" in problem for problem in rig.problems(second, "lo"))


def test_dragging_the_first_solves_both_and_no_third():
    first, second, aim, held = chained("parent")
    rig.add_limb(first, "lo", aim)
    rig.add_limb(second, "lo", held)
    b.rigged_leg(name="Third", target=(0, 0, -1.7))
    aim.animation_data_clear()
    b.update()
    live.counts.clear()
    aim.location = (0.2, 0, -1.2)
    b.update()
    assert live.counts.reads == 2
    assert live.counts.solves == 2


def test_limbs_come_in_solving_order():
    rows = [("up.A", (0, 0, 0), (0, -0.1, -1), "", 0), ("lo.A", (0, -0.1, -1), (0, 0, -2), "up.A", 0),
            ("up.B", (1, 0, 0), (1, -0.1, -1), "", 0), ("lo.B", (1, -0.1, -1), (1, 0, -2), "up.B", 0)]
    object = b.armature("Pair", rows)
    held = b.empty("Held", parent=object, bone="lo.B")
    b.update()
    rig.add_limb(object, "lo.A", held)
    rig.add_limb(object, "lo.B")
    assert [limb.lower for limb in rig.limbs(object)] == ["lo.B", "lo.A"]


def handed_over(mode):
    """What `chained` gives, rigged, its target taken out of the hand by its constraint's influence at frame 6."""
    first, second, aim, held = chained(mode)
    for object, target in ((first, aim), (second, held)):
        rig.add_limb(object, "lo", target)
    return second, held, held.constraints[0]


def held_by_influence(constraint):
    for frame, value in ((1, 1.0), (5, 1.0), (6, 0.0), (8, 0.0), (9, 1.0)):
        constraint.influence = value
        constraint.keyframe_insert("influence", frame=frame)
    return range(1, 12)


def held_until_muted(constraint):
    yield from (1, 4)
    constraint.mute = True
    yield from (6, 9)
    constraint.mute = False
    yield from (3, 7)


def held_until_removed(constraint):
    yield from (1, 4)
    constraint.id_data.constraints.remove(constraint)
    yield from (6, 9)


@pytest.mark.parametrize("mode", ['COPY_LOCATION', 'CHILD_OF', 'COPY_TRANSFORMS'])
@pytest.mark.parametrize("let_go", [held_by_influence, held_until_muted, held_until_removed])
@pytest.mark.parametrize("predicting", [True, False])
def test_let_go_without_a_change_of_structure(mode, let_go, predicting, monkeypatch):
    """A constraint that stops to carry a target, or starts to, changes what moves with what from that frame on."""
    monkeypatch.setattr(live.state, "predicting", predicting)
    second, held, constraint = handed_over(mode)
    for frame in let_go(constraint):
        bpy.context.scene.frame_set(frame)
        assert miss(second, held) < 1e-5, frame


def target_gone(first):
    bpy.data.objects.remove(first.pose.bones["lo"].twobone_target)


def target_nowhere(first):
    first.pose.bones["lo"].twobone_target.location.x = float("nan")


@pytest.mark.parametrize("mode", ["parent", 'CHILD_OF'])
@pytest.mark.parametrize("trouble", [target_gone, target_nowhere])
def test_on_a_limb_that_goes_to_rest(mode, trouble):
    """What hangs on it is where its FK pose has it, in the same update."""
    first, second, aim, held = chained(mode)
    for object, target in ((first, aim), (second, held)):
        rig.add_limb(object, "lo", target)
    aim.animation_data_clear()
    aim.location = (0.8, -0.3, -1.2)
    b.update()
    trouble(first)
    b.update()
    assert first.pose.bones["lo"].twobone_resting
    assert miss(second, held) < 1e-5
