# SPDX-License-Identifier: Apache-2.0
"""Evaluate a Slang noise and a Slang BRDF over an image: ``python -m weft.demo --out out``."""

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

REPEATS = 5
"""Calls that the time of one call is the mean of."""

SHADERS = Path(__file__).parent / "shaders" / "demo"

Image = npt.NDArray[np.float32]


def image_plane(size: int) -> Image:
    """Return the centres of the pixels of a square picture.

    Args:
        size: Pixels along each side.

    Returns:
        Coordinates of shape ``(size, size, 2)`` in [-1, 1]: x to the right, y up; row 0 is the top.
    """
    centres = (np.arange(size, dtype=np.float32) + 0.5) * np.float32(2.0 / size) - np.float32(1.0)
    x, y = np.meshgrid(centres, -centres)
    return np.stack([x, y], axis=-1)


def mean_milliseconds(device: weft.Device, call: Callable[[], object]) -> float:
    """Return the mean duration of ``call``, in milliseconds, with the device's work included."""
    call()
    device.wait()
    start = time.perf_counter()
    for _ in range(REPEATS):
        call()
    device.wait()
    return (time.perf_counter() - start) * 1e3 / REPEATS


def evaluate_noise(device: weft.Device, plane: Image) -> Image:
    """Evaluate fractal noise on the image plane and print how long one call takes.

    Args:
        device: Where to evaluate it.
        plane: Coordinates, shape ``(H, W, 2)``.

    Returns:
        Values in [-1, 1], shape ``(H, W)``.
    """
    module = weft.Module.load_from_file(device, SHADERS / "noise.slang")
    position = weft.Tensor.from_numpy(device, 4 * plane)
    result = weft.Tensor.empty(device, plane.shape[:2])
    duration = mean_milliseconds(device, lambda: module.fbm(p=position, octaves=8, _result=result))
    print(f"  fbm, 8 octaves   {duration:8.3f} ms")
    return result.to_numpy()


def evaluate_brdf(device: weft.Device, plane: Image, roughness: Image) -> Image:
    """Shade a sphere and print how long one call takes.

    Args:
        device: Where to shade it.
        plane: Coordinates, shape ``(H, W, 2)``; the sphere fills the unit disc.
        roughness: Perceptual roughness of each pixel in [0, 1], shape ``(H, W)``.

    Returns:
        Linear radiance, shape ``(H, W, 3)``.
    """
    module = weft.Module.load_from_file(device, SHADERS / "brdf.slang")
    uv = weft.Tensor.from_numpy(device, plane)
    rough = weft.Tensor.from_numpy(device, roughness)
    result = weft.Tensor.empty(device, plane.shape[:2], module.float3)
    duration = mean_milliseconds(
        device,
        lambda: module.shadeSphere(
            uv=uv, base_color=[0.9, 0.4, 0.15], roughness=rough, metallic=0.3, _result=result
        ),
    )
    print(f"  GGX on a sphere  {duration:8.3f} ms")
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
    options.out.mkdir(parents=True, exist_ok=True)

    start = time.perf_counter()
    with weft.create_device() as device:
        print(f"{device.info.name}, {options.size} x {options.size} pixels")
        plane = image_plane(options.size)
        noise = evaluate_noise(device, plane)
        radiance = evaluate_brdf(device, plane * np.float32(1.1), 0.45 + 0.7 * noise)
    # The noise is data, the sphere is a picture.
    weft.image.write(options.out / "noise.png", 0.5 + 0.5 * noise, encoding="linear")
    weft.image.write(options.out / "brdf.png", radiance, encoding="srgb")
    print(f"  wrote noise.png and brdf.png to {options.out}")
    print(f"  in {time.perf_counter() - start:.2f} s, compiling included")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
