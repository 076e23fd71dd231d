"""What the panels show, and that drawing them never fails; drawn without a window."""

import bpy
import builders as b
import pytest
from drawn import context, draw

from twobone_addon import registration, rig
from twobone_addon.rig.limb import OUTPUT
from twobone_addon.rig.upkeep.troubles import troubles
from twobone_addon.ui import wording
from twobone_addon.ui.panel import TWOBONE_PT_constraints, TWOBONE_PT_limb
from twobone_addon.ui.panel_list import MOST
from twobone_addon.ui.panel_text import columns, wrap

GLANCE = ["twobone_influence", "twobone_softness", "twobone_pole_angle", "twobone_follow_rotation",
          "twobone_bend_min", "twobone_bend_max", "twobone_target", "twobone_pole"]
FOLDED = ("twobone_readings", "twobone_tools")


def legs(count, name="Legs"):
    """An armature of `count` legs with IK, lower bones lo.0, lo.1, …"""
    rows = []
    for number in range(count):
        rows += [(f"up.{number}", (number, 0, 2), (number, -0.1, 1), "", 0),
                 (f"lo.{number}", (number, -0.1, 1), (number, 0, 0), f"up.{number}", 0)]
    object = b.armature(name, rows)
    for number in range(count):
        rig.add_limb(object, f"lo.{number}")
    return object


def test_how_to_begin():
    b.select(b.leg(), "lo")
    assert draw(TWOBONE_PT_limb).operators() == ["pose.twobone_add", "pose.twobone_from_native"]


def test_nothing_where_there_is_nothing_to_do():
    assert draw(TWOBONE_PT_limb) is None
    b.rigged_leg()
    assert draw(TWOBONE_PT_limb) is None
    assert draw(TWOBONE_PT_constraints) is None


@pytest.mark.parametrize("chosen", ["up", "lo"])
def test_one_glance(chosen):
    object, _target, _pole = b.rigged_leg()
    b.select(object, chosen)
    layout = draw(TWOBONE_PT_limb, folded=FOLDED)
    assert layout.labels()[:2] == ["lo", "Target reached"]
    assert [name for name in layout.properties() if name in GLANCE] == GLANCE
    assert "Distance" not in layout.labels()
    assert "pose.twobone_rebind" not in layout.operators()
    unfolded = draw(TWOBONE_PT_limb)
    assert "Distance" in unfolded.labels()
    assert "pose.twobone_rebind" in unfolded.operators()


def test_readings_unfolded():
    object, target, _pole = b.rigged_leg(1, 0.6)
    target.location = (0, 0, -2)
    b.update()
    b.select(object, "lo")
    labels = draw(TWOBONE_PT_limb).labels()
    shown = dict(zip(labels, labels[1:]))
    assert shown["lo"] == "Out of reach by 40 cm"
    assert shown["Share of Reach"] == "125.0%"
    assert (shown["Distance"], shown["Shortest Reach"], shown["Longest Reach"]) == ("2 m", "40 cm", "1.6 m")
    assert (shown["Gap"], shown["Root Angle"], shown["Joint Angle"]) == ("40 cm", "0.0°", "0.0°")
    assert int(shown["CCD Sweeps"]) > 1


@pytest.mark.parametrize(("place", "expected"), [(-1.999, "more than 50"), (-1.0, "4")])
def test_sweeps_of_an_iterative_solver(place, expected):
    object, target, _pole = b.rigged_leg()
    target.location = (0, 0, place)
    b.update()
    assert wording.sweeps(rig.readings(object, "lo")) == expected


def test_states_in_words_and_what_calls_for_attention():
    object, target, _pole = b.rigged_leg(1, 0.6)
    bone = object.pose.bones["lo"]

    def status():
        b.update()
        found = wording.status(bpy.context.scene, bone, rig.readings(object, "lo"))
        return found.text.split()[0], found.alert

    assert status() == ("Target", False)
    target.location.z = -3
    assert status() == ("Out", True)
    target.location.z = -0.1
    assert status() == ("Too", True)
    target.location.z = -1.58
    bone.twobone_softness = 0.2
    assert status() == ("Softened,", False)
    bone.twobone_influence = 0
    assert status() == ("FK", False)
    assert wording.status(bpy.context.scene, bone, rig.Refusal("no")).alert
    assert wording.status(bpy.context.scene, bone, rig.Refusal("no"), short=True).text == "Resting"


def test_several_limbs_are_listed_with_their_states():
    object = legs(3)
    object.pose.bones["lo.1"].twobone_target.location.x += 5
    b.update()
    b.select(object, "lo.0", "lo.1", "lo.2", active="lo.1")
    layout = draw(TWOBONE_PT_limb)
    chosen = [keywords["text"] for name, arguments, keywords in layout.calls
              if name == "operator" and arguments[0] == "pose.twobone_select_limb"]
    assert chosen == ["lo.0", "lo.1", "lo.2"]
    assert [text.split()[0] for text in layout.labels()[:3]] == ["Reached", "3.38", "Reached"]
    assert layout.labels()[3] == "lo.1"


def test_long_list_is_cut():
    object = legs(MOST + 3)
    b.select(object, *[bone.name for bone in object.pose.bones if bone.name.startswith("lo")], active=f"lo.{MOST + 2}")
    layout = draw(TWOBONE_PT_limb)
    listed = [keywords["text"] for name, arguments, keywords in layout.calls
              if name == "operator" and arguments[0] == "pose.twobone_select_limb"]
    assert len(listed) == MOST
    assert f"lo.{MOST + 2}" in listed
    assert "and 3 more" in layout.labels()


def test_a_click_in_the_list_makes_a_limb_active_and_keeps_the_selection():
    object = legs(3)
    b.select(object, "lo.0", "lo.1", "lo.2", active="lo.0")
    bpy.ops.pose.twobone_select_limb(lower="lo.2")
    assert bpy.context.active_pose_bone.name == "lo.2"
    assert len(bpy.context.selected_pose_bones) == 3
    layout = draw(TWOBONE_PT_limb)
    assert [arguments[0].name for name, arguments, _keywords in layout.calls
            if name == "prop" and arguments[1] == "twobone_influence"] == ["lo.2"]


@pytest.mark.parametrize("control", ["T", "P"])
def test_selected_control_shows_its_limb_and_the_way_back(control):
    object, *_controls = b.rigged_leg()
    b.select(object, "lo")
    bpy.ops.object.mode_set(mode='OBJECT')
    object.select_set(False)
    control = bpy.data.objects[control]
    control.select_set(True)
    bpy.context.view_layer.objects.active = control
    layout = draw(TWOBONE_PT_limb)
    assert layout.operators()[0] == "pose.twobone_select_limb"
    assert "lo" in layout.labels()


def test_limbs_of_two_armatures_that_share_a_target():
    first, second = b.leg(name="First"), b.leg(name="Second")
    target = b.empty("Shared", (0, 0, -1.5))
    b.update()
    rig.add_limb(first, "lo", target)
    rig.add_limb(second, "lo", target)
    bpy.ops.object.select_all(action='DESELECT')
    target.select_set(True)
    bpy.context.view_layer.objects.active = target
    layout = draw(TWOBONE_PT_limb)
    assert [keywords["text"] for name, _arguments, keywords in layout.calls if name == "operator" and "text" in keywords][
        :2] == ["lo", "lo"]


@pytest.mark.parametrize("chosen", ["up", "lo"])
def test_properties_editor(chosen):
    object, _target, _pole = b.rigged_leg()
    b.select(object, chosen)
    layout = draw(TWOBONE_PT_constraints, context(pose_bone=object.pose.bones[chosen]))
    assert "lo" in layout.labels()
    assert "twobone_influence" in layout.properties()


def test_properties_editor_of_another_bone():
    object, _target, _pole = b.rigged_leg(extra=[("other", (1, 0, 0), (1, 0, 1), "", 0)])
    assert draw(TWOBONE_PT_constraints, context(pose_bone=object.pose.bones["other"])) is None


def break_target(object):
    bpy.data.objects.remove(object.pose.bones["lo"].twobone_target)


def unlink_target(object):
    bpy.context.scene.collection.objects.unlink(object.pose.bones["lo"].twobone_target)


def lose_pole(object):
    object.pose.bones["lo"].twobone_pole = None


def lose_output(object):
    object.pose.bones["up"].constraints.remove(object.pose.bones["up"].constraints[OUTPUT])


def lose_binding(object):
    object.pose.bones["lo"].twobone_bind = "{"


def newer(object):
    object.pose.bones["lo"].twobone_version = 99


def not_finite(object):
    object.pose.bones["lo"].twobone_target.location.x = float("nan")


def scaled_to_zero(object):
    object.scale = (0, 0, 0)


def loop(object):
    target = object.pose.bones["lo"].twobone_target
    target.parent, target.parent_type, target.parent_bone = object, 'BONE', "lo"


def no_upper(object):
    object.pose.bones["lo"].twobone_upper_steps = 7


def target_bone_gone(object):
    object.pose.bones["lo"].twobone_target = object
    object.pose.bones["lo"].twobone_target_bone = "no such bone"


def hidden(object):
    object.pose.bones["lo"].twobone_target.hide_viewport = True


@pytest.mark.parametrize("harm", [
    break_target, unlink_target, lose_pole, lose_output, lose_binding, newer, not_finite, scaled_to_zero, loop, no_upper,
    target_bone_gone, hidden])
def test_broken_limbs_are_drawn(harm):
    object, _target, _pole = b.rigged_leg()
    b.select(object, "lo")
    harm(object)
    drawn_at_once = draw(TWOBONE_PT_limb)
    b.update()
    layout = draw(TWOBONE_PT_limb)
    assert "lo" in drawn_at_once.labels()
    assert "twobone_influence" in layout.properties()
    if harm not in (lose_pole, hidden):
        assert rig.problems(object, "lo")[0].split()[0] in " ".join(layout.labels())
    draw(TWOBONE_PT_constraints, context(pose_bone=object.pose.bones["lo"]))


def test_linked_limbs_are_drawn(tmp_path):
    b.rigged_leg(name="Linked")
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (found, wanted):
        wanted.objects = [name for name in found.objects if name == "Linked"]
    object = b.link(wanted.objects[0])
    bpy.context.view_layer.objects.active = object
    for _attempt in range(2):
        layout = draw(TWOBONE_PT_constraints, context(pose_bone=object.pose.bones["lo"]))
        assert "twobone_influence" in layout.properties()
        assert "override" in " ".join(layout.labels())
        b.update()


def test_no_scene_to_measure_in():
    object, _target, _pole = b.rigged_leg()
    b.select(object, "lo")
    draw(TWOBONE_PT_limb, context(scene=None))
    draw(TWOBONE_PT_constraints, context(scene=None, pose_bone=object.pose.bones["lo"]))


def test_no_pole_greys_out_its_button_only():
    object, _target, _pole = b.rigged_leg()
    object.pose.bones["lo"].twobone_pole = None
    b.select(object, "lo")
    enabled, value = {}, True
    for name, arguments, _keywords in draw(TWOBONE_PT_limb).calls:
        if name == "=" and arguments[0] == "enabled":
            value = arguments[1]
        elif name == "operator":
            enabled.setdefault(arguments[0], value)
    assert enabled["pose.twobone_select_target"] is True
    assert enabled["pose.twobone_select_pole"] is False


def constraint_after(object):
    object.pose.bones["lo"].constraints.new('LIMIT_ROTATION').name = "Later"


def keyed_output(object):
    object.pose.bones["lo"].constraints[OUTPUT].keyframe_insert("influence")


def driven_output(object):
    object.pose.bones["up"].constraints[OUTPUT].driver_add("min_x")


def other_ik(object):
    constraint = object.pose.bones["lo"].constraints.new('IK')
    constraint.target, constraint.chain_count = b.empty("Other", (1, 0, -1)), 2
    object.pose.bones["lo"].constraints.move(1, 0)


@pytest.mark.parametrize(("harm", "words"), [
    (other_ik, "another IK"),
    (lose_output, "lost its constraint"), (lose_binding, "lost its binding"), (constraint_after, '"Later"'),
    (keyed_output, "keys or drivers"), (driven_output, "keys or drivers"), (no_upper, "upper bone")])
def test_button_beside_a_trouble_ends_it(harm, words):
    object, _target, _pole = b.rigged_leg()
    b.select(object, "lo")
    assert rig.problems(object, "lo") == []
    harm(object)
    b.update()
    (trouble,) = troubles(object, "lo")
    assert words in trouble.sentence
    layout = draw(TWOBONE_PT_limb)
    assert trouble.fix in layout.operators()
    module, name = trouble.fix.split(".")
    assert getattr(getattr(bpy.ops, module), name)() == {'FINISHED'}
    b.update()
    assert [limb.lower for limb in rig.limbs(object) if rig.problems(object, limb.lower)] == []


def test_muted_and_idle_constraints_after_ours_are_no_trouble():
    object, _target, _pole = b.rigged_leg()
    constraints = object.pose.bones["lo"].constraints
    constraints.new('COPY_ROTATION').mute = True
    constraints.new('COPY_ROTATION').influence = 0
    b.update()
    assert rig.problems(object, "lo") == []


@pytest.mark.parametrize(("count", "use_tail", "counts"), [
    (0, True, True), (3, True, True), (2, True, True), (1, True, False), (2, False, True), (1, False, True)])
def test_another_ik_counts_where_its_chain_comes_to_the_limb(count, use_tail, counts):
    object, target, _pole = b.rigged_leg(extra=[("foot", (0, 0, -2), (0, -0.3, -2), "lo", 0)])
    constraint = object.pose.bones["foot"].constraints.new('IK')
    constraint.target, constraint.chain_count, constraint.use_tail = b.empty("Other", (1, 0, -1)), count, use_tail
    b.update()
    assert bool(rig.problems(object, "lo")) is counts
    assert b.on_target(object) is not counts
    b.select(object, "lo")
    if counts:
        bpy.ops.pose.twobone_mute_rivals()
        b.update()
        assert b.on_target(object, target=target)


def test_pose_is_delivered_again_after_keys_are_removed_from_the_output():
    object, target, _pole = b.rigged_leg()
    b.select(object, "lo")
    object.pose.bones["lo"].constraints[OUTPUT].driver_add("max_y").driver.expression = "1.5"
    b.update()
    bpy.ops.pose.twobone_free_output()
    target.location.x = 0.3
    b.update()
    assert b.on_target(object)


def test_loop_leads_to_the_target():
    object, target, _pole = b.rigged_leg()
    b.select(object, "lo")
    loop(object)
    b.update()
    (trouble,) = troubles(object, "lo")
    assert trouble.fix == "pose.twobone_select_target"
    bpy.ops.pose.twobone_select_target()
    assert bpy.context.active_object == target


def test_constraint_at_the_end_of_the_stack_moves_no_other():
    object, _target, _pole = b.rigged_leg()
    b.select(object, "lo")
    constraint_after(object)
    object.pose.bones["lo"].constraints.new('COPY_SCALE').name = "Last"
    bpy.ops.pose.twobone_output_last()
    assert [constraint.name for constraint in object.pose.bones["lo"].constraints] == ["Later", "Last", OUTPUT]
    assert [constraint.name for constraint in object.pose.bones["up"].constraints] == [OUTPUT]


@pytest.mark.parametrize("width", [12, 20, 40, 200])
@pytest.mark.parametrize("text", [
    "A short one", '"forearm.L" is paused: its root, target or pole moves with the limb itself. Choose another',
    "目标“手”在视图中隐藏，Blender 不会对其求值：显示之前，其关键帧与父级都不起作用（用眼睛图标隐藏则没有问题）。", ""])
def test_lines_fit_and_lose_nothing(text, width):
    lines = wrap(text, width)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    longest = max((columns(word) for word in text.split()), default=0) if text.isascii() else 12
    assert all(columns(line) <= max(width, longest) + 2 for line in lines)
    assert not any(line[:1] in "，：。）" for line in lines if line)


def test_sidebar_gets_no_further_tab():
    panels = [cls for cls in registration.CLASSES if issubclass(cls, bpy.types.Panel)]
    assert {cls.bl_category for cls in panels
            if (cls.bl_space_type, cls.bl_region_type) == ('VIEW_3D', 'UI')} == {"Animation"}
