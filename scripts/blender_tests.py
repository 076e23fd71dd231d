# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the Blender tests in the Blender that runs this file; the exit status tells how they ended.

    blender -b --python scripts/blender_tests.py [-- PYTEST ARGUMENTS]

or, with a Python that has Blender's wheel, `python scripts/blender_tests.py [PYTEST ARGUMENTS]`.
"""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
IN_EXECUTABLE = "bpy" in sys.modules


def main() -> int:
    """Run pytest on the arguments, by default on tests/blender."""
    try:
        import pytest
    except ImportError:
        print(f"Blender's Python has no pytest. Install it there: {sys.executable} -m pip install pytest")
        return 1
    arguments = sys.argv[1:]
    if IN_EXECUTABLE:
        arguments = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
    os.chdir(ROOT)
    if not IN_EXECUTABLE:
        # So that the tests neither see nor change what the user has set up.
        folder = ROOT / "build" / "blender-user"
        folder.mkdir(parents=True, exist_ok=True)
        os.environ["BLENDER_USER_RESOURCES"] = str(folder)
    return int(pytest.main(arguments or ["tests/blender"], plugins=[Header()]))


class Header:
    """Says at the top of pytest's output which Blender is tested."""

    def pytest_report_header(self) -> str:
        """One line with the versions."""
        import bpy
        import numpy

        kind = bpy.app.binary_path or "wheel"
        return f"Blender {bpy.app.version_string} ({kind}), numpy {numpy.__version__}"


def leave(status: int) -> NoReturn:
    """End the process here: Blender may crash or hang on its way out, and calls a failed script a success."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    try:
        leave(main())
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
        leave(1)
