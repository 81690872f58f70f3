# SPDX-License-Identifier: Apache-2.0
"""Fits a phone capture of MaterialGAN (Guo et al. 2020): a card, photographed nine times by flash.

The card lies in the plane z = 0. The photos were straightened: a pixel is a place of the card. A
camera whose film lies parallel to the card, shifted until it shows the card alone, sees the same.
Seven photos are fitted, the two others say how good the maps are.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

import weft
from weft import image
from weft.fit import DisplayTransform, Fit, FitSettings, Target, TextureParameter
from weft.render import PathSettings
from weft.scene import Camera, Mesh, Object, PointLight, Scene, Texture, principled

SIDE = 0.06848
HEIGHT = 0.16
STEP = 0.025
FITTED = (0, 1, 2, 3, 4, 5, 6)
HELD_OUT = (7, 8)
CURVE = 2.2  # light to display value, as MaterialGAN's own renderer writes it
POWER = 4 * math.pi * 1500e-4
"""Of its point lights, W: their intensity is 1500, distances are in centimetres there."""

RESOLUTION = 256


def place_of(number: int) -> np.ndarray:
    """Return where a photo's camera and flash were, metres."""
    return np.array([(number % 3 - 1) * STEP, (1 - number // 3) * STEP, HEIGHT])


def camera_of(number: int, size: int) -> Camera:
    """Return the camera that sees the card and nothing else."""
    origin = place_of(number)
    return Camera(
        size,
        size,
        fov=2 * math.atan(SIDE / 2 / HEIGHT),
        shift=(-origin[0] / SIDE, -origin[1] / SIDE),
        transform=np.column_stack([np.eye(3), origin]),
        name=f"camera {number}",
    )


def scene_of(numbers: Sequence[int], resolution: int) -> Scene:
    """Return the card, grey and half rough, with a camera and a flash for each photo."""
    half = SIDE / 2
    corners = np.array([[-half, -half, 0], [half, -half, 0], [half, half, 0], [-half, half, 0]])
    mesh = Mesh(
        corners.astype(np.float32),
        [[0, 1, 2], [0, 2, 3]],
        uvs={"UVMap": (corners[:, :2] / SIDE + 0.5).astype(np.float32)},
    )
    maps = {
        name: Texture(np.full((resolution, resolution, width), start), wrap="extend")
        for name, width, start in (
            ("base_color", 3, 0.4),
            ("roughness", 1, 0.5),
            ("metallic", 1, 0.4),
        )
    }
    lights = [PointLight(place_of(number), POWER, name=f"flash {number}") for number in numbers]
    cameras = [camera_of(number, resolution) for number in numbers]
    return Scene([Object(mesh, [principled("card", **maps)])], lights, cameras)


def shown(light: np.ndarray) -> np.ndarray:
    """Return display values of light."""
    return np.clip(light, 0, 1) ** (1 / CURVE)


def display() -> DisplayTransform:
    """Return what the photos were saved through."""
    axis = DisplayTransform.axis(65, high=4.0)
    grid = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1)
    return DisplayTransform(shown(grid), high=4.0)


def fit_card(photos: Mapping[int, np.ndarray], device: weft.Device) -> Scene:
    """Return the card with the maps that seven photos tell."""
    scene = scene_of(FITTED, RESOLUTION)
    targets = [
        Target.from_display(
            photos[number],
            display(),
            f"camera {number}",
            name=f"photo {number}",
            lights=[f"flash {number}"],
        )
        for number in FITTED
    ]
    maps = [TextureParameter(f"card.{name}") for name in ("base_color", "roughness", "metallic")]
    return Fit(scene, targets, maps, FitSettings(bounces=1), device=device).run().apply()


def difference(picture: np.ndarray, photo: np.ndarray) -> float:
    """Return the root of the mean square of differences of display values."""
    return float(np.sqrt(np.mean((picture - photo) ** 2)))


def measure_card(places: Mapping[str, Path], pictures: Path | None) -> dict[str, float]:
    """Fit seven photos; print and return how far renders are from the others.

    Args:
        places: Files by the names of sources.json.
        pictures: Folder that gets render, photo and MaterialGAN's render of the photos left out.
    """
    photos = {
        number: image.read(places[f"photo_{number}"], encoding="linear")[..., :3]
        for number in (*FITTED, *HELD_OUT)
    }
    device = weft.create_device()
    began, busy = time.perf_counter(), time.process_time()
    found = fit_card(photos, device)
    figures = {
        "seconds": time.perf_counter() - began,
        "cpu_seconds": time.process_time() - busy,
    }
    squares: dict[str, list[float]] = {"weft": [], "materialgan": []}
    for number in HELD_OUT:
        found.cameras = [camera_of(number, RESOLUTION)]
        found.lights = [PointLight(place_of(number), POWER)]
        settings = PathSettings(samples=64, bounces=1, seed=7)
        picture = shown(weft.Renderer(device, found).render(settings=settings))
        theirs = image.read(places[f"materialgan_{number}"], encoding="linear")[..., :3]
        squares["weft"].append(difference(picture, photos[number]) ** 2)
        squares["materialgan"].append(difference(theirs, photos[number]) ** 2)
        if pictures is not None:
            pictures.mkdir(parents=True, exist_ok=True)
            sheet = np.concatenate([picture, photos[number], theirs], axis=1)
            image.write(pictures / f"card_{number}.png", sheet, encoding="linear")
    figures |= {name: float(np.sqrt(np.mean(values))) for name, values in squares.items()}
    print(
        f"card_blue: photos left out, RMSE of display values: Weft {figures['weft']:.3f}, "
        f"MaterialGAN {figures['materialgan']:.3f} (it saw them); "
        f"{figures['cpu_seconds']:.0f} s of CPU"
    )
    return figures
