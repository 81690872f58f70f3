#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of docs/guide/fitting.md beside this file; takes minutes on a CPU.

./dev python docs/images/draw_fitting.py            # all
./dev python docs/images/draw_fitting.py texture    # one

An example is a function that returns sRGB numbers; add one to EXAMPLES.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import weft
from weft.fit import Fit, FitResult, FitSettings, Parameter, Target, TextureParameter
from weft.fit.comparison import beside, compare, encode_display
from weft.fit.loss_curve import BLUE
from weft.render import PathSettings
from weft.scene import (
    AreaLight,
    Camera,
    Closure,
    Environment,
    Material,
    Mesh,
    Object,
    Scene,
    Texture,
    principled,
)

HERE = Path(__file__).resolve().parent
SIZE = 160
BOUNCES = 3
Image = NDArray[np.float32]

make_sphere = runpy.run_path(str(HERE / "draw_rendering.py"))["sphere"]


def ball(rings: int = 48) -> Mesh:
    """Return a unit sphere with the UVs of a map of the world."""
    mesh = make_sphere(rings)
    row, column = np.divmod(np.arange(len(mesh.positions)), 2 * rings + 1)
    uv = np.stack([column / (2 * rings), 1 - row / rings], -1).astype(np.float32)
    return Mesh(mesh.positions, mesh.triangles, mesh.normals, {"UVMap": uv}, name="ball")


def camera(angle: float, name: str) -> Camera:
    """Return a camera that looks at the ball from a direction, degrees around z."""
    turned = np.radians(angle)
    place = (4.6 * np.sin(turned), -4.6 * np.cos(turned), 2.0)
    pose = Camera.look_at(place, (0, 0, 0.85))
    return Camera(SIZE, SIZE, fov=0.55, transform=pose, name=name)


def build_scene(look: Material, *, has_light: bool = True, sky: float = 0.35) -> Scene:
    """Return a ball on a grey floor, seen from three sides."""
    ground = Mesh([[-9, -9, 0], [9, -9, 0], [9, 9, 0], [-9, 9, 0]], [[0, 1, 2], [0, 2, 3]])
    grey = Material("floor", Closure("diffuse", color=(0.4, 0.4, 0.4)))
    move = np.column_stack([np.eye(3), [0, 0, 1]])
    light = AreaLight(Camera.look_at((-3, -2.5, 4.5), (0, 0, 1)), (1.6, 1.6), power=260.0)
    return Scene(
        [Object(ground, [grey], name="floor"), Object(ball(), [look], move, name="ball")],
        [light] if has_light else [],
        [camera(0, "front"), camera(120, "right"), camera(240, "left")],
        Environment(np.array([0.9, 1.0, 1.1]) * sky),
    )


def take_photos(device: weft.Device, scene: Scene, names: list[str]) -> list[Target]:
    """Return renders of a scene as targets in which only the ball counts."""
    renderer = weft.Renderer(device, scene)
    settings = PathSettings(samples=512, bounces=BOUNCES, seed=99)
    return [
        Target(renderer.render(name, settings), name, name=name, objects=["ball"]) for name in names
    ]


def tell(title: str, result: FitResult) -> None:
    """Print what a fit has found."""
    latest = result.history[-1]
    print(f"{title}: {result.reason}, {latest.iterations} iterations, {latest.seconds:.1f} s")
    for name, value in result.values.items():
        print(f"  {name} {np.round(value, 4)} +- {np.round(result.errors[name], 4)}")
    for name, reason in result.undetermined.items():
        print(f"  {name}: {reason}")


def draw_material(device: weft.Device) -> Image:
    """Five numbers of one material from one photo."""
    truth = principled("paint", base_color=(0.75, 0.22, 0.08), roughness=0.28, metallic=0.35)
    (photo,) = take_photos(device, build_scene(truth), ["front"])
    guess = build_scene(
        principled("paint", base_color=(0.5, 0.5, 0.5), roughness=0.6, metallic=0.0)
    )
    names = ["paint.base_color", "paint.roughness", "paint.metallic"]
    settings = FitSettings(bounces=BOUNCES, tolerance=0.005)
    parameters = [Parameter(name) for name in names]
    result = Fit(guess, [photo], parameters, settings, device=device).run()
    tell("material", result)
    chosen = PathSettings(samples=256, bounces=BOUNCES)
    before, after = (
        weft.Renderer(device, scene).render("front", chosen) for scene in (guess, result.apply())
    )
    return compare(photo, before, after).pixels


def paint_map(width: int = 128) -> Image:
    """Return a painted map of the world: stripes, dots and a ring."""
    v, u = np.mgrid[0 : width // 2, 0:width] / np.array([width / 2, width])[:, None, None]
    stripes = (np.sin(2 * np.pi * (6 * u + 1.5 * v)) > 0)[..., None]
    colors = np.where(stripes, (0.75, 0.3, 0.12), (0.85, 0.75, 0.5))
    dots = (np.hypot((10 * u) % 1 - 0.5, (5 * v) % 1 - 0.5) < 0.28)[..., None]
    colors = np.where(dots & (v > 0.25)[..., None], (0.1, 0.3, 0.5), colors)
    ring = (np.abs(v - 0.3) < 0.03)[..., None]
    return np.where(ring, (0.12, 0.12, 0.14), colors).astype(np.float32)


def fit_map(device: weft.Device, photos: list[Target]) -> Image:
    """Return the texture that photos of the painted ball show, sRGB."""
    grey = Texture(np.full((64, 128, 3), 0.5))
    guess = build_scene(principled("paint", base_color=grey, roughness=0.5))
    settings = FitSettings(bounces=BOUNCES, texture_iterations=60)
    parameter = TextureParameter("paint.base_color", smoothness=0.03)
    result = Fit(guess, photos, [parameter], settings, device=device).run()
    found = result.textures["paint.base_color"]
    share = 100 * found.known.mean()
    error = np.sqrt(((found.pixels - paint_map()) ** 2).mean(-1))[found.known > 0].mean()
    tell(f"map from {len(photos)} photos ({share:.0f} % seen, error {error:.3f})", result)
    return encode_display(found.pixels)


def draw_texture(device: weft.Device) -> Image:
    """A texture from one photo, and from three."""
    truth = principled("paint", base_color=Texture(paint_map()), roughness=0.5)
    photos = take_photos(device, build_scene(truth), ["front", "right", "left"])
    views = beside(
        [encode_display(photo_of(photo)) for photo in photos],
        [f"photo: {photo.name}" for photo in photos],
    )
    maps = beside(
        [encode_display(paint_map()), fit_map(device, photos[:1]), fit_map(device, photos)],
        ["texture: truth", "from 'front' alone", "from all three"],
    )
    return stack([views, maps])


def photo_of(target: Target) -> Image:
    """Return the image of a target, brightened for a display."""
    return np.asarray(target.image * np.float32(1.6), np.float32)


def stack(rows: list[Image]) -> Image:
    """Put pictures below each other, white beside narrow ones."""
    width = max(row.shape[1] for row in rows)
    padded = [
        np.pad(row, [(0, 8), (0, width - row.shape[1]), (0, 0)], constant_values=1.0)
        for row in rows
    ]
    return np.concatenate(padded)


def build_shelf(looks: dict[str, dict[str, object]]) -> Scene:
    """Return a golden ball, a globe, and a ball behind the gold, seen from the front."""
    scene = build_scene(principled("unused"))
    pose = Camera.look_at((0, -4.6, 2.0), (0, 0, 0.6))
    scene.cameras = [Camera(3 * SIZE // 2, SIZE, fov=0.85, transform=pose, name="front")]
    places = {"gold": (-0.9, 0, 0.8), "globe": (0.9, 0, 0.8), "behind": (-1.15, 1.5, 0.45)}
    sizes = {"gold": 0.8, "globe": 0.8, "behind": 0.4}
    shape = ball()
    scene.objects[1:] = [
        Object(
            shape,
            [principled(name, **looks[name])],
            np.column_stack([np.eye(3) * sizes[name], place]),
            name=name,
        )
        for name, place in places.items()
    ]
    return scene


def draw_limits(device: weft.Device) -> Image:
    """What a photo does not tell: errors beside the range, and the reasons."""
    looks: dict[str, dict[str, object]] = {
        "gold": {
            "base_color": (0.9, 0.6, 0.25),
            "roughness": 0.3,
            "metallic": 1.0,
            "specular_level": 0.5,
        },
        "globe": {
            "base_color": (0.2, 0.2, 0.2),
            "roughness": 0.5,
            "emission_color": (0.5, 0.4, 0.3),
            "emission_strength": 0.6,
        },
        "behind": {"base_color": (0.1, 0.3, 0.6), "roughness": 0.4},
    }
    scene = build_shelf(looks)
    image = weft.Renderer(device, scene).render(
        "front", PathSettings(samples=512, bounces=BOUNCES, seed=99)
    )
    names = [
        "gold.roughness",
        "gold.specular_level",
        "globe.base_color",
        "globe.emission_color",
        "globe.emission_strength",
        "behind.roughness",
    ]
    settings = FitSettings(bounces=BOUNCES, max_iterations=16)
    parameters = [Parameter(name) for name in names]
    result = Fit(scene, [Target(image, "front")], parameters, settings, device=device).run()
    tell("limits", result)
    photo = encode_display(image * 1.6)
    return beside([photo, draw_errors(result, photo.shape[0])], ["photo", "found"])


def draw_errors(result: FitResult, height: int) -> Image:
    """Return a chart: value and error of each parameter, red where the photo leaves it open."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.4, height / 100), dpi=100, layout="constrained")
    axes = figure.add_subplot()
    for row, (name, value) in enumerate(result.values.items()):
        color = (0.8, 0.15, 0.1) if name in result.undetermined else BLUE
        errors = np.minimum(result.errors[name], 1.0)
        axes.errorbar(np.minimum(value, 1.0), [row] * len(value), xerr=errors, fmt="|", color=color)
    axes.set_yticks(range(len(result.values)), list(result.values))
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.grid(axis="x", color="0.85")
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba(), np.float32)[..., :3] / np.float32(255)


EXAMPLES: dict[str, Callable[[weft.Device], Image]] = {
    "material": draw_material,
    "texture": draw_texture,
    "limits": draw_limits,
}


def main() -> None:
    """Draw the examples that the arguments name, or all."""
    device = weft.create_device()
    for name in sys.argv[1:] or EXAMPLES:
        pixels = EXAMPLES[name](device)
        weft.image.write(HERE / f"fitting_{name}.png", pixels, encoding="linear")


if __name__ == "__main__":
    main()
