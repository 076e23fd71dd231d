# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays the frames and says how every limb did."""

from __future__ import annotations

from dataclasses import dataclass, field

import bpy

from twobone_addon import rig

from .shown import Shown, standing

REACHED = 1e-5
"""Share of a limb's length below which a gap is rounding."""


@dataclass
class LimbReport:
    """One limb over all frames: gaps by frame and reach in world units, the bones' length error relative."""

    limb: str
    reach_min: float = float("inf")
    reach_max: float = 0.0
    gaps: dict[int, float] = field(default_factory=dict)
    length_error: float = 0.0

    @property
    def missed(self) -> list[int]:
        """The frames on which the tip is not at the target."""
        return [frame for frame, gap in self.gaps.items() if gap > REACHED * self.reach_max]


def measure(shown: Shown) -> list[LimbReport]:
    """Go through the frames once, measuring every limb from its evaluated pose."""
    reports = [LimbReport(lower) for lower in shown.limbs]
    for frame in shown.frames:
        bpy.context.scene.frame_set(frame)
        for report in reports:
            readings, found = rig.readings(shown.armature, report.limb), standing(shown.armature, report.limb)
            report.reach_min = min(report.reach_min, readings.reach_min)
            report.reach_max = max(report.reach_max, readings.reach_max)
            report.gaps[frame] = found.gap
            report.length_error = max(report.length_error, found.length_error)
    return reports


def show(shown: Shown, reports: list[LimbReport]) -> None:
    """Print what was measured, a paragraph for each limb."""
    for report in reports:
        worst = max(report.gaps, key=lambda frame: report.gaps[frame])
        missed = f"out of reach on {_spans(report.missed)}" if report.missed else "never out of reach"
        print(f"{report.limb}: frames {shown.frames[0]} to {shown.frames[-1]}, {missed}")
        print(f"    reach range               {length(report.reach_min)} to {length(report.reach_max)}")
        if report.missed:
            print(f"    largest gap               {length(report.gaps[worst])} on frame {worst}")
        else:
            print(f"    largest gap               {report.gaps[worst] / report.reach_max:.1e} of the reach")
        print(f"    largest bone-length error {report.length_error:.1e} of the length")


def length(value: float) -> str:
    """A length in world units as the scene's units show it."""
    units = bpy.context.scene.unit_settings
    if units.system == 'NONE':
        return f"{value:.4g}"
    return str(bpy.utils.units.to_string(units.system, 'LENGTH', value * units.scale_length, precision=3)).strip()


def _spans(frames: list[int]) -> str:
    spans: list[list[int]] = []
    for frame in frames:
        if spans and frame == spans[-1][1] + 1:
            spans[-1][1] = frame
        else:
            spans.append([frame, frame])
    listed = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)
    return f"frame {listed}" if len(frames) == 1 else f"frames {listed}"
