# SPDX-License-Identifier: Apache-2.0
"""The vase of ``support.vase_cases`` for Weft, and how far maps are from the truth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import weft
from bench.rendering.anchor import mesh_of
from support import anchor_cases
from support import vase_cases as cases
from weft.render import PathSettings
from weft.scene import Camera, Closure, Environment, Material, Object, Texture, principled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from weft.fit.texture_parameters import FittedTexture

PHOTOS = Path(__file__).parents[1] / "golden" / "cycles_vase.npz"
START = {"base_color": (0.5, 0.5, 0.5), "roughness": (0.5,), "metallic": (0.4,)}


def with_material(material: Material, views: int = 4) -> weft.Scene:
    """Return the scene with a material for the vase."""
    grey = Closure("diffuse", color=anchor_cases.GROUND_COLOR)
    cameras = [
        Camera(
            cases.WIDTH,
            cases.HEIGHT,
            fov=cases.FOV,
            transform=Camera.look_at(cases.origin(view, views), cases.TARGET),
            name=f"view {view}",
        )
        for view in range(views)
    ]
    objects = [
        Object(mesh_of(cases.vase(), "vase"), [material], name="vase"),
        Object(mesh_of(cases.ground(), "ground"), [Material("ground", grey)], name="ground"),
    ]
    return weft.Scene(objects, cameras=cameras, environment=Environment(cases.sky()))


def with_maps(maps: Mapping[str, NDArray[np.float32]], views: int = 4) -> weft.Scene:
    """Return the scene with maps by the names of inputs."""
    textures = {name: Texture(pixels, name=name) for name, pixels in maps.items()}
    return with_material(principled("vase", **textures), views)


def start_maps(size: int = cases.TEXELS) -> cases.Maps:
    """Return where fits begin: one value a map."""
    return {
        name: np.tile(np.array(value, np.float32), (size, size, 1)) for name, value in START.items()
    }


def photos_of(
    device: weft.Device, maps: Mapping[str, NDArray[np.float32]], views: int = 4, samples: int = 256
) -> list[NDArray[np.float32]]:
    """Return renders of the vase with maps."""
    renderer = weft.Renderer(device, with_maps(maps, views))
    return [
        renderer.render(camera, PathSettings(samples, cases.BOUNCES, roulette_from=None, seed=70))
        for camera in renderer.scene.cameras
    ]


def hits(device: weft.Device, size: int = cases.TEXELS, views: int = 4) -> NDArray[np.float64]:
    """Return how many of many camera rays meet each texel, the top row first."""
    v, u = np.meshgrid(*[(np.arange(size) + 0.5) / size] * 2, indexing="ij")
    place = np.stack([u, 1 - v, np.full_like(u, 1)], -1).astype(np.float32)
    shining = Closure("emission", color=Texture(place, filter="closest"), strength=1.0)
    renderer = weft.Renderer(device, with_material(Material("vase", shining), views))
    counts = np.zeros((size, size))
    for camera in renderer.scene.cameras:
        for seed in range(16):
            settings = PathSettings(samples=1, bounces=0, seed=seed)
            found = renderer.render(camera, settings).reshape(-1, 3)
            column, row = (found[np.abs(found[:, 2] - 1) < 1e-5][:, :2] * size).T.astype(int)
            np.add.at(counts, (size - 1 - row.clip(0, size - 1), column.clip(0, size - 1)), 1)
    return counts


def distances(
    found: Mapping[str, FittedTexture], truth: cases.Maps, counts: NDArray[np.float64]
) -> dict[str, tuple[float, float]]:
    """Return the root mean square errors of each map, of seen texels and of their better half."""
    seen = counts > 0
    better = counts > np.median(counts[seen])
    out = {}
    for name, pixels in truth.items():
        squares = (found[f"vase.{name}"].pixels - pixels) ** 2
        out[name] = tuple(float(np.sqrt(squares[part].mean())) for part in (seen, better))
    return out


def constant_errors(truth: cases.Maps, counts: NDArray[np.float64]) -> dict[str, float]:
    """Return the errors of the best constant of each map, over seen texels."""
    seen = counts > 0
    return {
        name: float(np.sqrt(((pixels - pixels[seen].mean(axis=0)) ** 2)[seen].mean()))
        for name, pixels in truth.items()
    }
