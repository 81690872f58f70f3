# SPDX-License-Identifier: Apache-2.0
"""Node templates carry everything that a node editor shows."""

from __future__ import annotations

from pathlib import Path

import pytest

import weft

TEMPLATES = Path(weft.__file__).parent / "node_templates"


def template_files():
    files = sorted(TEMPLATES.glob("*/*.slang"))
    assert len(files) >= 2
    return files


@pytest.fixture(params=template_files(), ids=lambda file: file.stem)
def template(request, device):
    module = weft.Module.load_from_file(device, request.param)
    nodes = [f for f in module.functions if any(a.name == "Node" for a in f.attributes)]
    assert len(nodes) == 1
    return nodes[0]


def attribute(owner, name):
    return next((list(a.arguments) for a in owner.attributes if a.name == name), None)


def test_a_node_has_a_menu_a_label_and_documentation(template):
    assert attribute(template, "Node")
    assert attribute(template, "Label")
    assert template.documentation


def test_every_socket_has_a_label_and_a_tooltip(template):
    for parameter in template.parameters:
        assert attribute(parameter, "Label"), parameter.name
        assert attribute(parameter, "Tooltip"), parameter.name


def test_defaults_lie_within_their_ranges(template):
    ranged = [p for p in template.parameters if attribute(p, "Range")]
    assert ranged
    for parameter in ranged:
        low, high = attribute(parameter, "Range")
        assert low < high
        assert low <= parameter.default <= high, parameter.name
