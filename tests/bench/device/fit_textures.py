# SPDX-License-Identifier: Apache-2.0
"""Fits of textures by calls of the engine: where their time goes, on the device and on the host.

    python tests/bench/device/fit_textures.py
    python tests/bench/device/fit_textures.py --texture 256 --view 128 --views 1 --maps 3 --repeat 3

Without arguments: a texture of 1024^2 from four views of 1024^2, 16 iterations. It needs nothing
but weft and numpy. To compare two versions, run it in turns with one and the other on PYTHONPATH;
where steps were Python's own, --no-phases leaves out calls that there were not.

`steps` and `whole` are of the fastest run; calls of the engine's model are timed in a run of their
own, where each waits for the device. `host` is processor time of the host's thread during steps,
`processor` that of the process: threads of a software device are part of it.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections import defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

import weft
from weft import _native
from weft.fit import Fit, FitSettings, Target, TextureParameter
from weft.render import PathSettings
from weft.scene import Camera, Environment, Mesh, Object, Texture, principled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

CALLS = ("step", "write")
"""Of _native.FitStage."""
INPUTS = ("base_color", "roughness", "metallic")


def plates(texture: int, maps: int, each: int, *, is_truth: bool) -> list[Object]:
    """Return plates side by side; `each` inputs of each have a texture, `maps` altogether."""
    rng = np.random.default_rng(0)
    y, x = np.mgrid[0:texture, 0:texture] / max(texture - 1, 1)
    waves = 0.5 + 0.3 * np.sin(23 * x) * np.cos(17 * y)
    objects = []
    for number in range(-(-maps // each)):
        inputs: dict[str, Any] = {"roughness": 0.5}
        for name in INPUTS[: min(maps - number * each, each)]:
            channels = 3 if name == "base_color" else 1
            pixels = np.full((texture, texture, channels), 0.5, np.float32)
            if is_truth:
                gains = rng.uniform(0.6, 1.2, channels)
                pixels = np.clip(waves[..., None] * gains, 0.05, 0.95).astype(np.float32)
            inputs[name] = Texture(pixels, wrap="extend")
        uv = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
        corners = np.column_stack([2 * uv - 1, np.zeros(4)])
        mesh = Mesh(corners, [[0, 1, 2], [0, 2, 3]], uvs={"UVMap": uv}, name=f"plate{number}")
        place = np.eye(4)
        place[0, 3] = 2.1 * number
        objects.append(Object(mesh, [principled(f"plate{number}", **inputs)], transform=place))
    return objects


def cameras(size: int, views: int, middle: float) -> list[Camera]:
    """Return cameras around the plates."""
    out = []
    for number in range(views):
        angle = 2 * np.pi * number / views
        eye = (middle + 0.9 * np.cos(angle), 0.9 * np.sin(angle), 2.4 + 1.5 * middle)
        look = Camera.look_at(eye, (middle, 0, 0))
        out.append(Camera(size, size, transform=look, fov=0.8, name=f"view{number}"))
    return out


def build_fit(device: weft.Device, arguments: argparse.Namespace) -> Fit:
    """Render the targets, and return the fit that is measured."""
    rows = np.linspace(0.3, 1.2, 16)[:, None, None]
    sky = Environment(np.broadcast_to(rows, (16, 32, 3)).astype(np.float32).copy())
    scenes, each = [], 1 if arguments.apart else len(INPUTS)
    for is_truth in (True, False):
        objects = plates(arguments.texture, arguments.maps, each, is_truth=is_truth)
        middle = 1.05 * (len(objects) - 1)
        looks = cameras(arguments.view, arguments.views, middle)
        scenes.append(weft.Scene(objects, cameras=looks, environment=sky))
    truth = weft.Renderer(device, scenes[0])
    settings = PathSettings(samples=8, bounces=2, seed=1)
    targets = [
        Target(truth.render(camera, settings), camera=camera.name) for camera in scenes[0].cameras
    ]
    names = [f"plate{k // each}.{INPUTS[k % each]}" for k in range(arguments.maps)]
    parameters = [TextureParameter(name) for name in names]
    how = FitSettings(
        samples=arguments.samples, bounces=2, texture_iterations=arguments.iterations, seed=3
    )
    return Fit(scenes[1], targets, parameters, how, device=device)


@contextmanager
def timed_calls(device: weft.Device) -> Iterator[dict[str, list[float]]]:
    """Time calls of the engine's model, each on an idle device: seconds, and of the processor."""
    spent: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    plain = {name: getattr(_native.FitStage, name) for name in CALLS}

    def timed(name: str) -> Any:
        def run(*arguments: Any, **named: Any) -> Any:
            device.wait()
            start, processor = time.perf_counter(), time.process_time()
            out = plain[name](*arguments, **named)
            device.wait()
            spent[name][0] += time.perf_counter() - start
            spent[name][1] += time.process_time() - processor
            return out

        return run

    for name in CALLS:
        setattr(_native.FitStage, name, timed(name))
    try:
        yield spent
    finally:
        for name, method in plain.items():
            setattr(_native.FitStage, name, method)


def measure(fit: Fit, device: weft.Device) -> dict[str, Any]:
    """Run a fit to its end and return what it took."""
    steps: list[float] = []
    clocks = time.thread_time(), time.process_time()
    while not fit.stage.is_done:
        first = time.perf_counter()
        fit.stage.step()
        device.wait()
        steps.append(time.perf_counter() - first)
    host, processor = time.thread_time() - clocks[0], time.process_time() - clocks[1]
    last = time.perf_counter()
    found = fit.stage.textures()
    ended = time.perf_counter() - last
    return {
        "first step": steps[0],
        "steps": sum(steps),
        "host": host,
        "processor": processor,
        "result": ended,
        "whole": sum(steps) + ended,
        "phases": {},
        "means": {name: float(entry.pixels.mean()) for name, entry in found.items()},
    }


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    for name, value in (("texture", 1024), ("view", 1024), ("views", 4), ("maps", 1)):
        parser.add_argument(f"--{name}", type=int, default=value)
    for name, value in (("iterations", 16), ("samples", 4), ("repeat", 2)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--apart", action="store_true", help="each map has a material of its own")
    parser.add_argument("--json", action="store_true", help="one line of JSON, no table")
    parser.add_argument("--no-phases", action="store_true", help="without the run by calls")
    arguments = parser.parse_args()
    device = weft.create_device()
    runs = [
        measure(build_fit(device, arguments), device)
        for _ in range(arguments.repeat)  # kernels are compiled in the first one
    ]
    best = min(runs, key=lambda run: run["steps"])
    if not arguments.no_phases:
        with timed_calls(device) as spent:
            measure(build_fit(device, arguments), device)
        best["phases"] = dict(spent)
    best["peak MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    if arguments.json:
        print(json.dumps(best))
        return
    print(f"{device.info.name}: {vars(arguments)}")
    for name, value in best.items():
        if isinstance(value, float):
            print(f"  {name:22} {value:9.3f}")
    for name, (seconds, processor) in sorted(best["phases"].items(), key=lambda e: -e[1][0]):
        print(f"    {name:20} {seconds:9.3f} s, processor {processor:7.3f} s")
    print("  means", best["means"])


if __name__ == "__main__":
    main()
