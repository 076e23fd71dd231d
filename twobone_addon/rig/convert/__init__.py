# SPDX-License-Identifier: GPL-3.0-or-later
"""From Blender's own IK constraint to a limb and back."""

from .from_native import from_native
from .native import native_chains
from .to_native import to_native

__all__ = ["from_native", "native_chains", "to_native"]
