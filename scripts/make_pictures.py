# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the pictures of the documents, docs/pictures/*.png: shots of a real window, the demo's film strip, a plot.

Needs nothing but a Python 3; the window is that of a Blender as scripts/window_test.py finds it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import environment
from window.blender import OUTPUT, ROOT, SUITES, CannotRun, find

PICTURES = ROOT / "docs" / "pictures"
DEMO = ROOT / "build" / "demo"
LIMIT = 300_000
"""Bytes that a picture may take."""

PARTS = ("window", "demo", "plot")


def main() -> int:
    """Make what is asked for; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blender", metavar="PATH", help="the Blender to take shots of")
    parser.add_argument("--debian", choices=SUITES, help="take shots of the Blender of this Debian release")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"only these: {', '.join(PARTS)}")
    options = parser.parse_args()
    parts = options.parts or PARTS
    PICTURES.mkdir(parents=True, exist_ok=True)
    if "demo" in parts or ("window" in parts and not (DEMO / "human.blend").exists()):
        subprocess.check_call([sys.executable, str(ROOT / "scripts" / "demo.py")])
        _keep(DEMO / "human.png", "demo")
    if "plot" in parts:
        _plot(PICTURES / "knee_speed.png")
    if "window" in parts:
        try:
            blender = find(options.blender, options.debian or SUITES[-1], limit=1200.0)
        except CannotRun as reason:
            print(f"No shots of a window: {reason}")
            return 1
        status, printed = blender.run(ROOT / "scripts" / "window" / "shots.py", str(DEMO / "human.blend"), limit=300.0)
        if status != 0 or "window: done" not in printed:
            print(printed)
            return 1
        for path in (OUTPUT / blender.name).glob("*.png"):
            _keep(path, path.stem)
    for path in sorted(PICTURES.glob("*.png")):
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} kB")
    return 0


def _keep(path: Path, name: str) -> None:
    """Store a picture, where it takes more than LIMIT with a palette of its own, which keeps its few bright colours."""
    from PIL import Image

    stored = PICTURES / f"{name}.png"
    with Image.open(path) as picture:
        colours = picture.convert("RGB")
    colours.save(stored, optimize=True)
    if stored.stat().st_size > LIMIT:
        colours.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=4).save(stored, optimize=True)


def _plot(path: Path) -> None:
    """The knee of a leg whose foot stays planted while the hip moves on, with a hard and with a soft limit of reach."""
    import matplotlib
    import numpy as np

    sys.path.insert(0, str(ROOT))
    from twobone_addon import solver

    matplotlib.use("Agg")
    from matplotlib import pyplot

    thigh, shin, height = 0.44, 0.42, 0.81
    frames = np.arange(0.0, 25.0)
    hip = np.stack((0.17 + 0.33 * np.sin((frames - 12.0) / 24.0 * np.pi), 0.0 * frames, 0.0 * frames + height), axis=1)
    figure, (bend, speed) = pyplot.subplots(2, 1, figsize=(8.0, 5.0), sharex=True, layout="constrained")
    for softness, colour in ((0.0, "#d62728"), (0.05, "#1f77b4"), (0.1, "#2ca02c")):
        solution = solver.solve(hip, np.zeros(3), (0.0, -3.0, 0.5), thigh, shin, softness=softness)
        upper, lower = solution.joint - hip, solution.end - solution.joint
        angle = np.degrees(np.arctan2(np.linalg.norm(np.cross(upper, lower), axis=1), (upper * lower).sum(axis=1)))
        label = f"softness {softness:g}" if softness else "hard limit"
        print(f"{label}: the knee turns by up to {np.abs(np.diff(angle)).max():.1f} degrees a frame")
        bend.plot(frames, angle, color=colour, label=label, marker=".", markersize=4)
        speed.step(frames[1:], np.abs(np.diff(angle)), color=colour, where="mid")
    bend.set_ylabel("bend of the knee, °")
    speed.set_ylabel("speed, ° a frame")
    speed.set_xlabel("frame")
    bend.legend(frameon=False)
    for axes in (bend, speed):
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_ylim(bottom=0.0)
        axes.grid(alpha=0.25)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    environment.enter(__file__)
    sys.exit(main())
