"""Every Blender test starts from an empty scene, with the extension registered from the checkout."""

import os
import sys
from pathlib import Path

import bpy
import pytest

ROOT = Path(__file__).resolve().parents[2]
for folder in (ROOT, ROOT / "scripts", Path(__file__).parent):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

import twobone_addon  # noqa: E402

_status = 0


@pytest.fixture(autouse=True)
def empty_scene(capfd):
    """An empty scene with the extension on. No test may end with a traceback of ours on the console."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    twobone_addon.register()
    capfd.readouterr()  # what Blender says of itself while it starts
    yield
    twobone_addon.unregister()
    out, err = capfd.readouterr()
    sys.stdout.write(out)
    sys.stderr.write(err)
    tracebacks = (out + err).split("Traceback (most recent call last)")[1:]  # a Blender without some module has its own
    assert not [text for text in tracebacks if "twobone_addon" in text]


def pytest_sessionfinish(session, exitstatus):
    global _status
    _status = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    """Leave without Blender's clean-up, which can crash or hang in the wheels and would hide the tests' own status."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(_status)
