"""The exact pose, at 50 digits, of inputs taken as the doubles they are, and sweeps that crowd the hard places."""

from itertools import product

import mpmath
import numpy as np

mpmath.mp.dps = 50
U = 2.0**-53


def exact_triangle(a, b, d2):
    """(reach², along, across) of the clamped triangle with squared distance `d2`, all mpf."""
    d2 = min(max(d2, (a - b) ** 2), (a + b) ** 2)
    r = mpmath.sqrt(d2)
    if r == 0:
        return d2, mpmath.mpf(0), a
    along = (d2 + a * a - b * b) / (2 * r)
    return d2, along, mpmath.sqrt(max(a * a - along * along, mpmath.mpf(0)))


def exact_planar(a, b, x, y, bend):
    """(joint, end) as mpf pairs."""
    a, b, x, y = (mpmath.mpf(float(value)) for value in (a, b, x, y))
    d2 = x * x + y * y
    r2, along, across = exact_triangle(a, b, d2)
    d = mpmath.sqrt(d2)
    fx, fy = x / d, y / d
    across *= int(bend)
    r = mpmath.sqrt(r2)
    inside = (a - b) ** 2 <= d2 <= (a + b) ** 2
    return (along * fx - across * fy, along * fy + across * fx), ((x, y) if inside else (r * fx, r * fy))


def exact_spatial(a, b, target, pole):
    """(joint, end) as lists of mpf; root at the origin, the pole off the line."""
    a, b = mpmath.mpf(float(a)), mpmath.mpf(float(b))
    t = [mpmath.mpf(float(value)) for value in target]
    p = [mpmath.mpf(float(value)) for value in pole]
    d2 = sum(value * value for value in t)
    share = sum(u * v for u, v in zip(t, p)) / d2
    q = [v - share * u for u, v in zip(t, p)]
    size = mpmath.sqrt(sum(value * value for value in q))
    r2, along, across = exact_triangle(a, b, d2)
    d, r = mpmath.sqrt(d2), mpmath.sqrt(r2)
    joint = [along / d * u + across / size * v for u, v in zip(t, q)]
    inside = (a - b) ** 2 <= d2 <= (a + b) ** 2
    return joint, (t if inside else [r / d * u for u in t])


def lengths_and_distances(count, seed):
    """(a, b, d) of `count` limbs: ratios 1e-6 to 1e6, scales 1e-3 to 1e3, distances that crowd both limits."""
    rng = np.random.default_rng(seed)
    ratio = 10.0 ** rng.uniform(-6, 6, count)
    scale = 10.0 ** rng.uniform(-3, 3, count)
    a, b = scale * np.minimum(1, ratio), scale * np.minimum(1, 1 / ratio)
    k = 10.0 ** -rng.uniform(0, 16, count)
    kinds = rng.integers(0, 7, count)
    near, far = np.abs(a - b), a + b
    d = np.choose(kinds, [
        near + (far - near) * rng.uniform(0, 1, count), far * (1 - k), far * (1 + k), near * (1 - k) + 1e-6 * far * (kinds == 3),
        near * (1 + k) + 1e-9 * far, far * rng.uniform(1, 10, count), near * rng.uniform(0.01, 1, count) + 1e-4 * far])
    return a, b, d


def planar_grid():
    """12,960 planar samples: lengths up to 1e3, all quadrants and axes, both bends, in reach and out of it."""
    sizes = [1e-3, 0.37, 1.0, 12.5, 1e3]
    ratios = [1.0, 0.999999, 0.6, 1e-3]
    shares = [1e-3, 0.1, 0.35, 0.62, 0.9, 0.99, 1 - 1e-6, 1 - 1e-12, 1.0, 1 + 1e-12, 1.01, 1.9]
    angles = np.linspace(0, 2 * np.pi, 27, endpoint=False)
    for size, ratio, share, angle, bend in product(sizes, ratios, shares, angles, (1, -1)):
        a, b = size, max(size * ratio, 1e-3)
        d = max(share * (a + b), 2e-6)
        yield a, b, d * np.cos(angle), d * np.sin(angle), bend
