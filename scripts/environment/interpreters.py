# SPDX-License-Identifier: GPL-3.0-or-later
"""The Pythons that Blender's wheels are made for: found on this machine, or brought by uv."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from .missing import Missing, check_venv_module

UV = "uv==0.13.9"
HERE = f"{sys.version_info.major}.{sys.version_info.minor}"


def cache() -> Path:
    """The folder for what is too large for the checkout: $TWOBONE_CACHE, else in the user's cache folder."""
    if os.environ.get("TWOBONE_CACHE"):
        return Path(os.environ["TWOBONE_CACHE"]).expanduser().resolve()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData/Local")) / "twobone"
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/twobone"
    return Path(os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")) / "twobone"


def python_of(venv: Path) -> Path:
    """The interpreter of a virtual environment."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def find(version: str) -> Path | None:
    """A Python of `version`, such as "3.13", on this machine; None where there is none."""
    if version == HERE:
        return Path(sys.executable)
    for command in _candidates(version):
        found = probe(command)
        if found and found[0] == version:
            return found[1]
    return None


def bring(version: str) -> Path:
    """A Python of `version` that uv downloads into the cache folder. Raises Missing where it cannot."""
    venv, folder = cache() / "uv", cache() / "python"
    uv = [str(python_of(venv)), "-m", "uv", "python"]
    # Nothing outside the cache folder is touched: no command on PATH, no entry in the registry.
    settings = dict(os.environ, UV_PYTHON_INSTALL_DIR=str(folder), UV_PYTHON_INSTALL_BIN="0",
                    UV_PYTHON_INSTALL_REGISTRY="0")
    print(f"There is no Python {version} here: uv brings one into {folder}", flush=True)
    check_venv_module(Path(sys.executable), HERE)
    for command in (
        [sys.executable, "-m", "venv", "--clear", str(venv)],
        [str(python_of(venv)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", UV],
        [*uv, "install", version],
    ):
        if subprocess.call(command, env=settings) != 0:
            raise Missing(f"There is no Python {version} here, and uv could not bring one (see above). "
                          "Install Python 3.13 or 3.11 (Debian: apt install python3.13 python3.13-venv, "
                          "or python3.11 python3.11-venv) and try again")
    command = [*uv, "find", "--managed-python", "--no-project", version]
    return Path(subprocess.check_output(command, env=settings, universal_newlines=True).strip())


def probe(command: list[str]) -> tuple[str, Path] | None:
    """Version and path of the Python that `command` starts; None where it starts none, as a shim may."""
    code = "import sys; print('%d.%d' % sys.version_info[:2]); print(sys.executable)"
    try:
        done = subprocess.run([*command, "-c", code], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=60, text=True)
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = done.stdout.splitlines()
    return (lines[0], Path(lines[1])) if done.returncode == 0 and len(lines) == 2 else None


def _candidates(version: str) -> list[list[str]]:
    on_path = [shutil.which("python" + version, path=folder) for folder in os.get_exec_path()]
    commands = [[path] for path in on_path if path]
    if os.name == "nt" and shutil.which("py"):
        commands.append(["py", "-" + version])
    pyenv = Path(os.environ.get("PYENV_ROOT") or str(Path.home() / ".pyenv")) / "versions"
    python = "python.exe" if os.name == "nt" else "bin/python3"
    commands += [[str(path / python)] for path in sorted(pyenv.glob(version + ".*"))]
    return commands
