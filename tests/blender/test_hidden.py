"""A hidden target is followed, or the panel says that Blender does not evaluate it; never silence."""

import bpy
import builders as b
import pytest

from twobone_addon import rig


@pytest.mark.parametrize("how", ["eye", "monitor", "collection monitor", "excluded"])
def test_target_hidden(how):
    object, target, _pole = b.rigged_leg()
    b.keys(target, "location", [(1, (0, 0, -1)), (11, (0.6, 0, -1.2))])
    collection = bpy.data.collections.new("Controls")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(target)
    bpy.context.scene.collection.objects.unlink(target)
    b.update()
    if how == "eye":
        target.hide_set(True)
    elif how == "monitor":
        target.hide_viewport = True
    elif how == "collection monitor":
        collection.hide_viewport = True
    else:
        bpy.context.view_layer.layer_collection.children["Controls"].exclude = True
    b.update()
    bpy.context.scene.frame_set(11)
    problems = rig.problems(object, "lo")
    if problems:
        assert how != "eye"
        assert '"T"' in problems[0]
        assert "not evaluate" in problems[0] or "no scene" in problems[0]
    else:
        assert abs(b.ends(object)["lo"][1][0] - 0.6) < 1e-5


def test_nothing_is_said_of_what_is_shown():
    object, _target, _pole = b.rigged_leg()
    assert rig.problems(object, "lo") == []
