# SPDX-License-Identifier: Apache-2.0
"""Structures of Slang nodes: bundles or panels, and what scripts give them."""

from __future__ import annotations

import random

import pytest
from addon.core.slang_nodes.bundles import BUNDLE, item_labels, plain_items, spread
from addon.core.slang_nodes.preparing import Request, prepare
from addon.core.slang_nodes.sources import Source, SourceKey

TEXT = """
import weft.node;
struct Inner { float2 at = float2(1, 2); float aB; float a_b = 3; }
struct Wall { float size = 2; Inner inner; Inner layers[2]; }
[Bundle] Wall f([Bundle, Label("Brick")] Wall wall, float x = 1) { return wall; }
"""


def prepared(tree, blender, form="AUTOMATIC"):
    key = SourceKey("text", "wall.slang")
    source = Source(key, text=TEXT)
    return prepare(Request(source, "f", tree, blender, form=form)).interface


def test_a_bundle_has_the_parameters_label_and_items_with_values():
    interface = prepared("GeometryNodeTree", (5, 2))

    wall, x = interface.inputs
    assert (wall.label, wall.type, wall.panel, x.label) == ("Brick", BUNDLE, "", "X")
    assert [item.label for item in wall.items] == ["Size", "Inner", "Layers 0", "Layers 1"]
    held = {path: item.default for path, item in plain_items(wall.items)}
    assert held["size"] == 2
    assert held["layers[1].at"] == (1, 2)
    (result,) = interface.outputs
    assert [item.label for item in result.items] == [item.label for item in wall.items]


@pytest.mark.parametrize(
    ("tree", "blender", "form"),
    [
        ("ShaderNodeTree", (4, 5), "NODES"),
        ("CompositorNodeTree", (5, 2), "NODES"),
        ("ShaderNodeTree", (5, 2), "OSL"),
    ],
)
def test_a_panel_has_the_values_of_the_structure(tree, blender, form):
    inputs = prepared(tree, blender, form).inputs

    found = {spec.name: (spec.panel, spec.default) for spec in inputs}
    assert found["wall.size"] == ("Brick", 2)
    assert found["wall.inner.at"] == ("Brick", (1, 2))
    assert found["wall.layers[1].a_b"] == ("Brick", 3)
    assert not [spec for spec in inputs if spec.items]


def test_no_two_items_of_a_bundle_are_called_alike():
    (inner,) = [
        item for item in prepared("ShaderNodeTree", (5, 2)).inputs[0].items if item.name == "inner"
    ]

    assert [item.label for item in inner.items] == ["At", "A B", "A B 2"]
    assert item_labels(["aB", "a_b"]) == ["A B", "A B 2"]


def drawn(draw, depth=0):
    """Return a structure of drawn values."""
    return {
        f"f{number}": drawn(draw, depth + 1) if depth < 3 and draw.random() < 0.4 else draw.random()
        for number in range(draw.randint(1, 3))
    }


def flat(values, prefix):
    found = {}
    for name, value in values.items():
        full = f"{prefix}.{name}"
        found.update(flat(value, full) if isinstance(value, dict) else {full: value})
    return found


@pytest.mark.parametrize("seed", range(20))
def test_structures_of_panels_are_spread(seed):
    values = drawn(random.Random(seed))
    wanted = flat(values, "wall")

    assert spread({"x": 1, "wall": values}, ["x", *wanted]) == {"x": 1, **wanted}
    # A bundle takes the structure as it is.
    assert spread({"wall": values}, ["wall"]) == {"wall": values}
