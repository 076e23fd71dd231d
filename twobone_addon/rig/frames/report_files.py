# SPDX-License-Identifier: GPL-3.0-or-later
"""A reach report as tables and files, and as markers on the timeline."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from math import degrees
from pathlib import Path
from typing import Any

import bpy

from ..errors import Refusal
from ..words import say
from .report import LimbReport, ReachReport

COLUMNS = ("armature", "limb", "kind", "start", "end", "frame", "amount", "unit")

MARKER = "IK: "
"""How the names of markers begin that a report has made."""


@dataclass
class Latest:
    """The report that was made last in this session, for the panel and whoever saves it."""

    report: ReachReport | None = None


latest = Latest()


def rows(report: ReachReport) -> Iterator[tuple[str, str, str, float, float, float, float | str, str]]:
    """Everything that was found, as rows of COLUMNS. kind: too_far, too_close, pop, flip, rests or fault."""
    for limb in report.limbs:
        for kind, start, end, frame, amount, unit in _rows(limb, report):
            yield limb.armature, limb.lower, kind, start, end, frame, amount, unit


def _rows(limb: LimbReport, report: ReachReport) -> Iterator[tuple[str, float, float, float, float | str, str]]:
    if limb.fault:
        yield "fault", report.frames[0], report.frames[-1], report.frames[0], limb.fault, ""
    for miss in limb.misses:
        yield miss.state.name.lower(), miss.start, miss.end, miss.frame, miss.gap, "units"
    for pop in limb.pops:
        yield "pop", pop.frame, pop.frame, pop.frame, degrees(pop.change), "degrees per frame"
    for flip in limb.flips:
        yield "flip", flip.frame, flip.frame, flip.frame, degrees(flip.angle), "degrees"
    for frame in limb.rests:
        yield "rests", frame, frame, frame, "", ""


def document(report: ReachReport) -> dict[str, Any]:
    """The report as plain values, for JSON. Angles are in degrees, lengths in world units."""
    return {
        "frames": [report.frames[0], report.frames[-1]], "frame_count": len(report.frames),
        "limbs": [{
            "armature": limb.armature, "limb": limb.lower, "fault": limb.fault, "rests": list(limb.rests),
            "out_of_reach": limb.out_of_reach, "worst": _miss(limb.worst) if limb.worst else None,
            "misses": [_miss(miss) for miss in limb.misses],
            "top_speed": {"frame": limb.top_frame, "degrees_per_frame": degrees(limb.top_speed)},
            "pops": [{"frame": pop.frame, "change": degrees(pop.change), "speed": degrees(pop.speed)} for pop in limb.pops],
            "flips": [{"frame": flip.frame, "angle": degrees(flip.angle)} for flip in limb.flips],
        } for limb in report.limbs]}


def _miss(miss: Any) -> dict[str, Any]:
    return {"start": miss.start, "end": miss.end, "state": miss.state.name, "frame": miss.frame, "gap": miss.gap}


def save(report: ReachReport, path: str | Path) -> None:
    """Write the report as CSV or JSON, as the name of the file says; refuses other names, and places it cannot write to."""
    path = Path(bpy.path.abspath(str(path)))
    kind = path.suffix.lower()
    if kind not in (".csv", ".json"):
        raise Refusal(say('"{name}" is neither a .csv nor a .json file. Choose one of these', name=path.name))
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            if kind == ".json":
                json.dump(document(report), file, indent=1)
                return
            table = csv.writer(file)
            table.writerow(COLUMNS)
            table.writerows(rows(report))
    except OSError as error:
        raise Refusal(say('"{name}" could not be written: {reason}', name=path, reason=error.strerror or error)) from error


def mark(scene: bpy.types.Scene, report: ReachReport) -> int:
    """Put a marker at each finding, in place of those of an earlier report; returns how many.

    Frames in a row out of reach get one, at the worst of them.
    """
    unmark(scene)
    for _armature, limb, kind, _start, _end, frame, _amount, _unit in (found := [
            row for row in rows(report) if row[2] not in ("fault", "rests")]):
        scene.timeline_markers.new(f"{MARKER}{limb} {kind.replace('_', ' ')}", frame=round(frame))
    return len(found)


def unmark(scene: bpy.types.Scene) -> None:
    """Take the markers of earlier reports away."""
    for marker in [marker for marker in scene.timeline_markers if marker.name.startswith(MARKER)]:
        scene.timeline_markers.remove(marker)
