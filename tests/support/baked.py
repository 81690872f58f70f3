# SPDX-License-Identifier: Apache-2.0
"""Surfaces over UV maps, and what is baked on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from addon.core.baking.bake import Task
from addon.core.baking.surfaces import Surface
from addon.core.slang_nodes.preparing import Request, prepare
from addon.core.slang_nodes.sources import Source, SourceKey


@dataclass(frozen=True)
class Read:
    """What is read of a mesh."""

    kind: str
    name: str
    index: int


OBJECT = Read("object", "", 0)


def grid(count, seed=0):
    """Return the triangles of a grid over [0, 1] whose inner points are moved a little."""
    line = np.linspace(0, 1, count + 1)
    points = np.stack(np.meshgrid(line, line), -1)
    random = np.random.default_rng(seed)
    points[1:-1, 1:-1] += random.uniform(-0.2, 0.2, (count - 1, count - 1, 2)) / count
    a, b, c, d = points[:-1, :-1], points[:-1, 1:], points[1:, 1:], points[1:, :-1]
    halves = np.stack([np.stack([a, b, c], 2), np.stack([a, c, d], 2)], 2)
    return halves.reshape(-1, 3, 2).astype(np.float32)


def surface(uvs, name="Thing", matrix=None, rows=(), maps=("UVMap",)):
    """Return a surface over a UV map: x and y are twice u and v, less 1, z is their product."""
    positions = np.dstack([uvs * 2 - 1, uvs[..., :1] * uvs[..., 1:]]).astype(np.float32)
    return Surface(
        name,
        positions,
        None,
        np.eye(4) if matrix is None else matrix,
        {("uv", ""): uvs, ("object", ""): positions, **dict(rows)},
        maps,
        np.arange(uvs.size // 2, dtype=np.int32).reshape(-1, 3),
        (uvs.tobytes(), len(uvs)),
    )


def prepared_of(text, function, **options):
    """Return a function as a baked node."""
    source = Source(SourceKey("text", "f.slang"), None, text)
    return prepare(Request(source, function, "ShaderNodeTree", (4, 5), form="BAKED", **options))


def task_of(text, function, values, surfaces, requests=(OBJECT,), build=None, **options):
    """Return what is baked."""
    prepared = prepared_of(text, function, build=build or {})
    known = list(requests)
    if not any(own.kind == "uv" for own in known):
        known.append(Read("uv", "", 0))
    return Task(
        "Node",
        text + prepared.wrapper.text,
        prepared.wrapper,
        values,
        known,
        surfaces,
        state=prepared.hash,
        **options,
    )


def outputs_of(task, images):
    """Return what images hold, by the names of outputs: shape ``(height, width, channels)``."""
    return {
        slot.output: images[slot.image][..., slot.channel : slot.channel + slot.count]
        for slot in task.wrapper.slots
    }
