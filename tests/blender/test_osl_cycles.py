# SPDX-License-Identifier: Apache-2.0
"""Shaders that weft.lower writes in OSL, compiled and run by Cycles, beside the graph's values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import weft
from blender import osl_rows
from support import lowering_corpus as corpus

COUNT = 512
TOLERANCE = 1e-5  # of max(1, |x|)

TEXT = (Path(__file__).parents[1] / "support/osl_functions.slang").read_text(encoding="utf-8")
NAMES = [
    line.split("(")[0].split()[-1]
    for line in TEXT.splitlines()
    if line[:1].isalpha() and "(" in line and not line.startswith("struct")
]


SHADER = {"LIMIT": "true", "KEEP": "[noinline]"}
GRAPH = {"LIMIT": "round < 200", "KEEP": "[noinline]"}


def drawn(variable: weft.lowering.Variable, seed: int) -> np.ndarray:
    return corpus.drawn(variable, seed, COUNT, lowest=-100 if variable.scalar == "int" else 0)


def sockets(variable: weft.lowering.Variable, values: np.ndarray) -> list[np.ndarray]:
    """Return values as sockets have them: up to three real components together."""
    if variable.components == 1:
        return [values]
    if variable.scalar not in ("float", "half"):
        return list(values.T)
    if variable.components == 4:
        return [values[:, :3], values[:, 3]]
    return [np.pad(values, ((0, 0), (0, 3 - variable.components)))]


def row_and_expected(name: str, text: str) -> tuple[osl_rows.Row, list[np.ndarray]]:
    """Return a shader with its inputs, and what the graph gives for them."""
    shader = weft.lower(None, name, text=text, to="osl", defines=SHADER)
    graph = weft.lower(None, name, text=text, to="dag", defines=GRAPH)
    values = {variable.name: drawn(variable, k) for k, variable in enumerate(graph.parameters)}
    expected = graph.evaluate(values)
    inputs = [own for given in graph.parameters for own in sockets(given, values[given.name])]
    outputs = [own for given in graph.results for own in sockets(given, expected[given.name])]
    return osl_rows.Row(shader.text, inputs), outputs


def check(name: str, found: list[np.ndarray], expected: list[np.ndarray]) -> None:
    assert len(found) == len(expected), name
    for got, wanted in zip(found, expected, strict=True):
        if got.dtype == np.int32:
            words = wanted.astype(np.int64).astype(np.uint32).view(np.int32)
            np.testing.assert_array_equal(got, words, err_msg=name)
        else:
            error = np.max(np.abs(got - wanted) / np.maximum(1, np.abs(wanted)))
            assert error <= TOLERANCE, (name, error)


def test_shaders_compute_what_the_graph_does(tmp_path):
    assert len(NAMES) >= 20
    cases = {name: row_and_expected(name, corpus.TEXT) for name in corpus.names()}
    cases |= {name: row_and_expected(name, TEXT) for name in NAMES}
    cases |= {name: row_and_expected(name, corpus.CALLS) for name in corpus.names(corpus.CALLS)}

    patterns = corpus.names(corpus.PATTERNS)
    cases |= {name: row_and_expected(name, corpus.PATTERNS) for name in patterns}

    found = osl_rows.render([row for row, _ in cases.values()], tmp_path)

    for outputs, (name, (_, expected)) in zip(found, cases.items(), strict=True):
        check(name, outputs, expected)


# What Slang gives infinity or NaN for, and OSL's helpers as far as floats go.
EDGES = (
    ("1 / x", 0, 0),
    ("sqrt(x)", -1, 0),
    ("log(x)", -1, 0),
    ("exp(log(x))", 0, 0),
    ("max(log(x), -90)", 0, -90),
    ("pow(x, 1 / 3.f)", -8, 0),
    ("pow(x, 3)", -2, -8),
    ("exp(x) > 1e38 ? 1 : 0", 100, 1),
    ("tanh(x)", 1000, 1),
    ("asin(x)", 2, np.pi / 2),
    ("round(x)", -2.5, -2),
    ("isinf(exp(x)) ? 3 : 4", 200, 3),
    ("float(int(x * 1e9f))", 3, 2147483647),
    ("float(uint(x))", -5, 0),
    ("asuint(-x) == 0x80000000u ? 1 : 2", 0, 1),
    ("asuint(x) == 0 ? 1 : 2", 0, 1),
    ("asfloat(0x7f800000 + int(x)) > 3e38f ? 1 : 2", 0, 1),
)


@pytest.mark.parametrize(("expression", "x", "expected"), EDGES)
def test_edges_of_functions(tmp_path, expression, x, expected):
    text = weft.lower(None, "f", text=f"float f(float x) {{ return {expression}; }}", to="osl").text

    ((found,),) = osl_rows.render([osl_rows.Row(text, [np.full(4, x, np.float32)])], tmp_path)

    assert found == pytest.approx(np.full(4, expected), rel=1e-6)


def test_names_that_osl_knows_are_no_obstacle(tmp_path):
    names = ("color", "N", "u", "time", "noise", "mix", "output", "v1", "t0", "length", "P", "sin_")
    parameters = ", ".join(f"float {name}" for name in names)
    text = f"float scale({parameters}) {{ return {' + '.join(names)}; }}"
    inputs = [np.full(4, 2.0**k, np.float32) for k in range(len(names))]

    row = osl_rows.Row(weft.lower(None, "scale", text=text, to="osl").text, inputs)
    ((found,),) = osl_rows.render([row], tmp_path)

    assert found.tolist() == [4095] * 4
