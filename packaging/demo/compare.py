# SPDX-License-Identifier: Apache-2.0
"""What the demo's fit is worth: numbers, texture and a relit view beside the truth.

Run inside Blender with the extension enabled: ``python compare.py FOLDER``. Relights the fitted
scene with Cycles from a camera and under a light that the fit has not seen, and writes
summary.json, sheet.png (before, after, photo, difference) and relit.png.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import bpy
import numpy as np
import studio
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Vector

from weft.fit.comparison import encode_display
from weft.fit.target_files import resample

TALL = 14  # pixels between the rows of the sheet


def write(path: Path, pixels: np.ndarray) -> None:
    """Write an 8-bit PNG of display values; it appears under its name when it is whole."""
    height, width, _ = pixels.shape
    image = bpy.data.images.new(path.stem, width, height)
    image.colorspace_settings.name = "Non-Color"
    rgba = np.ones((height, width, 4), np.float32)
    rgba[..., :3] = np.clip(pixels, 0, 1)
    image.pixels.foreach_set(rgba[::-1].ravel())
    image.file_format = "PNG"
    temporary = path.with_suffix(".tmp.png")
    image.filepath_raw = str(temporary)
    image.save()
    temporary.replace(path)
    bpy.data.images.remove(image)


def display(light: np.ndarray) -> np.ndarray:
    """Return linear light as sRGB, at an exposure that shows it."""
    return encode_display(light / max(float(np.quantile(light, 0.99)), 1e-6))


def number_errors(folder: Path) -> dict[str, dict[str, object]]:
    """Return what was found beside the truth, for each number."""
    truth = json.loads((folder / "truth.json").read_text())
    found = json.loads((folder / "found.json").read_text())
    table = {}
    for name, value in truth.items():
        label = f"Glaze.Principled BSDF.{name}"
        wanted, got = np.atleast_1d(value), np.array(found["values"][label])
        table[f"Glaze.{name}"] = {
            "truth": wanted.tolist(),
            "found": got.tolist(),
            "standard_error": found["errors"][label],
            "error": float(np.abs(got - wanted).max()),
        }
    return table


def visible_texels(height: int, width: int) -> np.ndarray:
    """Return which texels of the table a camera of the photos sees, shape (height, width)."""
    scene, table = bpy.context.scene, bpy.data.objects["Table"]
    depsgraph = bpy.context.evaluated_depsgraph_get()
    corners = [table.matrix_world @ vertex.co for vertex in table.data.vertices]
    uvs = {
        loop.vertex_index: uv.uv.copy()
        for loop, uv in zip(table.data.loops, table.data.uv_layers.active.data, strict=True)
    }
    low, high = (next(corners[n] for n, uv in uvs.items() if uv == Vector((e, e))) for e in (0, 1))
    seen = np.zeros((height, width), bool)
    for name in studio.CAMERAS:
        camera = bpy.data.objects[name]
        eye = camera.matrix_world.translation
        for row, column in np.ndindex(height, width):
            u, v = (column + 0.5) / width, 1 - (row + 0.5) / height
            point = Vector((low.x + u * (high.x - low.x), low.y + v * (high.y - low.y), low.z))
            x, y, depth = world_to_camera_view(scene, camera, point)
            if seen[row, column] or not (0 < x < 1 and 0 < y < 1 and depth > 0):
                continue
            ray = (point - eye).normalized()
            is_hit, place, *_ = scene.ray_cast(depsgraph, eye, ray)
            seen[row, column] = is_hit and (place - point).length < 1e-3
    return seen


def texture_error(folder: Path) -> float:
    """Return the root mean square error over texels that the photos show, linear."""
    with np.load(folder / "texture.npz") as found:
        fitted = found["pixels"]
    bpy.ops.wm.open_mainfile(filepath=str(folder / "truth.blend"))
    nodes = bpy.data.materials["Cloth"].node_tree.nodes
    image = next(node.image for node in nodes if node.bl_idname == "ShaderNodeTexImage")
    flat = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(flat)
    width, height = image.size
    encoded = flat.reshape(height, width, -1)[::-1, :, :3]
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    truth = resample(linear, fitted.shape[1::-1])
    seen = visible_texels(*fitted.shape[:2])
    return float(np.sqrt(np.mean((fitted - truth)[seen] ** 2)))


def relight(folder: Path) -> float:
    """Render the fitted scene as the photos never showed it; return the relative error."""
    bpy.ops.wm.open_mainfile(filepath=str(folder / "fitted.blend"))
    studio.set_rendering()
    studio.set_light(studio.OTHER_LIGHT)
    studio.take_photo(studio.UNSEEN[0], folder / "relit_fitted.exr")
    fitted, truth = (studio.read(folder / f"relit_{name}.exr") for name in ("fitted", "truth"))
    shown = np.concatenate([display(truth), display(fitted)], axis=1)
    write(folder / "relit.png", shown)
    # Blocks of pixels: the noise of two renders is no error of the materials.
    height, width = (size // 8 * 8 for size in fitted.shape[:2])
    blocks = [
        image[:height, :width].reshape(height // 8, 8, width // 8, 8, 3).mean(axis=(1, 3))
        for image in (fitted, truth)
    ]
    return float(np.abs(blocks[0] - blocks[1]).mean() / blocks[1].mean())


def write_sheet(folder: Path) -> None:
    """Stack the comparison pictures of all cameras."""
    report = json.loads((folder / "report.json").read_text())
    rows = [studio.read(folder / target["picture"]) for target in report["targets"]]
    width = max(row.shape[1] for row in rows)
    padded = [np.pad(row, ((0, TALL), (0, width - row.shape[1]), (0, 0))) for row in rows]
    write(folder / "sheet.png", np.concatenate(padded)[:-TALL])


def main(folder: Path) -> None:
    """Write the comparison, and print it."""
    found = json.loads((folder / "found.json").read_text())
    numbers = number_errors(folder)
    summary = {
        "numbers": numbers,
        "largest_error": max(entry["error"] for entry in numbers.values()),
        "exposures": found["exposures"],
        "texture_rmse": texture_error(folder),
        "relit_error": relight(folder),
        "seconds": found["seconds"],
        "seconds_to_first_update": found["seconds_to_first_update"],
        "reason": found["reason"],
    }
    write_sheet(folder)
    (folder / "summary.json").write_text(json.dumps(summary, indent=1))
    print_summary(summary)


def print_summary(summary: dict) -> None:
    """Print the numbers for people."""
    for name, entry in summary["numbers"].items():
        pairs = zip(entry["found"], entry["standard_error"], entry["truth"], strict=True)
        words = ", ".join(f"{f:.3f} ± {e:.3f} (truth {t:.3f})" for f, e, t in pairs)
        print(f"demo: {name} = {words}")
    for name, (factor, *_) in summary["exposures"].items():
        print(f"demo: exposure of {name} = {factor:.3f} (truth {studio.GAINS[name]:g})")
    print(
        f"demo: largest error {summary['largest_error']:.3f}, texture RMSE "
        f"{summary['texture_rmse']:.3f}, relit view {100 * summary['relit_error']:.1f} % off, "
        f"fitted in {summary['seconds']:.0f} s",
        flush=True,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
