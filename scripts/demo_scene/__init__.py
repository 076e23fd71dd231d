# SPDX-License-Identifier: GPL-3.0-or-later
"""What scripts/demo.py shows: IK on Blender's own human, or on a limb of the user's file."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import bpy

import twobone_addon

from .silence import silence

OUTPUT = Path(__file__).resolve().parents[2] / "build" / "demo"


def main(arguments: list[str]) -> int:
    """Run the demo; returns the exit status. Errors go to stderr in a sentence."""
    options = _parse(arguments)
    from twobone_addon import rig

    from . import film, human, report, userfile
    from .shown import DemoError

    started = time.perf_counter()
    twobone_addon.register()
    try:
        shown = human.build(options.frames or human.FRAMES) if options.blend is None else userfile.build(options)
        reports = report.measure(shown)
        report.show(shown, reports)
        bpy.context.scene.frame_set(shown.frames[0])
        blend = _save(shown.name)
        if options.blend is not None:
            userfile.dress(shown)
        strip = blend.with_suffix(".png")
        film.render(shown, reports, strip)
    except (DemoError, rig.Refusal) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    finally:
        twobone_addon.unregister()
    print(f"Wrote {_near(blend)} with live IK and {_near(strip)} in {time.perf_counter() - started:.0f} s")
    return 0


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="demo.py", description="Two-Bone IK at work: on Blender's human, or on a limb of your file.",
        epilog="A report goes to the terminal, a .blend with live IK and a film strip of it to build/demo/.")
    parser.add_argument("--blend", type=Path, help="a .blend file of yours; it is read, never written")
    parser.add_argument("--bone", help="the limb's lower bone, a forearm or shin; IK it has already is used as it is")
    parser.add_argument("--object", help="the armature object, where several have such a bone")
    parser.add_argument("--upper", help="the limb's first bone, by default the parent of --bone")
    parser.add_argument("--tip", help="a hand or foot bone whose head is the limb's end, by default the tail of --bone")
    parser.add_argument("--target", help="an object to reach for, by default a new empty that swings past the reach")
    parser.add_argument("--pole", help="an object that the joint points to, by default a new empty")
    parser.add_argument("--frames", type=int, help="how many frames to go through, 8 or more")
    options = parser.parse_args(arguments)
    if options.blend is not None and options.bone is None:
        parser.error("--blend needs --bone, the lower bone of the limb")
    if options.blend is None:
        unused = [name for name in ("bone", "object", "upper", "tip", "target", "pole") if getattr(options, name)]
        if unused:
            parser.error(f"--{unused[0]} needs --blend, the file it is in")
    if options.frames is not None and options.frames < 8:
        parser.error("--frames must be 8 or more: the film strip has eight pictures")
    return options


def _save(name: str) -> Path:
    """Save the open file as `name` in the output folder."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    path = OUTPUT / f"{name}.blend"
    versions = bpy.context.preferences.filepaths.save_version
    bpy.context.preferences.filepaths.save_version = 0
    try:
        with silence():
            bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=True)
    finally:
        bpy.context.preferences.filepaths.save_version = versions
    return path


def _near(path: Path) -> str:
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
