# SPDX-License-Identifier: Apache-2.0
"""Compares one public asset's picture with Cycles' inside Blender; prints one line of JSON.

python one_asset.py FILE [--samples 128] [--pictures FOLDER]
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "blender")]

import bpy  # noqa: E402

packages = Path(bpy.__file__).parent.glob("*/python/lib/python3*/site-packages")
sys.path.extend(str(folder) for folder in packages)

import numpy as np  # noqa: E402
from addon.blender.export import SceneExporter  # noqa: E402
from beside_cycles import add_object, block_means, by_cycles, by_weft  # noqa: E402
from mathutils import Matrix, Vector  # noqa: E402

import weft  # noqa: E402

SIZE = (128, 96)
CLOSE = 0.02
"""Blocks that differ by less, relative to the picture's mean, are alike."""


def load(path: Path) -> None:
    """Open a .blend without running its scripts, or import a glTF file."""
    if path.suffix == ".blend":
        bpy.ops.wm.open_mainfile(filepath=str(path), use_scripts=False)
        return
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
    bpy.ops.import_scene.gltf(filepath=str(path))


def bounds() -> tuple[Vector, float]:
    """Return the middle of all meshes that renders show and the radius around it, metres."""
    corners = [
        shown.matrix_world @ Vector(corner)
        for shown in bpy.context.scene.objects
        if shown.type == "MESH" and not shown.hide_render
        for corner in shown.bound_box
    ]
    if not corners:
        return Vector((0, 0, 0)), 1.0
    low = Vector(map(min, zip(*corners, strict=True)))
    high = Vector(map(max, zip(*corners, strict=True)))
    return (low + high) / 2, max((high - low).length / 2, 1e-3)


def complete() -> None:
    """Give a scene the camera and the light that it lacks."""
    scene = bpy.context.scene
    render = scene.render
    render.resolution_x, render.resolution_y = SIZE
    render.resolution_percentage = 100
    middle, radius = bounds()
    if scene.camera is None:
        away = Vector((0.6, -0.8, 0.45)).normalized() * radius * 3
        view = weft.scene.Camera.look_at(middle + away, middle)
        scene.camera = add_object("bench camera", bpy.data.cameras.new("bench camera"))
        scene.camera.matrix_world = Matrix(np.vstack([view, (0, 0, 0, 1)]).tolist())
        scene.camera.data.clip_end = radius * 100
    if not any(shown.type == "LIGHT" for shown in scene.objects):
        sun = bpy.data.lights.new("bench sun", "SUN")
        sun.energy, sun.angle = 3.0, math.radians(5)
        view = weft.scene.Camera.look_at((0, 0, 0), (0.4, 0.6, -1.0))
        add_object("bench sun", sun, Matrix(np.vstack([view, (0, 0, 0, 1)]).tolist()))
    if scene.world is None:
        scene.world = bpy.data.worlds.new("bench world")
        scene.world.use_nodes = True


def used_materials() -> set[str]:
    """Return the names of materials that meshes of the scene carry."""
    return {
        slot.material.name_full
        for shown in bpy.context.scene.objects
        if shown.type == "MESH" and not shown.hide_render
        for slot in shown.material_slots
        if slot.material is not None
    }


def save(path: Path, pictures: list[np.ndarray]) -> None:
    """Write pictures side by side."""
    from weft.render import save_picture

    save_picture(path, np.concatenate(pictures, axis=1))


def measure(path: Path, samples: int, pictures: Path | None) -> dict[str, object]:
    """Return the figures of an asset."""
    load(path)
    complete()
    device = weft.create_device()
    if samples == 0:
        exporter = SceneExporter(lambda: device)
        return count(exporter.export(bpy.context.evaluated_depsgraph_get()).problems)
    began = time.perf_counter()
    picture, exported = by_weft(device, samples)
    seconds = time.perf_counter() - began
    with tempfile.TemporaryDirectory() as folder:
        reference = by_cycles(Path(folder), samples)
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
        save(pictures / f"{path.stem}.png", [picture, reference, np.abs(picture - reference)])
    level = max(float(reference.mean()), 1e-6)
    off = np.abs(block_means(picture) - block_means(reference)).max(axis=2) / level
    return count(exported.problems) | {
        "mean": round(float(picture.mean() / level - 1), 4),
        "blocks_alike": round(float((off < CLOSE).mean()), 3),
        "largest_block": round(float(off.max()), 3),
        "seconds": round(seconds, 1),
    }


def count(problems: list[object]) -> dict[str, object]:
    """Return how many materials come through as they are."""
    materials = used_materials()
    said = [str(problem) for problem in problems]
    touched = {name for name in materials if any(f"'{name}'" in line for line in said)}
    return {
        "materials": len(materials),
        "untouched": len(materials - touched),
        "problems": said,
    }


def main() -> int:
    """Measure the file that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--samples", type=int, default=128, help="0: count alone")
    parser.add_argument("--pictures", type=Path)
    options = parser.parse_args()
    figures = measure(options.file, options.samples, options.pictures)
    print("figures: " + json.dumps(figures), flush=True)
    return 0


if __name__ == "__main__":
    import os

    status = main()
    sys.stdout.flush()
    os._exit(status)  # Blender's own clean-up can hang
