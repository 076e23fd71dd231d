"""Every operator is found: in the Pose menu, and by searching, with a description that helps."""

from types import SimpleNamespace

import bpy
import builders as b
import pytest
from drawn import Layout, draw

import twobone_addon
from twobone_addon import registration
from twobone_addon.ui.menus import TWOBONE_MT_pose, draw_entry

OPERATORS = [cls for cls in registration.CLASSES if issubclass(cls, bpy.types.Operator)]
NAMES = [cls.bl_idname for cls in OPERATORS]


def functions_of(menu):
    return [function for function in getattr(menu.draw, "_draw_funcs", ()) if function == draw_entry]


def test_pose_menu_shows_the_submenu_once():
    assert functions_of(bpy.types.VIEW3D_MT_pose) == [draw_entry]
    twobone_addon.unregister()
    assert functions_of(bpy.types.VIEW3D_MT_pose) == []
    twobone_addon.register()
    assert functions_of(bpy.types.VIEW3D_MT_pose) == [draw_entry]


def test_entry_leads_to_the_submenu():
    layout = Layout()
    draw_entry(SimpleNamespace(layout=layout), bpy.context)
    assert [arguments for name, arguments, _keywords in layout.calls if name == "menu"] == [("TWOBONE_MT_pose",)]
    assert hasattr(bpy.types, "TWOBONE_MT_pose")


def test_submenu_holds_what_is_done_by_hand():
    b.select(b.leg(), "lo")
    operators = draw(TWOBONE_MT_pose).operators()
    assert operators[0] == "pose.twobone_add"
    assert set(operators) <= set(NAMES)
    assert len(set(operators)) == len(operators)


@pytest.mark.parametrize("cls", OPERATORS, ids=NAMES)
def test_search_finds_an_operator_that_says_what_it_does(cls):
    module, name = cls.bl_idname.split(".")
    kind = getattr(getattr(bpy.ops, module), name).get_rna_type()
    assert 'INTERNAL' not in getattr(cls, "bl_options", ())
    assert len(kind.description) > 30
    assert not kind.description.endswith(".")
    assert kind.description != kind.name
    assert kind.name[0].isupper()
    for prop in kind.properties:
        if prop.identifier != "rna_type" and not prop.is_hidden:
            assert prop.description, prop.identifier


def test_labels_are_told_apart_in_a_search():
    labels = [cls.bl_label for cls in OPERATORS]
    assert len(set(labels)) == len(labels)


def test_no_key_is_taken():
    for keyconfig in bpy.context.window_manager.keyconfigs:
        for keymap in keyconfig.keymaps:
            assert not [item.idname for item in keymap.keymap_items if "twobone" in item.idname]
