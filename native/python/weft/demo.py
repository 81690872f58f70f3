# SPDX-License-Identifier: Apache-2.0
"""Evaluate a Slang noise and a Slang BRDF over images: ``python -m weft.demo --out out``."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

import weft
import weft.image

SIZE = 1024
"""Pixels along each side of a picture."""

SPHERES = 8
"""Spheres along each side of the chart of the BRDF."""

REPEATS = 3
"""Calls that the time of one call is the mean of."""

SHADERS = Path(__file__).parent / "shaders"

Image = npt.NDArray[np.float32]


def image_plane(size: int, extent: float = 1.0) -> Image:
    """Return the centres of the pixels of a square picture.

    Args:
        size: Pixels along each side.
        extent: Coordinate of the right and of the upper border.

    Returns:
        Coordinates of shape ``(size, size, 2)`` in [-extent, extent]: x to the right, y up; row 0
        is the top.
    """
    centres = ((np.arange(size) + 0.5) * (2 / size) - 1) * extent
    x, y = np.meshgrid(centres, -centres)
    return np.stack([x, y], axis=-1).astype(np.float32)


def show_times(device: weft.Device, picture: str, count: int, call: Callable[[], object]) -> None:
    """Print how long the first and a later call take, with the device's work included.

    Args:
        device: Where `call` runs.
        picture: What is printed in front.
        count: Evaluations of the Slang function in one call.
        call: Calls it once over all pixels.
    """

    def seconds(repeats: int) -> float:
        start = time.perf_counter()
        for _ in range(repeats):
            call()
        device.wait()
        return (time.perf_counter() - start) / repeats

    first, later = seconds(1), seconds(REPEATS)
    print(f"  {picture:42} {first:8.3f} s {later * 1e3:10.3f} ms {count / later / 1e6:10.0f} M/s")


def evaluate_noise(device: weft.Device, size: int) -> Image:
    """Evaluate fractal noise, one call for all pixels.

    Args:
        device: Where to evaluate it.
        size: Pixels along each side.

    Returns:
        Values stretched to [0, 1], shape ``(size, size)``.
    """
    module = device.load_module(SHADERS / "demo" / "noise.slang")
    position = weft.Tensor.from_numpy(device, image_plane(size, 4.0))
    result = weft.Tensor.empty(device, (size, size))
    show_times(
        device,
        "noise.png: Perlin noise, 8 octaves",
        size * size,
        lambda: module.fbm(p=position, octaves=8, _result=result),
    )
    values: Image = result.to_numpy()
    lowest, highest = float(weft.min(result)), float(weft.max(result))
    return (values - lowest) / (highest - lowest)


def evaluate_brdf(device: weft.Device, size: int) -> Image:
    """Shade a chart of spheres: rougher to the right, more metallic downwards.

    One call shades them all: roughness, metallic and image plane vary along axes of their own and
    are broadcast.

    Args:
        device: Where to shade them.
        size: Pixels along each side.

    Returns:
        Linear radiance, shape ``(size, size, 3)``.
    """
    module = device.load_module(SHADERS / "demo" / "brdf.slang")
    each = size // SPHERES
    steps = np.linspace(0.0, 1.0, SPHERES, dtype=np.float32)
    # Two by two samples a pixel; axes: row and column of the sphere, row and column of the sample.
    uv = weft.Tensor.from_numpy(device, image_plane(2 * each, 1.1))
    roughness = weft.Tensor.from_numpy(device, 0.1 + 0.9 * steps[:, None, None])
    metallic = weft.Tensor.from_numpy(device, steps[:, None, None, None])
    result = weft.Tensor.empty(device, (SPHERES, SPHERES, 2 * each, 2 * each), weft.float3)
    show_times(
        device,
        f"brdf.png: GGX on {SPHERES} x {SPHERES} spheres, 4 samples",
        result.size,
        lambda: module.shadeSphere(
            uv=uv,
            base_color=[0.95, 0.5, 0.3],
            roughness=roughness,
            metallic=metallic,
            _result=result,
        ),
    )
    samples = result.reshape(SPHERES, SPHERES, each, 2, each, 2)
    pixels: Image = weft.mean(samples, axis=(3, 5)).to_numpy()
    return pixels.transpose(0, 2, 1, 3, 4).reshape(SPHERES * each, SPHERES * each, 3)


def evaluate_weathered(device: weft.Device, size: int) -> Image:
    """Shade a sphere whose material comes from the noise.

    Args:
        device: Where to shade it.
        size: Pixels along each side.

    Returns:
        Linear radiance, shape ``(size, size, 3)``.
    """
    module = device.load_module(SHADERS / "demo" / "weathered.slang", {"include_paths": [SHADERS]})
    uv = weft.Tensor.from_numpy(device, image_plane(size, 1.08))
    result = weft.Tensor.empty(device, (size, size), weft.float3)
    show_times(
        device,
        "weathered.png: noise, its slope, and GGX",
        size * size,
        lambda: module.shadeWeathered(uv=uv, pixel_size=2.16 / size, _result=result),
    )
    return result.to_numpy()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo.

    Args:
        arguments: Command line without the program; ``None`` takes that of the process.

    Returns:
        The exit status: 0.
    """
    parser = argparse.ArgumentParser(prog="python -m weft.demo", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder of the pictures")
    parser.add_argument("--size", type=int, default=SIZE, help="pixels along each side")
    options = parser.parse_args(arguments)
    if options.size < SPHERES:
        parser.error(f"--size must be {SPHERES} or greater, got {options.size}")
    options.out.mkdir(parents=True, exist_ok=True)

    start = time.perf_counter()
    with weft.create_device() as device:
        info = device.info
        print(f"{info.name}, {info.type.name}, {options.size} x {options.size} pixels")
        print(f"  {'':42} {'first call':>10} {'a call':>13} {'evaluations':>14}")
        noise = evaluate_noise(device, options.size)
        chart = evaluate_brdf(device, options.size)
        weathered = evaluate_weathered(device, options.size)
    # The noise is data, the other two are pictures.
    weft.image.write(options.out / "noise.png", noise, encoding="linear")
    weft.image.write(options.out / "brdf.png", chart, encoding="srgb")
    weft.image.write(options.out / "weathered.png", weathered, encoding="srgb")
    print(f"Wrote them to {options.out} in {time.perf_counter() - start:.2f} s.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
