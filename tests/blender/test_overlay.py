"""What the overlay draws, as arrays: circles, lines, gap and labels of limbs in every state, and when it is made anew."""

import bpy
import builders as b
import numpy as np
import pytest

from twobone_addon.rig import shown as rig_shown
from twobone_addon.solver import State, exact_reach
from twobone_addon.ui import preferences
from twobone_addon.ui.overlay import changes, draw
from twobone_addon.ui.overlay.batches import KEPT, Kept
from twobone_addon.ui.overlay.chosen import chosen_rows, visible_armatures
from twobone_addon.ui.overlay.colours import palette
from twobone_addon.ui.overlay.segments import DASH, DOT, Mark, Words, circles, picture

SIDES = 24
WORDS = Words("{:.4f}".format, resting="Rests", pole_lost="Pole on the line")
RGB = np.eye(5)[:, :3] + np.arange(5)[:, None] * 0.1
PALETTE = draw.Palette(tuple(map(tuple, RGB[:4].tolist())), tuple(RGB[4].tolist()))


def shown(rows=None):
    plan = rig_shown.current_plan(bpy.context.scene)
    rows = range(len(plan.limbs)) if rows is None else rows
    return rig_shown.shown(plan, bpy.context.evaluated_depsgraph_get(), rows)


def drawn():
    return picture(shown(), PALETTE, SIDES, WORDS)


def pairs(strokes, colour=None):
    """Ends (N, 2, 3) of lines, of those in one colour."""
    chosen = slice(None) if colour is None else np.isclose(strokes.colours[::2, :3], colour).all(-1)
    return strokes.points.reshape(-1, 2, 3)[chosen].astype(float)


def has_line(strokes, start, end, within=1e-5):
    return any(np.allclose(pair, (start, end), atol=within) for pair in pairs(strokes))


def on_circle(strokes, centre, radius, within=1e-5):
    """Both ends of the lines that lie on a circle about `centre`."""
    lines = pairs(strokes)
    return lines[(np.abs(np.linalg.norm(lines - centre, axis=-1) - radius) < within).all(-1)]


def tips(object):
    return [(b.world(object) @ np.append(point, 1.0))[:3] for point in b.joints(object)]


@pytest.mark.parametrize("place", [(0, 0.3, -1.2), (0.4, 0.5, -0.8), (0, 0.5, -2.5), (0.1, 0, -0.2)])
def test_what_is_shown_is_the_pose(place):
    """Root, joint and tip are where Blender shows the bones, whatever the armature's own transform."""
    object, target, _pole = b.rigged_leg(1, 0.6, 10, rolls=(20, 70))
    object.location, object.rotation_euler, object.scale = (1, 2, 3), (0.3, 0.2, 0.1), (2, 2, 2)
    target.location = object.matrix_basis @ b.vector(place)
    b.update()
    solved = shown().solved
    for points, bones in zip((solved.root, solved.joint, solved.end), tips(object)):
        assert solved.world(points)[0] == pytest.approx(bones, abs=2e-6)
    assert solved.world(solved.target)[0] == pytest.approx(b.place(target), abs=2e-6)


def test_circles_of_reach_and_fold_lie_in_the_bend_plane():
    object, _target, pole = b.rigged_leg(1, 0.6, 10, target=(0.3, 0.2, -1.2), pole=(0.5, -3, -1))
    root, joint, tip = tips(object)
    normal = b.direction(*np.cross(tip - root, joint - root))
    fine = drawn().fine
    for radius, count in ((1.6, SIDES), (0.4, SIDES // 2)):
        dashes = on_circle(fine, root, radius)
        assert len(dashes) == count
        assert np.abs((dashes - root) @ normal).max() < 2e-6
        length = np.linalg.norm(dashes[:, 1] - dashes[:, 0], axis=-1)
        assert length == pytest.approx(2 * radius * np.sin(np.pi * DASH / count), abs=1e-5)
    assert has_line(fine, root, tip)
    assert has_line(fine, joint, b.place(pole))


def test_circle_of_a_stretched_armature_is_where_the_tip_can_go():
    object, target, _pole = b.rigged_leg(1, 1, 10)
    object.scale = (1, 1, 2)
    target.location = (0, 0, -5)
    b.update()
    solved = shown().solved
    planes = solved.directions(np.stack((solved.forward, solved.bend), axis=1))
    points = circles(solved.world(solved.root), planes, solved.reach_max, SIDES, DASH)[0]
    assert np.linalg.norm(points @ np.diag((1, 1, 0.5)), axis=-1) == pytest.approx(2.0, abs=1e-5)
    assert np.abs(points[..., 2]).max() == pytest.approx(4.0, abs=0.05)
    assert drawn().labels[0].text == "1.0000"


def test_equal_bones_have_no_fold_circle():
    b.rigged_leg(1, 1, 10)
    fine = drawn().fine
    assert len(on_circle(fine, 0, 2.0)) == SIDES
    assert len(pairs(fine)) == SIDES + 2


@pytest.mark.parametrize("distance, state, gap", [(1.2, State.REACHED, 0.0), (2.0, State.TOO_FAR, 0.4),
                                                  (0.1, State.TOO_CLOSE, 0.3)])
def test_gap_is_drawn_and_labelled_past_reach(distance, state, gap):
    object, target, _pole = b.rigged_leg(1, 0.6, 10, target=(0, 0, -distance))
    root, _joint, tip = tips(object)
    result = drawn()
    assert (result.fine.colours[:, :3] == RGB[state].astype(np.float32)).all()
    assert has_line(result.fine, root, min(tip, b.place(target), key=np.linalg.norm))
    if state == State.REACHED:
        assert not len(result.bold)
        assert not result.labels
        return
    assert pairs(result.bold)[0] == pytest.approx(np.array((tip, b.place(target))), abs=1e-5)
    label, = result.labels
    assert label.text == f"{gap:.4f}"
    assert label.place == pytest.approx((tip + b.place(target)) / 2, abs=1e-5)
    assert (label.colour[:3], label.mark) == (pytest.approx(RGB[state]), Mark.NONE)


def test_label_is_in_the_scene_s_units():
    b.rigged_leg(1, 0.6, 10, target=(0, 0, -1.9048))
    scene = bpy.context.scene
    for system, words in (('METRIC', "30.5 cm"), ('IMPERIAL', "1'"), ('NONE', "0.3048")):
        scene.unit_settings.system = system
        assert picture(shown(), PALETTE, SIDES, draw._words(scene)).labels[0].text == words


def test_where_softening_begins():
    object, _target, _pole = b.rigged_leg(1, 0.6, 10, target=(0, 0, -1.55))
    object.pose.bones["lo"].twobone_softness = 0.1
    b.update()
    nearest, farthest = exact_reach(1, 0.6, 0.1)
    result = drawn()
    for radius, count in ((farthest, SIDES), (nearest, SIDES // 2)):
        dots = on_circle(result.fine, 0, radius)
        assert len(dots) == count
        assert np.linalg.norm(dots[0, 1] - dots[0, 0]) == pytest.approx(2 * radius * np.sin(np.pi * DOT / count), abs=1e-5)
    assert (result.fine.colours[:, :3] == RGB[State.SOFTENED].astype(np.float32)).all()
    assert len(pairs(result.bold)) == 1  # what is missed of the target is seen, but not labelled
    assert not result.labels


def test_limits_of_the_joint_narrow_the_circles():
    object, target, _pole = b.rigged_leg(1, 1, 10, target=(0, 0, -3))
    bone = object.pose.bones["lo"]
    bone.twobone_bend_min, bone.twobone_bend_max = np.radians(40), np.radians(150)
    b.update()
    fine = drawn().fine
    for radius, count in ((2 * np.cos(np.radians(20)), SIDES), (2 * np.cos(np.radians(75)), SIDES // 2)):
        assert len(on_circle(fine, 0, radius)) == count
    assert len(pairs(fine)) == SIDES + SIDES // 2 + 2
    assert drawn().labels[0].text == f"{3 - 2 * np.cos(np.radians(20)):.4f}"


def test_the_plane_is_the_triangle_of_the_limb():
    object, _target, _pole = b.rigged_leg(1, 1, 10)
    assert drawn().filled.points == pytest.approx(np.array(tips(object)), abs=1e-5)


def test_pole_on_the_line_is_marked():
    object, _target, pole = b.rigged_leg(1, 1, 10)
    pole.location = (0, 0, -3)
    b.update()
    result = drawn()
    label, = result.labels
    assert (label.text, label.mark) == ("Pole on the line", Mark.DIAMOND)
    assert label.place == pytest.approx((0, 0, -3), abs=1e-6)
    assert label.colour == pytest.approx((*RGB[4], 1.0))
    assert not has_line(result.fine, tips(object)[1], (0, 0, -3))
    pole.location = (0, -3, -1)
    b.update()
    assert not drawn().labels


def test_limb_without_pole_has_no_line_to_one():
    object, _target, _pole = b.rigged_leg(1, 1, 10)
    object.pose.bones["lo"].twobone_pole = None
    b.update()
    result = drawn()
    assert len(pairs(result.fine)) == SIDES + 1
    assert not result.labels


def test_limb_that_rests_is_marked():
    object, target, _pole = b.rigged_leg(1, 1, 10)
    bpy.data.objects.remove(target)
    b.update()
    result = drawn()
    label, = result.labels
    assert (label.text, label.mark) == ("Rests", Mark.CROSS)
    assert label.place == pytest.approx(tips(object)[1], abs=1e-5)
    assert pairs(result.fine) == pytest.approx(np.array((tips(object)[:2], tips(object)[1:])), abs=1e-5)
    assert shown().resting[0].fault.startswith('"lo" has no target')


def test_limb_that_cannot_be_solved_is_marked_and_the_others_are_drawn():
    b.rigged_leg(1, 1, 10)
    object, _target, _pole = b.rigged_leg(1, 1, 10, name="Flat")
    object.pose.bones["up"].scale = (0, 0, 0)
    b.update()
    result = drawn()
    assert [label.text for label in result.labels] == ["Rests"]
    assert len(on_circle(result.fine, 0, 2.0)) == SIDES


def test_a_limb_at_a_place_that_is_not_finite_draws_nothing():
    object, _target, _pole = b.rigged_leg(1, 1, 10)
    object.pose.bones["up"].location = (np.nan, 0, 0)
    b.update()
    result = drawn()
    assert not result.labels
    assert not len(result.fine)


def test_without_influence_the_picture_is_faint():
    object, _target, _pole = b.rigged_leg(1, 1, 10)
    full = drawn().fine.colours[:, 3]
    object.pose.bones["lo"].twobone_influence = 0.0
    b.update()
    assert drawn().fine.colours[:, 3] == pytest.approx(0.35 * full)


def test_nothing_to_draw_is_nothing():
    b.rigged_leg(1, 1, 10)
    result = picture(shown([]), PALETTE, SIDES, WORDS)
    assert (len(result.fine), len(result.bold), len(result.filled), result.labels) == (0, 0, 0, ())


def two_legs():
    legs = b.rigged_leg(1, 1, 10, name="A"), b.rigged_leg(1, 1, 10, name="B")
    for object in bpy.context.view_layer.objects:
        object.select_set(False)
    return legs


def chosen(which='SELECTED'):
    plan = rig_shown.current_plan(bpy.context.scene)
    rows = chosen_rows(bpy.context, plan, visible_armatures(bpy.context, plan), which)
    return [plan.limbs[row].limb.armature.name for row in rows]


def test_selected_bones_and_controls_choose_limbs():
    (leg, target, _pole), (_other, _target, pole) = two_legs()
    bpy.context.view_layer.objects.active = None
    assert chosen() == []
    assert chosen('ALL') == ["A", "B"]
    target.select_set(True)
    assert chosen() == ["A"]
    target.select_set(False)
    bpy.context.view_layer.objects.active = pole
    assert chosen() == ["B"]
    b.select(leg, "up")
    assert chosen() == ["A"]
    b.select(leg)
    leg.data.bones.active = None
    assert chosen() == []
    leg.data.bones.active = leg.data.bones["lo"]
    assert chosen() == ["A"]


def test_a_selected_control_bone_chooses_its_limb():
    object = b.leg(1, 1, 10, extra=[("goal", (0, 0, -1.5), (0, 0.3, -1.5), "", 0), ("other", (1, 0, 0), (1, 1, 0), "", 0)])
    b.update()
    from twobone_addon import rig

    rig.add_limb(object, "lo", object, None, target_bone="goal")
    b.update()
    b.select(object, "other")
    assert chosen() == []
    b.select(object, "goal")
    assert chosen() == ["Leg"]


def test_hidden_armatures_and_those_in_edit_mode_are_left_out():
    (leg, *_controls), (other, *_others) = two_legs()
    other.hide_set(True)
    assert chosen('ALL') == ["A"]
    with b.edited(leg):
        assert chosen('ALL') == []


@pytest.fixture
def counted():
    """Updates are counted, as they are in a Blender with a window."""
    changes.register()
    draw.start_again()
    yield
    draw.start_again()
    changes.unregister()


def test_made_anew_only_when_something_changed(counted):
    object, target, _pole = b.rigged_leg(1, 1, 10)
    b.select(object, "lo")
    b.update()
    made = []

    def is_made():
        before = len(made)
        draw.prepared_limbs(draw.view_of(bpy.context), make=lambda result: made.append(result) or result)
        return len(made) > before

    def after(change):
        change()
        b.update()
        return is_made(), is_made()

    theme = bpy.context.preferences.themes[0].bone_color_sets[3]
    colour = tuple(theme.active)
    assert (is_made(), is_made()) == (True, False)
    assert after(lambda: None) == (False, False)
    assert after(lambda: setattr(target, "location", (0, 0, -5))) == (True, False)
    assert made[-1].labels
    assert after(lambda: setattr(bpy.context.scene.unit_settings, "system", 'IMPERIAL')) == (True, False)
    assert after(lambda: bpy.context.scene.frame_set(7)) == (True, False)
    try:
        assert after(lambda: setattr(theme, "active", (1, 0, 1))) == (True, False)
    finally:
        theme.active = colour
    assert after(lambda: object.hide_set(True)) == (True, False)
    assert not len(made[-1].fine)


def test_keeps_a_few_pictures():
    kept = Kept()
    for number in range(KEPT + 1):
        kept.get(number, lambda number=number: -number)
    assert kept.get(KEPT, lambda: "new") == -KEPT
    assert kept.get(0, lambda: "new") == "new"


def test_colours_are_the_theme_s():
    theme = bpy.context.preferences.themes[0]
    colours = palette(preferences.DEFAULTS, theme)
    assert colours.states[State.TOO_FAR] == pytest.approx(theme.bone_color_sets[0].active)
    assert colours.states[State.SOFTENED] == pytest.approx(theme.bone_color_sets[8].active)


def test_nothing_is_drawn_or_counted_in_background():
    assert draw.State.handlers == []
    assert not [handler for name in changes.NAMES for handler in getattr(bpy.app.handlers, name)
                if handler.__module__.endswith("changes")]
    assert not draw.is_on(bpy.context)


def test_nothing_is_read_while_hidden(monkeypatch):
    b.rigged_leg(1, 1, 10)

    def never(_context):
        raise AssertionError("looked at the scene")

    monkeypatch.setattr(draw, "view_of", never)
    draw.draw_view()
    draw.draw_pixels()
    assert not draw.State.failed


def test_an_error_is_printed_once_and_ends_the_drawing(monkeypatch, capfd):
    def broken(_context):
        raise RuntimeError("no drawing today")

    monkeypatch.setattr(draw, "is_on", broken)
    draw.draw_view()
    assert "no drawing today" in capfd.readouterr().err
    draw.draw_view()
    assert capfd.readouterr().err == ""
    draw.start_again()
    draw.draw_view()
    assert "no drawing today" in capfd.readouterr().err
    draw.start_again()


def test_removed_data_is_no_error(monkeypatch):
    def gone(_context):
        raise ReferenceError("StructRNA of type Object has been removed")

    monkeypatch.setattr(draw, "is_on", gone)
    draw.draw_view()
    assert not draw.State.failed


def test_the_switch_belongs_to_the_workspace_and_is_on():
    assert all(workspace.twobone_overlay for workspace in bpy.data.workspaces)


def test_preferences_have_the_defaults_of_a_checkout():
    assert preferences.preferences() is preferences.DEFAULTS
    properties = preferences.TWOBONE_preferences.bl_rna.properties
    for name, value in vars(preferences.DEFAULTS).items():
        assert properties[name].default == (pytest.approx(value) if isinstance(value, float) else value), name
