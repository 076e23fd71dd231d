# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Blender with a window: started from outside by blender.py, driven from inside by session.py."""

MARK = "window: "
"""Begins the lines of a script's output that people should see."""
