"""Render farms: the installed extension in a Blender without a window, which renders a file that others have saved."""

import os
import subprocess
import sys
from pathlib import Path

import bpy
import pictures
import pytest
from test_render import FIRST, LAST, SAME, influence_keyed

from scripts.build_extension import build

SCRIPT = Path(__file__).with_name("command_line.py")


def blender(folder, *arguments):
    """Run a Blender that knows only the extension installed in `folder`; returns what it says."""
    environ = {**os.environ, "BLENDER_USER_RESOURCES": str(folder)}
    environ.pop("PYTHONPATH", None)  # the checkout must not lend the extension a module
    done = subprocess.run(list(map(str, arguments)), env=environ, timeout=300, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A user folder with the extension enabled in its preferences."""
    folder = tmp_path_factory.mktemp("user")
    archive = build(tmp_path_factory.mktemp("dist"), Path(bpy.utils.system_resource('SCRIPTS')))
    started = [bpy.app.binary_path, "-b", "--python-exit-code", "1", "--python"] if bpy.app.binary_path else [sys.executable]
    blender(folder, *started, SCRIPT, "--", "install", archive)
    return folder


def rendered(folder, file, output, frame=None):
    """`blender -b FILE -o OUTPUT -a`, or with `-f FRAME`."""
    if bpy.app.binary_path:
        return blender(folder, bpy.app.binary_path, "-b", file, "-o", output, *(["-a"] if frame is None else ["-f", frame]))
    return blender(folder, sys.executable, SCRIPT, "--", "render", file, output, *([] if frame is None else [frame]))


@pytest.mark.parametrize("saved_at", [FIRST, LAST])
def test_film_and_still(installed, saved_at, tmp_path):
    """User cases R1, R5, R7: the pixels are those of the viewport's motion keyed as FK, and nothing is complained of."""
    scene = pictures.studio()
    [object] = influence_keyed()
    scene.frame_start, scene.frame_end = FIRST, LAST
    scene.frame_set(saved_at)
    file = tmp_path / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(file))
    said = rendered(installed, file, tmp_path / "film_####")
    said += rendered(installed, file, tmp_path / "still_####", 3)
    assert "Traceback" not in said
    assert "Error" not in said
    pictures.key_as_fk(pictures.viewport_poses([object], range(FIRST, LAST + 1)))
    truth = pictures.film(tmp_path / "truth", FIRST, LAST)
    for frame, picture in truth.items():
        live = pictures.read(tmp_path / f"film_{frame:04d}.png")
        assert pictures.differ(live, picture) <= SAME, frame
        if frame > FIRST:
            assert pictures.differ(picture, truth[frame - 1]) > 10 * SAME
    assert pictures.differ(pictures.read(tmp_path / "still_0003.png"), truth[3]) <= SAME
