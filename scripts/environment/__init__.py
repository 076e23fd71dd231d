# SPDX-License-Identifier: GPL-3.0-or-later
"""The development environment: Blender's wheel and the tools, pinned in pyproject.toml, installed in .venv.

A script calls enter() before it imports what is not in the standard library. Until enter() returns, any
Python 3 may be running it, so the scripts that call it, and this package, keep to the syntax of Python 3.8.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from . import pins
from .interpreters import HERE, bring, cache, find, python_of
from .missing import Missing
from .venvs import finished_version, is_ready, locked, make

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"

__all__ = ["ROOT", "VENV", "Missing", "blenders", "enter", "other_blender", "own_blender"]


def enter(script: str) -> None:
    """Return at once inside a finished .venv; else set it up and run `script` in it from the start.

    Ends the process with a sentence where something is missing that only the user can install.
    """
    try:
        if VENV.exists() and VENV.samefile(sys.prefix):
            if HERE in pins.pythons() and is_ready(VENV, _requirements(HERE)):
                return
            python = Path(getattr(sys, "_base_executable", sys.executable))
        elif HERE in pins.pythons():
            python = _set_up()
        else:
            python = _fitting_python()
    except Missing as missing:
        sys.exit(f"{Path(script).name}: {missing}")
    _go_on(python, script)


def own_blender() -> str:
    """The version of the Blender in .venv, to be asked inside it."""
    return pins.blender_for(HERE)


def blenders() -> list[str]:
    """The versions of Blender that are tested."""
    return list(pins.blenders())


def other_blender(blender: str) -> Path:
    """The Python of an environment outside the checkout that has the version `blender`. Raises Missing."""
    version = pins.blenders()[blender]
    python = find(version)
    if python is None:
        raise Missing(f"there is no Python {version} on this machine")
    venv = cache() / ("bpy-" + blender)
    with locked(venv):
        make(venv, python, version, pins.requirements(blender, "test"))
    return python_of(venv)


def _set_up() -> Path:
    """Make .venv, or bring it up to date; one that is finished keeps its Python, another gets this one."""
    with locked(VENV):
        version = finished_version(VENV)
        if version not in pins.pythons():
            version = HERE
        make(VENV, Path(sys.executable), version, _requirements(version))
    return python_of(VENV)


def _fitting_python() -> Path:
    versions = pins.pythons()
    if finished_version(VENV) in versions:
        return python_of(VENV)
    found = [python for python in map(find, versions) if python]
    return found[0] if found else bring(versions[0])


def _requirements(version: str) -> list[str]:
    return pins.requirements(pins.blender_for(version), "test", "check", "plot")


def _go_on(python: Path, script: str) -> None:
    command = [str(python), script, *sys.argv[1:]]
    sys.stdout.flush()
    if os.name == "nt":  # where exec would return to the prompt before the script is through
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)
