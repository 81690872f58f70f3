# SPDX-License-Identifier: Apache-2.0
"""Trees of meshes made by the device, beside those of the host: time, memory, speed of rays.

    PYTHONPATH=... python tests/bench/device/tree_build.py [--device cuda] [--rays N] [--small]

Terrains and soups of 0.1, 2.07 and 16.8 million triangles. For each: the time to make the tree on
the host and on the device (the best of a few, the first one apart: it compiles kernels), the time
to refit it to moved vertices, closest hits of rays through both trees in millions a second, and
whether the hits are the same: t bit by bit, and the triangle but for ties.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import weft
from weft._native import Tracer

Mesh = tuple[NDArray[np.float32], NDArray[np.uint32]]

IDENTITY = np.eye(4, dtype=np.float32)[None, :3]
ONE = np.zeros(1, np.uint32)


def terrain(count: int) -> Mesh:
    """Return about `count` triangles over a square, two a cell."""
    size = round((count / 2) ** 0.5)
    v, u = np.meshgrid(*[np.linspace(0, 1, size + 1, dtype=np.float32)] * 2, indexing="ij")
    z = 0.2 * np.sin(9 * u) * np.cos(7 * v) + 0.02 * np.sin(90 * u * v)
    positions = np.stack([2 * u - 1, 2 * v - 1, z], axis=-1).reshape(-1, 3)
    at = np.arange((size + 1) * (size + 1), dtype=np.uint32).reshape(size + 1, size + 1)
    a, b, c, d = at[:-1, :-1], at[:-1, 1:], at[1:, :-1], at[1:, 1:]
    cells = np.stack([a, b, c, b, d, c], axis=-1)
    return positions.astype(np.float32), np.ascontiguousarray(cells.reshape(-1, 3))


def soup(count: int) -> Mesh:
    """Return loose triangles in a cube."""
    rng = np.random.default_rng(1)
    size = 2 / count ** (1 / 3)
    centers = rng.uniform(-1, 1, (count, 1, 3)).astype(np.float32)
    corners = centers + size * rng.uniform(-1, 1, (count, 3, 3)).astype(np.float32)
    return corners.reshape(-1, 3), np.arange(3 * count, dtype=np.uint32).reshape(-1, 3)


def rays(count: int) -> NDArray[np.float32]:
    """Return rays from around a ball to points in it, in the rows of a batch."""
    rng = np.random.default_rng(2)
    origins = rng.standard_normal((count, 3))
    origins *= 2.5 / np.linalg.norm(origins, axis=1, keepdims=True)
    rows = np.empty((8, count), np.float32)
    rows[0:3], rows[3] = origins.T, 0
    rows[4:7] = (rng.uniform(-0.7, 0.7, (count, 3)) - origins).T
    rows[7] = 1e30
    return rows


def best(call: Callable[[], object], device: weft.Device, times: int = 3) -> float:
    """Return the least time of a call and the work that it starts, seconds."""
    seconds = []
    for _ in range(times):
        device.wait()
        begin = time.perf_counter()
        call()
        device.wait()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


class Traced:
    """A tracer of one mesh, with trees of `builder`, and a batch of rays."""

    def __init__(self, device: weft.Device, mesh: Mesh, builder: str) -> None:
        """Make the tree."""
        self.device = device
        self.tracer = Tracer(device, [mesh], ONE, IDENTITY, kind="bvh", trees=builder)
        device.wait()

    def trace(self, rows: NDArray[np.float32]) -> tuple[float, NDArray[np.uint32]]:
        """Return the time of a batch, seconds, and its hits, a row a ray."""
        count = rows.shape[1]
        batch = self.tracer.create_rays(count)
        hits = self.tracer.create_hits(count)
        batch.copy_from_numpy(rows.reshape(batch.shape))
        seconds = best(lambda: self.tracer.trace_closest(batch, hits, count, count), self.device, 5)
        return seconds, np.ascontiguousarray(hits.to_numpy().reshape(5, count).T)

    def move(self, mesh: Mesh) -> None:
        """Give the mesh other vertices."""
        self.tracer.update([(0, *mesh)], ONE, IDENTITY)


def compare(ours: NDArray[np.uint32], theirs: NDArray[np.uint32]) -> str:
    """Return what differs: rays with another t, or another point of one triangle; ties."""
    same = np.all(ours[:, 3:] == theirs[:, 3:], axis=1)
    wrong = (ours[:, 0] != theirs[:, 0]) | (same & np.any(ours[:, 1:3] != theirs[:, 1:3], axis=1))
    hits = int((theirs[:, 4] != 0xFFFFFFFF).sum())
    return f"{int(wrong.sum())} differ, {int((~same & ~wrong).sum())} ties of {hits} hits"


def measure(device: weft.Device, name: str, mesh: Mesh, rows: NDArray[np.float32]) -> bool:
    """Print a row of the table; return whether all hits were the same."""
    count, mega = len(mesh[1]), rows.shape[1] / 1e6
    begin = time.perf_counter()
    host = Traced(device, mesh, "host")
    host_seconds = time.perf_counter() - begin
    begin = time.perf_counter()
    own = Traced(device, mesh, "device")
    first_seconds = time.perf_counter() - begin
    device_seconds = best(lambda: Traced(device, mesh, "device"), device)
    host_trace, theirs = host.trace(rows)
    own_trace, ours = own.trace(rows)
    difference = compare(ours, theirs)
    moved = (mesh[0] + np.float32(0.02) * np.sin(5 * mesh[0][:, ::-1]), mesh[1])
    own.move(moved)
    refit_seconds = best(lambda: own.move(moved), device)
    moved_trace, ours = own.trace(rows)
    del host
    fresh = Traced(device, moved, "host" if count < 4_000_000 else "device")
    fresh_trace, theirs = fresh.trace(rows)
    moved_difference = compare(ours, theirs)
    print(
        f"{name:8} {count / 1e6:6.2f} M | build: host {host_seconds:7.3f} s, device "
        f"{device_seconds:6.3f} (first {first_seconds:6.3f}) | refit "
        f"{1e3 * refit_seconds:7.2f} ms, {1e9 * refit_seconds / count:5.2f} ms/M\n"
        f"{'':19}| Mrays/s: host {mega / host_trace:6.0f}, device "
        f"{mega / own_trace:6.0f} (time x {own_trace / host_trace:4.2f}); refitted "
        f"{mega / moved_trace:6.0f}, new {mega / fresh_trace:6.0f}\n"
        f"{'':19}| hits: {difference}; refitted: {moved_difference} | MiB: trees "
        f"{own.tracer.memory_bytes / 2**20:.0f}, build {own.tracer.build_bytes / 2**20:.0f}",
        flush=True,
    )
    return difference.startswith("0 ") and moved_difference.startswith("0 ")


def crossing(device: weft.Device) -> None:
    """Print from which size on the device is quicker than the host."""
    print("size, host ms, device ms:")
    for count in (1 << 10, 1 << 12, 1 << 14, 1 << 15, 1 << 16, 1 << 17):
        mesh = terrain(count)
        times = [
            1e3 * best(lambda b=b, m=mesh: Traced(device, m, b), device) for b in ("host", "device")
        ]
        print(f"  {len(mesh[1]):7} {times[0]:8.2f} {times[1]:8.2f}")


def main() -> int:
    """Measure; return 1 if a hit was another one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="automatic", help="automatic, cuda or vulkan")
    parser.add_argument("--rays", type=int, default=1 << 20)
    parser.add_argument("--small", action="store_true", help="0.1 million triangles alone")
    arguments = parser.parse_args()
    device = weft.create_device(type=arguments.device)
    print(device.info)
    rows = rays(arguments.rays)
    crossing(device)
    is_same = True
    for millions in (0.1,) if arguments.small else (0.1, 2.07, 16.8):
        for name, make in (("terrain", terrain), ("soup", soup)):
            if (millions, name) != (16.8, "soup"):
                is_same &= measure(device, name, make(int(millions * 1e6)), rows)
    print("all hits are the same" if is_same else "HITS DIFFER")
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
