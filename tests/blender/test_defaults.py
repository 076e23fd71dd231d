"""What new limbs start with: the preferences decide for people, the arguments for scripts; the pose is kept either way."""

from types import SimpleNamespace

import bpy
import builders as b
import numpy as np
import pytest
from drawn import Layout

from twobone_addon import rig
from twobone_addon.ops import defaults, limbs
from twobone_addon.ui.preferences import PACKAGE, TWOBONE_preferences


def context_with(**preferences):
    entry = SimpleNamespace(preferences=SimpleNamespace(**preferences))
    return SimpleNamespace(preferences=SimpleNamespace(addons={PACKAGE: entry} if preferences else {}))


def test_those_of_the_preferences_or_none():
    assert defaults.defaults(context_with()) == defaults.Defaults('EMPTIES', 1.0, 0.0)
    chosen = {"controls": 'BONES', "control_size": 2.0, "softness": 0.1}
    assert defaults.defaults(context_with(**chosen)) == defaults.Defaults(**chosen)


def test_preferences_have_every_default():
    kinds = TWOBONE_preferences.bl_rna.properties
    assert (kinds["controls"].default, kinds["control_size"].default, kinds["softness"].default) == ('EMPTIES', 1.0, 0.0)
    layout = Layout()
    TWOBONE_preferences.draw(SimpleNamespace(layout=layout, bl_rna=TWOBONE_preferences.bl_rna), bpy.context)
    assert {"controls", "control_size", "softness"} <= set(layout.properties())


def invoked(monkeypatch, chosen, **given):
    """The operator's settings after a click; without a window Blender itself invokes nothing."""
    monkeypatch.setattr(limbs, "defaults", lambda _context: defaults.Defaults(*chosen))
    operator = SimpleNamespace(**{"controls": 'EMPTIES', "control_size": 1.0, "softness": 0.0, **given},
                               properties=SimpleNamespace(is_property_set=given.__contains__),
                               execute=lambda _context: {'FINISHED'})
    assert limbs.TWOBONE_OT_add.invoke(operator, bpy.context, None) == {'FINISHED'}
    return operator.controls, operator.control_size, operator.softness


def test_people_get_what_the_preferences_say(monkeypatch):
    assert invoked(monkeypatch, ('BONES', 3.0, 0.1)) == ('BONES', 3.0, 0.1)


def test_what_is_asked_for_comes_first(monkeypatch):
    assert invoked(monkeypatch, ('BONES', 3.0, 0.1), controls='EMPTIES', softness=0.0) == ('EMPTIES', 3.0, 0.0)


def test_operator_makes_what_its_settings_say():
    object = b.leg()
    b.select(object, "lo")
    bpy.ops.pose.twobone_add(control_size=3.0, softness=0.1)
    bone = object.pose.bones["lo"]
    assert bone.twobone_softness == pytest.approx(0.1)
    assert bone.twobone_target.empty_display_size == pytest.approx(3 * 0.12 * 2, rel=0.02)


def test_scripts_get_the_same_everywhere(monkeypatch):
    object = b.leg()
    b.select(object, "lo")
    monkeypatch.setattr(limbs, "defaults", lambda _context: defaults.Defaults('BONES', 3.0, 0.1))
    bpy.ops.pose.twobone_add()
    assert object.pose.bones["lo"].twobone_softness == 0
    assert object.pose.bones["lo"].twobone_target.type == 'EMPTY'


@pytest.mark.parametrize("controls", ['EMPTIES', 'BONES'])
@pytest.mark.parametrize("flex", [0.0, 1.0, 10.0, 60.0, 175.0])
@pytest.mark.parametrize("lengths", [(1, 1), (1, 0.6)])
def test_adding_with_softness_moves_nothing(lengths, flex, controls):
    object = b.leg(*lengths, flex)
    before, axes = b.ends(object), b.bone_matrices(object)
    rig.add_limb(object, "lo", softness=0.2, controls=controls)
    assert b.moved(before, {name: end for name, end in b.ends(object).items() if name in before}) < 1e-5 * sum(lengths)
    assert b.turned(axes, b.bone_matrices(object)) < 0.01
    assert rig.readings(object, "lo").gap >= 0


def test_softened_limb_follows_its_target_from_where_it_was_added():
    object = b.leg(flex=3.0)
    rig.add_limb(object, "lo", softness=0.2)
    target = object.pose.bones["lo"].twobone_target
    beyond = b.place(target)
    assert b.tip_error(object, target) > 1e-3
    target.location = np.array(beyond) * 0.5
    b.update()
    assert b.on_target(object)


@pytest.mark.parametrize("size", [0.5, 2.0])
def test_size_of_control_bones(size):
    object = b.leg()
    rig.add_limb(object, "lo", controls='BONES', control_size=size)
    length = object.data.bones[object.pose.bones["lo"].twobone_target_bone].length
    other = b.leg(name="Other")
    rig.add_limb(other, "lo", controls='BONES')
    assert length == pytest.approx(size * other.data.bones[other.pose.bones["lo"].twobone_target_bone].length, rel=1e-5)
