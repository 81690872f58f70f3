# SPDX-License-Identifier: Apache-2.0
"""Renders the anchor scene with every tracer of a device; prints one JSON line a figure.

Each tracer finds the same hits, so the pictures are the same but for ties between triangles. With
`--many`, the ball has two million triangles.

./dev python tests/bench/rendering/tracers.py [--device vulkan|cuda] [--samples 256] [--many]
"""

from __future__ import annotations

import argparse
import os
import time

import numpy as np
from anchor import anchor_scene, cases
from run import report, settings_for

import weft
from weft.scene import principled

ROUNDS = 5


def kinds_of(device: weft.Device) -> list[str]:
    """Return the tracers that a device has."""
    is_software = device.info.features.is_software
    return ["bvh", "wide_bvh", *(["embree"] if is_software else [])]


def scene_of(*, is_many: bool) -> weft.Scene:
    """Return the anchor scene, or the one with a fine ball."""
    if not is_many:
        return anchor_scene()
    material = principled("ball", base_color=(0.8, 0.35, 0.1), roughness=0.35)
    return anchor_scene(material, shape=cases.ball(1440, 720))


def renderer_with(kind: str, device: weft.Device, scene: weft.Scene) -> weft.Renderer:
    """Return a renderer with a tracer of that kind."""
    os.environ["WEFT_TRACER"] = kind
    try:
        return weft.Renderer(device, scene, batch=1 << 24)
    finally:
        del os.environ["WEFT_TRACER"]


def compare(device: weft.Device, samples: int, *, is_many: bool) -> None:
    """Time the tracers in turns, and compare their pictures with the first one's."""
    scene = scene_of(is_many=is_many)
    renderers = {kind: renderer_with(kind, device, scene) for kind in kinds_of(device)}
    pictures = {kind: own.render(settings=settings_for(1, 0)) for kind, own in renderers.items()}
    times: dict[str, list[float]] = {kind: [] for kind in renderers}
    for seed in range(ROUNDS):
        for kind, own in renderers.items():
            began = time.perf_counter()
            pictures[kind] = own.render(settings=settings_for(samples, seed))
            times[kind].append(time.perf_counter() - began)
    first = next(iter(pictures.values()))
    for kind, picture in pictures.items():
        difference = np.abs(picture - first)
        report(
            figure="anchor, two million triangles" if is_many else "anchor",
            tracer=kind,
            samples=samples,
            seconds=min(times[kind]),
            pixels_that_differ=int((difference.max(-1) > 0).sum()),
            mean_difference=float(difference.mean()),
        )


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default=None)
    parser.add_argument("--samples", type=int, default=256)
    parser.add_argument("--many", action="store_true")
    options = parser.parse_args()
    kind = getattr(weft.DeviceType, options.device) if options.device else weft.DeviceType.automatic
    device = weft.create_device(type=kind)
    report(device=device.info.name, driver=device.info.driver)
    compare(device, options.samples, is_many=options.many)


if __name__ == "__main__":
    main()
