"""Sweeps of limbs that crowd the places where digits are lost."""

from itertools import product

import numpy as np


def anywhere(count, seed):
    """(a, b, d): ratios 1e-6 to 1e6, scales 1e-3 to 1e3, distances from far inside the fold to far out of reach."""
    rng = np.random.default_rng(seed)
    ratio = 10.0 ** rng.uniform(-6, 6, count)
    scale = 10.0 ** rng.uniform(-3, 3, count)
    a, b = scale * np.minimum(1, ratio), scale * np.minimum(1, 1 / ratio)
    near, far, shorter = np.abs(a - b), a + b, np.minimum(a, b)
    k = 10.0 ** -rng.uniform(0, 16, count)
    d = np.choose(rng.integers(0, 7, count), [
        near + (far - near) * rng.uniform(0, 1, count), far * (1 - k), far * (1 + k), far * rng.uniform(1, 10, count),
        near + shorter * k, near - np.minimum(shorter * k, 0.5 * near), near * rng.uniform(0.01, 1, count)])
    return a, b, np.maximum(d, 2e-9 * far)


def at_the_limits(count, seed):
    """(a, b, d): exactly at a + b and |a - b| as doubles and up to three last places off; bones equal but for a few."""
    rng = np.random.default_rng(seed)
    a = rng.uniform(0.1, 2, count)
    b = np.where(rng.integers(0, 2, count) > 0, a * (1 + rng.integers(-20, 21, count) * 2.0**-50), rng.uniform(0.1, 2, count))
    d = np.where(rng.integers(0, 2, count) > 0, a + b, np.abs(a - b)) * (1 + rng.integers(-3, 4, count) * 2.0**-52)
    return a, b, np.maximum(d, 2e-6)


def planar_grid():
    """(a, b, x, y, bend) of 12,960 limbs: lengths up to 1e3, all quadrants and axes, in reach and out of it."""
    sizes, ratios = (1e-3, 0.37, 1.0, 12.5, 1e3), (1.0, 0.999999, 0.6, 1e-3)
    shares = (1e-3, 0.1, 0.35, 0.62, 0.9, 0.99, 1 - 1e-6, 1 - 1e-12, 1.0, 1 + 1e-12, 1.01, 1.9)
    angles = np.linspace(0, 2 * np.pi, 27, endpoint=False)
    size, ratio, share, angle, bend = np.array(list(product(sizes, ratios, shares, angles, (1, -1)))).T
    a, b = size, np.maximum(size * ratio, 1e-3)
    d = np.maximum(share * (a + b), 2e-6)
    return a, b, d * np.cos(angle), d * np.sin(angle), bend


def in_space(a, d, seed):
    """(target, pole): targets at distance d in all directions, poles from across the line to 1e-8 rad off it."""
    rng = np.random.default_rng(seed)
    forward, other = rng.normal(size=(2, len(a), 3))
    forward /= np.linalg.norm(forward, axis=1)[:, None]
    across = np.cross(forward, other)
    across /= np.linalg.norm(across, axis=1)[:, None]
    off = 10.0 ** rng.uniform(-8, 0, len(a))
    size = a * 10.0 ** rng.uniform(-2, 2, len(a))
    pole = size[:, None] * (forward * rng.choice((-1, 1), len(a))[:, None] + off[:, None] * across)
    return d[:, None] * forward, pole
