# SPDX-License-Identifier: Apache-2.0
"""Several maps of one material, fitted together."""

import numpy as np
import pytest

import weft
from support.render_scenes import placed, quad
from weft.fit import Exposure, Fit, FitSettings, Target, TextureParameter
from weft.render import PathSettings
from weft.scene import Camera, Environment, Texture, principled

SIZE, TEXELS = 24, 12
START = {"base_color": (0.5, 0.45, 0.4), "roughness": (0.4,), "metallic": (0.5,)}


def constant(name):
    return np.tile(np.array(START[name], np.float32), (TEXELS, TEXELS, 1))


def scene_with(maps):
    textures = {name: Texture(pixels, wrap="extend") for name, pixels in maps.items()}
    plate = principled("plate", **(START | textures))
    sky = np.full((8, 16, 3), 0.6, np.float32)
    sky[1:3, 4:7] = 12
    camera = Camera(SIZE, SIZE, transform=Camera.look_at((0, -1.2, 2.6), (0, 0, 0)), fov=0.75)
    return weft.Scene([placed(quad(), plate)], cameras=[camera], environment=Environment(sky))


@pytest.fixture(scope="module")
def photo(device):
    scene = scene_with({"metallic": np.full((TEXELS, TEXELS, 1), 0.2, np.float32)})
    return weft.Renderer(device, scene).render(settings=PathSettings(samples=64, bounces=2, seed=8))


def curvatures(device, photo, names, *more):
    """Return the curvature of each map at the start, by its name."""
    fit = Fit(
        scene_with({name: constant(name) for name in START}),
        [Target(photo)],
        [TextureParameter(f"plate.{name}") for name in names] + list(more),
        FitSettings(bounces=2, samples=16),
        device=device,
    )
    while not (model := _textures_of(fit)).curved.any():
        fit.step()
    regions = zip(names, model.regions, strict=True)
    return {name: model.curved[region.part].reshape(region.shape) for name, region in regions}


def _textures_of(fit):
    return fit.stage.images if hasattr(fit.stage, "images") else fit.stage.model


@pytest.mark.parametrize("more", [[], [Exposure()]])
def test_every_map_has_a_curvature_where_signs_of_answers_differ(device, photo, more):
    together = curvatures(device, photo, list(START), *more)

    for curved in together.values():
        assert (curved > 0).mean() > 0.9
