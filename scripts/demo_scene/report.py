# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays the frames and says how every limb did."""

from dataclasses import dataclass

import bpy
import numpy as np

from twobone_addon import rig

from .shown import Shown, world_points


@dataclass(frozen=True)
class LimbReport:
    """One limb over all frames; lengths in world units, length_error relative."""

    limb: str
    frames: range
    reach_min: float
    reach_max: float
    gaps: dict[int, float]
    length_error: float

    @property
    def largest_gap(self) -> float:
        """How far the tip is from its target at worst."""
        return max(self.gaps.values())


def measure(shown: Shown) -> list[LimbReport]:
    """Go through the frames once, reading each limb."""
    gaps = {lower: {} for lower in shown.limbs}
    reach, first, worst = {}, {}, dict.fromkeys(shown.limbs, 0.0)
    for frame in shown.frames:
        bpy.context.scene.frame_set(frame)
        for lower in shown.limbs:
            readings = rig.readings(shown.armature, lower)
            gaps[lower][frame] = readings.gap
            reach.setdefault(lower, (readings.reach_min, readings.reach_max))
            root, joint, tip = world_points(shown.armature, lower)
            lengths = np.array((np.linalg.norm(joint - root), np.linalg.norm(tip - joint)))
            first.setdefault(lower, lengths)
            worst[lower] = max(worst[lower], float(np.abs(lengths / first[lower] - 1.0).max()))
    return [LimbReport(lower, shown.frames, *reach[lower], gaps[lower], worst[lower]) for lower in shown.limbs]


def show(reports: list[LimbReport]) -> None:
    """Print a line for each limb."""
    width = max(len(report.limb) for report in reports)
    print(f"{'limb':{width}}  frames   reach                largest gap            bone length error")
    for report in reports:
        missed = [frame for frame, gap in report.gaps.items() if gap > 1e-5 * report.reach_max]
        gap = f"{report.largest_gap:.4f} m"
        where = f"on frames {_spans(missed)}" if missed else "always reached"
        print(f"{report.limb:{width}}  {report.frames[0]}-{report.frames[-1]}     "
              f"{report.reach_min:.4f} to {report.reach_max:.4f} m   {gap} {where:22} {report.length_error:.1e}")


def _spans(frames: list[int]) -> str:
    spans: list[list[int]] = []
    for frame in frames:
        if spans and frame == spans[-1][1] + 1:
            spans[-1][1] = frame
        else:
            spans.append([frame, frame])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)
