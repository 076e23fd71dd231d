"""The engine does no more than it must: operations are counted, not timed."""

import bpy
import builders as b
import numpy as np

from twobone_addon.rig import live
from twobone_addon.rig.engine import memory


def test_idle_updates_write_nothing():
    for index in range(10):
        b.rigged_leg(1, 1, 10, name=f"Leg{index}")
    b.update()
    live.counts.clear()
    for _ in range(100):
        b.update()
    assert live.counts == memory.Counts()


def test_updates_of_something_else_read_nothing():
    b.rigged_leg(1, 1, 10)
    bystander = b.empty("Bystander")
    b.update()
    live.counts.clear()
    for step in range(100):
        bystander.location.x = step
        b.update()
    assert live.counts == memory.Counts()


def test_one_drag_solves_one_limb_once():
    legs = [b.rigged_leg(1, 1, 10, name=f"Leg{index}") for index in range(10)]
    b.update()
    live.counts.clear()
    legs[3][1].location = (0.2, 0.1, -1.3)
    b.update()
    assert live.counts.solves == 1
    assert live.counts.reads == 1
    assert live.counts.updates == 1
    assert 0 < live.counts.writes <= 6
    assert np.allclose(b.ends(legs[3][0])["lo"][1], (0.2, 0.1, -1.3), atol=4e-6)


def test_idle_frame_changes_write_nothing():
    b.rigged_leg(1, 1, 10)
    b.update()
    live.counts.clear()
    for frame in range(50):
        bpy.context.scene.frame_set(frame)
    assert (live.counts.solves, live.counts.writes) == (0, 0)


def test_every_step_of_a_drag_is_one_update_and_one_solve():
    """The engine's own writes call no handler again: as many calls as moves."""
    object, target, _pole = b.rigged_leg(1, 1, 10)
    calls = []

    def count(*_args):
        calls.append(live.counts.updates)

    b.update()
    live.counts.clear()
    bpy.app.handlers.depsgraph_update_post.append(count)
    try:
        for step in range(1, 21):
            target.location = (0.02 * step, 0.1, -1.4)
            b.update()
            assert b.on_target(object)
            assert len(calls) == live.counts.updates == live.counts.solves == step
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(count)


def test_selecting_looks_at_no_rig_again(monkeypatch):
    """A click on an object updates the scene; only what changes its structure has the limbs looked up afresh."""
    object, target, _pole = b.rigged_leg(1, 1, 10)
    b.update()
    made = []
    genuine = memory.make_plan
    monkeypatch.setattr(memory, "make_plan", lambda *which: made.append(which) or genuine(*which))
    for chosen in (target, object, target):
        chosen.select_set(not chosen.select_get())
        bpy.context.view_layer.objects.active = chosen
        bpy.context.scene.frame_end += 1
        b.update()
    assert not made
    target.parent = object
    b.update()
    assert made
