# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the extension that Blender installs, dist/twobone_addon-VERSION.zip, and have Blender validate it.

Needs nothing but a Python 3: the tool comes with the Blender of .venv, which is set up where it is missing.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = shutil.ignore_patterns("__pycache__", ".*")


def build(output: Path, blender_scripts: Path, version: str | None = None) -> Path:
    """Build and validate the zip in the folder `output` and return its path.

    `blender_scripts` is the folder "scripts" of the Blender whose tool is used. `version` stands in for the
    manifest's. Raises CalledProcessError where the tool refuses; it has then said why.
    """
    tool = blender_scripts / "addons_core/bl_pkg/cli/blender_ext.py"
    tags = f"--valid-tags={blender_scripts / 'modules/_bpy_internal/extensions/tags.py'}"
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        # Blender wants the manifest beside __init__.py, where the repository does not have it.
        source = Path(folder) / "twobone_addon"
        shutil.copytree(ROOT / "twobone_addon", source, ignore=LEFT_OUT)
        shutil.copy(ROOT / "LICENSE", source)
        manifest = (ROOT / "blender_manifest.toml").read_text(encoding="utf-8")
        if version:
            manifest = re.sub(r'^version = ".*"', f'version = "{version}"', manifest, flags=re.MULTILINE)
        (source / "blender_manifest.toml").write_text(manifest, encoding="utf-8")
        path = output / f"twobone_addon-{_version_in(manifest)}.zip"
        subprocess.check_call([sys.executable, str(tool), "build", f"--source-dir={source}",
                               f"--output-filepath={path}", tags])
        subprocess.check_call([sys.executable, str(tool), "validate", tags, str(path)])
    return path


def _version_in(manifest: str) -> str:
    found = re.search(r'^version = "(.*)"', manifest, flags=re.MULTILINE)
    if not found:
        raise ValueError("blender_manifest.toml has no line with the version")
    return found[1]


def _scripts_of_the_wheel() -> Path:
    """Found without importing bpy, since Blender is not needed for building."""
    wheel = importlib.util.find_spec("bpy")
    if wheel is None or wheel.origin is None:
        raise ImportError("Blender's wheel (bpy) is not installed for this Python")
    return next(Path(wheel.origin).parent.glob("*/scripts"))


if __name__ == "__main__":
    import environment

    environment.enter(__file__)
    print(build(ROOT / "dist", _scripts_of_the_wheel()))
