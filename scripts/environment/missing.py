# SPDX-License-Identifier: GPL-3.0-or-later
"""What this machine lacks, said in a sentence that names the Debian package which has it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path


class Missing(Exception):
    """Something is missing on this machine; the text says what, and how to get it."""


IRREGULAR = {"libz.so.1": "zlib1g", "libgcc_s.so.1": "libgcc-s1", "libm.so.6": "libc6", "libdl.so.2": "libc6"}


def package_of(library: str) -> str:
    """The Debian package that holds a shared library, by Debian's rule: libX11.so.6 is in libx11-6."""
    if library in IRREGULAR:
        return IRREGULAR[library]
    name, _, version = library.lower().partition(".so")
    version = version.strip(".")
    hyphen = "-" if version and name[-1].isdigit() else ""
    return name.replace("_", "-") + hyphen + version


def missing_libraries(binary: Path) -> list[str]:
    """The shared libraries that `binary` needs and this machine lacks, as far as ldd knows."""
    try:
        listing = subprocess.run(["ldd", str(binary)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                 text=True).stdout
    except OSError:
        return []
    return sorted(set(re.findall(r"^\s*(\S+) => not found", listing, re.MULTILINE)))


def check_venv_module(python: Path, version: str) -> None:
    """Raise Missing where `python` cannot make an environment with pip in it, as Debian's alone cannot."""
    done = subprocess.run([str(python), "-c", "import venv, ensurepip"], stderr=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Missing(f"Python {version} has no venv module. Install it "
                      f"(Debian: apt install python{version}-venv) and try again")


def check_blender(python: Path) -> None:
    """Raise Missing where the Blender wheel installed for `python` cannot be loaded, naming what it lacks."""
    done = subprocess.run([str(python), "-c", "import bpy"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode == 0:
        return
    find = "import importlib.util as u; print(u.find_spec('bpy').origin)"
    found = subprocess.run([str(python), "-c", find], stdout=subprocess.PIPE, text=True)
    libraries = missing_libraries(Path(found.stdout.strip()))
    libraries = libraries or re.findall(r"ImportError: (lib\S+): ", done.stdout)
    if not libraries:
        raise Missing("Blender does not start here:\n" + done.stdout.strip())
    packages = sorted({package_of(library) for library in libraries})
    raise Missing(f"Blender needs {', '.join(libraries)}, which this machine lacks. Install what is missing "
                  f"(Debian: apt install {' '.join(packages)}) and try again")
