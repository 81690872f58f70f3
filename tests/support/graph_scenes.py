# SPDX-License-Identifier: Apache-2.0
"""The ball of ``tests/support/surface_cases.py`` with a compiled graph of Blender's nodes."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import numpy as np
from addon.core.graph.compile import CompiledMaterial, compile_material
from addon.core.graph.files import graph_from_json
from addon.core.graph.model import ImageData
from addon.core.images import image_data

from support import graph_images, light_cases, surface_cases
from support.render_scenes import lambert, placed, quad
from weft.scene import Camera, Environment, Material, Mesh, PointLight, Scene

GOLDEN = Path(__file__).parents[1] / "golden"


@functools.cache
def graph_texts() -> dict[str, str]:
    """Return the graphs that cycles_graphs.py wrote, as text."""
    texts = json.loads((GOLDEN / "cycles_graphs.json").read_text())
    return {name: json.dumps(data) for name, data in texts.items()}


@functools.cache
def images() -> dict[str, ImageData]:
    """Return the images that graphs use, as addon/blender/images.py reads them."""
    found = {}
    for name, pixels in graph_images.images().items():
        is_float = pixels.dtype == np.float32
        numbers = pixels if is_float else pixels.astype(np.float32) / 255
        found[name], problem = image_data(
            name,
            {1001: numbers},
            is_float=is_float,
            space=graph_images.SPACES[name],
            alpha_mode="STRAIGHT",
        )
        assert not problem
    return found


def compiled(name: str) -> CompiledMaterial:
    """Return the material of a graph; it must not have problems."""
    result = compile_material(graph_from_json(graph_texts()[name]), images(), name)
    assert result.problems == [], result.problems
    return result


def ball(result: CompiledMaterial) -> Mesh:
    """Return the ball with what a material asks of it."""
    positions, triangles, normals = light_cases.ball()
    radius = light_cases.BALL["radius"]
    brought = {"object": positions, "generated": 0.5 * (positions / radius + 1), "normal": normals}
    uv_count = max(1, sum(request.kind == "uv" for request in result.attributes))
    uvs = {f"UV {k}": surface_cases.ball_uvs() for k in range(uv_count)}
    colors = {r.kind: brought[r.kind] for r in result.attributes if r.kind != "uv"}
    return Mesh(positions, triangles, normals, uvs, colors)


def scene_of(result: CompiledMaterial, material: Material | None = None, pixels: int = 0) -> Scene:
    """Return the ball on the floor under sky and light.

    Args:
        result: The ball's material.
        material: Instead of it, with other numbers.
        pixels: Width and height; 0: as cycles_graphs.py.
    """
    pose = Camera.look_at(light_cases.CAMERA["origin"], light_cases.CAMERA["target"])
    side = pixels or light_cases.PIXELS
    shown = material or result.material
    return Scene(
        [
            placed(ball(result), shown, move=light_cases.BALL["position"]),
            placed(quad(light_cases.FLOOR["size"]), lambert(light_cases.FLOOR["color"], "floor")),
        ],
        [PointLight(**surface_cases.LIGHT)],
        [Camera(side, side, fov=light_cases.CAMERA["fov"], transform=pose)],
        Environment(np.full(3, surface_cases.SKY)),
    )
