# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: `blender --command twobone {list,report,bake,to-native} FILE.blend …`."""

from __future__ import annotations

import bpy

from .main import command

_handles: list[object] = []


def register() -> None:
    """Make `twobone` known to `blender --command`."""
    _handles.append(bpy.utils.register_cli_command("twobone", command))


def unregister() -> None:
    """Take it back."""
    while _handles:
        bpy.utils.unregister_cli_command(_handles.pop())
