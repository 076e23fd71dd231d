# SPDX-License-Identifier: GPL-3.0-or-later
"""One plot for each table, drawn by matplotlib without a window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Wedge

from . import contents
from .table import Table

STYLE: dict[Any, Any] = {
    "figure.facecolor": "white", "font.size": 10, "axes.titlesize": 11, "axes.grid": True,
    "grid.color": "#dddddd", "grid.linewidth": 0.6, "axes.spines.top": False, "axes.spines.right": False,
    "axes.axisbelow": True, "lines.linewidth": 1.6, "lines.markersize": 5, "legend.frameon": False,
    "savefig.dpi": 150,
}
BLUE, ORANGE, GREEN, GREY = "#1f5fa8", "#d9730d", "#2c8c5a", "#888888"

FLOOR = 1e-17
"""Where the logarithmic axes of errors end."""


def draw(table: Table, path: Path) -> None:
    """Draw a table's plot and save it as PNG."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8.0, 5.6), layout="constrained")
        PLOTS[table.name](figure, table)
        figure.suptitle(table.title, fontweight="bold")
        figure.savefig(path)


def _targets(figure: Figure, table: Table) -> None:
    axes = figure.subplots()
    _reach_ring(axes, contents.ARM)
    colors = mpl.colormaps["viridis"](np.linspace(0.0, 0.9, len(contents.TARGETS)))
    for (bones, target), color in zip(contents.TARGETS, colors):
        if bones == contents.ARM:
            points = contents.laid_out(bones, contents.arm_angles(bones, target))
            axes.plot(*points.T, "o-", color=color, markerfacecolor="white", clip_on=False)
            axes.plot(*target, "x", color="black", markersize=6, zorder=3, clip_on=False)
    axes.plot([], [], "x", color="black", label="target")
    axes.plot([], [], "o-", color=BLUE, markerfacecolor="white",
              label="upper 0.8 m, lower 0.6 m, relative angle positive")
    _plane(axes)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)


def _descents(figure: Figure, table: Table) -> None:
    axes = figure.subplots()
    for damping, color in zip(contents.DAMPINGS, (BLUE, ORANGE)):
        errors = contents.descent(damping).errors
        sweeps = np.arange(len(errors))
        shown = errors > 0.0
        axes.plot(sweeps[1:][shown[1:]], errors[1:][shown[1:]], color=color,
                  label="bent start, no damping" if damping == 1.0 else f"bent start, damping {damping:g}")
        marks = [power for power in contents.POWERS if power < len(errors) and errors[power] > 0.0]
        axes.plot(marks, errors[marks], "o", color=color)
    axes.plot(contents.POWERS, [0.4] * len(contents.POWERS), "s--", color=GREY, markersize=4)
    axes.annotate("straight start, target (1, 0) in line with it: stuck at 0.4 m", (1, 0.9), color="#555555",
                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})
    _rounding(axes, "rounding; an error of exactly 0 is not drawn", 1)
    axes.set(yscale="log", ylim=(FLOOR, 10.0), xlabel="sweeps", ylabel="end error (m)")
    axes.set_xscale("log", base=2)
    axes.set_xticks(contents.POWERS, [str(power) for power in contents.POWERS])
    share = contents.NEARLY_STRAIGHT[0] / contents.SPAN
    axes.set_title(f"Bones 0.8 + 0.6 m, target at {share:.3f} of the reach")
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 0.15))


def _convergence(figure: Figure, table: Table) -> None:
    upper, lower = figure.subplots(2, sharex=True)
    shares = table.column("d/ΣL")
    upper.plot(shares, table.column("sweeps to 1e-9"), "o-", color=BLUE, label="sweeps to an error of 1e-9 m")
    upper.step(shares, table.column("as a power of two"), color=GREY, where="mid", linewidth=1.0,
               label="counted in powers of two")
    upper.set_yscale("log", base=2)
    ticks = [2 ** power for power in range(2, 14, 2)]
    upper.set_yticks(ticks, [str(tick) for tick in ticks])
    upper.set_ylabel("sweeps")
    upper.legend(loc="upper center")
    errors = np.array(table.column("error after 48 sweeps (m)"), dtype=float)
    lower.plot(shares, np.maximum(errors, FLOOR), "o-", color=ORANGE)
    _rounding(lower, "rounding; 0 is drawn at the floor", 0.21)
    lower.set_ylim(0.5 * FLOOR, 0.1)
    lower.axhline(contents.BILLIONTH, color=GREY, linestyle="--", linewidth=1.0)
    lower.annotate("1e-9 m", (0.45, 2e-9), color="#555555")
    lower.set(yscale="log", xlabel="d / ΣL (target's distance as a share of the reach)",
              ylabel="error after 48 sweeps (m)")
    upper.set_title("Bones 0.8 + 0.6 m, bent start; the near limit is at 0.143, the far one at 1")


def _families(figure: Figure, table: Table) -> None:
    axes = figure.subplots()
    for number, (start, color) in enumerate(zip(contents.FINGER_STARTS, (BLUE, ORANGE, GREEN)), 1):
        begun = contents.laid_out(contents.FINGER, start)
        ended = contents.finger(start).points
        axes.plot(*begun.T, "o:", color=color, alpha=0.45, linewidth=1.2, markersize=3)
        axes.plot(*ended.T, "o-", color=color, markerfacecolor="white", linewidth=2.2,
                  label=f"start {number}: " + ", ".join(f"{angle:+.1f}" for angle in start) + " rad")
    axes.plot(*contents.FINGER_TARGET, "x", color="black", markersize=9, markeredgewidth=2, zorder=3,
              label="target")
    axes.plot([], [], ":", color=GREY, label="start pose")
    axes.set_title("Bones 0.6 + 0.5 + 0.3 m: the tips agree, the joints do not")
    _plane(axes)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def _reaches(figure: Figure, table: Table) -> None:
    upper, lower = figure.subplots(2, sharex=True)
    distances = np.linspace(0.001, 3.0, 1500)
    ahead = [(float(distance), 0.0) for distance in distances]
    upper.plot(distances, [contents.end_error(target) for target in ahead], color=BLUE)
    upper.plot(table.column("d (m)"), table.column("end error (m)"), "o", color=BLUE)
    upper.set(ylabel="end error (m)")
    lower.plot(distances, [contents.arm_angles(contents.ARM, target)[0] for target in ahead], color=ORANGE)
    lower.plot(table.column("d (m)"), table.column("root angle (rad)"), "o", color=ORANGE)
    lower.set(xlabel="d (m)", ylabel="root angle (rad)")
    for axes in (upper, lower):
        axes.axvspan(0.2, contents.SPAN, color=GREEN, alpha=0.1, linewidth=0)
    upper.annotate("reachable: 0.2 to 1.4 m", (0.8, 1.2), ha="center", color=GREEN)
    upper.set_title("Bones 0.8 + 0.6 m, target on +X")


def _rounding(axes: Any, text: str, left: float) -> None:
    axes.axhspan(0.5 * FLOOR, 1e-15, color="#eeeeee", zorder=0)
    axes.annotate(text, (left, 1.2e-15), color="#777777", fontsize=9)


def _reach_ring(axes: Any, bones: tuple[float, float]) -> None:
    outer, inner = sum(bones), abs(bones[0] - bones[1])
    axes.add_patch(Wedge((0.0, 0.0), outer, 0.0, 360.0, width=outer - inner, facecolor=GREEN, alpha=0.1,
                         label=f"reach: {inner:.1f} to {outer:.1f} m"))


def _plane(axes: Any) -> None:
    axes.set(xlabel="x (m)", ylabel="y (m)", aspect="equal")


PLOTS: dict[str, Callable[[Figure, Table], None]] = {
    "1-targets": _targets, "2-sweeps": _descents, "3-convergence": _convergence, "4-three-bones": _families,
    "5-reach": _reaches,
}
