# SPDX-License-Identifier: Apache-2.0
"""Each node template: documentation, an independent reference, the forms it has; no device."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support import template_cases as templates

COUNT = 512
# Files of older scenes hold these names.
OLDER_NAMES = {"microfacet": "microfacetSurface"}
VERSIONS = ((4, 5), (5, 2))


def label(found):
    return f"{found[0].parent.name}/{found[1]}"


@pytest.fixture(params=templates.variants(), ids=label)
def variant(request):
    """The file of a template and the name of one of its cases."""
    return request.param


@pytest.fixture
def file(variant):
    return variant[0]


@pytest.fixture
def case(variant):
    return templates.case_of(*variant)


@pytest.fixture
def graph(variant):
    return templates.graph_of(*variant)


@pytest.fixture
def node(file):
    nodes = templates.node_functions(file)
    assert len(nodes) == 1
    return nodes[0]


@pytest.fixture
def drawn(graph, node, case):
    """Draw so many values of the parameters, with other draws than the case's."""

    def draw(count, seed, draws=()):
        every = {**case.draws, **dict(draws)}
        return templates.drawn(graph.parameters, parameters_of(node), every, count, seed)

    return draw


def camel_case(name):
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def attribute(owner, name):
    return next((list(a.arguments) for a in owner.attributes if a.name == name), None)


def parameters_of(function):
    return {parameter.name: parameter for parameter in function.parameters}


def test_it_says_what_it_is_and_where_it_comes_from(file, node):
    text = file.read_text(encoding="utf-8")
    head = text[: text.index("\nmodule ")]

    assert node.name == OLDER_NAMES.get(file.stem, camel_case(file.stem))
    for name in ("Node", "Label", "Preview"):
        assert attribute(node, name), name
    assert node.documentation
    assert "/// Source: " in head
    for name, parameter in parameters_of(node).items():
        assert attribute(parameter, "Label"), name
        assert attribute(parameter, "Tooltip"), name


def test_defaults_lie_within_their_ranges(node):
    ranged = [p for p in node.parameters if attribute(p, "Range")]
    for parameter in ranged:
        low, high = attribute(parameter, "Range")
        low_slider, high_slider = attribute(parameter, "SoftRange") or (low, high)
        assert low <= low_slider < high_slider <= high, parameter.name
        assert parameter.default is not None, parameter.name
        assert low <= parameter.default <= high, parameter.name


@pytest.mark.sweep(2)
def test_it_agrees_with_an_independent_implementation(case, graph, drawn):
    values = drawn(COUNT, 1)

    found = graph.evaluate(values)

    expected = templates.expected_of(case, values)
    moves = templates.movement(graph, values)
    assert set(found) == set(expected)
    for name, array in expected.items():
        assert np.isfinite(array).all(), name
        assert found[name].shape == array.shape, name
        difference = np.abs(found[name].astype(np.float64) - array)
        allowed = case.tolerance * np.maximum(1, np.abs(array)) + 2 * moves[name]
        differs = ~(difference <= allowed)
        worst = np.argmax(np.where(differs, difference, 0))
        where = np.unravel_index(worst, difference.shape)
        at = {key: value[where[0]].tolist() for key, value in values.items()}
        assert np.mean(differs) <= case.edges, (
            f"{name}: {np.mean(differs):.4f} of the values differ; {found[name][where]} found, "
            f"{array[where]} expected, at {at}"
        )


def test_its_values_vary(graph, drawn):
    for name, array in graph.evaluate(drawn(256, 2)).items():
        assert len(np.unique(array)) > 1, name


def test_no_input_gives_nan(graph, drawn):
    values = templates.with_edges(drawn(256, 3), 6)

    for name, array in graph.evaluate(values).items():
        assert not np.isnan(array).any(), name


def test_it_is_differentiable_if_it_says_so(case, node):
    assert bool(case.wrt) == node.is_differentiable


@pytest.mark.sweep(2)
@pytest.mark.parametrize("tree", templates.FORMS)
def test_its_forms(variant, case, tree):
    # Shaders in OSL differ by cells of Voronoi alone.
    for version in VERSIONS[: 1 if tree == "osl" else 2]:
        options = {"to": "osl"} if tree == "osl" else {"tree": tree}
        if tree not in case.refused:
            lowered = templates.lowered(*variant, blender=version, **options)
            assert lowered.outputs
            assert lowered.warnings == ()
            continue
        with pytest.raises(weft.ArgumentError) as refusal:
            templates.lowered(*variant, blender=version, **options)
        assert case.refused[tree] in str(refusal.value)
