"""Where baked keys land: in the armature's own action and slot, and nowhere else."""

import bpy
import builders as b
import pytest
import snapshots
from test_bake import apart, curve_bytes, path, planted_leg, sampled, values

from twobone_addon import rig
from twobone_addon.rig.animation.fcurves import curves_of
from twobone_addon.rig.bake import baking
from twobone_addon.rig.frames.scan import finish

SLOTS = bpy.app.version >= (4, 4)
FRAMES = range(1, 14)


def bake(object, **kwargs):
    return rig.bake(object, "lo", FRAMES, **{"after": 'ZERO_INFLUENCE', **kwargs})


def still_leg():
    """No keys at all on the armature; its target moves."""
    object, target, _pole = b.rigged_leg()
    b.keys(target, "location", [(1, (0, 0, -1.5)), (13, (0.5, 0.2, -1.3))])
    return object


def with_strips(object):
    """An action pushed down to the NLA, and another on top of it."""
    data = object.animation_data
    data.nla_tracks.new().strips.new("below", 1, data.action)
    data.action = None
    object.pose.bones["up"].keyframe_insert("scale", frame=1)
    return object


def test_armature_without_animation():
    object = still_leg()
    live = sampled(object, FRAMES)
    bake(object)
    assert len(values(object, path("up", 'QUATERNION'))[1]) == 13
    assert apart(live, sampled(object, FRAMES)) < 2e-5


def test_curves_are_grouped_by_bone_as_blender_groups_them():
    object = still_leg()
    object.pose.bones["up"].keyframe_insert("location", frame=1, group="up")
    bake(object)
    assert {(curve.data_path, curve.group.name) for curve in b.curves(object)} == {
        ('pose.bones["up"].location', "up"), (path("up", 'QUATERNION'), "up"), (path("lo", 'QUATERNION'), "lo")}


def test_bones_with_quotes_in_their_names():
    object = still_leg()
    object.pose.bones["lo"].name = 'fore"arm\\L'
    b.update()
    live = sampled(object, FRAMES)
    rig.bake(object, 'fore"arm\\L', FRAMES)
    assert apart(live, sampled(object, FRAMES)) < 2e-5


@pytest.mark.skipif(not SLOTS, reason="no slots in this Blender")
def test_own_slot_of_a_shared_action():
    """User case B10."""
    object = planted_leg()
    other = b.empty("Other")
    action = object.animation_data.action
    other.animation_data_create().action = action
    other.animation_data.action_slot = action.slots.new(id_type='OBJECT', name="Other")
    b.keys(other, "location", [(1, (0, 0, 0)), (13, (1, 2, 3))])
    assert other.animation_data.action == action
    assert other.animation_data.action_slot != object.animation_data.action_slot
    before = repr(curve_bytes(other))
    bake(object)
    assert repr(curve_bytes(other)) == before
    assert len(values(object, path("up", 'QUATERNION'))[1]) == 13
    assert object.animation_data.action == action


@pytest.mark.skipif(not SLOTS, reason="no slots in this Blender")
def test_action_without_a_slot_for_the_armature():
    object = still_leg()
    action = bpy.data.actions.new("empty")
    object.animation_data_create().action = action
    assert object.animation_data.action_slot is None
    live = sampled(object, FRAMES)
    bake(object)
    assert object.animation_data.action == action
    assert len(action.slots) == 1
    assert apart(live, sampled(object, FRAMES)) < 2e-5


def test_curves_that_move_another_object_too_are_refused():
    object = planted_leg()
    other = b.leg(name="Twin")
    other.animation_data_create().action = object.animation_data.action
    if SLOTS:
        other.animation_data.action_slot = object.animation_data.action_slot
    bpy.context.scene.frame_set(1)
    before = snapshots.snapshot(object, other)
    with pytest.raises(rig.Refusal, match='"Twin"'):
        bake(object)
    assert snapshots.changes(before, snapshots.snapshot(object, other)) == []
    bake(object, new_action=True)
    assert not [curve for curve in b.curves(other) if "quaternion" in curve.data_path]
    assert [curve for curve in b.curves(object) if "quaternion" in curve.data_path]


def test_new_action_leaves_the_old_one():
    object = planted_leg()
    old = object.animation_data.action
    before = repr(snapshots.dump(old))
    live = sampled(object, FRAMES)
    bake(object, new_action=True)
    assert repr(snapshots.dump(old)).replace("'use_fake_user': True", "'use_fake_user': False") == before
    assert object.animation_data.action != old
    assert old.use_fake_user
    assert apart(live, sampled(object, FRAMES)) < 1e-5


def test_strips_below_stay():
    """User case B10: a rig with NLA strips."""
    object = with_strips(planted_leg())
    data = object.animation_data
    strip = data.nla_tracks[0].strips[0]
    live = sampled(object, FRAMES)
    before = repr(snapshots.dump(strip)), len(data.nla_tracks), data.use_tweak_mode, repr(snapshots.dump(strip.action))
    bake(object)
    assert (repr(snapshots.dump(strip)), len(data.nla_tracks), data.use_tweak_mode, repr(snapshots.dump(strip.action))) == before
    assert curves_of(object).find(path("up", 'QUATERNION'), index=0) is not None
    assert apart(live, sampled(object, FRAMES)) < 1e-5


def test_strips_alone():
    object = with_strips(planted_leg())
    object.animation_data.action = None
    live = sampled(object, FRAMES)
    bake(object)
    assert object.animation_data.action is not None
    assert apart(live, sampled(object, FRAMES)) < 1e-5


def test_several_armatures_at_once():
    first, second = planted_leg(), still_leg()
    live = sampled(first, FRAMES), sampled(second, FRAMES)
    calls = []
    bpy.app.handlers.frame_change_post.append(lambda *_args: calls.append(1))
    finish(baking([*rig.limbs(first), *rig.limbs(second)], FRAMES, after='ZERO_INFLUENCE'))
    bpy.app.handlers.frame_change_post.pop()
    assert len(calls) <= 13 + 4  # one half frame, two ways back, and a look at the result
    assert apart(live[0], sampled(first, FRAMES)) < 1e-5
    assert apart(live[1], sampled(second, FRAMES)) < 2e-5


def test_limb_that_hangs_on_a_baked_limb():
    rows = [("up", (0, 0, 0), (0, -0.1, -1), "", 0), ("lo", (0, -0.1, -1), (0, 0, -2), "up", 0),
            ("claw", (0, 0, -2), (0.5, -0.05, -2), "lo", 0), ("tip", (0.5, -0.05, -2), (1, 0, -2), "claw", 0)]
    object = b.armature("Crane", rows)
    first, second = b.empty("T1", (0, 0, -2)), b.empty("T2", (1, 0, -2))
    b.update()
    rig.add_limb(object, "tip", second)
    rig.add_limb(object, "lo", first)
    b.keys(first, "location", [(1, (0, 0, -1.9)), (13, (0.4, 0, -1.4))])
    b.keys(second, "location", [(1, (0.8, 0, -1.9)), (13, (0.9, 0.2, -1.2))])
    live = sampled(object, FRAMES)
    bpy.context.scene.frame_set(5)
    rig.bake(object, ["tip", "lo"], FRAMES, after='ZERO_INFLUENCE')
    assert apart(live, sampled(object, FRAMES)) < 4e-5


def test_mirrored_and_scaled_bones():
    """Where bones are stretched unevenly rotations alone cannot keep the pose; by how much they miss it is told."""
    rows = [("hip", (0, 0, 0.3), (0, 0, 0), "", 30), ("up", (0, 0, 0), (0, -0.1, -1), "hip", 10),
            ("lo", (0, -0.1, -1), (0, 0, -2), "up", -50)]
    object = b.armature("Odd", rows)
    target = b.empty("T", (0, 0, -1.7))
    object.pose.bones["hip"].scale = (1, 1.3, 0.8)
    b.update()
    rig.add_limb(object, "lo", target)
    b.keys(target, "location", [(1, (0, 0, -1.9)), (13, (0.6, 0.2, -1.3))])
    live = sampled(object, FRAMES)
    [limb] = bake(object).limbs
    baked = sampled(object, FRAMES)
    missed = max(abs(live[frame]["lo"][end] - baked[frame]["lo"][end]).max() for frame in FRAMES for end in (0, 1))
    assert missed > 0.01
    assert missed <= limb.error * 1.01
    assert limb.error < 2 * missed


def test_operator_is_undone_in_one_step(tmp_path):
    object = planted_leg()
    b.keys(object.pose.bones["up"], "rotation_quaternion", [(-10, (1, 0, 0, 0)), (5, (0.5, 0.5, 0.5, 0.5))])
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 13
    b.select(object, "lo")
    scene.frame_set(3)
    bpy.ops.ed.undo_push(message="before")
    before = snapshots.dump(object.animation_data.action)
    assert bpy.ops.pose.twobone_bake() == {'FINISHED'}
    assert len(values(object, path("lo", 'QUATERNION'))[1]) == 13
    bpy.ops.ed.undo_push(message="bake")
    bpy.ops.ed.undo()
    object = bpy.context.object
    assert repr(snapshots.dump(object.animation_data.action)) == repr(before)
    assert object.pose.bones["lo"].twobone_influence == 1.0


def test_operator_bakes_the_selected_limbs():
    object = planted_leg()
    b.select(object, "up")
    assert bpy.ops.pose.twobone_bake(use_range=True, start=2, end=9, step=2, after='REMOVE', tolerance=0.5) == {'FINISHED'}
    assert values(object, path("lo", 'QUATERNION'))[1] == [2, 8]
    assert rig.limbs(object) == []
    assert not bpy.ops.pose.twobone_bake.poll()


def test_operator_says_what_is_refused():
    object = planted_leg()
    object.pose.bones["up"].driver_add("rotation_quaternion", 2)
    b.select(object, "lo")
    before = snapshots.snapshot(object)
    with pytest.raises(RuntimeError, match="driven"):
        bpy.ops.pose.twobone_bake()
    assert snapshots.changes(before, snapshots.snapshot(object)) == []
