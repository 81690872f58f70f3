# SPDX-License-Identifier: Apache-2.0
"""The driver's ray queries beside Weft's own trees: time, memory, and whether hits are the same.

    PYTHONPATH=... python tests/bench/device/ray_query.py [--rays N] [--small]

Needs a Vulkan device with VK_KHR_ray_query (1: there is none, or a result was wrong). Terrains and
soups as in tree_build.py. For each: the time to make the structures, to move vertices, closest hits
and shadows of rays in millions a second, all beside `bvh`; hits beside those of `bvh`, and of some
rays beside numpy in double precision. Then a picture by either tracer.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

import numpy as np
from numpy.typing import NDArray
from tree_build import IDENTITY, ONE, Mesh, best, rays, soup, terrain

import weft
from weft._native import Tracer
from weft.render import PathSettings
from weft.scene import Camera, Closure, Material, Object, Scene, SunLight
from weft.scene import Mesh as SceneMesh

NOTHING = 0xFFFFFFFF
CHECKED_RAYS = 64
KINDS = ("bvh", "ray_query")


class Traced:
    """A tracer of one mesh, and a batch of rays."""

    def __init__(
        self, device: weft.Device, mesh: Mesh, kind: str, rows: NDArray[np.float32]
    ) -> None:
        """Make the tracer."""
        self.device = device
        begin = time.perf_counter()
        self.tracer = Tracer(device, [mesh], ONE, IDENTITY, kind=kind)
        device.wait()
        self.build_seconds = time.perf_counter() - begin
        self.count = rows.shape[1]
        self.rays = self.tracer.create_rays(self.count)
        self.hits = self.tracer.create_hits(self.count)
        self.rays.copy_from_numpy(rows.reshape(self.rays.shape))

    def closest(self) -> NDArray[np.uint32]:
        """Return the hits, a row a ray."""
        self.tracer.trace_closest(self.rays, self.hits, self.count, self.count)
        return np.ascontiguousarray(self.hits.to_numpy().reshape(5, self.count).T)

    def visible(self) -> NDArray[np.uint32]:
        """Return 1 for each ray that hits nothing."""
        self.tracer.trace_any(self.rays, self.hits, self.count, self.count)
        return np.array(self.hits.to_numpy().ravel()[: self.count])

    def speeds(self) -> tuple[float, float]:
        """Return millions of rays a second: closest hits, shadows."""
        arguments = (self.rays, self.hits, self.count, self.count)
        closest = best(lambda: self.tracer.trace_closest(*arguments), self.device, 5)
        shadows = best(lambda: self.tracer.trace_any(*arguments), self.device, 5)
        return self.count / closest / 1e6, self.count / shadows / 1e6

    def move(self, mesh: Mesh) -> None:
        """Give the mesh other vertices."""
        self.tracer.update([(0, *mesh)], ONE, IDENTITY)


def by_numpy(mesh: Mesh, rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return t of the closest hits of rays, infinity for none, in double precision."""
    a, b, c = (mesh[0].astype(np.float64)[mesh[1][:, k]] for k in range(3))
    edge, other = b - a, c - a
    nearest = np.full(rows.shape[1], np.inf)
    for i in range(rows.shape[1]):
        origin, direction = rows[0:3, i].astype(np.float64), rows[4:7, i].astype(np.float64)
        p = np.cross(direction, other)
        volume = np.einsum("ij,ij->i", edge, p)
        with np.errstate(all="ignore"):
            to = origin - a
            u = np.einsum("ij,ij->i", to, p) / volume
            q = np.cross(to, edge)
            v = q @ direction / volume
            t = np.einsum("ij,ij->i", other, q) / volume
        inside = (u >= 0) & (v >= 0) & (u + v <= 1) & (t > 0)
        nearest[i] = np.min(t[inside], initial=np.inf)
    return nearest


def differing(hits: NDArray[np.uint32], others: NDArray[np.uint32]) -> tuple[int, int]:
    """Return how many rays have another t, beyond rounding, and how many ties there are."""
    t, other_t = (np.ascontiguousarray(h[:, 0]).view(np.float32) for h in (hits, others))
    is_hit, is_other = hits[:, 4] != NOTHING, others[:, 4] != NOTHING
    near = np.abs(t - other_t) <= 1e-5 * np.abs(other_t) + 2e-6
    wrong = (is_hit != is_other) | ~near
    ties = ~wrong & np.any(hits[:, 3:] != others[:, 3:], axis=1)
    return int(wrong.sum()), int(ties.sum())


def measure(device: weft.Device, name: str, mesh: Mesh, rows: NDArray[np.float32]) -> bool:
    """Print rows of the table; return whether hits agree."""
    traced = {kind: Traced(device, mesh, kind, rows) for kind in KINDS}
    for kind in KINDS:  # the first tracer of a kind compiles its kernels
        traced[kind] = Traced(device, mesh, kind, rows)
    moved = (mesh[0] + np.float32(0.02) * np.sin(5 * mesh[0][:, ::-1]), mesh[1])
    is_right = True
    for state, now in (("made", mesh), ("moved", moved)):
        hits = {kind: each.closest() for kind, each in traced.items()}
        wrong, ties = differing(hits["ray_query"], hits["bvh"])
        shadows = int((traced["ray_query"].visible() != traced["bvh"].visible()).sum())
        t = np.ascontiguousarray(hits["ray_query"][:CHECKED_RAYS, 0]).view(np.float32)
        exact = by_numpy(now, rows[:, :CHECKED_RAYS])
        found = np.where(hits["ray_query"][:CHECKED_RAYS, 4] == NOTHING, np.inf, t)
        against = int((~np.isclose(found, exact, rtol=1e-4, atol=1e-5)).sum())
        print(
            f"{name:8} {len(mesh[1]) / 1e6:6.2f} M, {state:5}: {wrong} of {rows.shape[1]} "
            f"rays differ, {ties} ties, {shadows} shadows differ; {against} of {len(t)} from numpy"
        )
        # Rays past an edge within rounding may differ.
        is_right &= max(wrong, shadows) <= max(2, rows.shape[1] * 1e-4) and against <= 1
        for kind, each in traced.items():
            closest, any_hit = each.speeds()
            cost = 1e3 * each.build_seconds
            if state == "moved":
                cost = 1e3 * best(lambda e=each: e.move(moved), device)
            print(
                f"  {kind:9} {state:5} in {cost:9.2f} ms, Mrays/s: closest {closest:8.2f}, shadows "
                f"{any_hit:8.2f}; MiB: {each.tracer.memory_bytes / 2**20:.1f}, "
                f"build {each.tracer.build_bytes / 2**20:.1f}",
                flush=True,
            )
        for each in traced.values():
            each.move(moved)
            each.move(moved)  # the second time boxes alone
    return is_right


def picture(device: weft.Device, kind: str) -> NDArray[np.float32]:
    """Return a picture of a terrain under a cloud of triangles."""
    ground, cloud = (SceneMesh(*mesh) for mesh in (terrain(2000), soup(500)))
    grey = Material("grey", Closure("diffuse", color=(0.6, 0.5, 0.4)))
    up = np.column_stack([0.5 * np.eye(3), [0, 0, 1]]).astype(np.float32)
    camera = Camera(64, 64, fov=0.8, transform=Camera.look_at((0, -4, 2), (0, 0, 0.3)))
    scene = Scene(
        [Object(ground, [grey]), Object(cloud, [grey], up)],
        [SunLight((-0.5, 0.4, -1), 3.0)],
        [camera],
    )
    os.environ["WEFT_TRACER"] = kind
    renderer = weft.Renderer(device, scene)
    assert renderer.tracer.kind == kind
    return renderer.render(settings=PathSettings(samples=8, bounces=3, seed=1))


def compare_pictures(device: weft.Device) -> bool:
    """Print how pictures differ; return whether only paths that part at ties do."""
    ours, theirs = (picture(device, kind) for kind in reversed(KINDS))
    differ = float((np.abs(ours - theirs).max(axis=2) > 1e-4).mean())
    means = abs(float(ours.mean()) / float(theirs.mean()) - 1)
    print(f"picture: {100 * differ:.2f} % of pixels differ by more than 1e-4, means by {means:.1e}")
    return differ <= 0.05 and means <= 0.01 and float(theirs.max()) > 0.1


def main() -> int:
    """Measure; return 1 if a result was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rays", type=int, default=0)
    parser.add_argument("--small", action="store_true", help="few triangles and rays")
    arguments = parser.parse_args()
    device = weft.create_device(type="vulkan")
    print(device.info, device.info.driver)
    if not device.info.features.ray_query:
        print("this device has no ray queries")
        return 1
    rows = rays(arguments.rays or (1 << 12 if arguments.small else 1 << 20))
    is_right = True
    for millions in (0.005, 0.02) if arguments.small else (0.1, 2.07, 16.8):
        for name, make in (("terrain", terrain), ("soup", soup)):
            if (millions, name) != (16.8, "soup"):
                is_right &= measure(device, name, make(int(millions * 1e6)), rows)
    is_right &= compare_pictures(device)
    print("results agree" if is_right else "RESULTS DIFFER")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
