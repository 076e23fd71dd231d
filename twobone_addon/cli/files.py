# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are opened and saved for a command, and which limbs and frames of them are meant."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path

import bpy

from .. import rig
from ..rig.frames import walk as walk
from ..rig.words import say


def open_file(path: Path, warn: Callable[[str], None], *, to_save: bool) -> None:
    """Open the file; refuses what cannot be opened.

    to_save: with the file's own windows, which would otherwise be lost when it is saved.
    """
    if not path.is_file():
        raise rig.Refusal(say('There is no file "{file}". Check the path', file=path))
    try:
        bpy.ops.wm.open_mainfile(filepath=str(path.resolve()), load_ui=to_save)
    except RuntimeError as error:
        raise rig.Refusal(say('"{file}" cannot be opened: {reason}', file=path, reason=_reason(error))) from error
    if bpy.app.autoexec_fail:
        warn(say('Python in "{file}" was not run ({what}), and what it drives may stand still. Give Blender -y before '
                 '--command if you trust the file', file=path, what=bpy.app.autoexec_fail_message))
    for library in bpy.data.libraries:
        if not library.packed_file and not os.path.exists(bpy.path.abspath(library.filepath)):
            warn(say('"{file}" links "{library}", which is not there', file=path, library=library.filepath))


@contextmanager
def in_scene(name: str | None) -> Iterator[bpy.types.Scene]:
    """The scene of that name as the active one for the time of the block, by default the one the file was saved in."""
    window = bpy.context.window
    before = window.scene
    if name is not None and name not in bpy.data.scenes:
        raise rig.Refusal(say('There is no scene "{scene}". There are: {scenes}', scene=name,
                              scenes=", ".join(bpy.data.scenes.keys())))
    try:
        if name is not None and name != before.name:
            window.scene = bpy.data.scenes[name]
            bpy.context.view_layer.update()
        yield window.scene
    finally:
        window.scene = before


def check_destination(path: Path) -> None:
    """Refuse, before any work, a path that nothing can be saved at."""
    if not path.resolve().parent.is_dir():
        raise rig.Refusal(say('There is no folder "{folder}". Make it first', folder=path.parent))
    if path.is_dir() or not os.access(path if path.exists() else path.resolve().parent, os.W_OK):
        raise rig.Refusal(say('"{file}" cannot be written. Check its permissions', file=path))


def save_file(path: Path) -> None:
    """Save what is open as `path`; refuses where that fails."""
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(path.resolve()), copy=True, check_existing=False)
    except RuntimeError as error:
        raise rig.Refusal(say('"{file}" cannot be saved: {reason}', file=path, reason=_reason(error))) from error


def _reason(error: RuntimeError) -> str:
    return str(error).removeprefix("Error: ").strip()


def chosen_limbs(wanted: Sequence[str]) -> list[rig.Limb]:
    """The limbs of the scene that `wanted` names, all where it is empty; refuses a name that no limb has.

    A name is a lower bone's or ARMATURE:BONE, and may hold * and ?.
    """
    found = [limb for object in bpy.context.scene.objects for limb in rig.limbs(object)]
    if not wanted:
        return found
    names = [(limb.lower, f"{limb.armature.name}:{limb.lower}") for limb in found]
    chosen = set()
    for name in wanted:
        rows = [row for row, both in enumerate(names) if name in both] or [
            row for row, both in enumerate(names) if any(fnmatchcase(one, name) for one in both)]
        if not rows:
            raise rig.Refusal(say('There is no limb "{name}". There are: {limbs}', name=name,
                                  limbs=", ".join(whole for _lower, whole in names) or say("none")))
        chosen.update(rows)
    return [limb for row, limb in enumerate(found) if row in chosen]


def asked_frames(asked: Namespace) -> list[float]:
    """The frames that --frames names, else those that the scene plays."""
    return walk.parse_frames(asked.frames) if asked.frames else walk.frame_range(*walk.scene_range(bpy.context.scene))
