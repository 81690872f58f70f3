# SPDX-License-Identifier: Apache-2.0
"""Functions and UV maps at the edge of what can be baked."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pytest
from addon.core.baking.bake import bake
from addon.core.baking.digest import digest_of
from addon.core.baking.programs import Programs
from addon.core.baking.raster import cover

import weft
from support.baked import grid, outputs_of, surface, task_of
from weft.scene import ColorAttribute, Texture
from weft.scene.values import UVSet

PLACE = {"p": ColorAttribute(0)}


@pytest.fixture
def programs(device):
    return Programs(device)


@pytest.mark.parametrize(
    "text",
    [
        "float a0(float3 p) { return p.x; }",
        "float p0(float3 p) { return p.x; }",
        "#define found 1\nfloat f(float3 p) { return p.x * found; }",
        "#define p0 1\nfloat f(float3 p) { return p.x * p0; }",
        "struct found { float x; float y; };\nfound f(float3 p) { return { p.x, p.y }; }",
        "struct Place { float x; float y; float z; };\nPlace f(Place p) { return p; }",
        "struct p1 { float x; };\nfloat f(float3 p, p1 q) { return p.x + q.x; }",
        "void f(float3 p, out float Result, out float y) { Result = p.x; y = p.y; }",
    ],
)
def test_names_of_a_source_are_its_own(programs, text):
    function = text.partition("(")[0].split()[-1]
    values = PLACE | ({"q.x": 0.0} if "p1 q" in text else {})
    task = task_of(text, function, values, [surface(grid(2))])

    found = outputs_of(task, bake(task, 16, programs).tiles[0])

    first = next(iter(found.values()))[..., 0]
    assert np.abs(first - ((np.arange(16) + 0.5) / 8 - 1)).max() < 1e-5


def test_a_comment_without_end_is_said(programs):
    text = "float f(float3 p) { return p.x; }\n/* to be continued"
    task = task_of(text, "f", PLACE, [surface(grid(2))])

    with pytest.raises(weft.ArgumentError, match="comment that is not closed"):
        bake(task, 16, programs)


def test_a_function_that_ends_at_the_edge_of_a_face_is_not_black_there(programs):
    text = "float3 f(float3 p) { return 1 + sqrt(float3(1 - abs(p.x), 1 - abs(p.y), 1)); }"
    task = task_of(text, "f", PLACE, [surface(grid(4) * np.float32(0.5) + np.float32(0.25))])
    uvs = task.surfaces[0].rows["uv", ""]
    task.surfaces[0].rows["object", ""][..., :2] = (uvs - 0.25) * 4 - 1

    found = bake(task, 64, programs)

    image = found.tiles[0][0]
    assert found.report.bad.count == 0
    assert image[8:56, 8:56, :3].min() >= 1
    assert np.array_equal(image[15, 16:48], image[16, 16:48])


def test_one_stretched_triangle_takes_no_memory(programs):
    far = np.array([[[0, 0], [1e-6, 1e6], [0, 1e6]]], np.float32)
    task = task_of(
        "float3 f(float3 p) { return p; }", "f", PLACE, [surface(np.concatenate([grid(2), far]))]
    )

    tracemalloc.start()
    found = bake(task, 32, programs)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert found.report.stretched == 1
    assert most < 100e6
    assert np.abs(found.tiles[0][0][:, 4, 0] - (2 * 4.5 / 32 - 1)).max() < 1e-5


def test_layers_on_each_other_take_no_more_memory(programs):
    def most_of(layers):
        tracemalloc.start()
        found = cover(
            np.concatenate([grid(1)] * layers),
            np.repeat(np.arange(layers, dtype=np.int32), 2),
            (2048, 2048),
            wraps=False,
        )
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most, found

    alone, _ = most_of(1)
    many, found = most_of(12)

    assert many < 1.5 * alone
    assert found.crowded == 2048 * 2048
    assert found.triangles.min() >= 22


def test_a_triangle_that_meets_itself_is_folded():
    wide = np.array([[[0, 0], [2, 0], [0, 2]]], np.float32)

    found = cover(wide, np.zeros(1, np.int32), (32, 32), wraps=True)

    assert found.folded > 400


def test_rounding_of_an_unwrapping_does_not_wrap(programs):
    uvs = grid(2) * np.float32(1.0000001)
    task = task_of("float3 f(float3 p) { return p; }", "f", PLACE, [surface(uvs)])

    assert uvs.max() > 1
    assert not bake(task, 16, programs).wraps


def test_tiles_take_of_objects_what_lies_in_them(programs):
    uvs = np.concatenate([grid(3), grid(3) + np.float32([4, 2]), grid(1) + np.float32([0.5, 0])])
    one, two = surface(uvs[:20]), surface(uvs[20:], "Other")
    task = task_of("float3 f(float3 p) { return p; }", "f", PLACE, [one, two], is_tiled=True)

    found = bake(task, 16, programs)

    line = (np.arange(16) + 0.5) / 8 - 1
    assert found.report.tiles == (1001, 1002, 1025)
    assert np.abs(found.tiles[1025][0][..., 0] - line - 8).max() < 1e-4
    assert np.abs(found.tiles[1002][0][:, :8, 0] - line[:8] - 2).max() < 1e-4
    assert np.abs(found.tiles[1001][0][..., 0] - line).max() < 1e-4


def test_tiles_that_no_machine_holds_are_refused(programs):
    uvs = np.concatenate([grid(1) + np.float32([k % 10, k // 10]) for k in range(100)])
    text = "float3 f(float3 p) { return p; }"
    task = task_of(text, "f", PLACE, [surface(uvs)], is_tiled=True)

    with pytest.raises(weft.ArgumentError, match="100 tiles of 4096 texels are 27 GB"):
        bake(task, 4096, programs)
    assert len(bake(task, 8, programs).tiles) == 100


def test_pixels_are_hashed_once():
    pixels = np.zeros((2048, 2048, 4), np.float32)
    texture = Texture(pixels, "repeat", "linear", UVSet(0), name="big")
    times = []
    for _ in range(2):
        start = time.process_time()
        before = digest_of(texture)
        times.append(time.process_time() - start)

    other = pixels.copy()
    other[-1, -1, -1] = 1

    assert times[1] < times[0] / 5
    assert digest_of(Texture(pixels, "repeat", "linear", UVSet(0), name="big")) == before
    assert digest_of(Texture(other, "repeat", "linear", UVSet(0), name="big")) != before
