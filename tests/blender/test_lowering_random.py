# SPDX-License-Identifier: Apache-2.0
"""Random functions in geometry nodes and in OSL beside their graphs."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon.blender.lowered_groups import build_group

import weft
from blender import lowered_values as blender
from blender import osl_rows
from support import slang_generator as generator

BATCH = 10


@pytest.fixture(autouse=True)
def folder_of_the_extension(repository, monkeypatch):
    monkeypatch.syspath_prepend(str(repository))


def lowered(function, **options):
    return weft.lower(None, function.name, text=function.source, **options)


def allowed(graph, values, expected):
    """Return by how much results may differ: as much as small errors on the way change them."""
    if expected.dtype.kind in "iub":
        return 0
    most = 1e-5 * np.maximum(1, np.abs(expected))
    for near in generator.moved(values):
        (there,) = graph.evaluate(near).values()
        most = np.maximum(most, np.abs(there - expected))
    return most


def problem(function, form, found, expected, values, graph):
    """Return where two arrays differ, or an empty text."""
    if expected.dtype.kind in "iub":
        found, expected = (array.astype(np.int64).astype(np.uint32) for array in (found, expected))
    difference = np.abs(found.astype(np.float64) - expected)
    places = np.argwhere(~(difference <= allowed(graph, values, expected)))
    if not len(places):
        return ""
    first = tuple(places[0])
    at = {name: array[first[0]].tolist() for name, array in values.items()}
    return f"{form}: {found[first]} for {expected[first]} at {at}\n{function.source}"


def check_geometry(functions, values):
    """Compare functions in geometry nodes; return how many are lowered to such."""
    count = 0
    for function in functions:
        try:
            tree = lowered(function, tree="geometry", blender=bpy.app.version[:2])
        except weft.ArgumentError:
            continue
        count += 1
        group = build_group(tree.tree, function.name)
        (found,) = blender.in_geometry_nodes(tree, group, values).values()
        (expected,) = tree.evaluate(values).values()
        wrong = problem(function, "nodes", found, expected, values, tree)
        assert not wrong, wrong
    return count


def check_osl(functions, values, folder):
    """Compare functions in OSL, a row of pixels each."""
    given = [values[name] for name in ("x", "y", "p", "n", "u", "b", "e")]
    rows = [osl_rows.Row(lowered(function, to="osl").text, given) for function in functions]
    for function, (found,) in zip(functions, osl_rows.render(rows, folder), strict=True):
        graph = lowered(function, to="dag")
        (expected,) = graph.evaluate(values).values()
        wrong = problem(function, "OSL", found, expected, values, graph)
        assert not wrong, wrong


def check(seed, folder):
    functions = generator.programs(seed, BATCH)
    values = generator.inputs(seed, blender.POINTS)
    check_osl(functions, values, folder)
    assert check_geometry(functions, values) >= 0.5 * BATCH


def test_random_functions(tmp_path):
    check(0, tmp_path)


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 21))
def test_many_random_functions(tmp_path, seed):
    check(seed, tmp_path)
