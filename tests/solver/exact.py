"""The exact pose, at 50 digits, of inputs taken as the doubles they are."""

import mpmath

mpmath.mp.dps = 50
U = 2.0**-53


def mpf(values):
    """Doubles as they are, exactly."""
    return [mpmath.mpf(float(value)) for value in values]


def exact_triangle(a, b, d2):
    """(reach, along, across) of the clamped triangle with squared distance `d2`, all mpf."""
    d2 = min(max(d2, (a - b) ** 2), (a + b) ** 2)
    r = mpmath.sqrt(d2)
    if r == 0:
        return r, r, a
    along = (d2 + a * a - b * b) / (2 * r)
    return r, along, mpmath.sqrt(max(a * a - along * along, mpmath.mpf(0)))


def exact_planar(a, b, target, bend):
    """The joint as mpf; root at the origin."""
    a, b, x, y = mpf((a, b, *target))
    d2 = x * x + y * y
    _, along, across = exact_triangle(a, b, d2)
    d = mpmath.sqrt(d2)
    x, y, across = x / d, y / d, across * int(bend)
    return along * x - across * y, along * y + across * x


def exact_spatial(a, b, target, pole, shift=0):
    """The joint as mpf; root at the origin, the pole off the line, the squared distance off by `shift` of itself."""
    a, b = mpf((a, b))
    t, p = mpf(target), mpf(pole)
    d2 = sum(value * value for value in t)
    share = sum(u * v for u, v in zip(t, p)) / d2
    q = [v - share * u for u, v in zip(t, p)]
    size = mpmath.sqrt(sum(value * value for value in q))
    _, along, across = exact_triangle(a, b, d2 + d2 * shift)
    d = mpmath.sqrt(d2)
    return [along / d * u + across / size * v for u, v in zip(t, q)]


def distance_between(place, other):
    """|place - other| of doubles or mpf, as a float."""
    return float(mpmath.sqrt(sum((mpmath.mpf(u) - mpmath.mpf(v)) ** 2 for u, v in zip(place, other))))


def length_error(start, stop, length):
    """How far |stop - start| is from `length`, as a float."""
    exact = mpmath.sqrt(sum((v - u) ** 2 for u, v in zip(mpf(start), mpf(stop))))
    return abs(float(exact - mpmath.mpf(float(length))))
