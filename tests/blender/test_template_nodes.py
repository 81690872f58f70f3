# SPDX-License-Identifier: Apache-2.0
"""Node templates compute in Blender what their graphs do: as nodes at points, in Cycles, in OSL."""

from __future__ import annotations

import functools
import math

import bpy
import numpy as np
import pytest
from addon.blender.lowered_groups import build_group

from blender import lowered_values as blender
from blender import osl_rows
from support import template_cases as templates

VERSION = bpy.app.version[:2]
# Of max(1, abs): Cycles' noise beside shaders/weft/nodes, 2e-5, which noise within noise enlarges.
TOLERANCE = 5e-5


@pytest.fixture(autouse=True)
def folder_of_the_extension(repository, monkeypatch):
    monkeypatch.syspath_prepend(str(repository))


def label(file, name):
    return f"{file.parent.name}/{name}"


def lowered_templates(form, **options):
    """Return the templates that have a form: their names, cases, functions and values."""
    found = []
    for file, name in templates.variants():
        case = templates.case_of(file, name)
        if form in case.refused:
            continue
        function = templates.lowered(file, name, blender=VERSION, **options)
        parameters = {p.name: p for p in templates.node_functions(file)[0].parameters}
        values = templates.drawn(function.parameters, parameters, case.draws, blender.POINTS, 7)
        found.append((label(file, name), case, function, values))
    return found


RESULTS = {}
"""What graphs give, by the values: every form of a template shares its graph."""


def results_of(function, name, values):
    """Return what the graph gives, and how far it goes when values move a little."""
    key = name, *(array.tobytes() for array in values.values())
    if key not in RESULTS:
        RESULTS[key] = function.evaluate(values), templates.movement(function, values)
    return RESULTS[key]


def expected_of(function, name, values):
    """Return what the outputs give by the graph, and how far each number may be from that."""
    results, moves = results_of(function, name, values)
    expected = {}
    for socket in function.outputs:
        array = blender.values_of(socket, results).astype(np.float64)
        moved = blender.values_of(socket, moves)
        expected[socket.name] = array, TOLERANCE * np.maximum(1, np.abs(array)) + 2 * moved
    return expected


def wrong_points(case, found, expected, allowed):
    """Return how many points differ beyond those that a template with edges may miss."""
    differs = ~(np.abs(found.astype(np.float64) - expected) <= allowed)
    points = differs.reshape(len(differs), -1).any(axis=1).sum()
    spared = math.ceil(case.edges * len(differs))
    return max(0, int(points) - spared)


def menus_of(function):
    return [socket for socket in function.inputs if socket.type == "NodeSocketMenu"]


def choices(function, values):
    """Yield values with each case that a menu can show; menus take no values of points."""
    menus = menus_of(function)
    for number in range(max((len(menu.cases) for menu in menus), default=1)):
        chosen = dict(values)
        for menu in menus:
            cases = list(menu.cases.values())
            chosen[menu.name] = np.full_like(values[menu.name], cases[number % len(cases)])
        yield number, chosen


def test_templates_in_geometry_nodes():
    wrong = {}
    for name, case, function, drawn in lowered_templates("geometry", tree="geometry"):
        group = build_group(function.tree, name)
        for choice, values in choices(function, drawn):
            found = blender.in_geometry_nodes(function, group, values)
            for socket, (array, allowed) in expected_of(function, name, values).items():
                count = wrong_points(case, found[socket], array, allowed)
                wrong[f"{name} {choice} {socket}"] = count

    assert len(wrong) >= len(templates.files())
    assert {name: count for name, count in wrong.items() if count} == {}


def group_node(function, name):
    """Return what makes a node of a template's group in a material."""
    group = build_group(function.tree, name)

    def make(tree, values):
        node = tree.nodes.new("ShaderNodeGroup")
        node.node_tree = group
        for menu in menus_of(function):
            number = function.inputs.index(menu)
            blender.show_case(node.inputs[number], menu, values[menu.name][0])
        return node

    return make


def osl_node(function, name):
    """Return what makes a Script node in a material."""
    known = osl_rows.parameters(function.text)

    def make(tree, values):
        return osl_rows.script_node(tree, function.text, known)

    return make


def check_in_cycles(found, node_of, path, *, osl):
    """Render a row of pixels for each output of templates."""
    rows, outputs = [], []
    for name, case, function, drawn in found:
        node = node_of(function, name)
        for choice, values in choices(function, drawn):
            make = functools.partial(node, values=values)
            for number, (socket, pair) in enumerate(expected_of(function, name, values).items()):
                rows.append((name, make, function.inputs, values, number))
                outputs.append((f"{name} {choice} {socket}", case, *pair))

    pictures = blender.in_cycles(rows, path, osl=osl)

    wrong = {}
    for (name, case, array, allowed), picture in zip(outputs, pictures, strict=True):
        colors = picture if array.ndim == 2 else picture[:, 0]
        wrong[name] = wrong_points(case, colors, array, allowed)
    assert len(wrong) >= len(found)
    assert {name: count for name, count in wrong.items() if count} == {}


def test_templates_in_cycles(tmp_path):
    found = lowered_templates("shader", tree="shader")
    check_in_cycles(found, group_node, str(tmp_path / "templates.exr"), osl=False)


def test_templates_in_osl(tmp_path):
    found = lowered_templates("osl", to="osl")
    check_in_cycles(found, osl_node, str(tmp_path / "templates.exr"), osl=True)
