"""The demo shows what it says, on Blender's human and on a user's file."""

import bpy
import builders as b
import numpy as np
import pytest

from twobone_addon import rig

LIMBS = ("forearm.L", "forearm.R", "shin.L", "shin.R")
PICTURES, WIDTH, HEIGHT, MARGIN = 4, 120, 160, 6


@pytest.fixture
def demo(monkeypatch, tmp_path):
    """The demo with small, coarse pictures, writing to a folder of its own."""
    import demo_scene
    from demo_scene import film, skin, stage

    monkeypatch.setattr(demo_scene, "OUTPUT", tmp_path / "demo")
    monkeypatch.setattr(film, "PICTURES", PICTURES)
    monkeypatch.setattr(skin, "VOXEL", 0.03)
    for name, value in (("WIDTH", WIDTH), ("HEIGHT", HEIGHT), ("SAMPLES", 4)):
        monkeypatch.setattr(stage, name, value)
    monkeypatch.setattr(demo_scene.twobone_addon, "register", lambda: None)  # the fixture has registered it
    monkeypatch.setattr(demo_scene.twobone_addon, "unregister", lambda: None)
    return demo_scene


def pictures(path):
    """The strip's pictures (n, height, width, 3), from left to right."""
    image = bpy.data.images.load(str(path))
    strip = np.array(image.pixels[:]).reshape(image.size[1], image.size[0], -1)[..., :3]
    bpy.data.images.remove(image)
    assert strip.shape[:2] == (HEIGHT + 2 * MARGIN, PICTURES * (WIDTH + MARGIN) + MARGIN)
    starts = [MARGIN + picture * (WIDTH + MARGIN) for picture in range(PICTURES)]
    return np.stack([strip[MARGIN:-MARGIN, start:start + WIDTH] for start in starts])


def red(picture):
    """How many pixels above the caption are as red as a gap is drawn; orange targets are not."""
    red, green, blue = np.moveaxis(picture[HEIGHT // 8:], -1, 0)
    return int(((red > 0.6) & (green < 0.45) & (blue > 0.8 * green)).sum())


def saved(path):
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def run(demo, **options):
    return demo.main([word for name, value in options.items() for word in (f"--{name}", str(value))])


def paragraphs(output):
    """The report's lines by limb."""
    found = {}
    for line in output.splitlines():
        if ": frames " in line:
            found[line.split(":")[0]] = lines = [line]
        elif found and line.startswith(" "):
            lines.append(line)
    return found


def test_human(demo, capfd):
    addons = set(bpy.context.preferences.addons.keys())
    assert run(demo, frames=24) == 0
    report = paragraphs(capfd.readouterr().out)
    assert tuple(report) == LIMBS
    assert "out of reach on frames 8-19" in report["forearm.L"][0]
    assert "33.7 cm on frame 14" in report["forearm.L"][2]
    assert all("never out of reach" in report[limb][0] for limb in LIMBS[1:])
    for lines in report.values():
        assert float(lines[3].split("error ")[1].split()[0]) < 1e-6
    assert set(bpy.context.preferences.addons.keys()) == addons
    strip = pictures(demo.OUTPUT / "human.png")
    assert [red(picture) > 3 for picture in strip] == [False, False, True, False]
    assert min(picture.std() for picture in strip) > 0.05

    bpy.ops.wm.open_mainfile(filepath=str(demo.OUTPUT / "human.blend"))
    human, scene = bpy.data.objects["Human"], bpy.context.scene
    rest = {limb: [(human.data.bones[name].head_local - human.data.bones[other].head_local).length
                   for name, other in ((limb, upper), (tip, limb))]
            for limb, upper, tip in (("forearm.L", "upper_arm.L", "hand.L"), ("shin.R", "thigh.R", "foot.R"))}
    for frame in (1, 14, 5):
        scene.frame_set(frame)
        for limb in LIMBS:
            assert (rig.readings(human, limb).gap < 1e-5) == (limb != "forearm.L" or frame != 14)
        at = b.ends(human)
        for limb, upper, tip in (("forearm.L", "upper_arm.L", "hand.L"), ("shin.R", "thigh.R", "foot.R")):
            measured = [np.linalg.norm(at[limb][0] - at[upper][0]), np.linalg.norm(at[tip][0] - at[limb][0])]
            assert measured == pytest.approx(rest[limb], rel=1e-6)


def test_feet_go_with_the_floor(demo):
    """While the sole is down, heel and ball stay where they are on the floor, which moves back below the walk."""
    from demo_scene import human, walk

    shown = human.build(40)
    scene, floor = bpy.context.scene, bpy.data.objects["Floor"]
    places = []
    for frame in shown.frames[:20]:
        if walk.FLAT + 0.01 < (frame - 1) / 20 < walk.RISING - 0.01:
            scene.frame_set(frame)
            at = b.ends(shown.armature)
            places.append(np.stack((at["foot.L"][0], at["foot.L"][1])) - (0, floor.location.y, 0))
    assert len(places) > 4
    assert np.ptp(np.array(places), axis=0).max() < 5e-6


def test_body_follows_its_bones(demo):
    """Every vertex hangs on bones, fully, and the skin of a forearm goes with it."""
    from demo_scene import human

    shown = human.build(24)
    body = bpy.data.objects["Body"]
    weights = [sum(group.weight for group in vertex.groups) for vertex in body.data.vertices]
    assert min(weights) > 0.95
    group = body.vertex_groups["forearm.L"].index
    firm = [vertex.index for vertex in body.data.vertices
            for entry in vertex.groups if entry.group == group and entry.weight > 0.9]
    assert len(firm) > 10
    for frame in (1, 12):
        bpy.context.scene.frame_set(frame)
        head, tail = b.ends(shown.armature)["forearm.L"]
        skin = b.evaluated(body).data.vertices
        far = [np.linalg.norm(np.cross(np.array(skin[index].co) - head, b.direction(*(tail - head)))) for index in firm]
        assert max(far) < 0.08


def test_user_file(demo, tmp_path, capfd):
    b.leg(1, 0.8, 20)
    path = saved(tmp_path / "mine.blend")
    before = path.read_bytes()
    assert run(demo, blend=path, bone="lo") == 0
    output = capfd.readouterr().out
    assert 'Added Two-Bone IK to "lo" of "Leg"' in output
    assert "reach range               20 cm to 1.8 m" in output
    assert "90 cm on frame 13" in output
    assert path.read_bytes() == before
    assert [red(picture) > 3 for picture in pictures(demo.OUTPUT / "mine-lo.png")] == [False, True, False, False]
    bpy.ops.wm.open_mainfile(filepath=str(demo.OUTPUT / "mine-lo.blend"))
    assert set(bpy.data.objects.keys()) == {"Leg", "lo target", "lo pole"}
    bpy.context.scene.frame_set(13)
    assert rig.readings(bpy.data.objects["Leg"], "lo").gap == pytest.approx(0.9, abs=1e-5)


def test_limb_with_ik_is_used_as_it_is(demo, tmp_path, capfd):
    b.rigged_leg(1, 1, 20, target=(0, 0, -2.5))
    bpy.context.scene.frame_end = 10
    path = saved(tmp_path / "mine.blend")
    assert run(demo, blend=path, bone="lo") == 0
    output = capfd.readouterr().out
    assert "has Two-Bone IK: its own is shown" in output
    assert "frames 1 to 10, out of reach on frames 1-10" in output
    assert "50 cm on frame" in output


def test_given_target_and_pole_are_used(demo, tmp_path):
    b.leg(1, 1, 20)
    b.empty("Goal", (0.5, 0, -1))
    b.empty("Knee", (0.5, -2, -1))
    path = saved(tmp_path / "mine.blend")
    assert run(demo, blend=path, bone="lo", upper="up", target="Goal", pole="Knee", frames=8) == 0
    bpy.ops.wm.open_mainfile(filepath=str(demo.OUTPUT / "mine-lo.blend"))
    limb, = rig.limbs(bpy.data.objects["Leg"])
    assert (limb.target.object.name, limb.pole.object.name) == ("Goal", "Knee")
    assert b.on_target(bpy.data.objects["Leg"])


@pytest.mark.parametrize("blender_units", ['NONE', 'IMPERIAL'])
def test_lengths_are_in_the_scenes_units(demo, tmp_path, capfd, blender_units):
    b.leg(1, 0.8, 20)
    bpy.context.scene.unit_settings.system = blender_units
    assert run(demo, blend=saved(tmp_path / "mine.blend"), bone="lo", frames=8) == 0
    line = paragraphs(capfd.readouterr().out)["lo"][1]
    assert line.endswith("0.2 to 1.8" if blender_units == 'NONE' else "'")


def test_two_armatures_have_the_bone(demo, tmp_path, capfd):
    b.leg(name="Left")
    b.leg(name="Right")
    path = saved(tmp_path / "mine.blend")
    assert run(demo, blend=path, bone="lo") == 1
    assert "say which with --object, one of Left, Right" in capfd.readouterr().err
    assert run(demo, blend=path, bone="lo", object="Right", frames=8) == 0
    assert 'of "Right"' in capfd.readouterr().out


@pytest.mark.parametrize("change, words", [
    ({"bone": "forearm"}, "There are up, lo"), ({"bone": "LO"}, "Did you mean lo?"), ({"bone": "up"}, "no parent bone"),
    ({"object": "Log"}, "Did you mean Leg?"), ({"target": "Cub"}, 'no object "Cub". Did you mean Cube?'),
    ({"target": "Leg"}, "Leg"), ({"blend": "nowhere.blend"}, "no file nowhere.blend"), ({"tip": "up"}, "not below"),
    ({"upper": "lo"}, "lo")])
def test_errors_are_sentences(demo, tmp_path, capfd, change, words):
    b.leg()
    b.empty("Cube")
    path = saved(tmp_path / "mine.blend")
    assert run(demo, **{"blend": path, "bone": "lo", **change}) == 1
    error = capfd.readouterr().err
    assert error.startswith("error: ")
    assert words in error
    assert not demo.OUTPUT.exists()


@pytest.mark.parametrize("content, words", [(b"no file of Blender's", "could not be opened"), (None, "no armature")])
def test_files_that_show_nothing(demo, tmp_path, capfd, content, words):
    path = tmp_path / "mine.blend"
    if content is None:
        saved(path)
    else:
        path.write_bytes(content)
    assert run(demo, blend=path, bone="lo") == 1
    assert words in capfd.readouterr().err


@pytest.mark.parametrize("arguments, words", [
    (["--bone", "lo"], "--bone needs --blend"), (["--target", "T"], "--target needs --blend"),
    (["--blend", "x.blend"], "--blend needs --bone"), (["--frames", "7"], "8 or more")])
def test_arguments_that_do_not_fit(demo, capfd, arguments, words):
    with pytest.raises(SystemExit, match="2"):
        demo.main(arguments)
    assert words in capfd.readouterr().err
