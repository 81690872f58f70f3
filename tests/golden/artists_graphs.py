# SPDX-License-Identifier: Apache-2.0
"""Materials as artists build them, from Blender's nodes; cycles_graphs.py renders them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

Link = tuple[bpy.types.Node, str]


class Tree:
    """A material's tree, with short ways to add nodes."""

    def __init__(self, material: bpy.types.Material) -> None:
        self.tree = material.node_tree
        self.tree.nodes.clear()

    def add(self, kind: str, inputs: dict[str, Any] | None = None, **properties: Any) -> Any:
        """Add a node; inputs by identifier are numbers or (node, identifier of an output)."""
        node = self.tree.nodes.new(f"ShaderNode{kind}")
        for name, value in properties.items():
            setattr(node, name, value)
        for identifier, value in (inputs or {}).items():
            socket = next(s for s in node.inputs if s.identifier == identifier)
            if isinstance(value, tuple) and isinstance(value[0], bpy.types.Node):
                source = next(s for s in value[0].outputs if s.identifier == value[1])
                self.tree.links.new(source, socket)
            else:
                socket.default_value = value
        return node

    def noise(
        self, place: Link, kind: str = "FBM", dimensions: str = "3D", **inputs: float
    ) -> Link:
        """Add a Noise Texture."""
        named = {name.capitalize(): value for name, value in inputs.items()}
        places = {"Vector": place} if dimensions != "1D" else {}
        return (
            self.add("TexNoise", {**places, **named}, noise_type=kind, noise_dimensions=dimensions),
            "Fac",
        )

    def ramp(
        self, factor: Link, *stops: tuple[float, tuple[float, ...]], how: str = "LINEAR"
    ) -> Link:
        """Add a Color Ramp of (position, colour or grey)."""
        node = self.add("ValToRGB", {"Fac": factor})
        elements = node.color_ramp.elements
        while len(elements) > 1:
            elements.remove(elements[-1])
        elements[0].position = 0
        for position, _ in stops[1:]:
            elements.new(position)
        for element, (position, color) in zip(elements, stops, strict=True):
            element.position = position
            rgb = color if isinstance(color, tuple) else (color,) * 3
            element.color = (*rgb, 1)
        node.color_ramp.interpolation = how
        return node, "Color"

    def mix(self, factor: Any, a: Any, b: Any, how: str = "MIX") -> Link:
        """Mix two colours."""
        inputs = {"Factor_Float": factor, "A_Color": a, "B_Color": b}
        return self.add("Mix", inputs, data_type="RGBA", blend_type=how), "Result_Color"

    def math(self, how: str, a: Any, b: Any = 0.5) -> Link:
        """Compute with two numbers."""
        return self.add("Math", {"Value": a, "Value_001": b}, operation=how), "Value"

    def mapping(self, place: Link, scale: tuple[float, ...] = (1, 1, 1), **inputs: Any) -> Link:
        """Scale and turn a place."""
        named = {name.capitalize(): value for name, value in inputs.items()}
        return self.add("Mapping", {"Vector": place, "Scale": scale, **named}), "Vector"

    def coordinate(self, output: str) -> Link:
        """Return a coordinate."""
        return self.add("TexCoord"), output

    def image(self, name: str, place: Link | None = None, **properties: Any) -> bpy.types.Node:
        """Add an Image Texture."""
        inputs = {} if place is None else {"Vector": place}
        return self.add("TexImage", inputs, image=bpy.data.images[name], **properties)

    def principled(self, **inputs: Any) -> Link:
        """Add a Principled BSDF; inputs are named in snake case."""
        short = {"ior": "IOR"}
        named = {
            short.get(name, name.replace("_", " ").title()): (*value, 1)
            if isinstance(value, tuple) and isinstance(value[0], float)
            else value
            for name, value in inputs.items()
        }
        return self.add("BsdfPrincipled", named), "BSDF"

    def shine(self, surface: Link) -> None:
        """Link a surface to the output."""
        self.add("OutputMaterial", {"Surface": surface})


def worn_metal(t: Tree) -> None:
    """Steel with brown patches, and bumps."""
    place = t.coordinate("Generated")
    patches = t.noise(place, scale=4.0, detail=3.0, roughness=0.6, distortion=0.3)
    mask = t.ramp(patches, (0.4, 0.0), (0.6, 1.0))
    color = t.mix(mask, (0.6, 0.6, 0.62, 1), (0.25, 0.12, 0.06, 1))
    fine = t.noise(place, scale=3.0, detail=1.0)
    bump = (t.add("Bump", {"Height": fine, "Strength": 0.3, "Distance": 0.1}), "Normal")
    rough = t.ramp(patches, (0.3, 0.3), (0.7, 0.7))
    t.shine(t.principled(base_color=color, metallic=0.9, roughness=rough, normal=bump))


def painted_wood(t: Tree) -> None:
    """Rings of wood under paint that has come off."""
    place = t.mapping(t.coordinate("Object"), (1, 1, 3), rotation=(0.3, 0.2, 0))
    wobble = (t.add("TexNoise", {"Vector": place, "Scale": 1.5, "Detail": 2.0}), "Color")
    moved = t.add("VectorMath", {"Vector": place, "Vector_001": wobble}, operation="ADD")
    rings = t.add("TexGradient", {"Vector": (moved, "Vector")}, gradient_type="SPHERICAL")
    waves = t.math("SINE", t.math("MULTIPLY", (rings, "Fac"), 18.0))
    grain = t.ramp(waves, (0.2, (0.25, 0.1, 0.04)), (0.8, (0.55, 0.3, 0.13)), how="EASE")
    wood = t.principled(base_color=grain, roughness=0.6)
    paint = t.principled(base_color=(0.1, 0.3, 0.45), roughness=0.35)
    worn = t.noise(t.coordinate("Generated"), scale=3.0, detail=4.0, lacunarity=2.3)
    mask = t.ramp(worn, (0.45, 0.0), (0.52, 1.0))
    t.shine((t.add("MixShader", {"Fac": mask, "Shader": paint, "Shader_001": wood}), "Shader"))


def car_paint(t: Tree) -> None:
    """Two colours by angle, flakes and a coat."""
    facing = t.add("LayerWeight", {"Blend": 0.4})
    color = t.mix((facing, "Facing"), (0.5, 0.02, 0.03, 1), (0.1, 0.0, 0.12, 1))
    flakes = t.noise(t.coordinate("Generated"), scale=20.0, detail=0.0)
    metallic = t.ramp(flakes, (0.4, 0.1), (0.6, 0.8))
    t.shine(
        t.principled(
            base_color=color, metallic=metallic, roughness=0.4, coat_weight=0.8, coat_roughness=0.1
        )
    )


def tiled_floor(t: Tree) -> None:
    """Checks that are not equally smooth."""
    place = t.mapping(t.coordinate("UV"), (2, 1, 1), location=(0.1, 0.05, 0))
    checks = t.add("TexChecker", {"Vector": place, "Scale": 6.0})
    for name, color in (("Color1", (0.7, 0.65, 0.6, 1)), ("Color2", (0.1, 0.1, 0.12, 1))):
        checks.inputs[name].default_value = color
    dirt = t.noise(place, "MULTIFRACTAL", "2D", scale=4.0, detail=2.5, roughness=0.4)
    dimmed = t.mix(0.5, (checks, "Color"), t.ramp(dirt, (0.2, 0.3), (1.0, 1.0)), "MULTIPLY")
    rough = t.add("MapRange", {"Value": (checks, "Fac"), "To Min": 0.2, "To Max": 0.5})
    t.shine(t.principled(base_color=dimmed, roughness=(rough, "Result")))


def dusty_plastic(t: Tree) -> None:
    """Dust where the surface looks up."""
    normal = t.add("NewGeometry"), "Normal"
    up = t.add("SeparateXYZ", {"Vector": normal}), "Z"
    limited = t.add("MapRange", {"Value": up, "From Min": 0.1, "From Max": 0.9}), "Result"
    noise = t.noise(t.coordinate("Object"), "HETERO_TERRAIN", scale=4.0, detail=2.0, offset=0.6)
    amount = t.add("Math", {"Value": limited, "Value_001": noise}, operation="MULTIPLY")
    amount.use_clamp = True
    plastic = t.principled(base_color=(0.8, 0.2, 0.05), roughness=0.25)
    dust = t.add("BsdfDiffuse", {"Color": (0.45, 0.42, 0.38, 1)}), "BSDF"
    inputs = {"Fac": (amount, "Value"), "Shader": plastic, "Shader_001": dust}
    t.shine((t.add("MixShader", inputs), "Shader"))


def brushed_steel(t: Tree) -> None:
    """Streaks of roughness along the parallels."""
    place = t.mapping(t.coordinate("Object"), (0.6, 0.6, 14.0))
    streaks = t.noise(place, scale=1.0, detail=2.0, roughness=0.7)
    rough = t.add("MapRange", {"Value": streaks, "To Min": 0.15, "To Max": 0.6}), "Result"
    bright = t.add("BrightContrast", {"Color": (0.62, 0.6, 0.58, 1), "Contrast": 0.1}), "Color"
    t.shine(t.principled(base_color=bright, metallic=1.0, roughness=rough))


def checkered_fabric(t: Tree) -> None:
    """Cloth with sheen."""
    place = t.coordinate("UV")
    checks = t.add("TexChecker", {"Vector": place, "Scale": 16.0})
    checks.inputs["Color1"].default_value = (0.5, 0.05, 0.08, 1)
    checks.inputs["Color2"].default_value = (0.05, 0.06, 0.3, 1)
    threads = t.noise(t.mapping(place, (60, 8, 1)), dimensions="2D", scale=1.0, detail=1.0)
    value = t.add("MapRange", {"Value": threads, "To Min": 0.7, "To Max": 1.3}), "Result"
    cloth = t.add("HueSaturation", {"Color": (checks, "Color"), "Value": value}), "Color"
    t.shine(t.principled(base_color=cloth, roughness=0.9, sheen_weight=0.6, sheen_roughness=0.4))


def rusty_iron(t: Tree) -> None:
    """Rust in several colours on dark iron."""
    place = t.coordinate("Generated")
    rust = t.noise(
        place, "HYBRID_MULTIFRACTAL", scale=3.0, detail=3.0, roughness=0.7, offset=0.4, gain=1.2
    )
    color = t.ramp(
        rust,
        (0.1, (0.05, 0.04, 0.04)),
        (0.4, (0.2, 0.07, 0.03)),
        (0.7, (0.5, 0.2, 0.05)),
        (1.0, (0.6, 0.35, 0.15)),
        how="B_SPLINE",
    )
    mask = t.ramp(rust, (0.3, 0.0), (0.6, 1.0), how="EASE")
    iron = t.principled(base_color=(0.3, 0.3, 0.32), metallic=1.0, roughness=0.45)
    crust = t.add("BsdfDiffuse", {"Color": color, "Roughness": 0.0}), "BSDF"
    t.shine((t.add("MixShader", {"Fac": mask, "Shader": iron, "Shader_001": crust}), "Shader"))


def wet_stone(t: Tree) -> None:
    """Stone with water in its hollows."""
    place = t.coordinate("Object")
    cracks = t.noise(
        place, "RIDGED_MULTIFRACTAL", scale=2.0, detail=3.0, offset=0.9, gain=1.5, roughness=0.4
    )
    grey = t.noise(place, dimensions="4D", w=1.7, scale=3.0, detail=2.0)
    color = t.mix(grey, (0.12, 0.12, 0.13, 1), (0.4, 0.38, 0.34, 1))
    wet = t.ramp(cracks, (0.2, 1.0), (0.7, 0.0))
    dark = t.mix(wet, color, t.mix(1.0, color, (0.5, 0.5, 0.5, 1), "MULTIPLY"))
    bump = (t.add("Bump", {"Height": grey, "Strength": 0.25, "Distance": 0.1}), "Normal")
    rough = t.math("SUBTRACT", 0.9, t.math("MULTIPLY", wet, 0.5))
    t.shine(t.principled(base_color=dark, roughness=rough, coat_weight=wet, normal=bump))


def marble(t: Tree) -> None:
    """Veins: a sine of a place that noise moves."""
    place = t.coordinate("Object")
    noise = t.noise(place, scale=2.0, detail=4.0, roughness=0.55, distortion=0.5)
    x = t.add("SeparateXYZ", {"Vector": place}), "X"
    veins = t.math(
        "SINE", t.math("ADD", t.math("MULTIPLY", x, 5.0), t.math("MULTIPLY", noise, 8.0))
    )
    color = t.ramp(
        t.math("ABSOLUTE", veins),
        (0.0, (0.1, 0.12, 0.15)),
        (0.3, (0.55, 0.55, 0.58)),
        (1.0, (0.85, 0.84, 0.8)),
        how="CARDINAL",
    )
    t.shine(t.principled(base_color=color, roughness=0.2, ior=1.5, coat_weight=0.3))


def brick_wall(t: Tree) -> None:
    """Images of colour, height and normals."""
    place = t.mapping(t.coordinate("UV"), (3, 1.5, 1))
    color = t.image("bricks", place), "Color"
    height = t.image("brick height", place), "Color"
    normals = t.image("brick normals", place), "Color"
    normal = t.add("NormalMap", {"Color": normals, "Strength": 0.5}), "Normal"
    rough = t.add("MapRange", {"Value": height, "To Min": 0.9, "To Max": 0.6}), "Result"
    t.shine(t.principled(base_color=color, roughness=rough, normal=normal))


def carbon_fibre(t: Tree) -> None:
    """A weave of two stripes under a coat."""
    parts = t.add("SeparateXYZ", {"Vector": t.mapping(t.coordinate("UV"), (48, 24, 1))})
    x = t.math("FRACT", (parts, "X"))
    y = t.math("FRACT", (parts, "Y"))
    over = t.math(
        "GREATER_THAN",
        t.math("FRACT", t.math("MULTIPLY", t.math("ADD", (parts, "X"), (parts, "Y")), 0.25)),
        0.5,
    )
    shade = t.add("Mix", {"Factor_Float": over, "A_Float": x, "B_Float": y}, data_type="FLOAT")
    color = t.ramp((shade, "Result_Float"), (0.0, 0.01), (0.5, 0.12), (1.0, 0.01))
    t.shine(t.principled(base_color=color, roughness=0.5, coat_weight=1.0, coat_roughness=0.05))


def crate(t: Tree) -> None:
    """A box projection, and a decal with alpha in a group."""
    place = t.mapping(t.coordinate("Generated"), (1, 1, 1))
    wood = t.image("bricks", place, projection="BOX", projection_blend=0.3, interpolation="Closest")
    label = t.image("decal", t.mapping(t.coordinate("UV"), (3, 3, 1), location=(-1.9, -1, 0)))
    label.extension = "CLIP"
    color = t.mix((label, "Alpha"), (wood, "Color"), (label, "Color"))
    t.shine(t.principled(base_color=color, roughness=0.5))


def chrome_ball(t: Tree) -> None:
    """Reflections that are painted on: images around the ball."""
    seen = t.add("TexEnvironment", {"Vector": t.coordinate("Reflection")})
    seen.image = bpy.data.images["sky"]
    wrapped = t.image("sky", t.coordinate("Generated"), projection="SPHERE")
    tube = t.image("sky", t.coordinate("Generated"), projection="TUBE", extension="MIRROR")
    both = t.mix(0.5, (wrapped, "Color"), (tube, "Color"))
    glow = t.add("Emission", {"Color": (seen, "Color"), "Strength": 0.5}), "Emission"
    skin = t.add("BsdfDiffuse", {"Color": both, "Roughness": 0.0}), "BSDF"
    t.shine((t.add("AddShader", {"Shader": glow, "Shader_001": skin}), "Shader"))


GRAPHS: dict[str, Callable[[Tree], None]] = {
    make.__name__: make
    for make in (
        worn_metal,
        painted_wood,
        car_paint,
        tiled_floor,
        dusty_plastic,
        brushed_steel,
        checkered_fabric,
        rusty_iron,
        wet_stone,
        marble,
        brick_wall,
        carbon_fibre,
        crate,
        chrome_ball,
    )
}
