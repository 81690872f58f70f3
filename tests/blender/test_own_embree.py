# SPDX-License-Identifier: Apache-2.0
"""Weft's Embree and Blender's, which is of another version, work in one process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

LIBRARIES = Path(sysconfig.get_path("platlib")) / "bpy" / "lib"

PROGRAM = """
import json, os, sys
import numpy as np
for name in sys.argv[1].split():
    __import__(name)
import bpy
import weft
from weft._native import Tracer

def trace(kind):
    corners = np.array([[-1, -1, 0], [1, -1, 0], [0, 1, 0]], np.float32)
    mesh = (corners, np.arange(3, dtype=np.uint32))
    places = np.stack([np.eye(3, 4, dtype=np.float32)] * 2)
    places[1, 2, 3] = -2
    tracer = Tracer(device, [mesh], np.zeros(2, np.uint32), places, kind)
    rays, hits = tracer.create_rays(64), tracer.create_hits(64)
    rows = np.zeros((8, 64), np.float32)
    rows[0], rows[1], rows[2] = np.linspace(-1, 1, 64), -0.5, 1
    rows[6], rows[7] = -1, 1e30
    rays.copy_from_numpy(rows.reshape(rays.shape))
    tracer.trace_closest(rays, hits, 64, 64)
    return hits.to_numpy().reshape(5, 64)

def render_in_cycles():
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.samples = 1
    scene.render.resolution_x = scene.render.resolution_y = 16
    bpy.ops.render.render()

device = weft.create_device(weft.DeviceType.vulkan)
is_software = device.info.features.is_software
answers = []
if is_software:
    answers = [trace("embree"), trace("bvh")]
    render_in_cycles()
    answers.append(trace("embree"))
distances = [np.round(words[0].view(np.float32), 4).tolist() for words in answers]
instances = [words[4].tolist() for words in answers]
print("FACTS " + json.dumps([is_software, distances, instances]), flush=True)
os._exit(0)
"""


def traced(order: str, **variables: str):
    """Distances and instances that Embree, Weft's tracer and Embree after Cycles find."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, order],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("FACTS "))
    is_software, distances, instances = json.loads(line.removeprefix("FACTS "))
    if not is_software:
        pytest.skip("Vulkan's device is a GPU here")
    return distances, instances


@pytest.mark.parametrize("order", ["bpy weft", "weft bpy"])
def test_tracers_agree_beside_blender(order):
    distances, instances = traced(order)

    assert distances[0] == distances[1] == distances[2]
    assert instances[0] == instances[1] == instances[2]
    assert 20 < instances[0].count(0) < 60


def test_tracers_agree_where_blenders_embree_is_there_for_all():
    """As in Blender's program, which is linked to its libraries; here Blender is a module."""
    names = ("libtbb.so.12", "libtbbmalloc.so.2", "libembree4.so.4")
    first = [str(LIBRARIES / name) for name in names]
    assert all(Path(path).is_file() for path in first)  # the loader only warns

    distances, instances = traced("bpy weft", LD_PRELOAD=":".join(first))

    assert distances[0] == distances[1] == distances[2]
    assert instances[0] == instances[1] == instances[2]
