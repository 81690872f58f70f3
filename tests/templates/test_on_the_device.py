# SPDX-License-Identifier: Apache-2.0
"""Each node template on a device: derivatives, and the values of its graph."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support import template_cases as templates

pytestmark = pytest.mark.slow

DERIVED_ALWAYS = {
    "bricks",
    "fbm",
    "fish_scales",
    "ggx_lobe",
    "height_blend",
    "microfacet",
    "oklab_mix",
    "planks",
    "rounded_primitive",
    "thin_film_color",
    "twist",
}
"""Templates whose derivatives are checked in every run: those that pictures fit, and one of each
category. The others take five minutes of compiling."""


def label(found):
    return f"{found[0].parent.name}/{found[1]}"


def parameters_of(file):
    return {p.name: p for p in templates.node_functions(file)[0].parameters}


def drawn(file, name, count, seed, draws=()):
    """Draw so many values of the parameters, with other draws than the case's."""
    graph, case = templates.graph_of(file, name), templates.case_of(file, name)
    every = {**case.draws, **dict(draws)}
    return templates.drawn(graph.parameters, parameters_of(file), every, count, seed)


def differentiable():
    """Return the cases with derivatives; most are marked as full."""
    return [
        pytest.param(
            variant,
            id=label(variant),
            marks=() if variant[1] in DERIVED_ALWAYS else pytest.mark.full,
        )
        for variant in templates.variants()
        if templates.case_of(*variant).wrt
    ]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("variant", differentiable())
def test_its_derivatives(device, variant):
    file, name = variant
    case = templates.case_of(file, name)
    values = drawn(file, name, 24, 3, case.gradient_draws)
    arguments = templates.nested(values) | templates.arguments_of(case)

    check = weft.check_gradients(
        templates.function_of(device, file),
        *[arguments[parameter] for parameter in parameters_of(file)],
        wrt=case.wrt,
        step=case.step,
        samples=8,
    )

    assert check.passed, check.differences


@pytest.mark.sweep(3)
@pytest.mark.parametrize("count", [512, pytest.param(4096, marks=pytest.mark.full)])
@pytest.mark.parametrize("variant", templates.variants(), ids=label)
def test_its_graph_agrees_with_the_device(device, variant, count):
    file, name = variant
    graph, case = templates.graph_of(file, name), templates.case_of(file, name)
    values = templates.with_edges(drawn(file, name, count, 4), 5)

    found = graph.evaluate(values)

    expected = templates.results_of(templates.function_of(device, file), case, values)
    moves = templates.movement(graph, values)
    assert set(found) == set(expected)
    for output, array in found.items():
        assert not np.isnan(expected[output]).any(), output
        at = np.isfinite(array) & np.isfinite(expected[output])
        difference = np.abs(array[at].astype(np.float64) - expected[output][at])
        allowed = 1e-5 * np.maximum(1, np.abs(array[at])) + 2 * moves[output][at]
        assert at.mean() > 0.97, output
        assert np.mean(difference > allowed) <= case.edges, output
