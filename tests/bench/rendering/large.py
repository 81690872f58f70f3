# SPDX-License-Identifier: Apache-2.0
"""Times what only a GPU does in reasonable time; prints one JSON line a figure.

A texture from four views, both of `--size` pixels square, and renders of a ball of two million
triangles in the anchor scene.

./dev python tests/bench/rendering/large.py --device cuda [--size 1024] [--draws 24] [--profile]

``--profile``: the texture alone, and which functions of the host take the time of its fit; what
waits for the device stands with those that read from it.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
from anchor import BOUNCES, anchor_scene, cases
from run import report, settings_for

import weft
from weft.fit import Fit, FitSettings, Target, TextureParameter
from weft.scene import Camera, Texture, principled

PLACES = ((3.4, -3.4, 2.6), (3.4, 3.4, 2.6), (-3.4, 3.4, 2.6), (-3.4, -3.4, 2.6))


def pattern(size: int) -> np.ndarray:
    """Return an image with structure at all scales, linear RGB in [0.05, 0.95]."""
    v, u = np.mgrid[0:size, 0:size].astype(np.float32) / size
    out = np.zeros((size, size, 3), np.float32)
    for octave in range(1, 8):
        waves = 2.0**octave
        for channel in range(3):
            turn = np.cos(0.7 * octave + channel), np.sin(0.7 * octave + channel)
            phase = 2 * np.pi * waves * (turn[0] * u + turn[1] * v)
            out[..., channel] += np.sin(phase + 1.3 * octave * channel) / octave
    return np.clip(0.5 + 0.25 * out, 0.05, 0.95)


def scene_with(pixels: np.ndarray, size: int) -> weft.Scene:
    """Return the anchor scene with a textured ball, seen from four sides."""
    texture = Texture(np.asarray(pixels, np.float32))
    scene = anchor_scene(principled("ball", base_color=texture, roughness=0.5))
    cameras = [
        Camera(
            size,
            size,
            fov=0.5,
            transform=Camera.look_at(place, (0, 0, 1)),
            name=f"side {number}",
        )
        for number, place in enumerate(PLACES)
    ]
    return replace(scene, cameras=cameras)


def time_texture(
    device: weft.Device,
    size: int,
    draws: int,
    samples: int,
    profile: cProfile.Profile | None = None,
) -> None:
    """Fit a texture and tell its error over time; the second fit is what is profiled."""
    truth = pattern(size)
    scene = scene_with(truth, size)
    renderer = weft.Renderer(device, scene)
    targets = [
        Target(renderer.render(camera, settings_for(128, 70 + number)), camera=camera.name)
        for number, camera in enumerate(scene.cameras)
    ]
    for name, watch in (("first, with compilation", None), ("kernels compiled", profile)):
        fit = Fit(
            scene_with(np.full_like(truth, 0.5), size),
            targets,
            [TextureParameter("ball.base_color", smoothness=0.02)],
            FitSettings(bounces=BOUNCES, samples=samples, texture_iterations=draws),
            device=device,
        )
        began = time.perf_counter()
        with watch or nullcontext():
            fit.step()
            first = time.perf_counter() - began
            found = fit.run().textures["ball.base_color"]
        seen = found.known > 0
        report(
            figure=f"texture, {name}",
            size=size,
            views=len(targets),
            draws=draws,
            samples=samples,
            seconds=time.perf_counter() - began,
            first_step=first,
            rms_error=float(np.sqrt(np.mean((found.pixels - truth)[seen] ** 2))),
            share_seen=float(seen.mean()),
        )


def time_many_triangles(device: weft.Device, samples: int) -> None:
    """Render the anchor scene with a ball of two million triangles."""
    material = principled("ball", base_color=(0.8, 0.35, 0.1), roughness=0.35)
    scene = anchor_scene(material, shape=cases.ball(1440, 720))
    fine = scene.objects[0].mesh
    began = time.perf_counter()
    renderer = weft.Renderer(device, scene, batch=1 << 24)
    built = time.perf_counter() - began
    renderer.render(settings=settings_for(1, 0))
    times = []
    for seed in range(4):
        began = time.perf_counter()
        renderer.render(settings=settings_for(samples, seed))
        times.append(time.perf_counter() - began)
    report(
        figure="forward, many triangles",
        triangles=len(fine.triangles),
        samples=samples,
        build_seconds=built,
        seconds=min(times),
    )


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default=None)
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--draws", type=int, default=24)
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    kind = getattr(weft.DeviceType, options.device) if options.device else weft.DeviceType.automatic
    device = weft.create_device(type=kind)
    report(device=device.info.name, driver=device.info.driver)
    sizes = (options.size, options.draws, options.samples)
    if options.profile:
        profile = cProfile.Profile()
        time_texture(device, *sizes, profile)
        pstats.Stats(profile).sort_stats("cumulative").print_stats(70)
        return
    time_many_triangles(device, 256 if options.size >= 256 else 4)
    time_texture(device, *sizes)


if __name__ == "__main__":
    main()
