# SPDX-License-Identifier: GPL-3.0-or-later
"""`list`: which limbs there are, what they follow, how they stand, and what is wrong with them."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from typing import Any

from .. import rig
from .answer import Answer, control, table, warn
from .files import chosen_limbs, in_scene, open_file

MEASURED = ("distance", "reach_min", "reach_max", "gap", "root_angle", "relative_angle")


def run(asked: Namespace) -> Answer:
    """List the limbs of a file at the frame it was saved at."""
    open_file(asked.file, warn, to_save=False)
    with in_scene(asked.scene) as scene:
        limbs = [_entry(limb) for limb in chosen_limbs(asked.limbs)]
        document = {"file": str(asked.file.resolve()), "scene": scene.name, "frame": scene.frame_current, "limbs": limbs}
    return Answer(document, _lines(limbs), any(limb["problems"] for limb in limbs))


def _entry(limb: rig.Limb) -> dict[str, Any]:
    """One limb for the document: state and measures are None where it rests."""
    bone = limb.armature.pose.bones[limb.lower]
    try:
        measured = rig.readings(limb.armature, limb.lower)
        state: str | None = measured.state.name
        values = {name: value for name, value in asdict(measured).items() if name in MEASURED}
    except rig.Refusal:
        state, values = None, dict.fromkeys(MEASURED)
    return {"armature": limb.armature.name, "limb": limb.lower, "upper": limb.upper,
            "target": control(limb.target), "pole": control(limb.pole),
            "influence": bone.twobone_influence, "softness": bone.twobone_softness, "pole_angle": bone.twobone_pole_angle,
            "state": state, **values, "problems": rig.problems(limb.armature, limb.lower)}


def _lines(limbs: list[dict[str, Any]]) -> list[str]:
    """A table, each limb's problems below its row."""
    if not limbs:
        return []
    rows = [("ARMATURE", "LIMB", "TARGET", "POLE", "STATE", "GAP")]
    rows += [(limb["armature"], limb["limb"], _name(limb["target"]), _name(limb["pole"]), limb["state"] or "RESTS",
              "" if limb["gap"] is None else f"{limb['gap']:.6g}") for limb in limbs]
    heading, *told = table(rows)
    lines = [heading]
    for line, limb in zip(told, limbs):
        lines += [line, *(f"    {problem}" for problem in limb["problems"])]
    return lines


def _name(one: dict[str, str] | None) -> str:
    return "-" if one is None else ":".join(filter(None, one.values()))
