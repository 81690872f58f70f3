# SPDX-License-Identifier: Apache-2.0
"""Times renders and fits of the anchor scene; prints one JSON line a figure.

./dev python tests/bench/rendering/run.py [--device vulkan|cuda] [--seeds 5] [--samples 64]
                                          [--profile]

``--profile``: besides, which functions of the host take the time of the fits with compiled kernels.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import time
from contextlib import nullcontext

import numpy as np
from anchor import BOUNCES, START, TRUTH, anchor_scene
from curves import Step, stay_time

import weft
from weft.fit import Fit, FitSettings, Parameter, Target
from weft.render import PathSettings, renderer
from weft.scene import principled


def report(**figures: object) -> None:
    """Print a figure."""
    print(json.dumps(figures), flush=True)


def settings_for(samples: int, seed: int) -> PathSettings:
    """Return settings without chance in the length of paths."""
    return PathSettings(samples=samples, bounces=BOUNCES, roulette_from=None, seed=seed)


def count_rays(device: weft.Device) -> float:
    """Return the rays that one path takes, those towards lights included."""
    segments = []
    original = renderer.kernel_traits
    renderer.kernel_traits = lambda *given: original(*given) | {"sorts_paths": True}
    own = weft.Renderer(device, anchor_scene())
    renderer.kernel_traits = original
    programs, settings = len(own.tables.materials.programs), settings_for(1, 0)
    camera = own.scene.cameras[0]
    pixels = camera.width * camera.height
    buffers, step = own.buffers(pixels), own.step_settings(settings, (0, pixels), (0, 1))
    own.generate(camera, settings, buffers, step, pixels)
    for bounce in range(own.segments(settings)):
        step["bounce"] = bounce
        ends = own.trace_and_sort(buffers, pixels, bounce, step)
        # Every surface that scatters sends a ray towards a light: the ball and the ground.
        segments.append(ends[programs + 3] + (ends[2] if bounce < BOUNCES else 0))
        own.native.shade_segment(own.tables.view, buffers, pixels, step, ends)
    return sum(segments) / pixels


def time_renders(device: weft.Device, samples: int) -> np.ndarray:
    """Time forward renders; return a reference of 1024 samples."""
    began = time.perf_counter()
    own = weft.Renderer(device, anchor_scene())
    own.render(settings=settings_for(1, 0))
    report(figure="first picture", seconds=time.perf_counter() - began)
    rays = count_rays(device)
    for count in (4, 16, samples):
        times = []
        for seed in range(3):
            began = time.perf_counter()
            own.render(settings=settings_for(count, seed))
            times.append(time.perf_counter() - began)
        total = rays * count * 256 * 256
        report(
            figure="forward",
            samples=count,
            seconds=min(times),
            rays_per_path=rays,
            mega_rays_per_second=total / min(times) / 1e6,
        )
    pictures = [own.render(settings=settings_for(256, 100 + seed)) for seed in range(4)]
    return np.mean(pictures, axis=0)


def largest_error(values: dict[str, np.ndarray]) -> float:
    """Return how far the worst number is from the truth."""
    return max(float(np.abs(values[f"ball.{k}"] - v).max()) for k, v in TRUTH.items())


def seconds_below(steps: list[Step], limit: float) -> float | None:
    """Return the seconds after which the error stays below a limit."""
    spent = stay_time(steps, limit)
    return None if spent is None else spent.seconds


def time_fits(
    device: weft.Device, photo: np.ndarray, seeds: int, profile: cProfile.Profile | None
) -> None:
    """Time fits of five numbers until the largest error stays below thresholds."""
    for seed in range(-1, seeds):
        parameters = [Parameter(f"ball.{name}") for name in TRUTH]
        scene = anchor_scene(principled("ball", **START))
        fit = Fit(
            scene,
            [Target(photo)],
            parameters,
            FitSettings(bounces=BOUNCES, seed=seed + 1, max_iterations=14, tolerance=1e-9),
            device=device,
        )
        steps: list[Step] = []
        watch = nullcontext() if seed < 0 or profile is None else profile
        with watch:
            fit.run(lambda p, steps=steps: steps.append((p.seconds, 0.0, largest_error(p.values))))
        if seed < 0:
            report(figure="first fit, kernels compiled", seconds=steps[0][0])
            continue
        report(
            figure="fit",
            seed=seed,
            **{f"stays below {limit}": seconds_below(steps, limit) for limit in (0.02, 0.01)},
            draws=len(steps),
            error=steps[-1][2],
            seconds=steps[-1][0],
        )


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default=None)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    kind = getattr(weft.DeviceType, options.device) if options.device else weft.DeviceType.automatic
    device = weft.create_device(type=kind)
    report(device=device.info.name, driver=device.info.driver)
    photo = time_renders(device, options.samples)
    profile = cProfile.Profile() if options.profile else None
    time_fits(device, photo, options.seeds, profile)
    if profile is not None:
        for order in ("tottime", "cumulative"):
            pstats.Stats(profile).sort_stats(order).print_stats(40)


if __name__ == "__main__":
    main()
