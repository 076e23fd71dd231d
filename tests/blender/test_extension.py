"""The zip that people install: built, then installed, upgraded and removed in an empty Blender of its own."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import bpy
import pytest

from scripts.build_extension import ROOT, build

LIFE = Path(__file__).with_name("extension_life.py")


@pytest.fixture(scope="module")
def zips(tmp_path_factory):
    """The zip of this version and one that calls itself later."""
    output = tmp_path_factory.mktemp("dist")
    blender_scripts = Path(bpy.utils.system_resource('SCRIPTS'))
    return build(output, blender_scripts), build(output, blender_scripts, version="99.0.0")


@pytest.fixture(scope="module")
def life(zips, tmp_path_factory):
    """What extension_life.py saw. It ends as Blender ends, so a crash on the way out shows too."""
    folder = tmp_path_factory.mktemp("user")
    report = folder / "report.json"
    executable = bpy.app.binary_path
    blender = [executable, "-b", "--python-exit-code", "1", "--python"] if executable else [sys.executable]
    command = [*blender, str(LIFE), "--", *map(str, zips), str(report)]
    environ = {**os.environ, "BLENDER_USER_RESOURCES": str(folder)}
    environ.pop("PYTHONPATH", None)  # the checkout must not lend the extension a module
    done = subprocess.run(command, env=environ, timeout=300, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout
    return json.loads(report.read_text(encoding="utf-8"))


def test_zip_holds_the_package_flat_and_nothing_else(zips):
    names = zipfile.ZipFile(zips[0]).namelist()
    package = ROOT / "twobone_addon"
    files = {path.relative_to(package).as_posix() for path in package.rglob("*")
             if path.is_file() and "__pycache__" not in path.parts}
    assert {name for name in names if not name.endswith("/")} == files | {"blender_manifest.toml", "LICENSE"}


def test_installs_enabled_and_without_a_policy_warning(life):
    installed = life["installed"]
    assert life["before"] == {"handlers": [], "classes": [], "operators": [], "properties": []}
    assert installed["version"] == manifest_version()
    assert installed["enabled"]
    assert installed["warnings"] == []
    assert "twobone_add" in installed["operators"]
    assert "twobone_influence" in installed["properties"]


def test_has_preferences(life):
    assert life["preferences"] == 33


@pytest.mark.parametrize("when", ["miss", "miss enabled again", "miss upgraded"])
def test_tip_follows_its_target(life, when):
    assert life[when] < 4e-6


def test_handlers_stand_once_however_often_it_is_enabled(life):
    handlers = life["installed"]["handlers"]
    assert any(name.startswith("frame_change_post") for name in handlers)
    assert any(name.startswith("depsgraph_update_post") for name in handlers)
    assert len(handlers) == len(set(handlers))
    assert life["enabled again"]["handlers"] == handlers
    assert life["upgraded"]["handlers"] == handlers


def test_disabling_leaves_nothing_registered(life):
    assert life["disabled"] == life["before"]


def test_upgrades_in_place(life):
    assert life["upgraded"] == {**life["installed"], "version": "99.0.0"}


def test_uninstalls_clean(life):
    assert life["uninstalled"] == {"version": None, "enabled": False, "warnings": [], **life["before"]}
    assert life["files"] == []


def manifest_version():
    lines = (ROOT / "blender_manifest.toml").read_text(encoding="utf-8").splitlines()
    return next(line.split('"')[1] for line in lines if line.startswith("version = "))
