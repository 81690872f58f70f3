# SPDX-License-Identifier: Apache-2.0
"""Render the anchor scene with Cycles over a grid of materials; writes ``cycles_grid.npz``.

Run it with a Python that has bpy 5.0.1 (``pip install bpy==5.0.1``), from the repository's root:

    python tests/golden/cycles_grid.py [number of a material ...]

The materials are those of ``support.bsdf_cases.furnace_inputs``. The file holds, for each of them,
means of blocks of 16 x 16 pixels and the standard errors of these means.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import bpy
import numpy as np
from cycles_anchor import anchor, build
from cycles_bsdf import bsdf_cases, render

OUTPUT = Path(__file__).with_name("cycles_grid.npz")
PIXELS, SAMPLES, PICTURES = 128, 96, 8
SOCKETS = {
    "roughness": "Roughness",
    "metallic": "Metallic",
    "coatWeight": "Coat Weight",
    "sheenWeight": "Sheen Weight",
}


def render_point(
    scene: bpy.types.Scene, node: bpy.types.Node, values: dict[str, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Return block means of a material and their standard errors."""
    for name, value in values.items():
        node.inputs[SOCKETS[name]].default_value = value
    pictures = []
    for seed in range(PICTURES):
        scene.cycles.seed = seed + 1
        pictures.append(render(scene)[::-1])
    return anchor.mean_and_error(pictures)


def main() -> None:
    """Render the materials that were asked for, and keep the others."""
    inputs = bsdf_cases.furnace_inputs()
    count = len(inputs["roughness"])
    size = (count, PIXELS // anchor.BLOCK, PIXELS // anchor.BLOCK, 3)
    means, errors = np.zeros(size, np.float32), np.zeros(size, np.float16)
    if OUTPUT.exists():
        with np.load(OUTPUT) as saved:
            means, errors = saved["means"], saved["errors"]
    scene, node = build(PIXELS, SAMPLES)
    for number in map(int, sys.argv[1:] or range(count)):
        began = time.monotonic()
        values = {name: float(column[number]) for name, column in inputs.items()}
        means[number], errors[number] = render_point(scene, node, values)
        seconds = time.monotonic() - began
        noise = (errors[number] / means[number]).max()
        print(f"{number}: {values}, noise {noise:.4f}, {seconds:.0f} s", flush=True)
        np.savez_compressed(OUTPUT, means=means, errors=errors)


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    # bpy as a module does not always come down cleanly.
    os._exit(0)
