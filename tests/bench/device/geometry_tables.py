# SPDX-License-Identifier: Apache-2.0
"""Times tables of a million triangles, and updates with a moved object, on the device at hand.

Best of several, milliseconds: of the wall and of processors. Positions, normals and slots of the
tables are compared with numpy's.

python tests/bench/device/geometry_tables.py [--device vulkan|cuda]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

import weft
from weft.render.upload import SceneTables
from weft.scene import Closure, Material, Mesh, Object, PointLight, Scene, UVTangent, principled

SIDE, BLOCKS = 224, 10  # 10 meshes of 100,352 triangles


def wave(side: int) -> Mesh:
    """Return a curved square of 2 side^2 triangles with normals, UVs and slots."""
    y, x = np.mgrid[0 : side + 1, 0 : side + 1] / side
    positions = np.stack([x, y, 0.1 * np.sin(9 * x) * np.cos(7 * y)], -1).reshape(-1, 3)
    first = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).reshape(-1, 1)
    triangles = np.concatenate(
        [first + np.array(corners) for corners in ((0, 1, side + 2), (0, side + 2, side + 1))]
    )
    normals = np.random.default_rng(side).normal(size=positions.shape)
    uv = np.stack([x, y], -1).reshape(-1, 2)
    return Mesh(positions, triangles, normals, {"UVMap": uv}, slots=np.zeros(len(triangles)))


def scene_of(materials: list[Material]) -> Scene:
    """Return the blocks side by side."""
    objects = []
    for number in range(BLOCKS):
        matrix = np.column_stack([np.diag([1, 2, 3]), [1.1 * number, 0, 0]])
        material = materials[number % len(materials)]
        objects.append(Object(wave(SIDE), [material], matrix))
    return Scene(objects, [PointLight((0, 0, 5))], [])


def check(tables: SceneTables, scene: Scene) -> None:
    """Compare what lies on the device with numpy."""
    view = tables.view["geometry"]
    positions, normals = [], []
    for entry in scene.objects:
        matrix = entry.transform
        assert matrix is not None
        positions.append(entry.mesh.corner_positions() @ matrix[:, :3].T + matrix[:, 3])
        turned = entry.mesh.corner_normals() @ np.linalg.inv(matrix[:, :3])
        normals.append(turned / np.linalg.norm(turned, axis=-1, keepdims=True))
    for name, own in (("positions", positions), ("normals", normals)):
        found = view[name].to_numpy()[:-9].reshape(-1, 3, 3)
        assert np.abs(found - np.concatenate(own)).max() < 1e-5, name
    slots = tables.geometry.slot_materials
    counts = [len(entry.mesh.triangles) for entry in scene.objects]
    assert np.array_equal(view["slots"].to_numpy()[:-1], np.repeat(slots, counts))


def best(device: weft.Device, works: list[Callable[[], object]]) -> tuple[float, float]:
    """Return the least milliseconds of the wall and of processors that one of some works takes."""
    found = []
    for work in works:
        device.wait()
        began, busy = time.perf_counter(), time.process_time()
        work()
        device.wait()
        found.append((time.perf_counter() - began, time.process_time() - busy))
    return 1e3 * min(wall for wall, _ in found), 1e3 * min(cpu for _, cpu in found)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default=None)
    options = parser.parse_args()
    kind = getattr(weft.DeviceType, options.device) if options.device else weft.DeviceType.automatic
    device = weft.create_device(type=kind)
    plain = scene_of([principled("a"), principled("b")])
    brushed = scene_of([Material("a", Closure("glossy", anisotropy=0.5, tangent=UVTangent(0)))])
    check(SceneTables(device, plain), plain)
    rows = {
        "tables": best(device, [lambda: SceneTables(device, plain)] * 4),
        "tables with tangents": best(device, [lambda: SceneTables(device, brushed)] * 3),
    }
    renderer = weft.Renderer(device, plain)
    moved = []
    for step in range(8):
        entry = plain.objects[3]
        assert entry.transform is not None
        placed = replace(entry, transform=entry.transform + 0.01 * (step + 1) * np.eye(3, 4, 3))
        moved.append(replace(plain, objects=[*plain.objects[:3], placed, *plain.objects[4:]]))
    rows["object moved"] = best(device, [lambda s=s: renderer.update(s) for s in moved])
    check(renderer.tables, moved[-1])
    lit = [replace(plain, lights=[PointLight((k, 0, 5))]) for k in range(8)]
    renderer.update(plain)
    rows["light moved"] = best(device, [lambda s=s: renderer.update(s) for s in lit])
    triangles = sum(len(entry.mesh.triangles) for entry in plain.objects)
    print(f"{device.info.name}, {triangles} triangles: ms of the wall, of processors")
    for name, (wall, cpu) in rows.items():
        print(f"{name:22} {wall:8.1f} {cpu:8.1f}")


if __name__ == "__main__":
    main()
