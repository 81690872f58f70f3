# SPDX-License-Identifier: Apache-2.0
"""Lights by power and from the tree: variance at equal samples, and processor time.

./dev python tests/bench/rendering/lights.py [--device cuda] [--pixels 64]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import weft
from weft.render import PathSettings
from weft.scene import Camera, Closure, Environment, Material, Mesh, Object, PointLight

RUNS, SAMPLES = 8, 4
GREY = Material("grey", Closure("diffuse", color=(0.6, 0.6, 0.6)))
GLOW = Material("glow", Closure("emission", color=(1.0, 0.8, 0.6), strength=20.0))


def quad(size: float) -> Mesh:
    """Return a square in the xy plane."""
    corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], np.float32) * (size / 2)
    return Mesh(corners, [[0, 1, 2], [0, 2, 3]])


def ball(radius: float, rings: int) -> Mesh:
    """Return a sphere of about 4 rings^2 triangles."""
    theta, phi = np.meshgrid(
        np.linspace(0, np.pi, rings + 1), np.linspace(0, 2 * np.pi, 2 * rings + 1), indexing="ij"
    )
    points = np.stack([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], -1)
    i, j = (k.ravel() for k in np.meshgrid(np.arange(rings), np.arange(2 * rings), indexing="ij"))
    a = i * (2 * rings + 1) + j
    b = a + 2 * rings + 1
    triangles = np.concatenate([np.stack([a, b, b + 1], 1), np.stack([a, b + 1, a + 1], 1)])
    return Mesh(points.reshape(-1, 3) * radius, triangles)


def moved(mesh: Mesh, material: Material, place: tuple[float, float, float]) -> Object:
    """Return an object at a place."""
    return Object(mesh, [material], np.column_stack([np.eye(3), place]))


def lights_scene(count: int, pixels: int, *, sky: bool = False) -> weft.Scene:
    """Return `count` lights 0.5 m above a floor of 10 m with three balls."""
    draw = np.random.default_rng(count)
    lights = [
        PointLight(
            (*draw.uniform(-5, 5, 2), 0.5), power=float(draw.uniform(0.5, 2) * 100 / count),
            radius=0.03, name=f"light {k}",
        )
        for k in range(count)
    ]  # fmt: skip
    objects = [moved(quad(10), GREY, (0, 0, 0))]
    objects += [moved(ball(0.4, 16), GREY, (x, 0.0, 0.4)) for x in (-2.0, 0.0, 2.0)]
    environment = Environment(np.full((4, 8, 3), 0.05, np.float32)) if sky else None
    return weft.Scene(objects, lights, [view(pixels)], environment=environment)


def mesh_scene(pixels: int) -> weft.Scene:
    """Return two glowing spheres of 1024 triangles together above a floor."""
    objects = [moved(quad(10), GREY, (0, 0, 0)), moved(ball(0.4, 16), GREY, (0.0, 0.0, 0.4))]
    objects += [moved(ball(0.15, 11), GLOW, (x, -0.5, 0.6)) for x in (-2.0, 2.0)]
    return weft.Scene(objects, [], [view(pixels)])


def view(pixels: int) -> Camera:
    """Return a camera above the floor."""
    return Camera(pixels, pixels, transform=Camera.look_at((0, -7, 5), (0, 0, 0.3)))


def measure(device: weft.Device, scene: weft.Scene) -> dict[str, tuple[float, float]]:
    """Return variance and processor seconds a picture of both ways."""
    renderers = {
        kind: weft.Renderer(device, scene, light_sampling=kind) for kind in ("power", "tree")
    }
    pictures: dict[str, list[np.ndarray]] = {kind: [] for kind in renderers}
    seconds = dict.fromkeys(renderers, 0.0)
    for seed in range(RUNS + 1):
        settings = PathSettings(samples=SAMPLES, bounces=2, seed=seed, roulette_from=None)
        for kind, renderer in renderers.items():
            start = time.process_time()
            image = renderer.render(settings=settings)
            if seed > 0:  # the first compiles
                seconds[kind] += time.process_time() - start
                pictures[kind].append(image)
    return {
        kind: (float(np.var(pictures[kind], axis=0, ddof=1).mean()), seconds[kind] / RUNS)
        for kind in renderers
    }


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="vulkan")
    parser.add_argument("--pixels", type=int, default=64)
    chosen = parser.parse_args()
    device = weft.create_device(chosen.device)
    scenes = {f"{n} lights": lights_scene(n, chosen.pixels) for n in (1, 2, 4, 10, 100, 1000)}
    scenes["100 lights and a sky"] = lights_scene(100, chosen.pixels, sky=True)
    scenes["two glowing spheres"] = mesh_scene(chosen.pixels)
    print("| scene | variance, power / tree | processor time, tree / power |\n| --- | --- | --- |")
    for name, scene in scenes.items():
        found = measure(device, scene)
        variance = found["power"][0] / max(found["tree"][0], 1e-30)
        print(
            f"| {name} | {variance:.2f} | {found['tree'][1] / found['power'][1]:.2f} |", flush=True
        )


if __name__ == "__main__":
    main()
