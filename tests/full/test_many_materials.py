# SPDX-License-Identifier: Apache-2.0
"""Fits of all materials of a scene at once."""

from __future__ import annotations

import time

import numpy as np
import pytest

import weft
from support.render_scenes import lambert, placed, quad, sphere
from weft.fit import Fit, FitSettings, Parameter, Target
from weft.render import PathSettings
from weft.scene import AreaLight, Camera, Environment, principled

PLAIN = ("base_color", "roughness", "metallic")
RICH = (
    *PLAIN,
    "specular_level",
    "coat_weight",
    "coat_roughness",
    "sheen_weight",
    "sheen_roughness",
    "diffuse_roughness",
)
RANGES = {"base_color": (0.1, 0.85), "roughness": (0.15, 0.7)}
FULL = ("metallic", "coat_weight", "sheen_weight")


def balls(values, width: int = 192) -> weft.Scene:
    """One ball a material on a floor, seen from two sides."""
    count = len(values)
    columns = int(np.ceil(np.sqrt(count * 1.25)))
    rows = -(-count // columns)
    objects = [placed(quad(3 * columns), lambert((0.4, 0.4, 0.4), "floor"))]
    for number, own in enumerate(values):
        row, column = divmod(number, columns)
        place = (column - (columns - 1) / 2, row - (rows - 1) / 2, 0.42)
        material = principled(f"m{number}", **own)
        objects.append(placed(sphere(), material, scale=0.42, move=place))
    size = columns * 0.75
    cameras = [
        Camera(
            width,
            width * 3 // 4,
            transform=Camera.look_at((side * size, -2.2 * size, 2.2 * size), (0, 0, 0.2)),
            name=f"view {side}",
        )
        for side in (-1, 1)
    ]
    pose = np.column_stack([np.diag([1.0, -1.0, -1.0]), [size, 0, 2 * size]])
    light = AreaLight(pose, size=(0.8, 0.8), power=60.0 * size**2, name="key")
    sky = 0.3 + 0.7 * np.random.default_rng(3).random((8, 16, 3))
    return weft.Scene(objects, [light], cameras, Environment(sky))


def draw(random: np.random.Generator, inputs) -> dict[str, object]:
    out: dict[str, object] = {}
    for name in inputs:
        low, high = RANGES.get(name, (0.0, 1.0) if name in FULL else (0.1, 0.9))
        size = 3 if name == "base_color" else None
        drawn = random.uniform(low, high, size)
        out[name] = tuple(drawn) if size else float(drawn)
    return out


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("count", "inputs", "draws"), [(5, PLAIN, 40), (20, PLAIN, 16)])
def test_all_numbers_of_all_materials_are_found(device, record_property, count, inputs, draws):
    random = np.random.default_rng(1)
    truth = [draw(random, inputs) for _ in range(count)]
    start = [{n: (0.5,) * 3 if n == "base_color" else 0.4 for n in inputs} for _ in range(count)]
    renderer = weft.Renderer(device, scene := balls(truth))
    targets = []
    for number, camera in enumerate(scene.cameras):
        settings = PathSettings(128, bounces=4, roulette_from=None, seed=99 + number)
        targets.append(Target(renderer.render(camera, settings), camera=camera.name))
    names = [(number, name) for number in range(count) for name in inputs]
    fit = Fit(
        balls(start),
        targets,
        [Parameter(f"m{number}.{name}") for number, name in names],
        FitSettings(max_iterations=draws),
        device=device,
    )

    began = time.perf_counter()
    result = fit.run()
    seconds = time.perf_counter() - began

    errors, bars = [], []
    for number, name in names:
        found = result.values[f"m{number}.{name}"]
        errors.append(np.abs(found - np.ravel(truth[number][name])))
        bars.append(result.errors[f"m{number}.{name}"])
    flat, told = np.concatenate(errors), np.concatenate(bars)
    # xdist carries Python's own numbers only.
    figures = (seconds, float(flat.mean()), float(flat.max()))
    record_property("seconds, mean error, largest", figures)
    assert np.isfinite(told).all()
    assert flat.mean() < 0.03
    assert (flat <= 3 * told).mean() >= 0.95
    assert all("\n" not in reason and len(reason) < 300 for reason in result.undetermined.values())


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_hundreds_of_numbers_compile_and_step(device):
    random = np.random.default_rng(2)
    start = [draw(random, RICH) for _ in range(20)]
    scene = balls(start, width=64)
    photo = np.full((48, 64, 3), 0.3, np.float32)
    targets = [Target(photo, camera=camera.name) for camera in scene.cameras]
    names = [f"m{number}.{name}" for number in range(20) for name in RICH]

    fit = Fit(scene, targets, [Parameter(name) for name in names], device=device)
    progress = fit.step()

    assert sum(value.size for value in progress.values.values()) == 220
    assert all(np.isfinite(value).all() for value in progress.values.values())
