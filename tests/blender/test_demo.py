"""The demo shows what it says, on Blender's human and on a user's file."""

import bpy
import builders as b
import numpy as np
import pytest


@pytest.fixture
def demo(monkeypatch, tmp_path):
    import demo_scene
    from demo_scene import film

    monkeypatch.setattr(demo_scene, "OUTPUT", tmp_path / "demo")
    for name, value in (("PICTURES", 2), ("WIDTH", 28), ("HEIGHT", 38), ("SAMPLES", 2)):
        monkeypatch.setattr(film, name, value)
    monkeypatch.setattr(demo_scene.twobone_addon, "register", lambda: None)  # the fixture has registered it
    monkeypatch.setattr(demo_scene.twobone_addon, "unregister", lambda: None)
    return demo_scene


def pixels(path):
    image = bpy.data.images.load(str(path))
    return np.array(image.pixels[:]).reshape(image.size[1], image.size[0], 4)


def test_human(demo, capfd):
    assert demo.main(["--frames", "12"]) == 0
    output = capfd.readouterr().out
    for limb in ("forearm.L", "forearm.R", "shin.L", "shin.R"):
        assert limb in output
    line = next(line for line in output.splitlines() if line.startswith("forearm.L"))
    assert "on frames" in line
    assert sum("always reached" in line for line in output.splitlines()) == 3
    strip = pixels(demo.OUTPUT / "human.png")
    assert strip.shape[:2] == (38 + 12, 2 * 28 + 18)
    assert strip[..., :3].std() > 0.05
    bpy.ops.wm.open_mainfile(filepath=str(demo.OUTPUT / "human.blend"))
    from twobone_addon import rig

    armature = bpy.data.objects["Human"]
    bpy.context.scene.frame_set(1)
    for limb in rig.limbs(armature):
        assert rig.readings(armature, limb.lower).gap < 1e-5
    bpy.context.scene.frame_set(6)
    assert rig.readings(armature, "forearm.L").gap > 0.05


def test_user_file(demo, tmp_path, capfd):
    b.leg(1, 0.8, 20)
    path = tmp_path / "mine.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    before = path.read_bytes()
    assert demo.main(["--blend", str(path), "--bone", "lo", "--frames", "12"]) == 0
    assert "stays as it is" in capfd.readouterr().out
    assert path.read_bytes() == before
    assert (demo.OUTPUT / "mine.blend").exists()
    # Once it has IK, it is used as it is.
    assert demo.main(["--blend", str(demo.OUTPUT / "mine.blend"), "--bone", "lo", "--frames", "8"]) == 0
    assert "Added" not in capfd.readouterr().out


@pytest.mark.parametrize("change, words", [
    ({"--bone": "low"}, "Did you mean lo"), ({"--bone": "up"}, "no parent bone"), ({"--object": "Log"}, "Did you mean Leg"),
    ({"--target": "Nothing"}, 'no object "Nothing"'), ({"--blend": "nowhere.blend"}, "no file nowhere.blend"),
    ({"--tip": "up"}, "not below")])
def test_errors_are_sentences(demo, tmp_path, capfd, change, words):
    b.leg()
    path = tmp_path / "mine.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    options = {"--blend": str(path), "--bone": "lo", **change}
    assert demo.main([word for pair in options.items() for word in pair]) == 1
    error = capfd.readouterr().err
    assert "error: " in error
    assert words in error
    assert "demo_scene" not in error  # as a traceback would say
