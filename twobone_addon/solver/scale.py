# SPDX-License-Identifier: GPL-3.0-or-later
"""Very large and very small limbs, brought to a size whose squares and products a double can hold.

Everything is scaled by powers of two, which is exact: what is solved at another size is the same limb.
"""

from __future__ import annotations

from .arithmetic import Number, Operations
from .bones import Bones, bones_of
from .vector import Vector

TINY, HUGE = 1e-60, 1e60
"""Squares between these need no scaling: what is computed from them then stays clear of underflow and overflow."""

NEAREST, FARTHEST = -100, 100
"""Exponents of two between which a distance counts, in units of the bones.

Nearer, bones of equal length stand across the line to all digits and others are too close; farther, any are too far.
"""


def of_size_one(ops: Operations, *components: Number) -> tuple[Number, ...]:
    """The same direction with components between -1 and 1, the largest at least a half; zero stays zero."""
    exponent = -_exponent(ops, *components)
    return tuple(ops.ldexp(component, exponent) for component in components)


def at_moderate_size(ops: Operations, line: Vector, bones: Bones) -> tuple[Vector, Bones, Number, Number, Number]:
    """(line, bones, line_unit, unit, at_root): the same limb with its longer bone about as long as one.

    Times 2^line_unit the line, times 2^unit the bones are the given ones; where the target is at the root, the line is
    as short as counts and along X.
    """
    _, unit = ops.frexp(ops.maximum(bones.upper, bones.lower))
    exponent = _exponent(ops, *line)
    line_unit = exponent - ops.minimum(ops.maximum(exponent - unit, NEAREST), FARTHEST)
    x, y, z = line
    at_root = (x == 0.0) & (y == 0.0) & (z == 0.0)
    x = ops.where(at_root, ops.ldexp(1.0, NEAREST + line_unit), x)
    return ((ops.ldexp(x, -line_unit), ops.ldexp(y, -line_unit), ops.ldexp(z, -line_unit)),
            bones_of(ops, ops.ldexp(bones.upper, -unit), ops.ldexp(bones.lower, -unit), bones.flexion), line_unit, unit, at_root)


def _exponent(ops: Operations, *components: Number) -> Number:
    """The exponent of two just above the largest component."""
    largest = abs(components[0])
    for component in components[1:]:
        largest = ops.maximum(largest, abs(component))
    return ops.frexp(largest)[1]
