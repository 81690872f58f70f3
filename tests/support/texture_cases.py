# SPDX-License-Identifier: Apache-2.0
"""Nodes whose outputs are compared with Cycles', point by point.

A case is one node: its type, its properties, and its inputs by identifier, which hold a number or
the name of one of `points()`. tests/golden/cycles_textures.py asks Cycles and writes
``cycles_textures.npz``; tests/addon/test_texture_nodes.py compiles the same nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

SIDE = 16
"""Points lie on the faces of a grid of this many by as many."""

KINDS = ("vector", "direction", "w", "factor", "step")


def points() -> dict[str, np.ndarray]:
    """Return what drives linked inputs: vectors have shape (256, 3), numbers (256,)."""
    random = np.random.default_rng(6)
    count = SIDE * SIDE
    vector = random.uniform(-3, 3, (count, 3))
    # Some are in the unit cube, where projections are not black, some far away.
    vector[: count // 2] = random.uniform(0, 1, (count // 2, 3))
    vector[-8:] *= 40
    direction = random.normal(size=(count, 3))
    factor = random.uniform(-0.1, 1.1, count)
    factor[:4] = 0, 1, 0.5, 0.25
    named = {
        "vector": vector,
        "direction": direction / np.linalg.norm(direction, axis=1, keepdims=True),
        "w": random.uniform(-4, 4, count),
        "factor": factor,
        # Three times such a number is exact: Fac of an attribute is a mean of three.
        "step": np.round(8 * random.uniform(-4, 4, count)) / 8,
    }
    return {name: values.astype(np.float32) for name, values in named.items()}


@dataclass(frozen=True)
class Case:
    """A node.

    Args:
        node: Blender's ``bl_idname``.
        outputs: Identifiers of the outputs that are compared.
        properties: By Blender's names; ``stops`` of a ramp: position, red, green, blue, alpha.
        inputs: Numbers, or names of points().
        tolerance: Largest difference to Cycles.
        is_old: As Blender 4.5 computes it; it is other numbers from 5.0 on.
        outliers: Share of points that may differ more, where rounding decides between cells.
    """

    node: str
    outputs: tuple[str, ...]
    properties: dict[str, Any] = field(default_factory=dict)
    inputs: dict[str, Any] = field(default_factory=dict)
    tolerance: float = 1e-4
    is_old: bool = False
    outliers: float = 0.0


NOISE = {
    "Scale": 3.0,
    "Detail": 2.5,
    "Roughness": 0.6,
    "Lacunarity": 2.1,
    "Offset": 0.3,
    "Gain": 1.4,
    "Distortion": 0.4,
}


def noise(dimensions: str, kind: str, normalize: bool = True, **inputs: Any) -> Case:
    """Return a Noise Texture."""
    places = {"1D": ("W",), "2D": ("Vector",), "3D": ("Vector",), "4D": ("Vector", "W")}
    linked = {name: {"Vector": "vector", "W": "w"}[name] for name in places[dimensions]}
    values = {**NOISE, **linked, **inputs}
    properties = {"noise_dimensions": dimensions, "noise_type": kind, "normalize": normalize}
    # Products of octaves reach the hundreds, with their rounding.
    return Case("ShaderNodeTexNoise", ("Fac", "Color"), properties, values)


STOPS = [
    (0.1, 0.9, 0.2, 0.15, 1.0),
    (0.35, 0.15, 0.7, 0.8, 0.3),
    (0.6, 0.8, 0.95, 0.1, 0.8),
    (0.9, 0.25, 0.1, 0.6, 0.5),
]


def ramp(
    interpolation: str = "LINEAR", mode: str = "RGB", hues: str = "NEAR", count: int = 4
) -> Case:
    """Return a Color Ramp."""
    properties = {
        "interpolation": interpolation,
        "color_mode": mode,
        "hue_interpolation": hues,
        "stops": STOPS[:count],
    }
    return Case("ShaderNodeValToRGB", ("Color", "Alpha"), properties, {"Fac": "factor"})


def mapping(kind: str) -> Case:
    """Return a Mapping node."""
    inputs = {"Vector": "vector", "Rotation": (0.4, -0.9, 2.2), "Scale": (1.5, -0.7, 0.4)}
    if kind in ("POINT", "TEXTURE"):
        inputs["Location"] = (0.3, -1.2, 2.0)
    return Case("ShaderNodeMapping", ("Vector",), {"vector_type": kind}, inputs)


def white_noise(dimensions: str) -> Case:
    """Return a White Noise Texture."""
    linked = {"1D": {"W": "step"}, "4D": {"W": "step", "Vector": "vector"}}
    inputs = linked.get(dimensions, {"Vector": "vector"})
    properties = {"noise_dimensions": dimensions}
    return Case("ShaderNodeTexWhiteNoise", ("Value", "Color"), properties, inputs)


def wave(profile: str = "SIN", distortion: float = 0.0, **properties: Any) -> Case:
    """Return a Wave Texture."""
    inputs = {
        "Vector": "vector",
        "Scale": 0.7,
        "Distortion": distortion,
        "Detail": 2.5,
        "Detail Scale": 1.3,
        "Detail Roughness": 0.6,
        "Phase Offset": 0.4,
    }
    properties = {"wave_profile": profile, **properties}
    return Case("ShaderNodeTexWave", ("Fac",), properties, inputs, 2e-3 if distortion else 5e-4)


def waves() -> dict[str, Case]:
    """Return Wave Textures of all kinds."""
    cases = {
        f"wave bands {d.lower()}": wave(wave_type="BANDS", bands_direction=d)
        for d in ("X", "Y", "Z", "DIAGONAL")
    }
    for direction in ("X", "Y", "Z", "SPHERICAL"):
        rings = {"wave_type": "RINGS", "rings_direction": direction}
        cases[f"wave rings {direction.lower()}"] = wave(**rings)
    cases["wave saw"] = replace(wave("SAW"), outliers=0.01)
    cases["wave triangle"] = wave("TRI")
    cases["wave distorted"] = wave("SIN", 2.5)
    return cases


def magic(depth: int, distortion: float = 1.3) -> Case:
    """Return a Magic Texture."""
    inputs = {"Vector": "vector", "Scale": 0.8, "Distortion": distortion}
    properties = {"turbulence_depth": depth}
    return Case("ShaderNodeTexMagic", ("Color", "Fac"), properties, inputs, 2e-3)


def brick(inputs: dict[str, Any] | None = None, **properties: Any) -> Case:
    """Return a Brick Texture."""
    standard = {
        "Vector": "vector",
        "Color1": (0.9, 0.2, 0.1, 1),
        "Color2": (0.1, 0.3, 0.8, 1),
        "Mortar": (0.5, 0.6, 0.4, 1),
        "Scale": 1.7,
        "Mortar Size": 0.08,
        "Mortar Smooth": 0.6,
        "Bias": -0.2,
        "Brick Width": 0.55,
        "Row Height": 0.3,
    }
    values = standard | (inputs or {})
    return Case("ShaderNodeTexBrick", ("Color", "Fac"), properties, values, 1e-3, outliers=0.01)


VORONOI = {"Scale": 1.3, "Randomness": 0.85}


def voronoi(
    dimensions: str,
    feature: str = "F1",
    metric: str = "EUCLIDEAN",
    *,
    is_old: bool = False,
    **more: Any,
) -> Case:
    """Return a Voronoi Texture."""
    places = {"1D": ("W",), "2D": ("Vector",), "3D": ("Vector",), "4D": ("Vector", "W")}
    linked = {name: {"Vector": "vector", "W": "w"}[name] for name in places[dimensions]}
    outputs: tuple[str, ...] = ("Distance", "Color")
    outputs += ("Position",) if dimensions != "1D" else ()
    outputs += ("W",) if "W" in linked else ()
    outputs = {"DISTANCE_TO_EDGE": ("Distance",), "N_SPHERE_RADIUS": ("Radius",)}.get(
        feature, outputs
    )
    properties = {
        "voronoi_dimensions": dimensions,
        "feature": feature,
        "normalize": more.pop("normalize", False),
    }
    if feature in ("F1", "F2", "SMOOTH_F1") and dimensions != "1D":
        properties["distance"] = metric
    inputs = {**VORONOI, **linked, **more}
    return Case("ShaderNodeTexVoronoi", outputs, properties, inputs, 1e-3, is_old, 0.01)


def voronois() -> dict[str, Case]:
    """Return Voronoi Textures of all kinds."""
    cases = {}
    for dimensions in ("1D", "2D", "3D", "4D"):
        for feature in ("F1", "F2", "SMOOTH_F1", "DISTANCE_TO_EDGE", "N_SPHERE_RADIUS"):
            smooth = {"Smoothness": 0.7} if feature == "SMOOTH_F1" else {}
            cases[f"voronoi {dimensions} {feature.lower()}"] = voronoi(
                dimensions, feature, **smooth
            )
        old = voronoi(dimensions, "F1", is_old=True)
        cases[f"voronoi {dimensions} f1 before 5.0"] = old
    for metric in ("MANHATTAN", "CHEBYCHEV", "MINKOWSKI"):
        more = {"Exponent": 1.7} if metric == "MINKOWSKI" else {}
        cases[f"voronoi 3D f1 {metric.lower()}"] = voronoi("3D", "F1", metric, **more)
    fractal = {"Detail": 2.4, "Roughness": 0.6, "Lacunarity": 2.1, "normalize": True}
    cases["voronoi 2D f2 fractal"] = voronoi("2D", "F2", "MANHATTAN", **fractal)
    cases["voronoi 3D f1 fractal"] = voronoi("3D", "F1", **fractal)
    cases["voronoi 3D edge fractal"] = voronoi("3D", "DISTANCE_TO_EDGE", **fractal)
    cases["voronoi 2D smooth fractal"] = voronoi("2D", "SMOOTH_F1", Smoothness=0.4, **fractal)
    return cases


def patterns() -> dict[str, Case]:
    """Return the textures of addon/core/graph/nodes/patterns.py."""
    cases = {f"white noise {d}": white_noise(d) for d in ("1D", "2D", "3D", "4D")}
    cases |= waves()
    cases |= {f"magic {depth}": magic(depth) for depth in (0, 2, 5, 10)}
    cases["magic still"] = magic(2, 0.0)
    cases["brick"] = brick()
    cases["brick squashed"] = brick(
        {"Mortar Smooth": 0.0}, offset=0.3, offset_frequency=3, squash=1.6, squash_frequency=2
    )
    return cases | voronois()


def _cases() -> dict[str, Case]:
    cases = patterns()
    for kind in (
        "FBM",
        "MULTIFRACTAL",
        "HYBRID_MULTIFRACTAL",
        "RIDGED_MULTIFRACTAL",
        "HETERO_TERRAIN",
    ):
        for dimensions in ("1D", "2D", "3D", "4D"):
            cases[f"noise {dimensions} {kind.lower()}"] = noise(dimensions, kind)
    cases["noise raw"] = noise("3D", "FBM", normalize=False)
    cases["noise plain"] = noise(
        "3D", "FBM", Detail=2.0, Distortion=0.0, Lacunarity=2.0, Roughness=0.5
    )
    cases["noise fine"] = noise("3D", "FBM", Detail=15.0, Distortion=0.0, Lacunarity=2.0)
    cases["noise smooth"] = noise("2D", "FBM", Detail=0.0, Roughness=0.0)
    for kind in (
        "LINEAR",
        "QUADRATIC",
        "EASING",
        "DIAGONAL",
        "SPHERICAL",
        "QUADRATIC_SPHERE",
        "RADIAL",
    ):
        cases[f"gradient {kind.lower()}"] = Case(
            "ShaderNodeTexGradient", ("Fac",), {"gradient_type": kind}, {"Vector": "vector"}
        )
    cases["checker"] = Case(
        "ShaderNodeTexChecker",
        ("Color", "Fac"),
        {},
        {
            "Vector": "vector",
            "Scale": 3.7,
            "Color1": (0.9, 0.2, 0.1, 1),
            "Color2": (0.1, 0.3, 0.8, 1),
        },
    )
    for kind in ("POINT", "TEXTURE", "VECTOR", "NORMAL"):
        cases[f"mapping {kind.lower()}"] = mapping(kind)
    for interpolation in ("LINEAR", "EASE", "CARDINAL", "B_SPLINE", "CONSTANT"):
        cases[f"ramp {interpolation.lower()}"] = ramp(interpolation)
    for mode in ("HSV", "HSL"):
        for hues in ("NEAR", "FAR", "CW", "CCW"):
            cases[f"ramp {mode.lower()} {hues.lower()}"] = ramp("LINEAR", mode, hues)
    cases["ramp one"] = ramp(count=1)
    ends = [(0.0, *STOPS[0][1:]), (0.5, *STOPS[1][1:]), (1.0, *STOPS[2][1:])]
    for interpolation in ("EASE", "CARDINAL", "B_SPLINE"):
        case = ramp(interpolation)
        case.properties["stops"] = ends
        cases[f"ramp {interpolation.lower()} from end to end"] = case
    cases["ramp two"] = ramp("B_SPLINE", count=2)
    return cases


CASES = _cases()
