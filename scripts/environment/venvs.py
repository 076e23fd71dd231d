# SPDX-License-Identifier: GPL-3.0-or-later
"""Virtual environments that are finished or made anew, never half-made."""

from __future__ import annotations

import contextlib
import hashlib
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from .interpreters import probe, python_of
from .missing import Missing, check_blender, check_venv_module

STAMP = "twobone-requirements.sha256"

INSTALLED = """
import sys
from importlib.metadata import PackageNotFoundError, distribution
try:
    for requirement in sys.argv[1:]:
        name, version = requirement.split("==")
        found = distribution(name)
        assert found.version == version
        assert found.files and all(file.locate().exists() for file in found.files)
except (AssertionError, PackageNotFoundError):
    sys.exit(1)
"""


def is_ready(venv: Path, requirements: list[str]) -> bool:
    """Whether `venv` was finished with exactly these requirements."""
    try:
        return (venv / STAMP).read_text(encoding="ascii") == _digest(requirements)
    except OSError:
        return False


def finished_version(venv: Path) -> str | None:
    """The Python version of a `venv` that was finished once and still runs, else None."""
    found = probe([str(python_of(venv))]) if (venv / STAMP).exists() else None
    return found[0] if found else None


@contextlib.contextmanager
def locked(venv: Path) -> Iterator[None]:
    """Hold off other runs that set up the same environment; a killed run's lock is freed."""
    venv.parent.mkdir(parents=True, exist_ok=True)
    with open(venv.with_name(venv.name + ".lock"), "w", encoding="ascii") as file:
        if sys.platform == "win32":
            import msvcrt

            while True:
                with contextlib.suppress(OSError):
                    msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
                    break
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def make(venv: Path, python: Path, version: str, requirements: list[str]) -> None:
    """Make `venv` with `python`, or bring it up to date; what an interrupted run has left is made anew.

    The stamp is taken away first and written last: only a finished environment has one. To be called while
    `locked`. Raises Missing.
    """
    finished = finished_version(venv) == version
    if finished and is_ready(venv, requirements):
        return
    if venv.exists() and not finished and not _has(venv, requirements):
        print(f"Removing the unfinished {venv}", flush=True)
        shutil.rmtree(venv)
    if not venv.exists():
        check_venv_module(python, version)
        if subprocess.call([str(python), "-m", "venv", str(venv)]) != 0:
            raise Missing(f"{venv} could not be made (see above)")
    _install(venv, requirements)


def _install(venv: Path, requirements: list[str]) -> None:
    stamp = venv / STAMP
    old = stamp.read_text(encoding="ascii") if stamp.exists() else ""
    stamp.unlink(missing_ok=True)
    print(f"Setting up {venv} with {' '.join(requirements)}", flush=True)
    print("What is not at hand is downloaded, some 350 MB for a Blender", flush=True)
    pip = [str(python_of(venv)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if subprocess.call([*pip, "--only-binary=:all:", *requirements], stdin=subprocess.DEVNULL) != 0:
        if old:  # pip has taken back what it did, so what was finished before still is
            stamp.write_text(old, encoding="ascii")
        raise Missing(f"pip could not install {' '.join(requirements)} (see above). A first run needs the "
                      "network, and Blender's wheels are made for 64-bit Linux, Windows and macOS; "
                      f"this is {platform.system()} {platform.machine()}")
    check_blender(python_of(venv))
    stamp.write_text(_digest(requirements), encoding="ascii")


def _has(venv: Path, requirements: list[str]) -> bool:
    """Whether every requirement is installed in `venv` down to its last file."""
    try:
        return subprocess.call([str(python_of(venv)), "-c", INSTALLED, *requirements],
                               stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def _digest(requirements: list[str]) -> str:
    return hashlib.sha256("\n".join(requirements).encode()).hexdigest()
