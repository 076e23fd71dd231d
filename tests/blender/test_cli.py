"""The command line: one document on standard output, everything else on standard error, exit codes that can be used."""

import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import bpy
import builders as b
import pytest

from scripts.build_extension import ROOT, build
from twobone_addon import rig
from twobone_addon.cli import arguments, main


@pytest.fixture
def legs(tmp_path):
    """A file with two legs: "Leg" follows a keyed empty out of its reach, "Second" its own control bones."""
    object, target, _pole = b.rigged_leg()
    b.keys(target, "location", [(1, (0, 0, -1.5)), (20, (0.5, 0.2, -2.2))])
    second = b.leg(name="Second")
    second.location.x = 2
    b.update()
    rig.add_limb(second, "lo", controls='BONES')
    second.pose.bones["lo target"].location.y = -0.3
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 20
    bpy.data.scenes.new("Empty stage")
    return save(tmp_path / "legs.blend")


def save(path):
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def run(*arguments):
    """Exit code and standard output of a command."""
    output = io.StringIO()
    code = main.run([str(argument) for argument in arguments], output)
    return code, output.getvalue()


def document(*arguments):
    code, output = run(*arguments, "--json")
    assert code == 0
    return json.loads(output)


def refused(capfd, code, *arguments):
    """What a command that does nothing says on standard error."""
    capfd.readouterr()
    assert run(*arguments) == (code, "")
    said = capfd.readouterr().err.splitlines()[-1]
    assert said.startswith("blender --command twobone")
    return said.split(": error: ", 1)[1]


def test_list(legs):
    listed = document("list", legs)
    assert listed["file"] == str(legs)
    assert (listed["scene"], listed["frame"]) == ("Scene", 1)
    first, second = listed["limbs"]
    assert (first["armature"], first["limb"], first["upper"]) == ("Leg", "lo", "up")
    assert first["target"] == {"object": "T", "bone": ""}
    assert second["target"] == {"object": "Second", "bone": "lo target"}
    assert (first["state"], first["influence"], first["problems"]) == ("REACHED", 1.0, [])
    assert first["gap"] < 4e-6
    assert first["reach_max"] == pytest.approx(2.0, abs=1e-6)


def test_list_for_people(legs):
    code, output = run("list", legs)
    assert code == 0
    heading, *rows = output.splitlines()
    assert heading.split() == ["ARMATURE", "LIMB", "TARGET", "POLE", "STATE", "GAP"]
    assert [row.split()[:4] for row in rows] == [["Leg", "lo", "T", "P"], ["Second", "lo", "Second:lo", "target"]]


def test_a_file_without_limbs(tmp_path):
    path = save(tmp_path / "nothing.blend")
    assert run("list", path, "--check") == (0, "")
    assert document("list", path)["limbs"] == []


def test_problems_and_check(legs):
    bpy.data.objects.remove(bpy.data.objects["T"])
    save(legs)
    code, output = run("list", legs)
    assert code == 0
    assert "RESTS" in output
    assert '"lo"' in output
    assert run("list", legs, "--check")[0] == 3
    assert run("list", legs, "--check", "--limbs", "Second:lo")[0] == 0
    limb = document("list", legs)["limbs"][0]
    assert limb["state"] is limb["gap"] is None
    assert limb["problems"]


@pytest.mark.parametrize(("names", "armatures"), [
    (["lo"], ["Leg", "Second"]), (["Leg:lo"], ["Leg"]), (["Sec*"], ["Second"]), (["*:l?"], ["Leg", "Second"]),
    (["Second:lo", "Leg:lo"], ["Leg", "Second"])])
def test_limbs_by_name(legs, names, armatures):
    assert [limb["armature"] for limb in document("list", legs, "--limbs", *names)["limbs"]] == armatures


def test_a_scene_by_name(legs):
    assert document("list", legs, "--scene", "Empty stage")["limbs"] == []


def test_refusals(legs, capfd):
    assert '"nose"' in refused(capfd, 1, "list", legs, "--limbs", "nose")
    assert "Leg:lo, Second:lo" in refused(capfd, 1, "list", legs, "--limbs", "nose")
    assert '"Elsewhere"' in refused(capfd, 1, "list", legs, "--scene", "Elsewhere")
    assert "nothing.blend" in refused(capfd, 1, "list", legs.with_name("nothing.blend"))
    assert "COMMAND" in refused(capfd, 2)
    assert "fold" in refused(capfd, 2, "fold", legs)
    assert ".json" in refused(capfd, 2, "list", legs, "--out", legs)
    garbage = legs.with_name("garbage.blend")
    garbage.write_text("no blend file")
    assert "garbage.blend" in refused(capfd, 1, "list", garbage)
    assert "absent" in refused(capfd, 1, "list", legs, "--out", legs.parent / "absent" / "list.json")


def test_document_in_a_file(legs, tmp_path):
    assert run("list", legs, "--out", tmp_path / "list.json") == (0, "")
    assert json.loads((tmp_path / "list.json").read_text(encoding="utf-8")) == document("list", legs)


def test_help(capfd):
    assert run("--help")[0] == 0
    assert "exit codes" in capfd.readouterr().out


def test_looking_leaves_the_file_alone(legs):
    before = legs.read_bytes()
    run("list", legs)
    assert legs.read_bytes() == before


def test_python_that_was_not_run_is_told(legs, capfd):
    driver = bpy.data.objects["T"].driver_add("location", 0).driver
    driver.expression = "__import__('math').pi"
    save(legs)
    capfd.readouterr()
    run("list", legs)
    assert "Give Blender -y" in capfd.readouterr().err


@pytest.mark.skipif(not bpy.app.binary_path, reason="only a Blender executable has --command")
def test_in_a_process_of_its_own(legs, tmp_path):
    """The installed zip: the document alone on standard output, and the exit code passed on."""
    extension = build(tmp_path, Path(bpy.utils.system_resource('SCRIPTS')))
    environ = {**os.environ, "BLENDER_USER_RESOURCES": str(tmp_path / "user")}

    def blender(*arguments):
        return subprocess.run([bpy.app.binary_path, "--log-file", os.devnull, "--command", *map(str, arguments)], env=environ,
                              timeout=120, capture_output=True, text=True)

    assert blender("extension", "install-file", "-r", "user_default", "-e", extension).returncode == 0
    listed = blender("twobone", "list", legs, "--json")
    assert listed.returncode == 0, listed.stderr
    assert [limb["armature"] for limb in json.loads(listed.stdout)["limbs"]] == ["Leg", "Second"]
    before = legs.read_bytes()
    for name in ("bake", "to-native"):
        saved = blender("twobone", name, legs, "--out", tmp_path / f"{name}.blend", "--json")
        assert saved.returncode == 0, saved.stderr
        assert json.loads(saved.stdout)["saved"] == str(tmp_path / f"{name}.blend")
        assert (tmp_path / f"{name}.blend").exists()
    assert legs.read_bytes() == before
    assert blender("twobone", "report", legs, "--check").returncode == 3
    failed = blender("twobone", "list", legs, "--limbs", "nose")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "blender --command twobone: error: " in failed.stderr
    assert blender("twobone", "list").returncode == 2


def opened(path):
    """The file as somebody finds it who opens it."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return bpy.data.objects


def test_bake(legs, tmp_path):
    before, out = legs.read_bytes(), tmp_path / "baked.blend"
    baked = document("bake", legs, "--out", out, "--frames", "5:15", "--after", "remove")
    assert legs.read_bytes() == before
    assert baked["saved"] == str(out)
    assert [(limb["armature"], limb["bones"], limb["keys"]) for limb in baked["limbs"]] == [
        ("Leg", ["up", "lo"], 11), ("Second", ["up", "lo"], 11)]
    objects = opened(out)
    assert not rig.limbs(objects["Leg"])
    frames = {point.co.x for curve in b.curves(objects["Leg"]) for point in curve.keyframe_points}
    assert frames == set(range(5, 16))
    tips = {}
    for frame in (5, 10, 15):
        bpy.context.scene.frame_set(frame)
        tips[frame] = b.ends(objects["Leg"])["lo"][1]
    opened(legs)
    for frame, tip in tips.items():
        bpy.context.scene.frame_set(frame)
        assert b.ends(bpy.data.objects["Leg"])["lo"][1] == pytest.approx(tip, abs=2e-5)


def test_bake_in_place_when_told_to(legs, capfd):
    before = legs.read_bytes()
    assert "--overwrite" in refused(capfd, 2, "bake", legs)
    assert "--overwrite" in refused(capfd, 2, "bake", legs, "--out", legs)
    assert "--overwrite" in refused(capfd, 2, "bake", legs, "--out", legs.parent / ".." / legs.parent.name / legs.name)
    assert legs.read_bytes() == before
    assert run("bake", legs, "--overwrite", "--limbs", "Leg:lo")[0] == 0
    assert b.curves(opened(legs)["Leg"])
    assert not b.curves(bpy.data.objects["Second"])


def test_bake_that_is_refused_saves_nothing(legs, tmp_path, capfd):
    out = tmp_path / "out.blend"
    assert "nose" in refused(capfd, 1, "bake", legs, "--out", out, "--limbs", "nose")
    assert "frames" in refused(capfd, 1, "bake", legs, "--out", out, "--frames", "soon")
    assert "Swap" in refused(capfd, 1, "bake", legs, "--out", out, "--frames", "9:2")
    assert "tolerance" in refused(capfd, 1, "bake", legs, "--out", out, "--tolerance=-1")
    assert ".blend" in refused(capfd, 2, "bake", legs, "--out", tmp_path / "out.fbx")
    assert "absent" in refused(capfd, 1, "bake", legs, "--out", tmp_path / "absent" / "out.blend")
    assert "cannot be written" in refused(capfd, 1, "bake", legs, "--out", folder(tmp_path / "folder.blend"))
    assert not out.exists()


def folder(path):
    path.mkdir()
    return path


def test_bake_in_another_scene_leaves_the_file_where_it_was(legs, tmp_path):
    out = tmp_path / "out.blend"
    assert run("bake", legs, "--out", out, "--scene", "Empty stage")[0] == 0
    opened(out)
    assert bpy.context.scene.name == "Scene"
    assert bpy.context.scene.frame_current == 1
    assert len(bpy.data.workspaces) == workspaces(legs)


def workspaces(path):
    opened(path)
    return len(bpy.data.workspaces)


def test_bake_of_a_file_without_limbs(tmp_path, capfd):
    path = save(tmp_path / "nothing.blend")
    capfd.readouterr()
    assert run("bake", path, "--out", tmp_path / "out.blend") == (0, "")
    assert "no limbs" in capfd.readouterr().err
    assert (tmp_path / "out.blend").exists()


def test_report(legs, tmp_path):
    before = legs.read_bytes()
    found = document("report", legs)
    assert legs.read_bytes() == before
    assert (found["frames"], found["frame_count"]) == ([1, 20], 20)
    leg, second = found["limbs"]
    (miss,) = leg["misses"]
    assert (miss["state"], miss["end"], miss["frame"]) == ("TOO_FAR", 20, 20)
    assert miss["gap"] == pytest.approx((0.5 ** 2 + 0.2 ** 2 + 2.2 ** 2) ** 0.5 - 2, abs=1e-5)
    assert leg["out_of_reach"] == 21 - miss["start"]
    assert second["misses"] == second["pops"] == second["flips"] == []
    assert run("report", legs, "--check")[0] == 3
    assert run("report", legs, "--check", "--limbs", "Second:lo")[0] == 0
    assert run("report", legs, "--check", "--frames", "1:5", "--pop", "90")[0] == 0
    _code, told = run("report", legs)
    assert f"Leg:lo: out of reach on {leg['out_of_reach']} of 20 frames" in told.splitlines()
    assert "Second:lo: well on 20 frames" in told.splitlines()


def test_report_as_a_table(legs, tmp_path):
    assert run("report", legs, "--out", tmp_path / "reach.csv") == (0, "")
    with (tmp_path / "reach.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["armature"], row["limb"]) for row in rows} == {("Leg", "lo")}
    assert "too_far" in {row["kind"] for row in rows}


def test_report_of_nothing(tmp_path):
    found = document("report", save(tmp_path / "nothing.blend"), "--frames", "1:10", "--check")
    assert (found["frame_count"], found["limbs"]) == (10, [])


def test_to_native(legs, tmp_path):
    before, out = legs.read_bytes(), tmp_path / "native.blend"
    bpy.context.scene.frame_set(1)
    shown = {name: b.ends(bpy.data.objects[name]) for name in ("Leg", "Second")}
    told = document("to-native", legs, "--out", out)
    assert legs.read_bytes() == before
    assert [(limb["armature"], limb["limb"]) for limb in told["limbs"]] == [("Leg", "lo"), ("Second", "lo")]
    objects = opened(out)
    for name, at in shown.items():
        assert not rig.limbs(objects[name])
        assert [constraint.type for constraint in objects[name].pose.bones["lo"].constraints] == ["IK"]
        assert b.moved(at, b.ends(objects[name])) < 1e-3


def test_to_native_tells_what_is_lost(legs, tmp_path):
    bpy.data.objects["Leg"].pose.bones["lo"].twobone_softness = 0.1
    save(legs)
    (limb,) = document("to-native", legs, "--out", tmp_path / "native.blend", "--limbs", "Leg:lo")["limbs"]
    assert "oft" in " ".join(limb["notes"])
    code, told = run("to-native", legs, "--out", tmp_path / "native.blend", "--limbs", "Leg:lo")
    assert code == 0
    assert told.splitlines()[0].startswith("Leg:lo: ")
    assert told.splitlines()[1].strip() == limb["notes"][0]


def test_to_native_that_is_refused_saves_nothing(legs, tmp_path, capfd):
    bpy.data.objects.remove(bpy.data.objects["T"])
    save(legs)
    assert '"lo"' in refused(capfd, 1, "to-native", legs, "--out", tmp_path / "native.blend")
    assert not (tmp_path / "native.blend").exists()


GUIDE = (ROOT / "docs" / "scripts-and-farms.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", GUIDE, re.DOTALL)
LINES = [line for _language, block in BLOCKS for line in block.splitlines() if "--command twobone" in line]


@pytest.mark.parametrize("line", LINES)
def test_the_guide_asks_for_what_there_is(line):
    asked = re.split(r" \||:::", line.split("--command twobone ")[1])[0]
    for name, value in (("{/.}", "shot"), ("{/}", "shot.blend"), ("{}", "shot.blend"), ("FILE", "shot.blend"),
                        ("$<", "shot.blend"), ("$@", "baked.blend")):
        asked = asked.replace(name, value)
    assert arguments.parsed(shlex.split(asked)).command in main.COMMANDS


def test_the_scripts_of_the_guide_run(tmp_path, monkeypatch):
    rows = [("root", (0, 0, 0), (0, 0.3, 0), "", 0)]
    for side, x in ((".L", 1), (".R", -1)):
        for names, z in ((("arm", "forearm", "hand"), 2), (("thigh", "shin", "foot"), 1)):
            places = [(0.1 * x, 0, z), (0.4 * x, 0.05, z), (0.7 * x, 0, z), (0.8 * x, 0, z)]
            rows += [(name + side, head, tail, parent + side if parent != "root" else parent, 0)
                     for name, parent, head, tail in zip(names, ("root", *names), places, places[1:])]
    armature = b.armature("Rig", rows)
    b.update()
    save(tmp_path / "shot.blend")
    scripts = [block.replace("bl_ext.user_default.", "") for language, block in BLOCKS if language == "python"]
    monkeypatch.chdir(tmp_path)
    space = {"armature": armature, "rig": rig}
    for script in (scripts[1], scripts[0], scripts[2]):
        exec(script, space)
    assert len(space["baked"].limbs) == 2
    assert len(space["report"].limbs) == 2
    assert bpy.app.binary_path or subprocess.run([sys.executable, "-c", f"{scripts[3]}\nimport os; os._exit(code)"], timeout=120,
                                                 env={**os.environ, "PYTHONPATH": str(ROOT)}).returncode == 0
