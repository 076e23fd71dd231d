# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands that change limbs and save the file: `bake` and `to-native`."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import Any

from .. import rig
from ..rig.bake import baking
from ..rig.frames.scan import finish
from ..rig.words import say
from .answer import Answer, warn
from .files import asked_frames, check_destination, chosen_limbs, in_scene, open_file, save_file

Entries = list[dict[str, Any]]


def bake(asked: Namespace) -> Answer:
    """Bake limbs and save the file."""
    def work(limbs: list[rig.Limb]) -> Entries:
        baked = finish(baking(limbs, asked_frames(asked), after=asked.after.upper().replace("-", "_"),
                              tolerance=asked.tolerance, new_action=asked.new_action))
        return [{"armature": limb.armature, "limb": limb.lower, "bones": limb.bones, "keys": limb.keys, "error": limb.error,
                 "slip": limb.slip, "slip_frame": limb.slip_frame, "notes": limb.notes} for limb in baked.limbs]

    return _saved(asked, work, lambda entry: f"{entry['keys']} keys on {', '.join(entry['bones'])}; half-way between them the "
                                             f"tip is off by {entry['slip']:.3g} at most, at frame {entry['slip_frame']:g}")


def to_native(asked: Namespace) -> Answer:
    """Replace limbs by Blender's own IK and save the file; where one cannot be, all that cannot are told."""
    def work(limbs: list[rig.Limb]) -> Entries:
        entries, refusals = [], []
        for limb in limbs:
            try:
                notes = rig.to_native(limb.armature, limb.lower)
                entries.append({"armature": limb.armature.name, "limb": limb.lower, "notes": notes})
            except rig.Refusal as refusal:
                refusals.append(str(refusal))
        if refusals:
            raise rig.Refusal("\n".join(refusals))
        return entries

    return _saved(asked, work, lambda _entry: "has Blender's own IK now")


def _saved(asked: Namespace, work: Callable[[list[rig.Limb]], Entries], told: Callable[[dict[str, Any]], str]) -> Answer:
    """Open, do the work on the chosen limbs, save; nothing is saved where anything is refused.

    A file without limbs is saved as it is, so that whoever works through many files has all results.
    """
    destination = asked.file if asked.overwrite else asked.out
    check_destination(destination)
    open_file(asked.file, warn, to_save=True)
    with in_scene(asked.scene) as scene:
        limbs = chosen_limbs(asked.limbs)
        if not limbs:
            warn(say('"{file}" has no limbs in the scene "{scene}", and is saved as it is', file=asked.file, scene=scene.name))
        entries = work(limbs) if limbs else []
        document = {"file": str(asked.file.resolve()), "saved": str(destination.resolve()), "scene": scene.name,
                    "limbs": entries}
    save_file(destination)
    lines = []
    for entry in entries:
        lines += [f"{entry['armature']}:{entry['limb']}: {told(entry)}", *(f"    {note}" for note in entry["notes"])]
    return Answer(document, lines)
