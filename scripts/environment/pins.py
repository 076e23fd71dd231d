# SPDX-License-Identifier: GPL-3.0-or-later
"""What pyproject.toml pins: Blender, numpy and the development tools."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


def pythons() -> list[str]:
    """The Pythons that .venv can be made with, the preferred one first.

    Read without a TOML parser, since a Python too old for .venv has none.
    """
    section = PYPROJECT.read_text(encoding="utf-8").split("[tool.twobone.environment]")[1].split("\n[")[0]
    return re.findall(r'^"(3\.\d+)" =', section, re.MULTILINE)


def blenders() -> dict[str, str]:
    """Every Blender that is tested, with the Python of its wheel."""
    return {version: entry["python"] for version, entry in _read()["tool"]["twobone"]["blender"].items()}


def blender_for(python: str) -> str:
    """The Blender that .venv has when it is made with `python`."""
    return str(_read()["tool"]["twobone"]["environment"][python])


def requirements(blender: str, *groups: str) -> list[str]:
    """What pip installs for `blender` and the dependency groups named, every one pinned."""
    pinned = _read()
    numpy = pinned["tool"]["twobone"]["blender"][blender]["numpy"]
    tools = [requirement for group in groups for requirement in pinned["dependency-groups"][group]]
    return ["bpy==" + blender, "numpy==" + numpy, *tools]


def _read() -> dict[str, Any]:
    import tomllib

    return tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))
