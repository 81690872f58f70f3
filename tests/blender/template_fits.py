# SPDX-License-Identifier: Apache-2.0
"""Materials of node templates, pictures of them by Cycles, and fits that are to find them again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

import weft_blender
from weft import image

SIZE = 40
SAMPLES = 128  # a power of two, at which Cycles' sequence is balanced: all pixels of 96 err alike
Values = Mapping[str, "float | tuple[float, float, float]"]


@dataclass(frozen=True)
class Subject:
    """A material of a template.

    Attributes:
        template: Of the folder node_templates.
        build: Links the template's node into a material's tree.
        truth: Inputs of the node, by the names of their sockets, as the picture shows them.
        start: The same, where the fit begins.
        known: Inputs that are neither.
        is_round: It is on a sphere instead of a plane.
    """

    template: str
    build: Callable[[bpy.types.NodeTree, bpy.types.Node], None]
    truth: Values
    start: Values
    known: Values = field(default_factory=dict)
    is_round: bool = False


def on_surface(tree: bpy.types.NodeTree, node: bpy.types.Node) -> None:
    """Let a pattern color and raise a rough surface."""
    shader = tree.nodes["Principled BSDF"]
    shader.inputs["Roughness"].default_value = 0.7
    coordinate = tree.nodes.new("ShaderNodeTexCoord")
    tree.links.new(coordinate.outputs["UV"], node.inputs["Coordinate"])
    tree.links.new(node.outputs["Color"], shader.inputs["Base Color"])
    raise_by(tree, node.outputs["Height"], 0.02)


def raise_by(tree: bpy.types.NodeTree, height: bpy.types.NodeSocket, distance: float) -> None:
    """Let a height bump the surface."""
    bump = tree.nodes.new("ShaderNodeBump")
    bump.inputs["Distance"].default_value = distance
    tree.links.new(height, bump.inputs["Height"])
    tree.links.new(bump.outputs["Normal"], tree.nodes["Principled BSDF"].inputs["Normal"])


def on_metal(tree: bpy.types.NodeTree, node: bpy.types.Node) -> None:
    """Let a film color a metal, by the angle at which it is seen."""
    shader = tree.nodes["Principled BSDF"]
    shader.inputs["Roughness"].default_value = 0.35
    shader.inputs["Metallic"].default_value = 1.0
    geometry = tree.nodes.new("ShaderNodeNewGeometry")
    cosine = tree.nodes.new("ShaderNodeVectorMath")
    cosine.operation = "DOT_PRODUCT"
    tree.links.new(geometry.outputs["Normal"], cosine.inputs[0])
    tree.links.new(geometry.outputs["Incoming"], cosine.inputs[1])
    tree.links.new(cosine.outputs["Value"], node.inputs["Cosine"])
    tree.links.new(node.outputs[0], shader.inputs["Base Color"])


def as_ripples(tree: bpy.types.NodeTree, node: bpy.types.Node) -> None:
    """Let waves raise a surface, and color it from a palette."""
    shader = tree.nodes["Principled BSDF"]
    shader.inputs["Roughness"].default_value = 0.6
    coordinate = tree.nodes.new("ShaderNodeTexCoord")
    tree.links.new(coordinate.outputs["UV"], node.inputs["Coordinate"])
    half = tree.nodes.new("ShaderNodeMath")
    half.operation, half.inputs[1].default_value = "MULTIPLY", 0.5
    tree.links.new(node.outputs["Wave"], half.inputs[0])
    palette = weft_blender.add_node(
        tree,
        "template:color/cosine_palette",
        factor=half.outputs[0],
        bias=(0.45, 0.4, 0.35),
        amplitude=(0.3, 0.25, 0.2),
        phase=(0.0, 0.05, 0.1),
    )
    tree.links.new(palette.outputs[0], shader.inputs["Base Color"])
    raise_by(tree, node.outputs["Wave"], 0.02)


SUBJECTS = {
    "bricks": Subject(
        "pattern/bricks",
        on_surface,
        truth={
            "Mortar": 0.2,
            "Color 1": (0.5, 0.18, 0.1),
            "Color 2": (0.25, 0.1, 0.08),
            "Mortar Color": (0.5, 0.48, 0.42),
        },
        start={
            "Mortar": 0.1,
            "Color 1": (0.3, 0.3, 0.3),
            "Color 2": (0.3, 0.3, 0.3),
            "Mortar Color": (0.3, 0.3, 0.3),
        },
        known={"Scale": 6.0, "Color Softness": 0.1},
    ),
    "planks": Subject(
        "pattern/planks",
        on_surface,
        truth={
            "Color 1": (0.5, 0.3, 0.15),
            "Color 2": (0.22, 0.12, 0.05),
            "Gap": 0.1,
            "Grain": 0.8,
        },
        start={
            "Color 1": (0.3, 0.3, 0.3),
            "Color 2": (0.2, 0.2, 0.2),
            "Gap": 0.05,
            "Grain": 0.4,
        },
        known={"Scale": 5.0, "Color Softness": 0.1},
    ),
    "scales": Subject(
        "pattern/fish_scales",
        on_surface,
        truth={
            "Color 1": (0.08, 0.4, 0.35),
            "Color 2": (0.2, 0.55, 0.3),
            "Edge": 0.12,
            "Occlusion": 0.6,
        },
        start={
            "Color 1": (0.3, 0.3, 0.3),
            "Color 2": (0.3, 0.3, 0.3),
            "Edge": 0.06,
            "Occlusion": 0.3,
        },
        known={"Scale": 5.0},
    ),
    "film": Subject(
        "color/thin_film_color",
        on_metal,
        truth={"Thickness": 420.0, "Film IOR": 1.6, "Base Extinction": 2.5},
        start={"Thickness": 380.0, "Film IOR": 1.45, "Base Extinction": 3.5},
        known={"Base IOR": 2.0},
        is_round=True,
    ),
    "ripples": Subject(
        "noise/phasor_noise",
        as_ripples,
        truth={"Frequency": 1.5, "Direction": 0.9, "Phase": 0.2},
        start={"Frequency": 1.4, "Direction": 0.8, "Phase": 0.05},
        known={"Scale": 3.0, "Spread": 0.3},
    ),
}


def set_inputs(node: bpy.types.Node, values: Values) -> None:
    """Set sockets by their names."""
    for name, value in values.items():
        node.inputs[name].default_value = (*value, 1.0) if isinstance(value, tuple) else value


def clear() -> None:
    """Begin an empty file."""
    bpy.ops.wm.read_factory_settings(use_empty=True)


def build(subject: Subject) -> bpy.types.Node:
    """Build the scene of a subject; return the template's node."""
    scene = bpy.context.scene
    material = bpy.data.materials.new("Thing")
    if material.node_tree is None:
        material.use_nodes = True
    node = weft_blender.add_node(material, f"template:{subject.template}")
    node.name = "Template"
    subject.build(material.node_tree, node)
    set_inputs(node, subject.known)
    if subject.is_round:
        bpy.ops.mesh.primitive_uv_sphere_add(segments=64, ring_count=32)
        bpy.ops.object.shade_smooth()
    else:
        bpy.ops.mesh.primitive_plane_add(size=2)
    bpy.context.object.data.materials.append(material)
    add_light("Key", "AREA", (1.5, -1.0, 3.0), 150.0)
    world = bpy.data.worlds.new("World")
    if world.node_tree is None:
        world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.4, 0.4, 0.4, 1)
    scene.world = world
    scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.camera.location = (0, 0, 3)
    scene.collection.objects.link(scene.camera)
    return node


def add_light(name: str, kind: str, place: tuple[float, float, float], power: float) -> None:
    """Add a light that looks at the middle."""
    light = bpy.data.objects.new(name, bpy.data.lights.new(name, kind))
    light.data.energy, light.data.size = power, 1.0
    light.location = place
    x, y, z = place
    light.rotation_euler = (np.arctan2(np.hypot(x, y), z), 0, np.arctan2(x, -y))
    bpy.context.scene.collection.objects.link(light)


def photograph(path: str, seed: int) -> None:
    """Write the open scene's picture by Cycles."""
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.render.resolution_x = scene.render.resolution_y = SIZE
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_depth = "32"
    scene.render.filepath = path
    cycles = scene.cycles
    cycles.device, cycles.samples, cycles.seed = "CPU", SAMPLES, seed
    cycles.use_denoising = cycles.use_adaptive_sampling = False
    cycles.sample_clamp_direct = cycles.sample_clamp_indirect = cycles.blur_glossy = 0
    cycles.max_bounces = 4
    cycles.pixel_filter_type, cycles.filter_width = "BOX", 1.0
    bpy.ops.render.render(write_still=True)


def pictures(path: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the scene's pictures by Cycles, from its file, and by the engine."""
    by_cycles = image.read(path, encoding="linear")[..., :3]
    return by_cycles, weft_blender.render(samples=SAMPLES)["color"][..., :3]


@dataclass(frozen=True)
class Found:
    """What a fit has found.

    Attributes:
        distances: From the truth, of each number, in standard errors as the fit reports them.
        errors: These, by the names of the inputs.
        relative: The same, of the largest number of the input.
        report: All of it.
    """

    distances: dict[str, np.ndarray]
    errors: dict[str, np.ndarray]
    relative: dict[str, np.ndarray]
    report: Any


def fit(subject: Subject, node: bpy.types.Node, path: str, **options: Any) -> Found:
    """Fit the inputs of a subject's node from its start."""
    set_inputs(node, subject.start)
    names = {name: f"Thing.Template.{name}" for name in subject.truth}
    report = weft_blender.fit(
        targets=[{"camera": "Camera", "source": path, "filter": "box"}],
        parameters=list(names.values()),
        **{"bounces": 4, **options},
    )
    errors = {name: report.errors[label] for name, label in names.items()}
    distances = {
        name: (report.values[label] - np.atleast_1d(subject.truth[name])) / errors[name]
        for name, label in names.items()
    }
    relative = {name: error / np.max(subject.truth[name]) for name, error in errors.items()}
    return Found(distances, errors, relative, report)
