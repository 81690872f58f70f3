# SPDX-License-Identifier: Apache-2.0
"""Node groups of lowered functions compute, in Blender, what the graphs of the functions do."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon.blender.lowered_groups import PART, build_group

import weft
from blender import lowered_values as blender
from blender import osl_rows
from support import lowering_corpus as corpus

NOISE = corpus.names(corpus.NOISE)
VERSION = bpy.app.version[:2]


@pytest.fixture(autouse=True)
def folder_of_the_extension(repository, monkeypatch):
    monkeypatch.syspath_prepend(str(repository))


def lowered(name, tree, **options):
    text = options.pop("text", corpus.TEXT)
    return weft.lower(None, name, text=text, tree=tree, blender=VERSION, **options)


def lowered_functions(tree):
    """Return the functions of the corpus that such trees compute, and those with noise."""
    found = {f"noise {name}": lowered(name, tree, text=corpus.NOISE) for name in NOISE}
    for name in corpus.names():
        try:
            found[name] = lowered(name, tree)
        except weft.ArgumentError:
            continue
    return found


def expected_of(function, values):
    """Return the graph's values as the group's outputs have them."""
    results = function.evaluate(values)
    return {socket.name: blender.values_of(socket, results) for socket in function.outputs}


def worst(found, expected):
    """Return the largest difference, of max(1, abs)."""
    if expected.dtype.kind in "iub":
        return float(np.max(found.astype(np.int32) != expected.astype(np.int32)))
    return float(np.max(np.abs(found - expected) / np.maximum(1, np.abs(expected))))


def test_geometry_nodes_compute_the_corpus():
    differences = {}
    for name, function in lowered_functions("geometry").items():
        values = blender.inputs_of(function)
        group = build_group(function.tree, name)
        found = blender.in_geometry_nodes(function, group, values)
        for socket, expected in expected_of(function, values).items():
            differences[f"{name} {socket}"] = worst(found[socket], expected)

    print(sorted(differences.items(), key=lambda item: -item[1])[:5])
    assert len(differences) > 55
    assert {name: value for name, value in differences.items() if not value < 1e-5} == {}


def group_node(group):
    """Return what makes a node of a group in a material."""

    def make(tree):
        node = tree.nodes.new("ShaderNodeGroup")
        node.node_tree = group
        return node

    return make


def rows_of(functions, values_for=blender.inputs_of):
    """Return a row for each output of functions, by their names, and what each gives."""
    rows, expected = [], []
    for name, function in functions.items():
        group = build_group(function.tree, name)
        values = values_for(function)
        for number, array in enumerate(expected_of(function, values).values()):
            rows.append((name, group_node(group), function.inputs, values, number))
            expected.append(array.astype(np.float32))
    return rows, expected


def differences_of(rows, found, expected):
    """Return the largest difference of each row of a picture."""
    differences = {}
    for row, picture, array in zip(rows, found, expected, strict=True):
        three = array if array.ndim == 2 else np.repeat(array[:, None], 3, axis=1)
        differences[f"{row[0]} {row[4]}"] = worst(picture, three)
    print(sorted(differences.items(), key=lambda item: -item[1])[:5])
    return differences


def test_cycles_computes_the_corpus(tmp_path):
    rows, expected = rows_of(lowered_functions("shader"))

    found = blender.in_cycles(rows, str(tmp_path / "corpus.exr"))

    differences = differences_of(rows, found, expected)
    assert len(differences) > 45
    assert {name: value for name, value in differences.items() if not value < 1e-5} == {}


# Of max(1, abs): Cycles' noise and cells beside shaders/weft/nodes.
PATTERN = 2e-5
# The same: EEVEE's film holds halves.
HALF = 1e-3


def pattern_values(function):
    """Return places that lie between lattice points, where no cell begins."""
    random = np.random.default_rng(11)
    values = {}
    for variable in function.parameters:
        shape = (blender.POINTS, variable.components)[: min(variable.components, 2)]
        if variable.name in ("detail", "distortion", "randomness"):
            values[variable.name] = (random.integers(0, 33, blender.POINTS) / 32).astype("f4")
        else:
            values[variable.name] = ((2 * random.integers(-512, 512, shape) + 1) / 256).astype("f4")
    return values


def patterns(tree):
    return {
        name: lowered(name, tree, text=corpus.PATTERNS) for name in corpus.names(corpus.PATTERNS)
    }


def test_noise_and_voronoi_in_geometry_nodes():
    differences = {}
    for name, function in patterns("geometry").items():
        values = pattern_values(function)
        found = blender.in_geometry_nodes(function, build_group(function.tree, name), values)
        differences[name] = worst(found["Result"], expected_of(function, values)["Result"])

    print(sorted(differences.items(), key=lambda item: -item[1]))
    assert {name: value for name, value in differences.items() if not value < PATTERN} == {}


def test_noise_and_voronoi_in_cycles(tmp_path):
    rows, expected = rows_of(patterns("shader"), pattern_values)

    found = blender.in_cycles(rows, str(tmp_path / "patterns.exr"))

    differences = differences_of(rows, found, expected)
    assert {name: value for name, value in differences.items() if not value < PATTERN} == {}


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_eevee_computes_the_corpus(tmp_path):
    rows, expected = rows_of(lowered_functions("shader"))
    of_patterns, expected_of_patterns = rows_of(patterns("shader"), pattern_values)
    rows, expected = rows + of_patterns, expected + expected_of_patterns

    found = blender.in_eevee(rows, str(tmp_path / "corpus.exr"))

    differences = differences_of(rows, found, expected)
    assert len(differences) > 60
    assert {name: value for name, value in differences.items() if not value < HALF} == {}


INPUTS = """
import weft.inputs;
float3 seen(float given)
{
    float3 base = float3(position().x + 100 * normal().z, given, attribute("in0"));
    return base + 0.5f * attributeVector("in0");
}
"""


def osl_node(text):
    """Return what makes a Script node in a material."""

    def make(tree):
        return osl_rows.script_node(tree, text, osl_rows.parameters(text))

    return make


@pytest.mark.parametrize("osl", [False, True])
def test_inputs_of_the_point_in_cycles(tmp_path, osl):
    function = lowered("seen", "shader", text=INPUTS)
    given = np.linspace(-2, 2, blender.POINTS).astype(np.float32)
    shader = lowered("seen", "shader", text=INPUTS, to="osl").text
    node = osl_node(shader) if osl else group_node(build_group(function.tree, "seen"))
    row = ("seen", node, function.inputs, {"given": given}, 0)

    # Pictures have four rows at least.
    found = blender.in_cycles([row] * 4, str(tmp_path / "inputs.exr"), osl=osl)[0]

    across = np.arange(blender.POINTS) + 0.5
    np.testing.assert_allclose(found[:, 0], across + 100 + 0.5 * given, rtol=1e-5)
    np.testing.assert_allclose(found[:, 1], 1.5 * given, atol=1e-5)
    np.testing.assert_allclose(found[:, 2], 1.5 * given, atol=1e-5)


def test_inputs_of_the_point_in_geometry_nodes():
    function = lowered("seen", "geometry", text=INPUTS)
    given = np.linspace(-2, 2, blender.POINTS).astype(np.float32)

    group = build_group(function.tree, "seen")
    found = blender.in_geometry_nodes(function, group, {"given": given})["Result"]

    np.testing.assert_allclose(found[:, 1], 1.5 * given, atol=1e-5)
    np.testing.assert_allclose(found[:, 2], 1.5 * given, atol=1e-5)


EDGES = [0, -0.0, 0.5, -0.5, 1, -1, 1.5, -1.5, 2.5, -2.5, 3.5, 0.25, -7, 8, 1e-5, 4095, -4095.5]


def edge_values(function):
    """Return all pairs of edges, as many as there are points, or integers."""
    random = np.random.default_rng(3)
    values = {}
    for variable in function.parameters:
        edges = np.array(EDGES if variable.scalar == "float" else range(100), np.float32)
        chosen = random.choice(edges, blender.POINTS)
        values[variable.name] = chosen.astype(
            {"float": "f4", "int": "i4", "uint": "u4"}[variable.scalar]
        )
    return values


def reals_at_their_edges():
    return {
        name: lowered(name, "shader", text=corpus.OPERATIONS)
        for name in corpus.names_of_reals(corpus.OPERATIONS)
    }


def test_operations_at_their_edges_in_geometry_nodes():
    differences = {}
    for name in corpus.names(corpus.OPERATIONS):
        function = lowered(name, "geometry", text=corpus.OPERATIONS)
        values = edge_values(function)
        group = build_group(function.tree, name)
        found = blender.in_geometry_nodes(function, group, values)["Result"]
        differences[name] = worst(found, function.evaluate(values)["Result"])

    assert {name: value for name, value in differences.items() if not value < 1e-5} == {}


def test_operations_at_their_edges_in_cycles(tmp_path):
    rows, expected = rows_of(reals_at_their_edges(), edge_values)

    found = blender.in_cycles(rows, str(tmp_path / "edges.exr"))

    differences = differences_of(rows, found, expected)
    assert {name: value for name, value in differences.items() if not value < 1e-5} == {}


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_operations_at_their_edges_in_eevee(tmp_path):
    def positive_zeros(function):
        # GLSL's atan2(-0, -1) is pi.
        return {name: array + 0 for name, array in edge_values(function).items()}

    rows, expected = rows_of(reals_at_their_edges(), positive_zeros)

    found = blender.in_eevee(rows, str(tmp_path / "edges.exr"))

    most = np.finfo(np.float16).max
    differences = differences_of(rows, found, [np.clip(array, -most, most) for array in expected])
    assert {name: value for name, value in differences.items() if not value < HALF} == {}


def test_long_trees_lie_in_groups_of_their_own():
    function = lowered("rotateAxis", "geometry")
    group = build_group(function.tree, "turned")

    assert function.nodes > PART
    parts = [node.node_tree for node in group.nodes if node.bl_idname == "GeometryNodeGroup"]
    assert len(parts) == -(-function.nodes // PART)
    assert all(part.name.startswith(".turned") for part in parts)
    assert sum(len(part.nodes) - 2 for part in parts) == function.nodes


def test_rounds_of_a_loop_share_a_group():
    function = lowered("mandelbrot", "shader")
    group = build_group(function.tree, "orbits")

    nodes = [node for node in group.nodes if hasattr(node, "node_tree")]
    parts = {node.node_tree for node in nodes}
    assert len(nodes) >= 20
    assert len(parts) <= 4
    assert sum(len(node.node_tree.nodes) - 2 for node in nodes) == function.nodes


def test_the_interface_says_what_the_declaration_does():
    text = """
import weft.node;
float f([Label("Size")] [Range(0, 2)] [Tooltip("How large")] float s = 0.5f, int n = 3,
        bool on = true)
{ return on ? s * clamp(n, 0, 9) : 0; }
"""
    function = lowered("f", "geometry", text=text)
    group = build_group(function.tree, "f")

    size, number, switch = (item for item in group.interface.items_tree if item.in_out == "INPUT")
    assert (size.name, size.description) == ("Size", "How large")
    assert (size.default_value, size.min_value, size.max_value) == (0.5, 0, 2)
    assert (number.default_value, switch.default_value) == (3, True)


def test_a_group_that_blender_refuses_leaves_nothing():
    function = lowered("foldedSpace", "geometry")
    function.tree["nodes"][-1]["type"] = "ShaderNodeOfTheFuture"
    before = len(bpy.data.node_groups)

    with pytest.raises(RuntimeError):
        build_group(function.tree, "folded")

    assert len(bpy.data.node_groups) == before
