# SPDX-License-Identifier: Apache-2.0
"""Functions and UV maps at the edge of what can be baked."""

from __future__ import annotations

import numpy as np
import pytest
from addon.core.baking.bake import bake
from addon.core.baking.programs import Programs

import weft
from support.baked import grid, outputs_of, surface, task_of
from weft.scene import ColorAttribute

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
