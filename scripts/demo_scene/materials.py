# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials of the demo."""

from __future__ import annotations

import bpy

Colour = tuple[float, float, float]


def plain(name: str, colour: Colour, roughness: float = 0.5, glow: float = 0.0) -> bpy.types.Material:
    """One colour; with `glow` it shines by itself."""
    material, shader = _principled(name, roughness)
    shader.inputs["Base Color"].default_value = (*colour, 1.0)
    shader.inputs["Emission Color"].default_value = (*colour, 1.0)
    shader.inputs["Emission Strength"].default_value = glow
    return material


def two_tone(name: str, colour: Colour, other: Colour, attribute: str) -> bpy.types.Material:
    """`colour` where the mesh attribute is below one half, `other` where it is above, with a narrow blend."""
    material, shader = _principled(name, 0.55)
    nodes, links = material.node_tree.nodes, material.node_tree.links
    source, ramp = nodes.new('ShaderNodeAttribute'), nodes.new('ShaderNodeValToRGB')
    source.attribute_name = attribute
    for element, place, shown in zip(ramp.color_ramp.elements, (0.45, 0.55), (colour, other)):
        element.position, element.color = place, (*shown, 1.0)
    links.new(source.outputs["Fac"], ramp.inputs[0])
    links.new(ramp.outputs["Color"], shader.inputs["Base Color"])
    return material


def checker(name: str, colour: Colour, other: Colour, tile: float) -> bpy.types.Material:
    """Squares `tile` metres wide that go with the object."""
    material, shader = _principled(name, 0.9)
    nodes, links = material.node_tree.nodes, material.node_tree.links
    place, squares = nodes.new('ShaderNodeTexCoord'), nodes.new('ShaderNodeTexChecker')
    squares.inputs["Color1"].default_value, squares.inputs["Color2"].default_value = (*colour, 1.0), (*other, 1.0)
    squares.inputs["Scale"].default_value = 1.0 / tile
    links.new(place.outputs["Object"], squares.inputs["Vector"])
    links.new(squares.outputs["Color"], shader.inputs["Base Color"])
    return material


def lettering(name: str, colour: Colour) -> bpy.types.Material:
    """A flat colour that no light changes."""
    material = plain(name, (0.0, 0.0, 0.0), 1.0, 1.0)
    shader = next(node for node in material.node_tree.nodes if node.type == 'BSDF_PRINCIPLED')
    shader.inputs["Emission Color"].default_value = (*colour, 1.0)
    return material


def _principled(name: str, roughness: float) -> tuple[bpy.types.Material, bpy.types.Node]:
    material = bpy.data.materials.new(name)
    if material.node_tree is None:  # what later Blenders make by themselves
        material.use_nodes = True
    shader = next(node for node in material.node_tree.nodes if node.type == 'BSDF_PRINCIPLED')
    shader.inputs["Roughness"].default_value = roughness
    return material, shader
