"""The hand turns with the target: nothing moves when that is switched on, and the hand is free again when it is off."""

import bpy
import builders as b
import numpy as np
import pytest
from handed import (
    SAME,
    axes,
    bare_leg,
    degrees_between,
    fk,
    follow,
    frames,
    handed_leg,
    outputs,
    pose,
    same,
    target_of,
    turn,
    turned_by,
)

from twobone_addon import rig
from twobone_addon.rig import live
from twobone_addon.rig.engine.sample import read


def created():
    return handed_leg()


def posed_hand():
    object = handed_leg()
    object.pose.bones["hand"].rotation_quaternion = (0.8, 0.3, -0.4, 0.2)
    target_of(object).location, target_of(object).rotation_euler = (0.4, 0.2, -1.1), (2, 1, 3)
    return object


def free_scaled_empty():
    aim = b.empty("Aim", (0.2, 0.1, -1.4))
    aim.rotation_euler, aim.scale = (1, 2, 3), (2, 3, 0.5)
    return handed_leg(target=aim)


def mirrored_empty():
    aim = b.empty("Aim", (0.2, 0.1, -1.4))
    aim.rotation_euler, aim.scale = (1, 2, 3), (-1, 1, 1)
    return handed_leg(target=aim)


def carried_empty():
    carrier = b.empty("Carrier", (0.1, 0, 0.2))
    carrier.rotation_euler, carrier.scale = (0.3, 0.2, 0.1), (0.5, 0.5, 0.5)
    return handed_leg(target=b.empty("Aim", (0.2, 0.1, -2.4), parent=carrier))


def moved_armature():
    object = handed_leg()
    object.location, object.rotation_euler, object.scale = (0.3, -0.2, 1), (0.5, 0.7, -2), (0.01, 0.01, 0.01)
    return object


def far_armature():
    object = handed_leg()
    object.location, object.rotation_euler = (3, -2, 1), (0.5, 0.7, -2)
    target_of(object).delta_rotation_euler = (0.3, 0.2, 0.1)
    return object


def scaled_bones():
    object = handed_leg()
    object.pose.bones["up"].scale = (1.3, 1.3, 1.3)
    object.pose.bones["hand"].scale = (2, 0.5, 0.7)
    return object


def near_gimbal_lock():
    object = handed_leg()
    object.pose.bones["hand"].rotation_mode = 'XYZ'
    object.pose.bones["hand"].rotation_euler = (0.1, np.pi / 2, 0.3)
    target_of(object).rotation_euler = (0, 0.7, np.pi / 2)
    return object


SCENES = [created, posed_hand, free_scaled_empty, mirrored_empty, carried_empty, moved_armature, far_armature, scaled_bones,
          near_gimbal_lock]


@pytest.mark.parametrize("influence", [1.0, 0.4])
@pytest.mark.parametrize("build", SCENES)
def test_switching_on_and_off_moves_nothing(build, influence):
    object = build()
    object.pose.bones["lo"].twobone_influence = influence
    b.update()
    before, channels = pose(object), fk(object)
    for value in (0.3, 1.0):
        follow(object, value)
        assert rig.problems(object, "lo") == []
        assert outputs(object) == {"up", "lo", "hand"}
        assert same(before, pose(object))
    follow(object, 0.0)
    assert same(before, pose(object))
    assert outputs(object) == {"up", "lo"}
    assert fk(object) == channels


@pytest.mark.parametrize("build", SCENES)
def test_the_hand_turns_as_the_target_does(build):
    object = build()
    b.update()
    follow(object)
    before = pose(object)
    rotation = turn(target_of(object))
    after = pose(object)
    if build is mirrored_empty:
        assert degrees_between(before["hand"], after["hand"]) > 10
    else:
        assert turned_by(rotation, before, after, ("hand",) if build is scaled_bones else ("hand", "finger"))
    assert np.abs(before["hand"][:3, 3] - after["hand"][:3, 3]).max() < SAME
    target_of(object).location.x += 0.1
    b.update()
    assert np.abs(axes(pose(object)["hand"]) - axes(after["hand"])).max() < SAME
    assert same({"up": before["up"]}, {"up": after["up"]})
    follow(object, 0.0)
    after = pose(object)
    turn(target_of(object))
    assert same(after, pose(object))


@pytest.mark.parametrize("own", [True, False])
def test_bone_as_target(own):
    control = ("control", (0.2, 0, -1.7), (0.2, 0.3, -1.5), "", 20)
    object = bare_leg(*([control] if own else []))
    holder = object if own else b.armature("Holder", [control])
    object.rotation_euler = (0.1, 0.2, 0.3)
    if not own:
        holder.rotation_euler, holder.location = (0.2, 0.1, 0.4), (0.3, 0, 0)
    b.update()
    rig.add_limb(object, "lo", holder, target_bone="control")
    before, start = pose(object), axes(pose(holder)["control"])
    follow(object)
    assert same(before, pose(object))
    holder.pose.bones["control"].rotation_quaternion = (0.7, 0.5, -0.4, 0.3)
    b.update()
    rotation = axes(pose(holder)["control"]) @ start.T
    assert turned_by(rotation, before, pose(object))


@pytest.mark.parametrize("scale", [(-1, 1, 1), (1, 2, 1), (2, 1, 1)])
def test_mirrored_and_sheared_parents(scale):
    """Its constraint takes mirroring and shear out of the hand, so the hand alone is exact: it turns as the target does."""
    object = handed_leg()
    object.pose.bones["up"].scale = scale
    object.pose.bones["hand"].rotation_quaternion = (0.8, 0.3, -0.4, 0.2)
    b.update()
    before = b.bone_matrices(object)["hand"]
    follow(object)
    after = b.bone_matrices(object)["hand"]
    assert b.angle(before[:3, 1], after[:3, 1]) < 1e-3  # along the bone nothing turns
    rotation = turn(target_of(object))
    assert turned_by(rotation, {"hand": after}, b.bone_matrices(object), ("hand",))


def test_share_of_the_turn():
    object = handed_leg()
    follow(object)
    before = pose(object)["hand"]
    turn(target_of(object), (0, 0, 1))
    for amount in (0.25, 0.5, 1.0):
        follow(object, amount)
        assert degrees_between(before, pose(object)["hand"]) == pytest.approx(np.degrees(amount), abs=0.02)
    object.pose.bones["lo"].twobone_influence = 0.0
    b.update()
    hand = object.pose.bones["hand"].constraints["Two-Bone IK"]
    assert hand.influence == 0.0
    object.pose.bones["lo"].twobone_influence = 0.5
    follow(object, 0.5)
    assert hand.influence == 0.25


def test_keyed():
    object = handed_leg()
    lower, target = object.pose.bones["lo"], target_of(object)
    b.keys(target, "rotation_euler", [(1, target.rotation_euler[:]), (11, (0.3, 1.0, -0.4))])
    bpy.context.scene.frame_set(1)
    b.keys(lower, "twobone_follow_rotation", [(1, 0.0), (6, 1.0)])
    free, bound = pose(object)["hand"], None
    for frame in frames(1, 6, 11, 3, 6, 1, 11):
        shown = pose(object)["hand"]
        if frame == 1:
            assert np.abs(shown - free).max() < SAME
        if frame == 6:
            bound = shown if bound is None else bound
            assert np.abs(shown - bound).max() < SAME
    lower.twobone_follow_rotation = 0.0  # by hand, on a keyed property: the binding stays
    assert lower.twobone_hand_bind
    bpy.context.scene.frame_set(6)
    assert np.abs(pose(object)["hand"] - bound).max() < SAME


def test_switched_on_again_elsewhere_moves_nothing():
    object = handed_leg()
    for step in range(3):
        follow(object)
        turn(target_of(object))
        follow(object, 0.0)
        target_of(object).location.x += 0.1
        turn(target_of(object), (0.1, 0.2, step))
        before = pose(object)
        follow(object, 0.5)
        assert same(before, pose(object))
        follow(object, 0.0)


def test_switched_on_by_hand_after_keys_were_removed_moves_nothing():
    object = handed_leg()
    lower = object.pose.bones["lo"]
    b.keys(lower, "twobone_follow_rotation", [(1, 0.0), (6, 1.0)])
    for _frame in frames(6, 1):
        turn(target_of(object))
    object.animation_data_clear()
    b.update()
    assert lower.twobone_follow_rotation == 0.0
    before = pose(object)
    follow(object)
    assert same(before, pose(object))
    rotation = turn(target_of(object))
    assert turned_by(rotation, before, pose(object))


def test_set_together_with_the_target():
    """Whatever was set in one go before it is taken into account."""
    object = handed_leg()
    target = target_of(object)
    target.location, target.rotation_euler = (0.4, 0.1, -1.2), (1, 1, 1)
    object.pose.bones["hand"].rotation_quaternion = (0.8, 0.3, -0.4, 0.2)
    object.pose.bones["lo"].twobone_follow_rotation = 1.0
    b.update()
    bound = pose(object)
    follow(object, 0.0)
    assert same(bound, pose(object))


def test_rebind_takes_the_pose_of_the_free_hand():
    object = handed_leg()
    before = pose(object)
    follow(object)
    turn(target_of(object))
    rig.rebind(object, "lo")
    assert same(before, pose(object))
    rotation = turn(target_of(object), (0.3, 0, 0))
    assert turned_by(rotation, before, pose(object))
    hand = object.pose.bones["hand"]
    hand.constraints.remove(hand.constraints["Two-Bone IK"])
    b.update()
    assert 'lost its constraint "Two-Bone IK"' in rig.problems(object, "lo")[0]
    rig.rebind(object, "lo")
    assert rig.problems(object, "lo") == []
    assert outputs(object) == {"up", "lo", "hand"}


def test_keyed_hand_keeps_its_keys_and_its_pose_when_free():
    object = handed_leg()
    hand = object.pose.bones["hand"]
    b.keys(hand, "rotation_quaternion", [(1, (1, 0, 0, 0)), (11, (0.8, 0.3, -0.4, 0.2))])
    shown = {frame: pose(object) for frame in frames(1, 6, 11)}
    follow(object)
    for _frame in frames(1, 6, 11):
        assert np.abs(pose(object)["hand"] - shown[11]["hand"]).max() < SAME
    follow(object, 0.0)
    for frame in frames(6, 1, 11):
        assert same(pose(object), shown[frame])


def test_hand_further_down_and_between_bones():
    """The tip may be any bone below the lower one; what lies between goes along with the lower bone."""
    rows = [("up", (0, 0, 0), (0, -0.25, -0.97), "", 0), ("lo", (0, -0.25, -0.97), (0, -0.1, -1.5), "up", 0),
            ("twist", (0, -0.1, -1.5), (0, 0, -1.9), "lo", 0), ("hand", (0, 0, -1.9), (0.3, 0, -2.2), "twist", 0)]
    object = b.armature("Leg", rows)
    b.update()
    rig.add_limb(object, "lo", tip="hand")
    before = pose(object)
    follow(object)
    assert same(before, pose(object))
    rotation = turn(target_of(object))
    after = pose(object)
    assert turned_by(rotation, before, after, ("hand",))
    assert same({"twist": before["twist"]}, after)


def no_hand():
    return b.leg()


def several():
    return bare_leg(("thumb", (0, 0, -1.9), (0, 0.3, -2), "lo", 0))


def elsewhere():
    return b.leg(extra=[("knife", (0.3, 0, -1.5), (0.3, 0, -1.8), "lo", 0)])


@pytest.mark.parametrize(("build", "words"), [(no_hand, "no hand or foot bone"), (elsewhere, "no hand or foot bone"),
                                              (several, 'Several bones start at the tip of "lo": "hand", "thumb"')])
def test_refused_without_one_hand(build, words):
    object = build()
    b.update()
    rig.add_limb(object, "lo")
    before = pose(object)
    follow(object)
    assert [words in problem for problem in rig.problems(object, "lo")] == [True]
    assert '"lo"' in rig.problems(object, "lo")[0]
    turn(target_of(object))
    assert same(before, pose(object))
    assert outputs(object) == {"up", "lo"}
    follow(object, 0.0)
    assert rig.problems(object, "lo") == []


def test_connected_child_goes_before_a_loose_one():
    object = b.armature("Leg", [
        ("up", (0, 0, 0), (0, -0.2, -1), "", 0), ("lo", (0, -0.2, -1), (0, 0, -2), "up", 0),
        ("hand", (0, 0, -2), (0, 0, -2.3), "lo", 0), ("prop", (0, 0.001, -2), (0, 0.5, -2), "lo", 0)])
    b.update()
    rig.add_limb(object, "lo")
    follow(object)
    assert outputs(object) == {"up", "lo", "hand"}


def test_hand_of_another_limb():
    object = handed_leg(("nail", (0.5, -0.2, -2.4), (0.6, -0.2, -2.5), "finger", 0))
    follow(object)
    with pytest.raises(rig.Refusal, match='"hand" already belongs to the limb of "lo"'):
        rig.add_limb(object, "finger")
    follow(object, 0.0)
    rig.add_limb(object, "finger", tip="nail")
    follow(object)
    assert ['belongs to the limb of "finger"' in problem for problem in rig.problems(object, "lo")] == [True]
    rig.remove_limb(object, "lo")
    assert outputs(object) == {"hand", "finger"}


def test_flat_target_turns_nothing_and_says_so():
    object = handed_leg()
    follow(object)
    before = pose(object)
    turn(target_of(object))
    target_of(object).scale = (1, 0, 1)
    b.update()
    assert same(before, pose(object))
    assert ["has no rotation" in problem for problem in rig.problems(object, "lo")] == [True]
    target_of(object).scale = (1, 1, 1)
    b.update()
    assert rig.problems(object, "lo") == []
    assert degrees_between(before["hand"], pose(object)["hand"]) > 10


def test_rests_and_wakes_with_its_limb():
    object = handed_leg()
    free = pose(object)
    follow(object)
    target = target_of(object)
    turn(target)
    followed = pose(object)
    bpy.context.scene.collection.objects.unlink(target)
    b.update()
    assert same(free, pose(object))
    assert object.pose.bones["hand"].constraints["Two-Bone IK"].mute
    bpy.context.scene.collection.objects.link(target)
    b.update()
    assert same(followed, pose(object))
    assert not object.pose.bones["hand"].constraints["Two-Bone IK"].mute


def test_muted_by_hand_stays_muted():
    object = handed_leg()
    follow(object)
    object.pose.bones["hand"].constraints["Two-Bone IK"].mute = True
    before = pose(object)
    target = target_of(object)
    turn(target)
    assert same(before, pose(object))
    bpy.context.scene.collection.objects.unlink(target)
    b.update()
    bpy.context.scene.collection.objects.link(target)
    b.update()
    assert object.pose.bones["hand"].constraints["Two-Bone IK"].mute


@pytest.mark.parametrize("influence", [1.0, 0.5])
@pytest.mark.parametrize("order", ["first", "last"])
def test_limb_that_hangs_on_the_hand_sees_it_turned(order, influence):
    """Same frame: the second leg's target hangs on the first one's finger."""
    if order == "first":
        first, second = handed_leg(name="First"), bare_leg(name="Second")
    else:
        second, first = bare_leg(name="Second"), handed_leg(name="First")
    second.location = (1, 0.3, -0.5)
    held = b.empty("Held", (0.1, -0.2, 0.3), parent=first, bone="finger")
    b.update()
    rig.add_limb(second, "lo", held)
    target = target_of(first)
    first.pose.bones["lo"].twobone_influence = influence
    follow(first, 0.7)
    b.keys(target, "rotation_euler", [(1, target.rotation_euler[:]), (11, (0.3, 1.0, -0.4))])
    b.keys(target, "location", [(1, target.location[:]), (11, (0.4, 0, -1.5))])
    b.keys(first.pose.bones["hand"], "rotation_quaternion", [(1, (1, 0, 0, 0)), (11, (0.8, 0.3, -0.4, 0.2))])
    places = []
    for _frame in frames(1, 6, 11, 3, 9):
        assert b.tip_error(second, held) - rig.readings(second, "lo").gap < 1e-5
        places.append(b.place(held))
    assert np.ptp(places, axis=0).max() > 0.1
    target.animation_data_clear()
    turn(target)  # nothing but the hand turns
    assert b.tip_error(second, held) - rig.readings(second, "lo").gap < 1e-5


@pytest.mark.parametrize("carry", ["parent", 'COPY_TRANSFORMS', 'COPY_ROTATION', 'COPY_LOCATION'])
def test_target_that_another_limb_turns(carry):
    """The rotation that is followed is that of this frame, whatever carries the target."""
    first = handed_leg(name="First")
    held = b.empty("Held", (0.1, 0, 0.1) if carry == "parent" else (0.5, 0.2, -2))
    if carry == "parent":
        held.parent, held.parent_type, held.parent_bone = first, 'BONE', "hand"
    else:
        constraint = held.constraints.new(carry)
        constraint.target, constraint.subtarget = first, "hand"
    second = bare_leg(name="Second")
    second.location = (0.5, 0.3, -0.5)
    b.update()
    rig.add_limb(second, "lo", held)
    follow(first)
    follow(second)
    start, before = axes(b.world(held)), pose(second)
    target = target_of(first)
    b.keys(target, "rotation_euler", [(1, target.rotation_euler[:]), (11, (0.3, 1.0, -0.4))])
    b.keys(target, "location", [(1, target.location[:]), (11, (0.3, 0.1, -1.6))])
    for _frame in frames(11, 1, 6):
        assert turned_by(axes(b.world(held)) @ start.T, before, pose(second))
    if carry != 'COPY_LOCATION':
        assert degrees_between(b.world(held), start) > 5


def test_costs_nothing_where_it_is_not_used():
    object = handed_leg()
    plan = live.plan_of(bpy.context.scene)
    assert plan.limbs[0].hand is None
    assert read(plan, bpy.context.evaluated_depsgraph_get(), [0]).turns is None
    live.counts.clear()
    target_of(object).location = (0.3, 0.1, -1.5)
    b.update()
    assert (live.counts.reads, live.counts.solves, live.counts.writes) == (1, 1, 6)
    live.counts.clear()
    turn(target_of(object))
    assert (live.counts.reads, live.counts.solves, live.counts.writes) == (1, 0, 0)


def test_turning_the_target_writes_three_numbers_and_solves_nothing():
    object = handed_leg()
    follow(object)
    live.counts.clear()
    turn(target_of(object))
    assert (live.counts.reads, live.counts.solves, live.counts.writes) == (1, 0, 3)
    live.counts.clear()
    bpy.context.scene.frame_set(5)
    assert live.counts.writes == 0
