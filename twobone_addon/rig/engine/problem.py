# SPDX-License-Identifier: GPL-3.0-or-later
"""From what was read of the bones to what the solver is asked, and from its answer to the bones' rotations.

Arrays only, no bpy. Nothing in here depends on the pose that was delivered before: a bone's scale and the place of
the next joint in its frame stay what they are while the limb turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite, pi, prod

import numpy as np
from numpy.typing import NDArray

from ... import solver
from ...solver import bound
from ..binding import NEAR_ROOT, NOISE, POLE_ON_LINE, Binding
from .follow import Turns

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

TOO_LARGE = 1e15
"""Scale of a bone from which on Blender's single precision overflows on the way through a constraint."""

DIAGONAL, ABOVE = slice(0, 9, 4), [1, 2, 5]
"""The places of a symmetric matrix' numbers, written row by row: on the diagonal, and above it."""

FEW = 64
"""Up to so many limbs are solved one by one: numpy's call overhead costs more than the arithmetic."""

WELL_OFF_LINE = 1e-9
"""Squared sine of an angle between pole and root-target line at which nothing is near degenerate."""


@dataclass(frozen=True)
class Constants:
    """The bindings of N limbs as arrays; a limb that has none gets those of a straight unit limb and is never solved.

    upper_basis, lower_basis (N, 3, 3): columns are the solver's frame in the bone's own axes. upper, lower, limb (N,): the
    lengths and their sum. asked (N, bound.WIDTH): what a problem of limbs as they were bound has before anything is read.
    """

    upper_vector: Array
    lower_vector: Array
    tip: Array
    upper_normal: Array
    lower_normal: Array
    pole_angle: Array
    forward: Array
    bend: Array
    residual: Array
    upper_basis: Array
    lower_basis: Array
    upper: Array
    lower: Array
    limb: Array
    asked: Array

    @staticmethod
    def of(bindings: Sequence[Binding | None]) -> Constants:
        """Stack the records, one row each."""
        usable = [binding or _UNBOUND for binding in bindings]
        columns = {name: np.array([getattr(binding, name) for binding in usable], dtype=float).reshape(
            (len(usable),) if name == "pole_angle" else (len(usable), 3)) for name in Binding.__dataclass_fields__}
        upper, lower = _lengths(columns["upper_vector"], columns["lower_vector"])
        bases = [basis(columns[f"{bone}_vector"], columns[f"{bone}_normal"]) for bone in ("upper", "lower")]
        nothing = np.zeros((len(usable), 9))
        asked = _row(nothing, upper, lower, columns["pole_angle"], nothing[:, :3], columns["bend"], *bases)
        return Constants(**columns, upper=upper, lower=lower, limb=upper + lower, asked=asked,
                         upper_basis=bases[0], lower_basis=bases[1])

    def take(self, rows: NDArray[np.intp]) -> Constants:
        """The same for the limbs in `rows` alone."""
        return Constants(**{name: getattr(self, name)[rows] for name in self.__dataclass_fields__})


_UNBOUND = Binding((0.0, 1.0, 0.0), (0.0, 1.0, 0.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0), 0.0,
                   (0.0, 1.0, 0.0), (0.0, 0.0, -1.0), (0.0, 0.0, 0.0))


@dataclass(frozen=True)
class Sample:
    """What was read of N limbs, in armature space: points (N, 3), bones' columns (N, axis, 3), scalars (N,).

    length is the lower bone's rest length. Where `has_pole` is False, `pole` holds anything finite. bend_min and bend_max
    are radians, 0 straight, and may be crossed.
    turns: what the hands among them follow, None where none does.
    """

    root: Array
    joint: Array
    upper_columns: Array
    lower_columns: Array
    parent_columns: Array
    length: Array
    target: Array
    pole: Array
    has_pole: Mask
    influence: Array
    softness: Array
    pole_angle: Array
    bend_min: Array
    bend_max: Array
    turns: Turns | None = None


class Column:
    """A part of a problem's numbers by its own name and in its own shape."""

    def __init__(self, place: slice | int, *shape: int) -> None:
        self.place, self.shape = place, shape

    def __get__(self, problem: Problem, _owner: type) -> Array:
        found = problem.numbers[:, self.place]
        return found.reshape(-1, *self.shape) if self.shape else found


@dataclass(frozen=True)
class Problem:
    """What the solver is asked for N limbs, and the frames that turn its answer into bone rotations.

    numbers (N, bound.WIDTH): everything that decides the pose, one row per limb: two equal rows mean two equal poses.
    `sane` is False for rows that cannot be solved (not finite, a bone scaled to nothing); their values are harmless.
    bend_min, bend_max (N,): the flexions that the joint keeps to, ordered and within [0, pi].
    """

    numbers: Array
    sane: Mask

    root = Column(bound.ROOT)
    target = Column(bound.TARGET)
    pole = Column(bound.POLE)
    upper = Column(bound.UPPER)
    lower = Column(bound.LOWER)
    pole_angle = Column(bound.POLE_ANGLE)
    softness = Column(bound.SOFTNESS)
    bend_min = Column(bound.BEND_MIN)
    bend_max = Column(bound.BEND_MAX)
    fallback = Column(bound.FALLBACK)
    upper_basis = Column(bound.UPPER_BASIS, 3, 3)
    lower_basis = Column(bound.LOWER_BASIS, 3, 3)

    def take(self, places: Sequence[int]) -> Problem:
        """The same for some of the limbs alone."""
        return Problem(self.numbers[list(places)], self.sane[list(places)])

    def inputs(self) -> Array:
        """The numbers (N, bound.WIDTH)."""
        return self.numbers


def _row(*columns: Array) -> Array:
    """A problem's numbers (N, bound.WIDTH) out of its columns (N, ...), in their order."""
    count = len(columns[0])
    return np.concatenate([column.reshape(count, prod(column.shape[1:])) for column in columns], axis=1)


def basis(along: Array, normal: Array) -> Array:
    """Right-handed frames (N, 3, 3), columns along, towards the bend, normal; `normal` gives way, `along` does not."""
    x = along / np.linalg.norm(along, axis=-1, keepdims=True)
    z = normal - x * (x * normal).sum(-1, keepdims=True)
    z = z / np.linalg.norm(z, axis=-1, keepdims=True)
    return np.stack((np.cross(z, x), x, z), axis=-1)[..., (1, 0, 2)]


def pose_problem(sample: Sample, constants: Constants, *, as_bound: bool = False) -> Problem:
    """Bind constants and what was read, brought together.

    Bound lengths and directions, in double precision, are used while the measured ones agree within NOISE; where a
    bone was moved or scaled since, the measured ones are. as_bound: what `is_as_bound` says, where that is known.
    """
    problem = _plain_problem(sample, constants)
    if problem is not None and (as_bound or is_as_bound(sample, constants)):
        return problem
    sane = _sane(sample)
    if not sane.all():
        sample = _harmless(sample, sane)
    upper_vector = _in_bone(sample.upper_columns, sample.joint - sample.root)
    lower_vector = _norm(sample.lower_columns) * constants.tip * sample.length[:, None]
    limb = _norm(upper_vector) + _norm(lower_vector)
    upper_vector, upper_basis = _bound(upper_vector, constants.upper_vector, constants.upper_basis,
                                       constants.upper_normal, limb)
    lower_vector, lower_basis = _bound(lower_vector, constants.lower_vector, constants.lower_basis,
                                       constants.lower_normal, limb)
    upper, lower = _lengths(upper_vector, lower_vector)
    line = sample.target - sample.root
    target = _asked(sample.target, _dot(line, line), constants)
    pole, pole_angle, fallback = _bend(sample, constants, target)
    sane = sane & (upper + lower > 0.0)
    return Problem(_row(sample.root, target, pole, upper, np.where(sane, lower, 1.0), pole_angle, sample.softness,
                        *_flexions(sample), fallback, upper_basis, lower_basis), sane)


def is_as_bound(sample: Sample, constants: Constants) -> bool:
    """Whether the bones of every limb are to each other as they were bound, so that their lengths are known already.

    A number that is not finite fails every comparison.
    """
    gram = np.empty((2, len(sample.root), 3, 3))
    for part, columns in zip(gram, (sample.upper_columns, sample.lower_columns), strict=True):
        np.matmul(columns, columns.swapaxes(1, 2), out=part)
    products = gram.reshape(2, -1, 9)
    squares = products[:, :, DIAGONAL]
    if not ((np.abs(products[:, :, ABOVE]) <= NOISE * squares.max(2, keepdims=True)).all() and squares.all()):
        return False  # sheared or flat
    upper_scale, lower_scale = np.sqrt(squares)
    vector = sample.joint - sample.root
    upper = (sample.upper_columns @ vector[:, :, None])[:, :, 0] / upper_scale
    noise = NOISE * constants.limb[:, None]
    return bool((np.abs(upper - constants.upper_vector) <= noise).all()
                and (np.abs(lower_scale * constants.tip * sample.length[:, None] - constants.lower_vector) <= noise).all())


def _plain_problem(sample: Sample, constants: Constants) -> Problem | None:
    """What is asked where every limb is as it was bound, and bent by a pole well off its line, with every number finite:
    most frames of most scenes. None where the latter is not so."""
    if not sample.has_pole.all():
        return None
    line, towards = sample.target - sample.root, sample.pole - sample.root
    square, far = _dot(line, line), _dot(towards, towards)
    both = square * far
    if not (both - _dot(line, towards) ** 2 > WELL_OFF_LINE * both).all():
        return None
    numbers = constants.asked.copy()
    numbers[:, bound.ROOT], numbers[:, bound.POLE] = sample.root, sample.pole
    numbers[:, bound.TARGET] = _asked(sample.target, square, constants)
    numbers[:, bound.POLE_ANGLE] += sample.pole_angle
    numbers[:, bound.SOFTNESS] = sample.softness
    numbers[:, bound.BEND_MIN], numbers[:, bound.BEND_MAX] = _flexions(sample)
    if not isfinite(numbers[:, bound.POLE_ANGLE:bound.BEND_MAX + 1].sum() + sample.influence.sum()):
        return None
    return Problem(numbers, np.ones(len(numbers), dtype=bool))


def _flexions(sample: Sample) -> tuple[Array, Array]:
    """(least, greatest): crossed limits leave the joint stiff at their mean, where they met when they crossed."""
    least, greatest = np.minimum(sample.bend_min, pi), np.minimum(sample.bend_max, pi)  # single-precision pi is larger
    crossed = least > greatest
    if crossed.any():
        mean = 0.5 * (least + greatest)
        least, greatest = np.where(crossed, mean, least), np.where(crossed, mean, greatest)
    return least, greatest


def _lengths(upper_vector: Array, lower_vector: Array) -> tuple[Array, Array]:
    """Both bones' lengths (N,), the same where only noise tells them apart."""
    upper, lower = _norm(upper_vector), _norm(lower_vector)
    equal = np.abs(upper - lower) < NOISE * (upper + lower)
    mean = 0.5 * (upper + lower)
    return np.where(equal, mean, upper), np.where(equal, mean, lower)


def _asked(target: Array, square: Array, constants: Constants) -> Array:
    """The targets (N, 3) at these squared distances (N,) from their roots, with what their single-precision places lack,
    except near the root."""
    far = square > (NEAR_ROOT * constants.limb) ** 2
    return target + np.where(far[:, None], constants.residual, 0.0)


def solve(problem: Problem) -> solver.Solution:
    """What the solver answers, frames included. Limbs without limits of flexion come out as if none had any."""
    solution = _solve(problem, None, None)
    limited = np.flatnonzero(_limited(problem)).tolist()
    if limited:
        part = problem.take(limited)
        bent = _solve(part, part.bend_min, part.bend_max)
        for name in solution.__dataclass_fields__:
            getattr(solution, name)[limited] = getattr(bent, name)
    return solution


def reach_limits(problem: Problem) -> tuple[Array, Array]:
    """(nearest, farthest) distance (N,) from the root that the tip can have, softness aside."""
    nearest, farthest = np.abs(problem.upper - problem.lower), problem.upper + problem.lower
    limited = _limited(problem)
    if limited.any():
        bent = solver.exact_reach(problem.upper, problem.lower, 0.0, bend_min=problem.bend_min, bend_max=problem.bend_max)
        nearest, farthest = np.where(limited, bent[0], nearest), np.where(limited, bent[1], farthest)
    return nearest, farthest


def _limited(problem: Problem) -> Mask:
    return (problem.bend_min > 0.0) | (problem.bend_max < pi)


def _solve(problem: Problem, bend_min: Array | None, bend_max: Array | None) -> solver.Solution:
    return solver.solve(problem.root, problem.target, problem.pole, problem.upper, problem.lower,
                        pole_angle=problem.pole_angle, softness=problem.softness, fallback=problem.fallback,
                        bend_min=bend_min, bend_max=bend_max)


def rotations(problem: Problem) -> Array:
    """Armature-space rotations (N, 2, 3, 3) of the upper and lower bones, solved."""
    count = len(problem.numbers)
    few = bound.rotations(problem.numbers.tolist()) if count <= FEW else None
    if few is not None:
        return np.array(few).reshape(count, 2, 3, 3)
    solution = solve(problem)
    found = np.empty((count, 2, 3, 3))
    for bone, frame, axes in ((0, solution.upper_frame, problem.upper_basis), (1, solution.lower_frame, problem.lower_basis)):
        found[:, bone] = frame[:, :, None, 0] * axes[:, None, :, 0]
        for column in (1, 2):  # not as a product of matrices, which would round otherwise than floats do
            found[:, bone] += frame[:, :, None, column] * axes[:, None, :, column]
    return found


def deliveries(problem: Problem) -> tuple[list[list[float]], Array]:
    """Solve; angles (6 each) of the upper and lower bones in the single precision that constraints store, and their
    rotations (N, 2, 3, 3)."""
    turned = rotations(problem)
    return euler_xyz(turned).reshape(-1, 6).astype(np.float32).tolist(), turned


def delivered_angles(problem: Problem) -> list[list[float]]:
    """The angles of `deliveries` alone."""
    return deliveries(problem)[0]


def steadiness(problem: Problem) -> Array:
    """How little (N,) a limb's pose answers to a change of its inputs over its length, 1 where it moves as far as they do.

    That is the sine of the angle at the joint where it is bent; out of reach it is the same root of the other sign: a limb
    just past a limit is about to bend. It is less where the target is near the root, or the pole near it or near the line
    between them, because little turns the plane of the bend then.
    """
    line, towards = problem.target - problem.root, problem.pole - problem.root
    square, far = _dot(line, line), _dot(towards, towards)
    sides = 2.0 * problem.upper * problem.lower
    cosine = (square - problem.upper**2 - problem.lower**2) / np.where(sides > 0.0, sides, 1.0)
    across = np.sqrt(np.maximum(square * far - _dot(line, towards) ** 2, 0.0))  # of both: |line| times the pole's way off it
    longer = np.sqrt(np.maximum(square, far))
    plane = across / np.where(longer > 0.0, longer * (problem.upper + problem.lower), 1.0)
    return np.minimum(np.sqrt(np.abs(1.0 - cosine * cosine)), 1.0) * np.minimum(plane, 1.0)


def euler_xyz(rotation: Array) -> Array:
    """Angles (N, 3) of rotations (N, 3, 3) with rotation = Rz(z) @ Ry(y) @ Rx(x), Blender's order XYZ.

    The third angle is taken from the rotation that the first leaves behind, so that the three together stay exact
    up to gimbal lock, where each alone is undefined.
    """
    _xx, xy, xz, _yx, yy, yz, zx, zy, zz = rotation.reshape(-1, 9).T.copy()
    x = np.arctan2(zy, zz)
    y = np.arctan2(-zx, np.hypot(zy, zz))
    sin, cos = np.sin(x), np.cos(x)
    z = np.arctan2(sin * xz - cos * xy, cos * yy - sin * yz)
    return np.array((x, y, z)).T.reshape(rotation.shape[:-1])


def _dot(first: Array, second: Array) -> Array:
    return np.einsum('ij,ij->i', first, second)


def _norm(vector: Array) -> Array:
    return np.sqrt((vector * vector).sum(-1))


def _sane(sample: Sample) -> Mask:
    numbers = (sample.root, sample.joint, sample.target, sample.pole, sample.parent_columns,
               sample.pole_angle, sample.softness, sample.influence, sample.length, sample.bend_min, sample.bend_max)
    finite = np.ones(len(sample.root), dtype=bool)
    for values in numbers:
        finite &= np.isfinite(values).reshape(len(finite), -1).all(-1)
    for columns in (sample.upper_columns, sample.lower_columns):
        size = _norm(columns)
        with np.errstate(all='ignore'):
            volume = np.abs((np.cross(columns[:, 0], columns[:, 1]) * columns[:, 2]).sum(-1))
            finite &= (volume > 1e-9 * size[:, 0] * size[:, 1] * size[:, 2]) & (size < TOO_LARGE).all(-1)
    return finite


def _harmless(sample: Sample, sane: Mask) -> Sample:
    """The same sample with a unit limb in place of the rows that cannot be solved."""
    stand_in = {"joint": (0.0, 1.0, 0.0), "target": (0.0, 1.0, 0.0), "length": 1.0, "bend_max": pi}
    fields = {}
    for name in sample.__dataclass_fields__.keys() - {"turns"}:
        values = getattr(sample, name)
        if name == "has_pole":
            fields[name] = values & sane
            continue
        neutral = np.eye(3) if name.endswith("columns") else np.asarray(stand_in.get(name, 0.0))
        fields[name] = np.where(sane.reshape((-1,) + (1,) * (values.ndim - 1)), values, neutral)
    return replace(sample, **fields)


def _in_bone(columns: Array, vector: Array) -> Array:
    """`vector` (N, 3) in the axes that the bone will have, its shear taken out: scale times its local coordinates."""
    local = np.linalg.solve(columns.swapaxes(-1, -2), vector[..., None])[..., 0]
    return np.linalg.norm(columns, axis=-1) * local


def _bound(measured: Array, bound: Array, bound_basis: Array, normal: Array, limb: Array) -> tuple[Array, Array]:
    changed = np.abs(measured - bound).max(-1) > NOISE * limb
    if not changed.any():
        return bound, bound_basis
    vector = np.where(changed[:, None], measured, bound)
    frames = bound_basis.copy()
    turnable = changed & (_norm(measured) > 0.0)
    frames[turnable] = basis(measured[turnable], normal[turnable])
    return vector, frames


def _bend(sample: Sample, constants: Constants, target: Array) -> tuple[Array, Array, Array]:
    """(pole, pole_angle, fallback): a pole on the line is moved onto the fallback, with the user's angle alone.

    Where a pole decides, no fallback is asked for, and what is given does not depend on anything read.
    """
    forward = target - sample.root
    towards = sample.pole - sample.root
    across = np.cross(forward, towards)
    decided = sample.has_pole & (_norm(across) > POLE_ON_LINE * _norm(forward) * _norm(towards))
    if decided.all():
        return sample.pole, sample.pole_angle + constants.pole_angle, constants.bend
    fallback = np.where(decided[:, None], constants.bend, _carried_bend(sample.parent_columns, constants, forward))
    decided |= sample.has_pole & (_norm(forward) == 0.0)
    pole = np.where(decided[:, None], sample.pole, sample.root + fallback)
    return pole, sample.pole_angle + np.where(decided, constants.pole_angle, 0.0), fallback


def _carried_bend(parent_columns: Array, constants: Constants, line: Array) -> Array:
    """The bound bend, carried by the root's parent and swung with the limb by the shortest turn from its bound line."""
    size = np.linalg.norm(parent_columns, axis=-1, keepdims=True)
    axes = parent_columns / np.where(size > 0.0, size, 1.0)
    forward = (constants.forward[:, :, None] * axes).sum(1)
    bend = (constants.bend[:, :, None] * axes).sum(1)
    length = _norm(line)[:, None]
    now = np.where(length > 0.0, line / np.where(length > 0.0, length, 1.0), forward)
    cosine = (forward * now).sum(-1, keepdims=True)
    cross = np.cross(forward, now)
    turn = 1.0 / np.maximum(1.0 + cosine, 1e-12)
    return bend * cosine + np.cross(cross, bend) + cross * (cross * bend).sum(-1, keepdims=True) * turn
