# SPDX-License-Identifier: GPL-3.0-or-later
"""Find a Blender that can open a window here, with a screen in memory where one can be made, and run scripts in it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from environment.venvs import locked

from . import MARK

ROOT = Path(__file__).resolve().parents[2]
OUTPUT = ROOT / "build" / "window"
SUITES = ("trixie", "sid")
OLDEST = (4, 2)

SIZE = (1600, 900)
"""Of the window and of the screen in memory, in pixels."""


class CannotRun(Exception):
    """There is no Blender here that can open a window; the text says why, and what would help."""


@dataclass(frozen=True)
class Blender:
    """How a Blender is started: `within` goes before every command, and `name` is a folder of its own for output."""

    name: str
    within: tuple[str, ...]
    executable: str

    def run(self, script: Path, *arguments: str, limit: float) -> tuple[int, str]:
        """Run `script` in a window with factory settings; returns the exit status and all that was printed.

        Lines that start with MARK are shown as they come; the rest goes to a log. The script finds `arguments` behind
        "--" and the folder for what it makes in $TWOBONE_OUTPUT. After `limit` seconds all is ended, with status 124.
        """
        output = OUTPUT / self.name
        with locked(output):
            shutil.rmtree(output, ignore_errors=True)
            (output / "user").mkdir(parents=True)
            return self._run(output, script, arguments, limit)

    def _run(self, output: Path, script: Path, arguments: tuple[str, ...], limit: float) -> tuple[int, str]:
        environment = dict(os.environ, BLENDER_USER_RESOURCES=str(output / "user"), TWOBONE_OUTPUT=str(output))
        environment.pop("PYTHONPATH", None)  # the checkout must not lend an installed extension a module
        command = [*self.within, *self._screen(output, environment), self.executable, "--factory-startup",
                   "--enable-event-simulate", "--python-exit-code", "1", "--window-geometry", "0", "0", *map(str, SIZE),
                   "--python", str(script), "--", *arguments]
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
        timed_out = threading.Event()

        def end() -> None:
            timed_out.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(limit, end)
        timer.start()
        lines = []
        with (output / "blender.log").open("w", encoding="utf-8") as log:
            for line in process.stdout:
                lines.append(line)
                log.write(line)
                if line.startswith(MARK):
                    print(line[len(MARK):], end="", flush=True)
        status = process.wait()
        timer.cancel()
        return 124 if timed_out.is_set() else status, "".join(lines)

    def _screen(self, output: Path, environment: dict[str, str]) -> list[str]:
        """What opens a screen in memory for one command, where that can be done; else the machine's own is used."""
        if not (self.within or shutil.which("xvfb-run")):
            return []
        environment.update(TWOBONE_SCREEN=str(output), LIBGL_ALWAYS_SOFTWARE="1")
        environment.pop("WAYLAND_DISPLAY", None)
        width, height = SIZE
        return ["xvfb-run", "-a", "-s", f"-screen 0 {width}x{height}x24 -nocursor -fbdir {output}"]


def find(path: str | None, suite: str | None, limit: float) -> Blender:
    """The Blender at `path`, that of a Debian `suite`, or the first that can be had. Raises CannotRun.

    A Debian that is not there yet is made, which may take up to `limit` seconds.
    """
    if path is not None:
        return _own(path)
    if suite is None and (found := shutil.which("blender")):
        try:
            return _own(found)
        except CannotRun as reason:
            print(f"Not the blender on PATH: {reason}", flush=True)
    return _of_debian(suite or SUITES[0], limit)


def _own(path: str) -> Blender:
    """A Blender of this machine."""
    try:
        told = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotRun(f"{path} does not start ({error})") from error
    found = re.match(r"Blender (\d+)\.(\d+)", told)
    if not found:
        raise CannotRun(f"{path} is not Blender")
    version = int(found[1]), int(found[2])
    if version < OLDEST:
        raise CannotRun(f"{path} is Blender {found[1]}.{found[2]}; 4.2 or later is needed")
    if not (shutil.which("xvfb-run") or _has_screen()):
        raise CannotRun("there is neither a display nor xvfb-run (Debian: apt install xvfb)")
    return Blender(f"blender-{found[1]}.{found[2]}", (), path)


def _has_screen() -> bool:
    return sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def _of_debian(suite: str, limit: float) -> Blender:
    """The Blender of a Debian release, in a root of its own."""
    if not sys.platform.startswith("linux"):
        raise CannotRun("no Blender was found; name one with --blender")
    if os.geteuid() != 0:
        raise CannotRun("no Blender was found (name one with --blender), and only root can make a Debian that has one")
    tools = (os.environ.get("TWOBONE_WINDOW_BLENDER"), ROOT.parent / "shared/tools/window-blender",
             Path(__file__).with_name("in_debian"))
    tool = next(str(tool) for tool in tools if tool and os.access(tool, os.X_OK))
    within = (tool, "--suite", suite, "--bind", str(ROOT), "--shell", "--")
    # What the extension system of the later Blenders imports is not named by Debian's package.
    check = "python3 -c 'import numpy, requests' || apt-get install -y -q python3-numpy python3-requests"
    print(f"Looking for the Blender of Debian {suite}; making that Debian takes a few minutes, once", flush=True)
    process = subprocess.Popen([*within, "sh", "-c", check], cwd=ROOT, stdin=subprocess.DEVNULL, start_new_session=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    try:
        printed, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise CannotRun(f"Debian {suite} with its Blender could not be prepared within {limit:.0f} s") from None
    if process.returncode != 0:
        raise CannotRun(f"Debian {suite} with its Blender could not be prepared:\n{printed[-2000:].strip()}")
    return Blender(suite, within, "blender")
