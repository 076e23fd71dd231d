"""Blender's own human metarig, with IK on both arms and legs."""

import addon_utils
import bpy
import builders as b
import numpy as np
import pytest
from snapshots import changes, snapshot

from twobone_addon import rig

LIMBS = [("forearm.L", "hand.L"), ("forearm.R", "hand.R"), ("shin.L", "foot.L"), ("shin.R", "foot.R")]
BONES = ("upper_arm", "forearm", "thigh", "shin")


@pytest.fixture(scope="module")
def human_file(tmp_path_factory):
    """A file with the metarig: Rigify is enabled once, since it cannot be enabled twice in every version."""
    path = str(tmp_path_factory.mktemp("human") / "human.blend")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    addon_utils.enable("rigify")
    bpy.ops.object.armature_human_metarig_add()
    bpy.ops.wm.save_as_mainfile(filepath=path)
    addon_utils.disable("rigify")
    handlers = bpy.app.handlers.load_post  # Rigify leaves its own there
    handlers[:] = [handler for handler in handlers if not handler.__module__.startswith("rigify")]
    return path


@pytest.fixture
def human(human_file):
    bpy.ops.wm.open_mainfile(filepath=human_file)
    return bpy.data.objects["metarig"]


def length_of(limb):
    return sum(bone.length for bone in limb.bones)


@pytest.mark.parametrize("with_tip", [False, True])
def test_adding_moves_nothing(human, with_tip):
    before, axes = b.ends(human), b.bone_matrices(human)
    limbs = [rig.add_limb(human, lower, tip=tip if with_tip else None) for lower, tip in LIMBS]
    assert {name.split(".")[0] for limb in limbs for name in (limb.upper, limb.lower)} == set(BONES)
    shortest = min(map(length_of, limbs))
    assert b.moved(before, b.ends(human)) < 1e-5 * shortest
    assert b.turned(axes, b.bone_matrices(human)) < 0.01


@pytest.mark.parametrize("lower, tip", LIMBS)
def test_adding_to_a_pose_moves_nothing(human, lower, tip):
    rng = np.random.default_rng(7)
    for name in (lower, human.pose.bones[lower].parent.name, "spine.003", tip):
        human.pose.bones[name].rotation_mode = 'QUATERNION'
        human.pose.bones[name].rotation_quaternion = np.array((1, 0, 0, 0)) + rng.uniform(-0.3, 0.3, 4)
    human.location, human.rotation_euler = (0.5, -1, 0.2), (0.1, 0.2, 1.0)
    b.update()
    before, axes = b.ends(human), b.bone_matrices(human)
    limb = rig.add_limb(human, lower, tip=tip)
    assert b.moved(before, b.ends(human)) < 1e-5 * length_of(limb)
    assert b.turned(axes, b.bone_matrices(human)) < 0.01


def test_every_hand_and_foot_is_dragged(human):
    limbs = [rig.add_limb(human, lower, tip=tip) for lower, tip in LIMBS]
    rng = np.random.default_rng(3)
    for _ in range(20):
        for limb in limbs:
            target = limb.target.object
            root = b.ends(human)[limb.upper][0]
            target.location = root + b.direction(*rng.normal(size=3)) * length_of(limb) * rng.uniform(0.2, 0.99)
        b.update()
        at = b.ends(human)
        for limb, (_lower, tip) in zip(limbs, LIMBS):
            assert np.linalg.norm(at[tip][0] - b.in_armature(human, b.place(limb.target.object))) < 2e-6 * length_of(limb)
            assert np.allclose(at[limb.upper][1], at[limb.lower][0], atol=1e-6)


def test_removing_leaves_it_as_it_was(human):
    before = snapshot(human)
    for lower, tip in LIMBS:
        rig.add_limb(human, lower, tip=tip)
    for lower, _tip in reversed(LIMBS):
        rig.remove_limb(human, lower)
    assert changes(before, snapshot(human)) == []
