# SPDX-License-Identifier: GPL-3.0-or-later
"""`report`: where limbs miss their targets over a range of frames, and where their joints pop or flip."""

from __future__ import annotations

from argparse import Namespace
from math import radians

from ..rig.frames import report_files
from ..rig.frames.report import LimbReport, ReachReport, reporting
from ..rig.frames.scan import finish
from .answer import Answer, warn
from .files import asked_frames, chosen_limbs, in_scene, open_file


def run(asked: Namespace) -> Answer:
    """Report on the limbs of a file, which is left alone."""
    open_file(asked.file, warn, to_save=False)
    with in_scene(asked.scene) as scene:
        limbs, frames = chosen_limbs(asked.limbs), asked_frames(asked)
        report = finish(reporting(limbs, frames, pop=radians(asked.pop))) if limbs else ReachReport(tuple(frames), ())
        document = {"file": str(asked.file.resolve()), "scene": scene.name, **report_files.document(report)}
        return Answer(document, [line for limb in report.limbs for line in _lines(limb, report)],
                      not all(limb.is_well for limb in report.limbs), (report_files.COLUMNS, *report_files.rows(report)))


def _lines(limb: LimbReport, report: ReachReport) -> list[str]:
    """What was found at one limb, the frames below its name."""
    name = f"{limb.armature}:{limb.lower}"
    if limb.is_well:
        return [f"{name}: well on {len(report.frames)} frames"]
    lines = [f"{name}: out of reach on {limb.out_of_reach} of {len(report.frames)} frames"]
    for _armature, _limb, kind, start, end, frame, amount, unit in report_files.rows(ReachReport(report.frames, (limb,))):
        where = f"{start:g}" if start == end else f"{start:g} to {end:g}, worst at {frame:g}"
        size = f"{amount:.4g}" if isinstance(amount, float) else amount
        lines.append(f"    {kind.replace('_', ' ')}  {where}  {size} {unit}".rstrip())
    return lines
