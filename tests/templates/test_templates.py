# SPDX-License-Identifier: Apache-2.0
"""Each node template: documentation, an independent reference, derivatives, the forms it has."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support import template_cases as templates

COUNT = 4096
# Files of older scenes hold these names.
OLDER_NAMES = {"microfacet": "microfacetSurface"}
VERSIONS = ((4, 5), (5, 2))


@pytest.fixture(params=templates.files(), ids=lambda file: f"{file.parent.name}/{file.stem}")
def file(request):
    return request.param


@pytest.fixture
def case(file):
    return templates.case_of(file)


@pytest.fixture
def function(file, device):
    return templates.function_of(device, file)


def camel_case(name):
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def attribute(owner, name):
    return next((list(a.arguments) for a in owner.attributes if a.name == name), None)


def parameters_of(function):
    return {parameter.name: parameter for parameter in function.signature.parameters}


def test_it_says_what_it_is_and_where_it_comes_from(file, function):
    nodes = templates.node_functions(file)
    text = file.read_text(encoding="utf-8")
    head = text[: text.index("\nmodule ")]

    assert len(nodes) == 1
    assert nodes[0].name == OLDER_NAMES.get(file.stem, camel_case(file.stem))
    assert attribute(nodes[0], "Node")
    assert attribute(nodes[0], "Preview")
    assert attribute(nodes[0], "Label")
    assert nodes[0].documentation
    assert "/// Source: " in head
    for name, parameter in parameters_of(function).items():
        assert attribute(parameter, "Label"), name
        assert attribute(parameter, "Tooltip"), name


def test_defaults_lie_within_their_ranges(function):
    ranged = [p for p in parameters_of(function).values() if attribute(p, "Range")]
    for parameter in ranged:
        low, high = attribute(parameter, "Range")
        low_slider, high_slider = attribute(parameter, "SoftRange") or (low, high)
        assert low <= low_slider < high_slider <= high, parameter.name
        assert parameter.default is not None, parameter.name
        assert low <= parameter.default <= high, parameter.name


def test_it_agrees_with_an_independent_implementation(file, case, function):
    graph = templates.graph_of(file)
    values = templates.drawn(graph.parameters, parameters_of(function), case.draws, COUNT, 1)

    found = templates.results_of(function, case, values)
    expected = templates.expected_of(case, values)

    moves = templates.movement(graph, values)
    assert set(found) == set(expected)
    for name, array in expected.items():
        assert np.isfinite(array).all(), name
        assert found[name].shape == array.shape, name
        difference = np.abs(found[name].astype(np.float64) - array)
        allowed = case.tolerance * np.maximum(1, np.abs(array)) + 2 * moves[name]
        share = np.mean(difference > allowed)
        worst = np.argmax(np.where(difference > allowed, difference, 0))
        where = np.unravel_index(worst, difference.shape)
        at = {key: value[where[0]].tolist() for key, value in values.items()}
        assert share <= case.edges, (
            f"{name}: {share:.4f} of the values differ; {found[name][where]} on the device, "
            f"{array[where]} expected, at {at}"
        )


def test_its_values_vary(file, case, function):
    graph = templates.graph_of(file)
    values = templates.drawn(graph.parameters, parameters_of(function), case.draws, 256, 2)

    for name, array in graph.evaluate(values).items():
        assert len(np.unique(array)) > 1, name


def test_its_derivatives(file, case, function):
    assert bool(case.wrt) == function.signature.is_differentiable
    if not case.wrt:
        return
    graph = templates.graph_of(file)
    draws = {**case.draws, **case.gradient_draws}
    parameters = parameters_of(function)
    drawn = templates.nested(templates.drawn(graph.parameters, parameters, draws, 24, 3))
    drawn |= templates.arguments_of(case)

    check = weft.check_gradients(
        function, *[drawn[name] for name in parameters], wrt=case.wrt, samples=8
    )

    assert check.passed, check.differences


@pytest.mark.parametrize("tree", templates.FORMS)
def test_its_forms(file, case, tree):
    for version in VERSIONS:
        options = {"to": "osl"} if tree == "osl" else {"tree": tree}
        if tree not in case.refused:
            lowered = templates.lowered(file, blender=version, **options)
            assert lowered.outputs
            continue
        with pytest.raises(weft.ArgumentError) as refusal:
            templates.lowered(file, blender=version, **options)
        assert case.refused[tree] in str(refusal.value)


def test_its_graph_agrees_with_the_device(file, case, function):
    graph = templates.graph_of(file)
    parameters = parameters_of(function)
    values = templates.drawn(graph.parameters, parameters, case.draws, COUNT, 4)
    values = templates.with_edges(values, 5)

    found = graph.evaluate(values)

    expected = templates.results_of(function, case, values)
    moves = templates.movement(graph, values)
    for name, array in found.items():
        at = np.isfinite(array) & np.isfinite(expected[name])
        difference = np.abs(array.astype(np.float64) - expected[name])[at]
        allowed = (1e-5 * np.maximum(1, np.abs(array)) + 2 * moves[name])[at]
        assert at.mean() > 0.97, name
        assert np.mean(difference > allowed) <= case.edges, name
