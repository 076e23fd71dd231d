# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel's steps for the plain case, in place: many limbs, none degenerate, hard limits.

`kernel.pose` says what is computed and why; this is the same arithmetic in the same order, so that both agree to the
last bit (a test compares them), without an intermediate array per operation. Whatever is not plain is left to it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .arithmetic import GRID
from .kernel import AT_ROOT, ON_LINE
from .triangle import Lengths

Array = NDArray[np.float64]

CHUNK = 16384
"""Limbs worked on at a time: the workspace then stays in the processor's nearer caches."""


class Workspace:
    """Room for one chunk: vectors (3, CHUNK) and numbers (CHUNK), reused from chunk to chunk."""

    def __init__(self, count: int) -> None:
        self.vectors = np.empty((5, 3, count))
        self.numbers = np.empty((8, count))


def solve_plain(work: Workspace, part: slice, root: Array, target: Array, pole: Array, lengths: Lengths,
                joint: Array, distance: Array, upper_frame: Array | None,
                lower_frame: Array | None) -> tuple[Array, Array] | None:
    """Solve the limbs in `part` into the output arrays; returns (F, G), negative where a limit is passed.

    root, target, pole, joint (N, 3); distance (N); frames (N, 3, 3). None where a limb is not plain: nothing of this
    part then counts.
    """
    size = part.stop - part.start
    line, grid, other, forward, bend = work.vectors[:, :, :size]
    number, high, low, far, near, height, cos, sin = work.numbers[:, :size]
    length = distance[part]

    np.subtract(target[part].T, root[part].T, out=line)
    # arithmetic.squared_norm
    np.abs(line, out=grid)
    np.add(grid[0], grid[1], out=number)
    np.add(number, grid[2], out=number)
    np.multiply(number, GRID, out=number)
    np.add(line, number, out=grid)
    np.subtract(grid, number, out=grid)
    _dot(grid, grid, other, high)
    np.subtract(line, grid, out=other)
    np.add(line, grid, out=grid)
    _dot(other, grid, other, low)
    np.add(high, low, out=length)
    np.sqrt(length, out=length)
    if (length < AT_ROOT).any():
        return None
    np.divide(line, length, out=forward)

    # triangle.excesses and the height √F·√G
    np.subtract(lengths.far_high, high, out=far)
    np.subtract(lengths.far_low, low, out=number)
    np.add(far, number, out=far)
    np.subtract(high, lengths.near_high, out=near)
    np.subtract(low, lengths.near_low, out=number)
    np.add(near, number, out=near)
    np.maximum(far, 0.0, out=height)
    np.sqrt(height, out=height)
    np.maximum(near, 0.0, out=number)
    np.sqrt(number, out=number)
    np.multiply(height, number, out=height)

    # kernel._towards
    np.subtract(pole[part].T, root[part].T, out=line)
    _cross(forward, line, grid, other)
    _dot(grid, grid, other, cos)
    _dot(line, line, other, sin)
    np.multiply(sin, ON_LINE, out=sin)
    if (cos <= sin).any():
        return None
    _cross(grid, forward, bend, other)
    _dot(bend, bend, other, number)
    np.sqrt(number, out=number)
    np.divide(bend, number, out=bend)

    # triangle._angle of the upper bone, and the joint
    np.add(high, lengths.skew_high, out=cos)
    np.add(low, lengths.skew_low, out=number)
    np.add(cos, number, out=cos)
    _angle(cos, sin, height, lengths.upper, length, number)
    np.multiply(forward, cos, out=line)
    np.multiply(bend, sin, out=other)
    np.add(line, other, out=line)
    np.multiply(line, lengths.upper, out=other)
    np.add(root[part].T, other, out=joint[part].T)
    if upper_frame is None or lower_frame is None:
        return far, near

    # the frames of kernel.pose
    _cross(forward, bend, grid, other)
    upper_frame[part, :, 0], upper_frame[part, :, 2] = line.T, grid.T
    lower_frame[part, :, 2] = grid.T
    _frame_part(upper_frame[part, :, 1].T, bend, cos, forward, np.negative(sin, out=sin), line, other)
    np.subtract(high, lengths.skew_high, out=cos)
    np.subtract(low, lengths.skew_low, out=number)
    np.add(cos, number, out=cos)
    _angle(cos, sin, height, lengths.lower, length, number)
    _frame_part(lower_frame[part, :, 1].T, bend, cos, forward, sin, line, other)
    _frame_part(lower_frame[part, :, 0].T, forward, cos, bend, np.negative(sin, out=sin), line, other)
    return far, near


def _dot(a: Array, b: Array, products: Array, out: Array) -> None:
    np.multiply(a, b, out=products)
    np.add(products[0], products[1], out=out)
    np.add(out, products[2], out=out)


def _cross(a: Array, b: Array, out: Array, other: Array) -> None:
    for axis, (first, second) in enumerate(((1, 2), (2, 0), (0, 1))):
        np.multiply(a[first], b[second], out=out[axis])
        np.multiply(a[second], b[first], out=other[axis])
    np.subtract(out, other, out=out)


def _angle(cos: Array, sin: Array, height: Array, bone: Array | float, distance: Array, scale: Array) -> None:
    """Turn 2d times the bone's projection, in `cos`, into its cosine and sine, as `triangle._angle` does."""
    np.multiply(distance, 2.0, out=scale)
    np.multiply(scale, bone, out=scale)
    np.minimum(cos, scale, out=cos)
    np.negative(scale, out=sin)
    np.maximum(cos, sin, out=cos)
    np.divide(cos, scale, out=cos)
    np.divide(height, scale, out=sin)
    np.multiply(cos, cos, out=scale)
    square = sin * sin
    np.add(scale, square, out=scale)
    np.multiply(scale, 0.5, out=scale)
    np.subtract(1.5, scale, out=scale)
    np.multiply(cos, scale, out=cos)
    np.multiply(sin, scale, out=sin)


def _frame_part(out: Array, a: Array, p: Array, b: Array, q: Array, first: Array, second: Array) -> None:
    np.multiply(a, p, out=first)
    np.multiply(b, q, out=second)
    np.add(first, second, out=out)
