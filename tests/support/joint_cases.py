# SPDX-License-Identifier: Apache-2.0
"""A cloth and a glazed ball beside shining brass under a sun: fits with few very bright paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import weft
from support.render_scenes import placed, quad, sphere
from weft.fit import Fit, FitSettings, Parameter, Target, TextureParameter
from weft.render import PathSettings
from weft.scene import Camera, Environment, Material, Texture, principled

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIZE, TEXELS = 48, 24
TRUTH = {"base_color": (0.72, 0.22, 0.07), "metallic": 0.35, "roughness": 0.28}
START = {"base_color": (0.5, 0.5, 0.5), "metallic": 0.0, "roughness": 0.5}
PLACES = ((0.3, -3.4, 2.2), (-2.6, -2.2, 2.4), (2.2, 1.5, 2.6))


class Outcome(NamedTuple):
    """What a fit has come to.

    Args:
        errors: Of the five numbers.
        standard_errors: As the fit has them.
        texture: Root mean square error of the texels that are known.
        reason: Why the fit ended.
    """

    errors: NDArray[np.float64]
    standard_errors: NDArray[np.float64]
    texture: float
    reason: str


def pattern() -> NDArray[np.float32]:
    """Return checks and ramps, linear RGB in [0.1, 0.8]."""
    y, x = np.mgrid[0:TEXELS, 0:TEXELS] / (TEXELS - 1)
    checks = (np.floor(x * 5.99) + np.floor(y * 5.99)) % 2
    image = np.stack([0.2 + 0.6 * x, 0.7 - 0.5 * y, 0.25 + 0.35 * checks], -1)
    return (image * (0.5 + 0.5 * checks[..., None])).astype(np.float32)


def scene_with(pixels: NDArray[np.floating], glaze: dict[str, object]) -> weft.Scene:
    """Return the scene with a cloth and a glaze."""
    cloth: Material = principled(
        "cloth", base_color=Texture(np.asarray(pixels, np.float32), wrap="extend"), roughness=0.6
    )
    brass = principled("brass", base_color=(0.9, 0.65, 0.3), metallic=1.0, roughness=0.12)
    sky = np.full((16, 32, 3), 0.4, np.float32)
    sky[3, 9] = 400
    ball = sphere(0.55)
    cameras = [
        Camera(SIZE, SIZE, transform=Camera.look_at(place, (0, 0, 0.3)), fov=0.7, name=f"{k}")
        for k, place in enumerate(PLACES)
    ]
    objects = [
        placed(quad(3.0), cloth, name="cloth"),
        placed(ball, principled("glaze", **glaze), move=(0.1, 0.3, 0.55), name="glaze"),
        placed(ball, brass, scale=0.6, move=(-0.75, -0.45, 0.33), name="brass"),
    ]
    return weft.Scene(objects, cameras=cameras, environment=Environment(sky))


def take_photos(device: weft.Device, seed: int, samples: int = 256) -> list[NDArray[np.float32]]:
    """Return a noisy picture of each camera."""
    renderer = weft.Renderer(device, scene_with(pattern(), TRUTH))
    settings = PathSettings(samples=samples, bounces=3, roulette_from=None, seed=seed)
    return [renderer.render(camera, settings) for camera in renderer.scene.cameras]


def fit_photos(
    device: weft.Device, photos: list[NDArray[np.float32]], seed: int, **settings: object
) -> Outcome:
    """Fit the texture and the five numbers from grey."""
    names = [f"glaze.{name}" for name in TRUTH]
    fit = Fit(
        scene_with(np.full((TEXELS, TEXELS, 3), 0.5), START),
        [Target(photo, camera=number) for number, photo in enumerate(photos)],
        [TextureParameter("cloth.base_color"), *map(Parameter, names)],
        FitSettings(bounces=3, seed=seed, **settings),
        device=device,
    )
    result = fit.run()
    found, errors = (
        np.concatenate([np.ravel(table[name]) for name in names])
        for table in (result.values, result.errors)
    )
    truth = np.concatenate([np.ravel(value) for value in TRUTH.values()])
    texture = result.textures["cloth.base_color"]
    off = (texture.pixels - pattern())[texture.known > 0.5]
    return Outcome(found - truth, errors, float(np.sqrt(np.mean(off**2))), result.reason)
