# SPDX-License-Identifier: GPL-3.0-or-later
"""What scripts/demo.py shows: IK on Blender's own human, or on a limb of the user's file."""

import argparse
import sys
import time
from pathlib import Path

import bpy

import twobone_addon

OUTPUT = Path(__file__).resolve().parents[2] / "build" / "demo"


class DemoError(Exception):
    """Something that was asked for cannot be shown; the message says why."""


def main(arguments: list[str]) -> int:
    """Run the demo; returns the exit status. Errors go to stderr in a sentence."""
    parser = argparse.ArgumentParser(prog="demo.py", description="Two-Bone IK at work, on Blender's human or on your file.")
    parser.add_argument("--blend", type=Path, help="a .blend file of yours; it is read, never written")
    parser.add_argument("--bone", help="its forearm or shin, the lower bone of the limb")
    parser.add_argument("--object", help="the armature object, where several have such a bone")
    parser.add_argument("--upper", help="first bone of the limb, by default the parent of --bone")
    parser.add_argument("--tip", help="hand or foot bone whose head is the end of the limb")
    parser.add_argument("--target", help="object to reach for, by default a new empty that swings past the limb's reach")
    parser.add_argument("--pole", help="object that the joint points to, by default a new empty")
    parser.add_argument("--frames", type=int, default=48, help="how many frames to go through, 48 by default")
    options = parser.parse_args(arguments)
    if options.blend is not None and options.bone is None:
        parser.error("--blend needs --bone, the lower bone of the limb")
    if options.blend is None and options.bone is not None:
        parser.error("--bone needs --blend, the file it is in")
    if options.frames < 8:
        parser.error("--frames must be 8 or more, the pictures of the film strip")
    from . import film, human, report, userfile

    started = time.perf_counter()
    OUTPUT.mkdir(parents=True, exist_ok=True)
    twobone_addon.register()
    try:
        shown = human.build(options.frames) if options.blend is None else userfile.build(options)
        report.show(report.measure(shown))
        blend = OUTPUT / f"{shown.name}.blend"
        bpy.context.preferences.filepaths.save_version = 0
        bpy.ops.wm.save_as_mainfile(filepath=str(blend), compress=True)
        strip = film.render(shown, OUTPUT / f"{shown.name}.png")
        print(f"Wrote {_near(blend)} (opens with live IK) and {_near(strip)} in {time.perf_counter() - started:.0f} s")
    except (DemoError, twobone_addon.rig.Refusal) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    finally:
        twobone_addon.unregister()
    return 0


def _near(path: Path) -> str:
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
