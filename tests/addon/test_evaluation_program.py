# SPDX-License-Identifier: Apache-2.0
"""Functions called with one array an input, and what comes back as attributes."""

from __future__ import annotations

import numpy as np
import pytest
from addon.core.evaluation.converting import as_taken, first_bad
from addon.core.evaluation.plan import Value
from addon.core.evaluation.program import compile_program
from addon.core.slang_nodes.preparing import ENGINE, Request, prepare
from addon.core.slang_nodes.sources import Source, SourceKey

COUNT = 257


@pytest.fixture
def program(device):
    def make(text, function="f", domain="POINT"):
        source = Source(SourceKey("text", "t.slang"), text=text)
        request = Request(source, function, "GeometryNodeTree", (4, 5), form=ENGINE, domain=domain)
        return compile_program(device, source, prepare(request).plan)

    return make


@pytest.fixture
def positions():
    return np.random.default_rng(3).random((COUNT, 3), dtype=np.float32)


def test_what_no_tree_computes(program, positions):
    collatz = program(
        """
        int f(int index, double scale, out float low)
        {
            uint n = uint(index) + 1, steps = 0;
            while (n != 1) { n = (n & 1) != 0 ? 3 * n + 1 : n / 2; steps++; }
            low = asfloat(asuint(float(scale)) & 0xff800000u);
            return int(steps);
        }"""
    )

    found = collatz.evaluate({"index": np.arange(COUNT, dtype=np.int32), "scale": 5.5}, COUNT)

    assert found.values["Result"][:7].tolist() == [0, 1, 7, 2, 5, 8, 16]
    assert found.values["Result"].dtype == np.int32
    assert (found.values["low"] == 4).all()


def test_neighbours_are_read_from_whole_arrays(program, positions):
    nearest = program(
        """
        import weft.node;
        float f(float3 position, int index, [Source("Position")] ITensor<float3, 1> all)
        {
            float best = 1e30;
            for (uint i = 0; i < all.shape[0]; i++)
                if (i != index) best = min(best, distance(position, all[i]));
            return best;
        }"""
    )
    inputs = {
        "position": positions,
        "index": np.arange(COUNT, dtype=np.int32),
        "all": positions,
    }

    found = nearest.evaluate(inputs, COUNT).values["Result"]

    apart = np.linalg.norm(positions[:, None] - positions[None], axis=2) + 9 * np.eye(COUNT)
    assert np.abs(found - apart.min(axis=1)).max() < 1e-6


def test_structures_and_parameters_that_change(program, positions):
    text = """
        struct Cell { float size; float3 place; }
        struct Found { float height; float2 both; }
        Found f(Cell cell, inout float3 speed)
        {
            speed += cell.place;
            return { cell.size * speed.x, speed.xy };
        }"""
    speed = (1.0, 2.0, 3.0)

    found = program(text).evaluate(
        {"cell.size": 2.0, "cell.place": positions, "speed": speed}, COUNT
    )

    assert np.allclose(found.values["speed"], positions + np.float32(speed))
    assert np.allclose(found.values["Result.height"], 2 * (positions[:, 0] + 1))
    assert found.values["Result.both"].shape == (COUNT, 3)
    assert speed == (1.0, 2.0, 3.0)


def test_networks_take_their_weights_from_an_array(program, positions):
    text = """
        import mlp;
        float f(MLP<3, 1, 4> network, float3 position)
        {
            float x[3] = {position.x, position.y, position.z};
            return network.run(x)[0];
        }"""
    weights = np.random.default_rng(5).standard_normal(16).astype(np.float32)

    found = program(text).evaluate({"network": weights, "position": positions}, COUNT)

    hidden = np.maximum(positions @ weights[:12].reshape(3, 4), 0)
    assert np.allclose(found.values["Result"], hidden @ weights[12:], atol=1e-5)


def test_buffers(program):
    text = "float f(StructuredBuffer<float> b, int index) { return b[index % 3]; }"
    inputs = {"b": np.float32([4, 5, 6]), "index": np.arange(6, dtype=np.int32)}

    found = program(text).evaluate(inputs, 6)

    assert found.values["Result"].tolist() == [4, 5, 6, 4, 5, 6]


def test_one_value_for_all_elements(program):
    found = program("float f(float frame) { return frame * 2; }").evaluate({"frame": 4.0}, 5)

    assert found.values["Result"].tolist() == [8.0] * 5


def test_no_elements(program):
    found = program("float3 f(float3 position) { return position; }").evaluate(
        {"position": np.empty((0, 3), np.float32)}, 0
    )

    assert found.values["Result"].shape == (0, 3)


def test_numbers_that_are_not_finite_are_counted_and_move_nothing(program, positions):
    text = """
        float f(inout float3 position, int index)
        {
            if (index == 7 || index == 9) position.y = asfloat(0x7f800000u);
            return index == 250 ? asfloat(0x7fc00000u) : 1;
        }"""
    inputs = {"position": positions, "index": np.arange(COUNT, dtype=np.int32)}

    found = program(text).evaluate(inputs, COUNT, positions)

    assert (found.values["position"] == positions).all()
    assert np.isnan(found.values["Result"]).sum() == 1
    assert any("'Result' at 1 of 257 elements, the first is 250" in one for one in found.notes)
    assert any("'position' at 2 of 257" in one and "keep their old" in one for one in found.notes)


@pytest.mark.parametrize(
    ("given", "shape", "scalar", "wanted"),
    [
        ((1.0, 2.0, 3.0), (2,), "float32", [1, 2]),
        ((1.0, 2.0, 3.0), (4,), "float32", [1, 2, 3, 1]),
        ((1.0, 2.0, 3.0), (), "float32", 2),
        (2.7, (), "int32", 2),
        (float("nan"), (), "int32", 0),
        (np.float32([[1, 2, 6], [3, 3, 3]]), (), "float32", [3, 3]),
        (np.float32([1, 2]), (3,), "float32", [[1, 1, 1], [2, 2, 2]]),
        (np.float32([-1, 0, 2]), (), "bool", [False, False, True]),
        (np.float32([[1, 0, 0, 1]]), (), "float32", [0.2126]),
    ],
)
def test_values_are_converted_as_links_convert_them(given, shape, scalar, wanted):
    found = as_taken(given, Value("x", (), scalar, shape))

    assert found.dtype == np.dtype(scalar)
    assert np.allclose(found, wanted)


def test_large_finite_numbers_are_finite():
    assert first_bad(np.full(10, 3e38, np.float32)) == (0, -1)
    assert first_bad(np.float32([1, np.inf, np.nan])) == (2, 1)
