"""Go through the scenarios in the Blender that runs this file with a window; scripts/window_test.py starts it."""

import importlib
import sys
import traceback
from pathlib import Path

import bpy

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(Path(__file__).parent), str(ROOT / "tests" / "blender"), str(ROOT)]

from checks import Checks, say  # noqa: E402

from scripts.window.session import Window, play  # noqa: E402

SCENARIOS = ("install", "add", "drag", "timeline", "keying", "buttons", "overlay", "baking", "language", "render", "reload")
"""In this order, since the first one installs what the others test."""


def all_of(names, window, check):
    """Steps through the scenarios named; without an extension the others would say little."""
    for name in names:
        check.scenario = name
        module = importlib.import_module(name)
        say(f"{name}: {module.__doc__.splitlines()[0]}")
        try:
            yield from module.scenario(window, check)
        except Exception as error:  # noqa: BLE001
            traceback.print_exc()
            check(f"{name} comes to its end", False, repr(error))
        if name == "install" and check.failed:
            return


def main():
    chosen = sys.argv[sys.argv.index("--") + 1:] or SCENARIOS
    window = Window()
    check = Checks(window)
    say(f"Blender {bpy.app.version_string}")

    def end(_error):
        check.close()
        bpy.ops.wm.quit_blender()

    play(all_of(["install", *(name for name in chosen if name != "install")], window, check), end)


if __name__ == "__main__":
    main()
