# SPDX-License-Identifier: GPL-3.0-or-later
"""Animation data: F-curves, keys, and the channels that hold rotations."""
