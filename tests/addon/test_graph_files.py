# SPDX-License-Identifier: Apache-2.0
"""Graphs as JSON."""

from __future__ import annotations

import json

import pytest
from addon.core.graph.files import graph_from_json, graph_to_json

from support.graph_scenes import graph_texts


@pytest.mark.parametrize("name", ["marble", "crate"])
def test_graphs_survive_as_text(name):
    graph = graph_from_json(graph_texts()[name])

    again = graph_from_json(graph_to_json(graph))

    assert again == graph
    assert len(graph.nodes) > 5


def test_values_are_tuples_again():
    graph = graph_from_json(graph_texts()["crate"])

    mapping = next(n for n in graph.nodes.values() if n.kind == "ShaderNodeMapping")
    link = mapping.find_input("Vector").link
    assert isinstance(mapping.find_input("Scale").value, tuple)
    assert isinstance(link, tuple)


def test_what_is_no_graph_is_an_error():
    with pytest.raises(KeyError):
        graph_from_json(json.dumps({"nodes": [{"kind": "ShaderNodeMath"}]}))
