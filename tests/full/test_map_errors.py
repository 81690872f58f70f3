# SPDX-License-Identifier: Apache-2.0
"""Errors of maps that are fitted together, over a hundred small plates that are all different."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.render_scenes import placed, quad
from support.vase_cases import smooth_noise, soft_step
from weft.fit import Fit, FitSettings, Target, TextureParameter
from weft.render import PathSettings
from weft.scene import Camera, Environment, Texture, principled

FITS, SIZE, TEXELS, DRAWS = 100, 24, 12, 60
START = {"base_color": (0.5, 0.5, 0.5), "roughness": (0.5,), "metallic": (0.4,)}
PLACES = ((0, -1.2, 2.6), (1.8, 0.6, 2.0), (-1.6, 1.2, 1.8), (0.3, 2.0, 1.6))


def random_maps(random):
    """Return maps of a mix of two materials with grain."""
    low, high = (0.08, 0.08, 0.08, 0.15, 0.0), (0.85, 0.85, 0.85, 0.85, 1.0)
    ends = random.uniform(low, high, (2, 5))
    field, grain = (smooth_noise(TEXELS, 2.5, int(random.integers(1 << 30))) for _ in range(2))
    share = soft_step(2 * field)[..., None]
    texels = ends[0] * (1 - share) + ends[1] * share
    texels[..., :3] *= 1 + 0.06 * grain[..., None]
    texels = np.clip(texels, low, high).astype(np.float32)
    return dict(zip(START, np.split(texels, [3, 4], axis=2), strict=True))


def scene_with(maps, views, sun):
    sky = np.full((8, 16, 3), 0.5, np.float32)
    sky[1:3, sun : sun + 3] = 9
    textures = {name: Texture(pixels, wrap="extend") for name, pixels in maps.items()}
    cameras = [
        Camera(SIZE, SIZE, transform=Camera.look_at(place, (0, 0, 0)), fov=0.75, name=f"{number}")
        for number, place in enumerate(PLACES[:views])
    ]
    plate = placed(quad(), principled("plate", **textures))
    return weft.Scene([plate], cameras=cameras, environment=Environment(sky))


def off_in_errors(device, number):
    """Return the distances of known texels from the truth in standard errors, by map."""
    random = np.random.default_rng(number)
    truth, views = random_maps(random), 1 + number % len(PLACES)
    sun = int(random.integers(13))
    renderer = weft.Renderer(device, scene_with(truth, views, sun))
    start = {name: np.tile(np.float32(value), (TEXELS, TEXELS, 1)) for name, value in START.items()}
    fit = Fit(
        scene_with(start, views, sun),
        [
            Target(renderer.render(camera, PathSettings(samples=128, bounces=2, seed=number)), k)
            for k, camera in enumerate(renderer.scene.cameras)
        ],
        [TextureParameter(f"plate.{name}") for name in START],
        FitSettings(bounces=2, seed=number, texture_iterations=DRAWS),
        device=device,
    )
    result = fit.run()
    out = {}
    for name, pixels in truth.items():
        found = result.textures[f"plate.{name}"]
        known = found.known > 0.5
        out[name] = (np.abs(found.pixels - pixels) / found.errors)[known].ravel()
    return out


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_errors_of_maps_cover_the_truth(device, record_property):
    found = [off_in_errors(device, number) for number in range(FITS)]

    for name in START:
        within = np.array([(fit[name] <= 2).mean() for fit in found])
        record_property(f"{name}: texels within two errors", float(within.mean()))
        record_property(f"{name}: the worst fit", float(within.min()))
        assert 0.85 <= within.mean()
