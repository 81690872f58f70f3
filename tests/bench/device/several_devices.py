# SPDX-License-Identifier: Apache-2.0
"""A fit whose views are shared out over the GPUs of a machine: seconds a step, and efficiency.

    python tests/bench/device/several_devices.py
    python tests/bench/device/several_devices.py --type cuda --side 512 --views 8 --steps 6

For 1, 2, 4, ... of the devices of one kind: the median time of a step, the part of it that is
better than one device's (efficiency: time of one / (time of n * n)), the most memory that a device
held, and whether values, errors and losses are those of one device, bit by bit, which numpy
compares. Devices of software count too with `--type vulkan --twice`, for a test of the script.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

import numpy as np

import weft
from weft.fit import Exposure, Fit, FitSettings, LightParameter, Parameter, Target
from weft.render import PathSettings
from weft.scene import Camera, Environment, Mesh, Object, PointLight, principled


def sphere(segments: int = 96) -> Mesh:
    """Return a ball of radius 1 about (0, 0, 1)."""
    v, u = np.mgrid[0 : segments + 1, 0 : 2 * segments]
    theta, phi = np.pi * v / segments, np.pi * u / segments
    points = np.stack(
        [np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), 1 + np.cos(theta)], axis=-1
    ).astype(np.float32)
    row = 2 * segments
    first = (v[:-1] * row + u[:-1]).ravel()
    right = (v[:-1] * row + (u[:-1] + 1) % row).ravel()
    triangles = [[first, right, right + row], [first, right + row, first + row]]
    faces = np.concatenate([np.stack(entry, axis=1) for entry in triangles])
    return Mesh(points.reshape(-1, 3), faces.astype(np.uint32))


def scene_with(roughness: float, side: int, views: int) -> weft.Scene:
    """Return a ball on a floor, seen from all around."""
    angles = [2 * np.pi * number / views for number in range(views)]
    cameras = [
        Camera(
            side,
            side,
            transform=Camera.look_at((4.5 * np.sin(a), -4.5 * np.cos(a), 2), (0, 0, 0.8)),
            fov=0.6,
            name=f"view {number}",
        )
        for number, a in enumerate(angles)
    ]
    corners = np.array([[-6, -6, 0], [6, -6, 0], [6, 6, 0], [-6, 6, 0]], np.float32)
    floor = Mesh(corners, np.array([[0, 1, 2], [0, 2, 3]], np.uint32))
    ball = principled("ball", base_color=(0.7, 0.4, 0.2), roughness=roughness, metallic=0.4)
    ground = principled("floor", base_color=(0.5, 0.5, 0.5), roughness=0.8)
    objects = [Object(sphere(), [ball], name="ball"), Object(floor, [ground], name="floor")]
    lights = [PointLight((-2, -2, 3), 60.0, radius=0.1, name="key")]
    return weft.Scene(objects, lights, cameras, Environment(np.full((4, 8, 3), 0.4, np.float32)))


def timed(
    devices: list[weft.Device], photos: list[np.ndarray], options: argparse.Namespace
) -> dict:
    """Fit on some devices; return seconds a step, memory, and what was found."""
    targets = [Target(entry, f"view {k}", name=f"view {k}") for k, entry in enumerate(photos)]
    parameters = [
        Parameter("ball.base_color"),
        Parameter("ball.roughness"),
        Parameter("ball.metallic"),
        LightParameter("key"),
        Exposure("view 0"),
    ]
    settings = FitSettings(
        samples=options.samples, bounces=3, max_iterations=options.steps, tolerance=1e-9, seed=1
    )
    scene = scene_with(0.7, options.side, options.views)
    fit = Fit(scene, targets, parameters, settings, devices=devices)
    fit.step()  # compiles, and looks for the pixels
    seconds = []
    while not fit.is_done and len(seconds) < options.steps:
        begun = time.perf_counter()
        fit.step()
        seconds.append(time.perf_counter() - begun)
    found = [*fit.stage.values().values(), *fit.stage.errors().values()]
    most = max(entry.memory_info().peak_used for entry in devices)
    losses = np.array([entry.loss for entry in fit.history])
    return {
        "seconds": statistics.median(seconds),
        "memory": most,
        "found": np.concatenate([np.ravel(entry) for entry in found] + [losses]),
    }


def opened(options: argparse.Namespace) -> list[weft.Device]:
    """Open the devices of one kind."""
    infos = weft.devices(options.type)
    if options.type is None and infos:
        infos = [entry for entry in infos if entry.type == infos[0].type]
    infos = [entry for entry in infos if entry.name == infos[0].name]
    return [weft.create_device(entry) for entry in infos for _ in range(2 if options.twice else 1)]


def main() -> int:
    """Print a line a number of devices; 1 if any result differs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--type", default=None, help="cuda or vulkan; the best by default")
    parser.add_argument("--twice", action="store_true", help="open each device twice")
    parser.add_argument("--side", type=int, default=512, help="of each picture, pixels")
    parser.add_argument("--views", type=int, default=8)
    parser.add_argument("--samples", type=int, default=16)
    parser.add_argument("--steps", type=int, default=6)
    options = parser.parse_args()
    devices = opened(options)
    print(f"{len(devices)} x {devices[0].info.name}")
    renderer = weft.Renderer(devices[0], scene_with(0.4, options.side, options.views))
    paths = PathSettings(samples=64, bounces=3, seed=9)
    photos = [renderer.render(number, paths) for number in range(options.views)]
    del renderer
    counts = [count for count in (1, 2, 4, 8) if count <= min(len(devices), options.views)]
    print("devices  ms a step  efficiency  MiB a device  equal bits")
    wrong, first = 0, None
    for count in counts:
        now = timed(devices[:count], photos, options)
        first = now if first is None else first
        is_equal = np.array_equal(first["found"], now["found"])
        wrong += not is_equal
        efficiency = first["seconds"] / (now["seconds"] * count)
        print(
            f"{count:7}  {now['seconds'] * 1e3:9.1f}  {efficiency:10.2f}  "
            f"{now['memory'] >> 20:12}  {'yes' if is_equal else 'NO'}"
        )
        for entry in devices:
            entry.trim()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
