# SPDX-License-Identifier: GPL-3.0-or-later
"""Two-Bone IK: exact, closed-form IK for two-bone limbs, live in Blender.

Importable without bpy: only register() reaches for Blender, so that `twobone_addon.solver` serves any Python.
"""


def register() -> None:
    """Register properties, operators, interface and handlers; whatever fails is rolled back before the error leaves."""
    from . import registration

    registration.register()


def unregister() -> None:
    """Undo register(), in the opposite order."""
    from . import registration

    registration.unregister()
