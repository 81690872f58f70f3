# SPDX-License-Identifier: Apache-2.0
"""Acceleration structures of a size that takes seconds to build."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).resolve().parents[2] / "build/dev/tests/native/scene/weft_test_scene"

TRACE = """
import json, resource, time
import numpy as np
import weft
from weft._native import Tracer

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

SIDE, RAYS = 2237, 4096
device = weft.create_device()
# A dune of waves: z of (x, y), two triangles a cell.
x, y = np.meshgrid(*[np.linspace(-1, 1, SIDE, dtype=np.float32)] * 2, indexing="ij")
height = lambda x, y: 0.1 * np.sin(40 * x) * np.cos(30 * y)
positions = np.stack([x, y, height(x, y)], -1).reshape(-1, 3).astype(np.float32)
corner = (np.arange(SIDE - 1, dtype=np.uint32)[:, None] * SIDE + np.arange(SIDE - 1)).ravel()
cells = np.stack([corner, corner + SIDE, corner + SIDE + 1, corner, corner + SIDE + 1, corner + 1])
triangles = np.ascontiguousarray(cells.T.reshape(-1, 3).astype(np.uint32))
del x, y, corner, cells
before, began = peak(), time.perf_counter()
identity = np.eye(4, dtype=np.float32)[None, :3]
tracer = Tracer(device, [(positions, triangles)], np.zeros(1, np.uint32), identity, kind="bvh")
seconds, added = time.perf_counter() - began, peak() - before
at = np.random.default_rng(1).uniform(-0.99, 0.99, (2, RAYS))
rows = np.zeros((8, RAYS), np.float32)
rows[0:2], rows[2], rows[6], rows[7] = at, 1, -1, 1e30
rays, hits = tracer.create_rays(RAYS), tracer.create_hits(RAYS)
rays.copy_from_numpy(rows.reshape(rays.shape))
tracer.trace_closest(rays, hits, RAYS, RAYS)
words = hits.to_numpy().reshape(5, RAYS)
found = 1 - words[0].view(np.float32)
corners = positions[triangles[words[3]]]
inside = ((corners.min(1) <= rows[:3].T + 1e-6) & (rows[:3].T - 1e-6 <= corners.max(1)))[:, :2]
print(json.dumps({
    "triangles": len(triangles), "seconds": seconds, "mebibytes": added,
    "missed": int((words[4] != 0).sum()), "elsewhere": int((~inside.all(1)).sum()),
    "height_error": float(np.abs(found - height(*at)).max()),
}))
"""


@pytest.mark.full
def test_ten_million_triangles_make_a_tree() -> None:
    done = subprocess.run([PROGRAM, "[.large]"], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout


@pytest.mark.full
def test_ten_million_triangles_are_traced_in_bounded_memory(record_property) -> None:
    done = subprocess.run(
        [sys.executable, "-c", TRACE], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["triangles"] > 9_990_000
    assert found["missed"] == found["elsewhere"] == 0
    # Triangles are chords of the waves, at most 0.1 ((40 / 1118)^2 + (30 / 1118)^2) / 8 below them.
    assert found["height_error"] < 5e-5
    # A tree takes about 100 bytes a triangle, its copy for the device included.
    assert found["mebibytes"] < 2048
    record_property("seconds", round(found["seconds"], 1))
    record_property("mebibytes", round(found["mebibytes"]))
