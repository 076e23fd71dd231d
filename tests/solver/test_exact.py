"""Against exact arithmetic: errors in units of the last place of the longer bone."""

import mpmath
import numpy as np
from exact import U, exact_planar, exact_spatial, lengths_and_distances, planar_grid

from twobone_addon.solver import joint_angles, solve, solve_planar

COUNT = 12_000


def error(actual, expected):
    """|actual - expected| of a vector of doubles against one of mpf, as a float."""
    return float(mpmath.sqrt(sum((mpmath.mpf(float(value)) - other) ** 2 for value, other in zip(actual, expected))))


def length_error(start, stop, length):
    exact = mpmath.sqrt(sum((mpmath.mpf(float(u)) - mpmath.mpf(float(v))) ** 2 for u, v in zip(start, stop)))
    return abs(float(exact - mpmath.mpf(float(length))))


def planar_errors(a, b, target, bend):
    solution = solve_planar(a, b, target, bend)
    joints, lengths = np.empty(len(a)), np.empty(len(a))
    for row in range(len(a)):
        joint, _end = exact_planar(a[row], b[row], *target[row], bend[row])
        longer = max(a[row], b[row])
        joints[row] = error(solution.joint[row], joint) / longer / U
        lengths[row] = max(length_error((0, 0), solution.joint[row], a[row]),
                           length_error(solution.joint[row], solution.end[row], b[row])) / longer / U
    return joints, lengths


def in_contract(a, b, d):
    """The first COUNT samples that `solve_planar` takes, scaled so that ratios up to 1e6 are among them."""
    shift = 999.0 / np.maximum(a, b)
    a, b, d = a * shift, b * shift, d * shift
    kept = np.flatnonzero((np.minimum(a, b) >= 1e-3) & (d >= 1e-6) & (d <= 1e4))[:COUNT]
    assert len(kept) == COUNT
    return a[kept], b[kept], d[kept]


def test_planar_on_the_axes():
    a, b, d = in_contract(*lengths_and_distances(3 * COUNT, 1))
    axes = np.array(((1, 0), (0, 1), (-1, 0), (0, -1)))[np.arange(len(a)) % 4]
    joints, lengths = planar_errors(a, b, d[:, None] * axes, np.where(np.arange(len(a)) % 8 < 4, 1, -1))
    assert joints.max() <= 4.0
    assert lengths.max() <= 4.0


def test_planar_anywhere():
    rng = np.random.default_rng(2)
    a, b, d = in_contract(*lengths_and_distances(3 * COUNT, 3))
    angle = rng.uniform(0, 2 * np.pi, len(a))
    joints, lengths = planar_errors(a, b, np.stack((d * np.cos(angle), d * np.sin(angle)), 1), rng.choice((1, -1), len(a)))
    assert joints.max() <= 8.0
    assert lengths.max() <= 8.0


def test_planar_grid_absolute_length_error():
    a, b, x, y, bend = np.array(list(planar_grid())).T
    solution = solve_planar(a, b, np.stack((x, y), 1), bend)
    assert len(a) == 12_960
    worst = max(max(length_error((0, 0), joint, a[row]), length_error(joint, end, b[row]))
                for row, (joint, end) in enumerate(zip(solution.joint, solution.end)))
    assert worst < 3.4e-13


def spatial_sample(count, seed):
    rng = np.random.default_rng(seed)
    a, b, d = lengths_and_distances(count, seed)
    forward = rng.normal(size=(count, 3))
    forward /= np.linalg.norm(forward, axis=1)[:, None]
    across = np.cross(forward, rng.normal(size=(count, 3)))
    across /= np.linalg.norm(across, axis=1)[:, None]
    off = 10.0 ** rng.uniform(-8, 0, count)
    size = (a + b) * 10.0 ** rng.uniform(-2, 2, count)
    pole = size[:, None] * (forward * rng.choice((-1, 1), count)[:, None] + off[:, None] * across)
    return a, b, d[:, None] * forward, pole


def test_space():
    a, b, target, pole = spatial_sample(COUNT, 5)
    solution = solve(np.zeros(3), target, pole, a, b)
    worst_joint = worst_length = 0.0
    for row in range(COUNT):
        joint, _end = exact_spatial(a[row], b[row], target[row], pole[row])
        longer = max(a[row], b[row])
        off = np.linalg.norm(np.cross(target[row], pole[row])) / np.linalg.norm(target[row]) / np.linalg.norm(pole[row])
        if off > 0.1:  # nearer to the line the pole's own last digits turn the joint
            worst_joint = max(worst_joint, error(solution.joint[row], joint) / longer / U)
        worst_length = max(worst_length, length_error((0, 0, 0), solution.joint[row], a[row]) / longer / U,
                           length_error(solution.joint[row], solution.end[row], b[row]) / longer / U)
    assert worst_joint <= 8.0
    assert worst_length <= 6.0


def test_frames_are_orthonormal():
    a, b, target, pole = spatial_sample(COUNT, 7)
    solution = solve(np.zeros(3), target, pole, a, b)
    for frame in (solution.upper_frame, solution.lower_frame):
        square = np.einsum("nij,nik->njk", frame.astype(np.longdouble), frame.astype(np.longdouble))
        assert np.abs(square - np.eye(3)).max() <= 8 * U
        assert (np.linalg.det(frame) > 0).all()
    longer = np.maximum(a, b)[:, None]
    assert (np.abs(solution.joint - a[:, None] * solution.upper_frame[..., 0]) <= 4 * U * longer).all()
    assert (np.abs(solution.joint + b[:, None] * solution.lower_frame[..., 0] - solution.end)
            <= 16 * U * longer).all()


def test_joint_angles():
    rng = np.random.default_rng(11)
    a, b = 10.0 ** rng.uniform(-3, 3, (2, 3000))
    d = (a + b) * rng.uniform(0.001, 1.2, 3000)
    angle = rng.uniform(-3, 3, 3000)
    target = np.stack((d * np.cos(angle), d * np.sin(angle)), 1)
    for bend in (1, -1):
        angles, solution = joint_angles(a, b, target, bend), solve_planar(a, b, target, bend)
        joint = a[:, None] * np.stack((np.cos(angles.root), np.sin(angles.root)), 1)
        total = angles.root + angles.relative
        end = joint + b[:, None] * np.stack((np.cos(total), np.sin(total)), 1)
        longer = np.maximum(a, b)[:, None]
        assert (np.abs(joint - solution.joint) < 1e-14 * longer).all()
        assert (np.abs(end - solution.end) < 2e-14 * longer).all()
        assert (np.sign(angles.relative) * bend <= 0).all()
