# SPDX-License-Identifier: Apache-2.0
"""Fits of textures by phases: where the time of a step goes, on the device and on the host.

    python tests/bench/device/fit_textures.py
    python tests/bench/device/fit_textures.py --texture 256 --view 128 --views 1 --maps 3 --repeat 3

Without arguments: a texture of 1024^2 from four views of 1024^2, 16 iterations. It needs nothing
but weft and numpy, and runs on versions before and after fits moved to the device: to compare two,
run it in turns with one and the other on PYTHONPATH.

`steps` and `whole` are of the fastest run; phases are timed in a run of their own, where each waits
for the device. `host` is processor time of the host's thread during steps, `processor` that of the
process: threads of a software device are part of it. Texel copies are copies between host and
device of as many floats as the scene has texels, or more.
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
from weft.fit import Fit, FitSettings, Target, TextureParameter
from weft.fit.texture_model import TextureModel
from weft.render import PathSettings
from weft.scene import Camera, Environment, Mesh, Object, Texture, principled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

PHASES = (
    "draw",
    "raised_films",
    "gradient",
    "curvature",
    "add_curvature",
    "move",
    "move_tied",
    "average",
    "result",
)
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


class Transfers:
    """Counts copies between host and device of at least so many floats.

    Args:
        least: Floats: a smaller copy is none of texels.
    """

    READS = ("to_numpy", "__array__")

    def __init__(self, least: int) -> None:
        """Count nothing yet."""
        self.least, self.count, self.floats = least, 0, 0

    def note(self, size: int) -> None:
        """Count a copy."""
        if size >= self.least:
            self.count += 1
            self.floats += size

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Count while the block runs."""
        names = (*self.READS, "copy_from_numpy", "from_numpy")
        plain = {name: weft.Tensor.__dict__[name] for name in names}
        upload = weft.Tensor.from_numpy

        def reading(name: str) -> Any:
            def read(tensor: Any, *more: Any, **named: Any) -> Any:
                self.note(getattr(tensor, "size", 0))
                return plain[name](tensor, *more, **named)

            return read

        def copy_from_numpy(tensor: weft.Tensor, array: Any) -> None:
            self.note(tensor.size)
            plain["copy_from_numpy"](tensor, array)

        def from_numpy(device: weft.Device, array: Any, *more: Any, **named: Any) -> weft.Tensor:
            self.note(int(np.size(array)))
            return upload(device, array, *more, **named)

        changed = {name: reading(name) for name in self.READS}
        changed |= {"copy_from_numpy": copy_from_numpy, "from_numpy": staticmethod(from_numpy)}
        for name, method in changed.items():
            setattr(weft.Tensor, name, method)
        try:
            yield
        finally:
            for name in changed:
                setattr(weft.Tensor, name, plain[name])


@contextmanager
def timed_phases(device: weft.Device) -> Iterator[dict[str, list[float]]]:
    """Time the phases of TextureModel, each on an idle device: seconds, and of the processor."""
    spent: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    plain = {name: getattr(TextureModel, name) for name in PHASES}

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

    for name in PHASES:
        setattr(TextureModel, name, timed(name))
    try:
        yield spent
    finally:
        for name, method in plain.items():
            setattr(TextureModel, name, method)


def measure(fit: Fit, device: weft.Device, *, by_phases: bool) -> dict[str, Any]:
    """Run a fit to its end and return what it took."""
    start = time.perf_counter()
    fit.stage.begin()
    device.wait()
    begun = time.perf_counter() - start
    texels = int(fit.renderer.tables.texels.size)
    transfers, steps = Transfers(texels), []
    clocks = time.thread_time(), time.process_time()
    spent: dict[str, list[float]] = {}

    def run() -> None:
        while not fit.stage.is_done:
            first = time.perf_counter()
            fit.stage.step()
            device.wait()
            steps.append(time.perf_counter() - first)

    with transfers.watched():
        if by_phases:
            with timed_phases(device) as spent:
                run()
        else:
            run()
    host, processor = time.thread_time() - clocks[0], time.process_time() - clocks[1]
    last = time.perf_counter()
    found = fit.stage.textures()
    ended = time.perf_counter() - last
    return {
        "begin": begun,
        "first step": steps[0],
        "steps": sum(steps),
        "host": host,
        "processor": processor,
        "result": ended,
        "whole": begun + sum(steps) + ended,
        "texel copies a step": transfers.count / len(steps),
        "MB a step": 4e-6 * transfers.floats / len(steps),
        "phases": dict(spent),
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
    parser.add_argument("--no-phases", action="store_true", help="without the run by phases")
    arguments = parser.parse_args()
    device = weft.create_device()
    runs = [
        measure(build_fit(device, arguments), device, by_phases=False)
        for _ in range(arguments.repeat)  # kernels are compiled in the first one
    ]
    best = min(runs, key=lambda run: run["steps"])
    if not arguments.no_phases:
        best["phases"] = measure(build_fit(device, arguments), device, by_phases=True)["phases"]
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
