# SPDX-License-Identifier: Apache-2.0
"""Host time of the stages of paths, and pictures with and without sorting.

Run with the staged package: ``PYTHONPATH=build/dev/stage:tests python
tests/bench/device/path_stages.py``. Takes less than two minutes.
"""

from __future__ import annotations

import time

import numpy as np

import weft
from support.render_scenes import lambert, placed, sphere
from weft.render import PathSettings, renderer
from weft.scene import Camera, Environment

SIZES = (64, 512, 1024)  # pixels a side
BOUNCES = (2, 16, 64)


def furnace(pixels: int) -> weft.Scene:
    """Return a white ball under a white sky: every pixel is 1, whatever paths do."""
    camera = Camera(pixels, pixels, transform=Camera.look_at((0, -4, 0), (0, 0, 0)))
    white = lambert((1.0, 1.0, 1.0))
    return weft.Scene([placed(sphere(), white)], [], [camera], Environment(np.ones(3, np.float32)))


def measure(own: weft.Renderer, settings: PathSettings) -> tuple[float, float, float]:
    """Return seconds of the host's thread and of the wall, best of 5, and the worst pixel."""
    own.render(settings=settings)
    host, wall, worst = np.inf, np.inf, 0.0
    for _ in range(5):
        thread, began = time.thread_time(), time.perf_counter()
        picture = own.render(settings=settings)
        host = min(host, time.thread_time() - thread)
        wall = min(wall, time.perf_counter() - began)
        worst = max(worst, float(np.abs(picture - 1).max()))
    return host, wall, worst


def main() -> None:
    """Print a line a picture."""
    original = renderer.kernel_traits
    print("pixels bounces sorted   host ms   wall ms  off from 1")
    with weft.create_device() as device:
        for sorts in (False, True):
            renderer.kernel_traits = lambda *given, sorts=sorts: (
                original(*given) | {"sorts_paths": sorts}
            )
            for size in SIZES:
                own = weft.Renderer(device, furnace(size))
                for bounces in BOUNCES:
                    settings = PathSettings(samples=1, bounces=bounces, roulette_from=None)
                    host, wall, worst = measure(own, settings)
                    print(
                        f"{size:6d} {bounces:7d} {sorts!s:>6} {host * 1e3:9.2f} {wall * 1e3:9.2f}"
                        f"  {worst:.1e}"
                    )
    renderer.kernel_traits = original


if __name__ == "__main__":
    main()
