"""The compiled kernel is the kernel, bit for bit, or it says that it does not know."""

import itertools
import math

import numpy as np
import pytest

from twobone_addon.solver import single, solve
from twobone_addon.solver.arithmetic import SCALAR
from twobone_addon.solver.traced import straightened

KINDS = list(itertools.product((True, False), repeat=6))


def rows(seed, count, has_pole, has_fallback, softened, turned, limited):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        root, target, pole, fallback = rng.normal(size=(4, 3)) * 10.0 ** rng.uniform(-3, 3)
        distance = np.linalg.norm(target - root)
        upper, lower = distance * rng.uniform(0.2, 2), distance * rng.uniform(0.2, 2)
        least, greatest = sorted(rng.uniform(0, math.pi, 2)) if limited else (None, None)
        angle = rng.uniform(-3, 3)
        yield (tuple(root.tolist()), tuple(target.tolist()), tuple(pole.tolist()) if has_pole else None,
               tuple(fallback.tolist()) if has_fallback else None, single.bones_within(upper, lower, least, greatest),
               (math.cos(angle), math.sin(angle)) if turned else None, rng.uniform(0, 0.9) if softened else None)


@pytest.mark.parametrize("frames, has_pole, has_fallback, softened, turned, limited", KINDS)
def test_every_kind_has_the_bits_of_the_kernel(frames, has_pole, has_fallback, softened, turned, limited):
    straight = single._straight(frames, has_pole, has_fallback, softened, turned, limited)
    known = 0
    for row in rows(5, 60, has_pole, has_fallback, softened, turned, limited):
        found, expected = straight(*row), single.limb(SCALAR, *row, frames=frames)
        assert found is None or found == expected
        known += found is not None
    assert known >= 58


def test_limbs_out_of_the_ordinary_are_left_to_the_kernel():
    straight = single._straight(True, True, False, False, False, False)
    bones, folded, tiny = (single.bones_within(*lengths, None, None) for lengths in ((1.0, 0.5), (1.0, 0.0), (1e-80, 1e-80)))
    root, target, pole = (0.0, 0.0, 0.0), (0.0, 1.2, 0.0), (1.0, 0.0, 0.0)
    rest = (None, None)
    assert straight(root, target, pole, None, bones, *rest) is not None
    for there, towards, lengths in ((root, pole, bones), (target, target, bones), (target, root, bones), (target, pole, folded),
                                    (target, pole, tiny), ((0.0, 1e80, 0.0), pole, bones), ((math.nan, 1.0, 0.0), pole, bones),
                                    (target, (math.inf, 0.0, 0.0), bones)):
        assert straight(root, there, towards, None, lengths, *rest) is None, (there, towards, lengths)


def test_ordinary_limbs_never_need_the_kernel(monkeypatch):
    def refuse(*_given, **_named):
        raise AssertionError("not compiled")

    rng = np.random.default_rng(8)
    root, target, pole = rng.normal(size=(3, 20, 3))
    expected = solve(np.repeat(root, 2, 0), np.repeat(target, 2, 0), np.repeat(pole, 2, 0), 1.0, 0.8)
    single._straight(True, True, False, False, False, False)
    monkeypatch.setattr(single, "pose", refuse)
    found = solve(root, target, pole, 1.0, 0.8)
    assert np.array_equal(found.joint, expected.joint[::2])
    assert np.array_equal(found.lower_frame, expected.lower_frame[::2])


def test_a_guard_that_fails_answers_none_and_does_not_divide():
    def kernel(ops, numbers, other):
        a, b = numbers
        if not ops.within(0.0, b, 10.0):
            ops.out_of_range()
        share = a / b
        return (ops.maximum(share, 0.0) + ops.minimum(a, b), ops.where((a < b) & (a > 0.0), a, -b), share * share,
                abs(a) if other else a)

    straight = straightened(kernel, (1.0, 1.0), True)
    for a in (-3.0, -0.0, 0.5, 7.0):
        assert straight((a, 2.0), True) == kernel(SCALAR, (a, 2.0), True)
    assert straight((1.0, 0.0), True) is straight((1.0, 11.0), True) is straight((1.0, 2.0), False) is None
