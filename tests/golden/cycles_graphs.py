# SPDX-License-Identifier: Apache-2.0
"""Render the materials of ``artists_graphs.py`` with Cycles.

Run it with a Python that has bpy 5.0.1 (``pip install bpy==5.0.1``), from the repository's root:

    python tests/golden/cycles_graphs.py [graph ...]

Writes ``cycles_graphs.npz``, means of blocks of 16 x 16 pixels and their standard errors, and
``cycles_graphs.json``, the graphs as addon/blender reads them. The scene is that of
``tests/support/surface_cases.py``: a ball on a floor under a grey sky and a light.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

import bpy
import cycles_lights as lights
import cycles_surfaces as surfaces
import numpy as np
from artists_graphs import GRAPHS, Tree
from mathutils import Matrix

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from addon.blender.graphs import read_graph  # noqa: E402
from addon.core.graph.files import graph_to_json  # noqa: E402

from support import graph_images, light_cases, surface_cases  # noqa: E402

OUTPUT = Path(__file__).with_suffix(".npz")
TEXT = Path(__file__).with_suffix(".json")
SAMPLES = int(os.environ.get("SPP", 2048))


def add_images() -> None:
    """Add the images that graphs use."""
    for name, pixels in graph_images.images().items():
        height, width, channels = pixels.shape
        is_float = pixels.dtype == np.float32
        image = bpy.data.images.new(name, width, height, alpha=channels == 4, float_buffer=is_float)
        image.colorspace_settings.name = graph_images.SPACES[name]
        full = np.ones((height, width, 4), np.float32)
        full[..., :channels] = pixels if is_float else pixels.astype(np.float32) / 255
        image.pixels.foreach_set(full[::-1].ravel())
        image.pack()


def add_ball(name: str) -> bpy.types.Material:
    """Add the ball with a material."""
    positions, triangles, normals = light_cases.ball()
    mesh = bpy.data.meshes.new("ball")
    mesh.from_pydata(positions.tolist(), [], triangles.tolist())
    for polygon in mesh.polygons:
        polygon.use_smooth = True
    layer = mesh.uv_layers.new(name="UVMap")
    uvs = surface_cases.ball_uvs()[triangles.ravel()].astype(np.float32)
    layer.data.foreach_set("uv", uvs.ravel())
    mesh.normals_split_custom_set_from_vertices(normals.tolist())
    material, _ = lights.new_material(name, "ShaderNodeBsdfDiffuse")
    GRAPHS[name](Tree(material))
    mesh.materials.append(material)
    lights.add_object("ball", mesh, Matrix.Translation(light_cases.BALL["position"]))
    return material


def render_graph(name: str, seed: int, folder: str) -> tuple[np.ndarray, str]:
    """Return block means of a graph, and the graph as text."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    add_images()
    surfaces.add_floor()
    material = add_ball(name)
    surfaces.add_light()
    lights.set_up_render()
    cycles = bpy.context.scene.cycles
    cycles.seed, cycles.samples = seed, SAMPLES
    blocks = lights.render_blocks(str(Path(folder) / f"{name}.exr"))
    half = len(blocks) // 2
    means = blocks.reshape(half, 2, half, 2, 3).mean(axis=(1, 3))
    return means, graph_to_json(read_graph(material.node_tree))


def main() -> None:
    """Render the graphs that were asked for, and keep the others."""
    chosen = sys.argv[1:] or list(GRAPHS)
    arrays = dict(np.load(OUTPUT)) if OUTPUT.exists() else {}
    texts = json.loads(TEXT.read_text()) if TEXT.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        for name in chosen:
            (first, text), (second, _) = (render_graph(name, seed, folder) for seed in (1, 2))
            arrays[name] = ((first + second) / 2).astype(np.float32)
            arrays[f"{name}_error"] = (np.abs(first - second) / 2).astype(np.float32)
            texts[name] = json.loads(text)
            noise = (arrays[f"{name}_error"] / arrays[name]).max()
            print(name, arrays[name].mean(axis=(0, 1)), f"noise {noise:.4f}", flush=True)
    np.savez_compressed(OUTPUT, **{name: arrays[name] for name in sorted(arrays)})
    lines = (
        f"{json.dumps(n)}: {json.dumps(t, separators=(',', ':'))}" for n, t in sorted(texts.items())
    )
    TEXT.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    # bpy as a module does not always come down cleanly.
    os._exit(0)
