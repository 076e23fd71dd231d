# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs in many frames, as the arrays that everything about them can be computed from without Blender."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from .. import live
from ..engine.plan import Plan
from ..engine.problem import Sample
from ..errors import Refusal
from ..limb import Limb
from ..words import say

Array = NDArray[np.float64]

SAMPLED = tuple(field.name for field in fields(Sample) if field.name != "turns")
"""The fields of a sample that have a row for every limb."""

ARRAYS = ("channels", "between", "target_columns", "follow", "to_world")
"""Fields of Samples with a row for every frame and limb."""


@dataclass(frozen=True)
class Samples:
    """Inputs of N limbs in F frames; whoever can tell them without evaluating the scene may make them too.

    frames: (F,). sample: as for a single frame, with fields (F, N, ...) and no turns; NaN for a limb with a fault.
    channels (F, N, 3, 3, 3): rotation and scale of the own channels of the upper bone, the lower bone and the hand.
    between (F, N, 2, 3, 3): axes of the lower bone's parent in those of the upper bone, of the hand's parent in those of
    the lower; the identity where these bones are the parents. target_columns (F, N, axis, 3): the axes that a hand
    follows; follow (F, N): how much it does, 0 without a hand. to_world (F, N, 4, 4): the armature object's matrix.
    shares (N, 3): 0 for a bone whose delivery the user has muted, else 1. faults: per limb the sentence why it rests in
    all frames, or ''. as_bound: what `problem.is_as_bound` says of all frames, where that is known.
    """

    frames: Array
    sample: Sample
    channels: Array
    between: Array
    target_columns: Array
    follow: Array
    to_world: Array
    shares: Array
    faults: tuple[str, ...]
    as_bound: bool = False

    def take(self, some: slice | NDArray[np.intp]) -> Samples:
        """The same in some of the frames."""
        per_frame = {name: getattr(self, name)[some] for name in ("frames", *ARRAYS)}
        sample = {name: getattr(self.sample, name)[some] for name in SAMPLED}
        return replace(self, sample=Sample(**sample), **per_frame)

    def of_limbs(self, some: slice | Sequence[int]) -> Samples:
        """The same of some of the limbs."""
        per_limb = {name: getattr(self, name)[:, some] for name in ARRAYS}
        sample = {name: getattr(self.sample, name)[:, some] for name in SAMPLED}
        return replace(self, sample=Sample(**sample), shares=self.shares[some],
                       faults=tuple(np.array(self.faults, dtype=object)[some]), **per_limb)

    def usable(self, sane: NDArray[np.bool_]) -> Samples:
        """The same with harmless numbers where `sane` (F, N) is False, but for the bones' own channels."""
        if sane.all():
            return self

        def harmless(values: Array, sane: NDArray[np.bool_] = sane) -> Array:
            neutral = np.eye(3) if values.shape[-2:] == (3, 3) else 0.0
            return np.where(sane.reshape(sane.shape + (1,) * (values.ndim - sane.ndim)), values, neutral)

        sample: dict[str, Any] = {name: harmless(getattr(self.sample, name)) for name in SAMPLED if name != "has_pole"}
        return replace(self, sample=replace(self.sample, **sample),
                       channels=harmless(self.channels, np.isfinite(self.channels).all((-1, -2))),
                       between=harmless(self.between), target_columns=harmless(self.target_columns),
                       follow=harmless(self.follow))


def rows_of(plan: Plan, limbs: Sequence[Limb]) -> list[int]:
    """Their rows in the plan; refuses a limb that is not in the plan's scene."""
    found = []
    for limb in limbs:
        row = plan.row_of(limb)
        if row is None:
            raise Refusal(say('"{object}" is not in the scene. Link it there first', object=limb.armature.name))
        found.append(row)
    return found


def current_plan(scene: bpy.types.Scene) -> Plan:
    """The live engine's plan of `scene` as it is now, also where bones were renamed a moment ago."""
    plan = live.plan_of(scene)
    if not plan.is_current:
        plan.follow_renames()
        live.state.forget_plans()
        plan = live.plan_of(scene)
    return plan
