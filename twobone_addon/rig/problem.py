# SPDX-License-Identifier: GPL-3.0-or-later
"""From what was read of the bones to what the solver is asked, and from its answer to the bones' rotations.

Arrays only, no bpy. Nothing in here depends on the pose that was delivered before: a bone's scale and the place of
the next joint in its frame stay what they are while the limb turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .. import solver
from .binding import NEAR_ROOT, NOISE, POLE_ON_LINE, Binding
from .follow import Turns

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Constants:
    """The bindings of N limbs as arrays; a limb that has none gets those of a straight unit limb and is never solved.

    upper_basis, lower_basis (N, 3, 3): columns are the solver's frame in the bone's own axes.
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

    @staticmethod
    def of(bindings: Sequence[Binding | None]) -> Constants:
        """Stack the records, one row each."""
        usable = [binding or _UNBOUND for binding in bindings]
        columns = {name: np.array([getattr(binding, name) for binding in usable], dtype=float).reshape(
            (len(usable),) if name == "pole_angle" else (len(usable), 3)) for name in Binding.__dataclass_fields__}
        return Constants(**columns,
                         upper_basis=basis(columns["upper_vector"], columns["upper_normal"]),
                         lower_basis=basis(columns["lower_vector"], columns["lower_normal"]))

    def take(self, rows: NDArray[np.intp]) -> Constants:
        """The same for the limbs in `rows` alone."""
        return Constants(**{name: getattr(self, name)[rows] for name in self.__dataclass_fields__})


_UNBOUND = Binding((0.0, 1.0, 0.0), (0.0, 1.0, 0.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0), 0.0,
                   (0.0, 1.0, 0.0), (0.0, 0.0, -1.0), (0.0, 0.0, 0.0))


@dataclass(frozen=True)
class Sample:
    """What was read of N limbs, in armature space: points (N, 3), bones' columns (N, axis, 3), scalars (N,).

    length is the lower bone's rest length. Where `has_pole` is False, `pole` holds anything finite.
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
    turns: Turns | None = None


@dataclass(frozen=True)
class Problem:
    """What the solver is asked for N limbs, and the frames that turn its answer into bone rotations.

    `sane` is False for rows that cannot be solved (not finite, a bone scaled to nothing); their values are harmless.
    """

    root: Array
    target: Array
    pole: Array
    upper: Array
    lower: Array
    pole_angle: Array
    softness: Array
    fallback: Array
    upper_basis: Array
    lower_basis: Array
    sane: Mask

    def take(self, places: Sequence[int]) -> Problem:
        """The same for some of the limbs alone."""
        return Problem(**{name: getattr(self, name)[list(places)] for name in self.__dataclass_fields__})

    def inputs(self) -> Array:
        """Everything that decides the pose, one row per limb: two equal rows mean two equal poses."""
        count = len(self.root)
        return np.concatenate([getattr(self, name).reshape(count, -1) for name in (
            "root", "target", "pole", "upper", "lower", "pole_angle", "softness", "fallback",
            "upper_basis", "lower_basis")], axis=1)


def basis(along: Array, normal: Array) -> Array:
    """Right-handed frames (N, 3, 3), columns along, towards the bend, normal; `normal` gives way, `along` does not."""
    x = along / np.linalg.norm(along, axis=-1, keepdims=True)
    z = normal - x * (x * normal).sum(-1, keepdims=True)
    z = z / np.linalg.norm(z, axis=-1, keepdims=True)
    return np.stack((np.cross(z, x), x, z), axis=-1)[..., (1, 0, 2)]


def pose_problem(sample: Sample, constants: Constants) -> Problem:
    """Bind constants and what was read, brought together.

    Bound lengths and directions, in double precision, are used while the measured ones agree within NOISE; where a
    bone was moved or scaled since, the measured ones are.
    """
    sane = _sane(sample)
    if not sane.all():
        sample = _harmless(sample, sane)
    upper_vector = _in_bone(sample.upper_columns, sample.joint - sample.root)
    lower_scale = np.linalg.norm(sample.lower_columns, axis=-1)
    lower_vector = lower_scale * constants.tip * sample.length[:, None]
    limb = _norm(upper_vector) + _norm(lower_vector)
    upper_vector, upper_basis = _bound(upper_vector, constants.upper_vector, constants.upper_basis,
                                       constants.upper_normal, limb)
    lower_vector, lower_basis = _bound(lower_vector, constants.lower_vector, constants.lower_basis,
                                       constants.lower_normal, limb)
    upper, lower = _norm(upper_vector), _norm(lower_vector)
    equal = np.abs(upper - lower) < NOISE * limb
    if equal.any():
        mean = 0.5 * (upper + lower)
        upper, lower = np.where(equal, mean, upper), np.where(equal, mean, lower)

    line = sample.target - sample.root
    far = _norm(line) > NEAR_ROOT * limb
    target = sample.target + np.where(far[:, None], constants.residual, 0.0)
    pole, pole_angle, fallback = _bend(sample, constants, target)
    sane = sane & (upper + lower > 0.0)
    return Problem(sample.root, target, pole, upper, np.where(sane, lower, 1.0), pole_angle, sample.softness, fallback,
                   upper_basis, lower_basis, sane)


def solve(problem: Problem) -> solver.Solution:
    """What the solver answers, frames included."""
    return solver.solve(problem.root, problem.target, problem.pole, problem.upper, problem.lower,
                        pole_angle=problem.pole_angle, softness=problem.softness, fallback=problem.fallback)


def rotations(solution: solver.Solution, problem: Problem) -> tuple[Array, Array]:
    """Armature-space rotations (N, 3, 3) of the upper and lower bones that put them into the solved frames."""
    return (solution.upper_frame @ problem.upper_basis.swapaxes(-1, -2),
            solution.lower_frame @ problem.lower_basis.swapaxes(-1, -2))


def delivered_angles(problem: Problem) -> list[list[float]]:
    """Solve; angles (6 each) of the upper and lower bones in the single precision that constraints store."""
    upper, lower = rotations(solve(problem), problem)
    return np.concatenate((euler_xyz(upper), euler_xyz(lower)), axis=1).astype(np.float32).tolist()


def bent(problem: Problem) -> Array:
    """Sine (N,) of the angle at the joint: the smaller, the more the pose answers to a change of the inputs."""
    line = problem.target - problem.root
    sides = 2.0 * problem.upper * problem.lower
    cosine = ((line * line).sum(1) - problem.upper**2 - problem.lower**2) / np.where(sides > 0.0, sides, 1.0)
    return np.sqrt(np.maximum(1.0 - cosine * cosine, 0.0))


def euler_xyz(rotation: Array) -> Array:
    """Angles (N, 3) of rotations (N, 3, 3) with rotation = Rz(z) @ Ry(y) @ Rx(x), Blender's order XYZ.

    The third angle is taken from the rotation that the first leaves behind, so that the three together stay exact
    up to gimbal lock, where each alone is undefined.
    """
    x = np.arctan2(rotation[..., 2, 1], rotation[..., 2, 2])
    y = np.arctan2(-rotation[..., 2, 0], np.hypot(rotation[..., 2, 1], rotation[..., 2, 2]))
    sin, cos = np.sin(x), np.cos(x)
    z = np.arctan2(sin * rotation[..., 0, 2] - cos * rotation[..., 0, 1],
                   cos * rotation[..., 1, 1] - sin * rotation[..., 1, 2])
    return np.stack((x, y, z), axis=-1)


def _norm(vector: Array) -> Array:
    return np.sqrt((vector * vector).sum(-1))


def _sane(sample: Sample) -> Mask:
    numbers = (sample.root, sample.joint, sample.target, sample.pole, sample.parent_columns,
               sample.pole_angle, sample.softness, sample.influence, sample.length)
    finite = np.ones(len(sample.root), dtype=bool)
    for values in numbers:
        finite &= np.isfinite(values).reshape(len(finite), -1).all(-1)
    for columns in (sample.upper_columns, sample.lower_columns):
        size = _norm(columns)
        with np.errstate(all='ignore'):
            volume = np.abs((np.cross(columns[:, 0], columns[:, 1]) * columns[:, 2]).sum(-1))
            finite &= volume > 1e-9 * size[:, 0] * size[:, 1] * size[:, 2]
    return finite


def _harmless(sample: Sample, sane: Mask) -> Sample:
    """The same sample with a unit limb in place of the rows that cannot be solved."""
    stand_in = {"joint": (0.0, 1.0, 0.0), "target": (0.0, 1.0, 0.0), "length": 1.0}
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
    """(pole, pole_angle, fallback): a pole on the line is moved onto the fallback, with the user's angle alone."""
    forward = target - sample.root
    towards = sample.pole - sample.root
    across = np.cross(forward, towards)
    decided = sample.has_pole & (_norm(across) > POLE_ON_LINE * _norm(forward) * _norm(towards))
    at_root = _norm(forward) == 0.0
    decided |= sample.has_pole & at_root
    if decided.all() and not at_root.any():
        return sample.pole, sample.pole_angle + constants.pole_angle, constants.bend
    fallback = _carried_bend(sample.parent_columns, constants, forward)
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
