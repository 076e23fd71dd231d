# SPDX-License-Identifier: GPL-3.0-or-later
"""A mannequin for the human metarig: what it is made of, bone by bone."""

from __future__ import annotations

import bpy

from . import materials, skin
from .skin import Part

TORSO = (
    Part("spine", 0.3, 0.65, (0.1, 0.1), 1.72, 1.08),
    Part("spine.001", 0.0, 1.0, (0.1, 0.098), 1.4, 1.0),
    Part("spine.002", 0.1, 1.0, (0.105, 0.12), 1.45, 1.02),
    Part("spine.003", 0.0, 0.45, (0.122, 0.1), 1.5, 0.95),
    Part("spine.003", 0.45, 0.9, (0.1, 0.055), 1.25, 0.9),
    Part("spine.004", -0.9, 1.0, (0.06, 0.054)),
    Part("spine.005", 0.0, 1.0, (0.054, 0.054)),
    Part("spine.006", 0.36, 0.54, (0.086, 0.1), 0.86, 1.06),
    Part("spine.006", 0.12, 0.4, (0.048, 0.05), 1.0, 1.0, (0.0, -0.052, 0.0)),
)
SIDE = (
    Part("shoulder", 0.35, 1.0, (0.062, 0.064)),
    Part("upper_arm", 0.02, 1.0, (0.064, 0.043)),
    Part("forearm", 0.0, 1.0, (0.045, 0.03)),
    Part("hand", 0.3, 1.1, (0.033, 0.036), 0.62, 1.25),
    Part("thigh", 0.04, 1.0, (0.094, 0.058), 0.95, 1.08),
    Part("shin", 0.0, 1.0, (0.058, 0.039)),
    Part("foot", -0.1, 1.0, (0.045, 0.036), 1.0, 0.8),
    Part("foot", 0.1, 0.9, (0.04, 0.034), 0.9, 0.8, (0.0, 0.012, -0.02)),
    Part("toe", 0.0, 0.75, (0.036, 0.028), 1.2, 0.75),
    Part("heel.02", 0.45, 0.55, (0.044, 0.044), 1.0, 1.0, (0.0, -0.014, 0.033)),
    *(Part(f"palm.0{finger}", 0.0, 1.0, (0.014, 0.014)) for finger in (1, 2, 3, 4)),
    *(Part(f"{finger}.0{joint}", 0.0, 1.0, (0.0125, 0.0115)) for joint in (1, 2, 3)
      for finger in ("thumb", "f_index", "f_middle", "f_ring", "f_pinky")),
)

SKIN, TINT = (0.62, 0.58, 0.53), (0.05, 0.22, 0.42)


def add(armature: bpy.types.Object, tinted: set[str]) -> bpy.types.Object:
    """Give the human metarig `armature` a body that follows it; the skin of the bones `tinted` has another colour."""
    parts = [*TORSO, *(part.on(side) for side in "LR" for part in SIDE)]
    body = skin.melt("Body", armature, parts)
    names = list(dict.fromkeys(part.bone for part in parts))
    weights = skin.weights(body.data, armature, parts, names)
    for name, column in zip(names, weights.T):
        group = body.vertex_groups.new(name=name)
        for vertex in (column > 0.01).nonzero()[0].tolist():
            group.add((vertex,), float(column[vertex]), 'REPLACE')
    body.parent = armature
    body.modifiers.new("Armature", 'ARMATURE').object = armature
    share = weights[:, [name in tinted for name in names]].sum(axis=1)
    body.data.attributes.new("tint", 'FLOAT', 'POINT').data.foreach_set("value", share)
    body.data.materials.append(materials.two_tone("Body", SKIN, TINT, "tint"))
    return body
