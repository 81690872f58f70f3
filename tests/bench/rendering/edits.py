# SPDX-License-Identifier: Apache-2.0
"""Times what an edit of a scene of 500,000 triangles takes; prints one JSON line a figure.

Best of several, a new Renderer and Renderer.update() in turn: the time until the renderer is ready,
and that of a first small sample (4096 paths) after it.

./dev bench edits [--device vulkan|cuda] [--runs 6]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from anchor import cases, mesh_of

import weft
from weft.render import PathSettings
from weft.scene import (
    AreaLight,
    Camera,
    Environment,
    Mesh,
    Object,
    PointLight,
    Texture,
    principled,
    with_inputs,
)

BALLS, TEXTURES, TEXELS = 10, 4, 1024
SAMPLE = PathSettings(1, bounces=4)


def ball(columns: int, rows: int) -> Mesh:
    """Return a sphere of about 2 columns x rows triangles."""
    return mesh_of(cases.ball(columns, rows), "ball")


def large_scene() -> weft.Scene:
    """Return ten balls, four of them with textures, two lights and a sky."""
    rng = np.random.default_rng(0)
    objects = []
    for number in range(BALLS):
        color: object = (0.5, 0.4, 0.3)
        if number < TEXTURES:
            color = Texture(rng.random((TEXELS, TEXELS, 3), np.float32))
        material = principled(f"m{number}", base_color=color, roughness=0.3 + 0.05 * number)
        move = (2.2 * (number % 4 - 1.5), 2.2 * (number // 4 - 1), 1.0)
        matrix = np.column_stack([np.eye(3), move])
        objects.append(Object(ball(224, 112), [material], matrix, name=f"ball {number}"))
    lights = [
        PointLight((0, 0, 5), power=500.0, radius=0.1),
        AreaLight(np.array([[1, 0, 0, 2], [0, 1, 0, 2], [0, 0, 1, 6.0]]), power=300.0),
    ]
    camera = Camera(64, 64, transform=Camera.look_at((0, -9, 6), (0, 0, 1)))
    return weft.Scene(objects, lights, [camera], Environment(rng.random((256, 512, 3), np.float32)))


def moved_light(scene: weft.Scene, number: int) -> weft.Scene:
    """Move a light."""
    light = replace(scene.lights[0], position=(0.1 * number, 0, 5))
    return replace(scene, lights=[light, *scene.lights[1:]])


def slider(scene: weft.Scene, number: int) -> weft.Scene:
    """Change a number of a material."""
    return with_inputs(scene, {"m5.roughness": 0.3 + 0.01 * number})


def moved_object(scene: weft.Scene, number: int) -> weft.Scene:
    """Move a ball."""
    entry = scene.objects[3]
    assert entry.transform is not None
    transform = entry.transform + 0.01 * (number + 1) * np.eye(3, 4, 3)
    objects = [*scene.objects[:3], replace(entry, transform=transform), *scene.objects[4:]]
    return replace(scene, objects=objects)


def added_light(scene: weft.Scene, number: int) -> weft.Scene:
    """Add a light of a kind that is there."""
    return replace(scene, lights=[*scene.lights, PointLight((number, 0, 4), power=50.0)])


def other_mesh(scene: weft.Scene, number: int) -> weft.Scene:
    """Give a ball another mesh."""
    entry = replace(scene.objects[3], mesh=ball(200 + number, 100))
    return replace(scene, objects=[*scene.objects[:3], entry, *scene.objects[4:]])


EDITS: tuple[Callable[[weft.Scene, int], weft.Scene], ...] = (
    moved_light,
    slider,
    moved_object,
    added_light,
    other_mesh,
)


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds, and those of processors, that something takes."""
    began, busy = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - began, time.process_time() - busy


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default=None)
    parser.add_argument("--runs", type=int, default=6)
    options = parser.parse_args()
    kind = getattr(weft.DeviceType, options.device) if options.device else weft.DeviceType.automatic
    device = weft.create_device(type=kind)
    scene = large_scene()
    renderer = weft.Renderer(device, scene, batch=4096)
    renderer.render(settings=SAMPLE)
    for edit in EDITS:
        times: dict[str, list[tuple[float, float]]] = {"new": [], "update": [], "sample": []}
        for number in range(options.runs):
            edited = edit(scene, number)

            def take(edited: weft.Scene = edited) -> None:
                renderer.update(edited)
                device.wait()

            def make(edited: weft.Scene = edited) -> None:
                weft.Renderer(device, edited)
                device.wait()

            times["new"].append(seconds(make))
            times["update"].append(seconds(take))
            times["sample"].append(seconds(lambda: renderer.render(settings=SAMPLE)))
            renderer.update(scene)
        best = {name: np.min(found, axis=0) for name, found in times.items()}
        figures = {name: [round(1e3 * float(x), 1) for x in found] for name, found in best.items()}
        print(
            json.dumps({"edit": edit.__name__, "milliseconds, of processors": figures}), flush=True
        )


if __name__ == "__main__":
    main()
