# SPDX-License-Identifier: Apache-2.0
"""Names of sources, what menus find in them, and names that people read."""

from __future__ import annotations

import pytest
from addon.core.slang_nodes.expressions import EXAMPLE, expression_source, variables
from addon.core.slang_nodes.interface import first_sentence, numbers_of
from addon.core.slang_nodes.naming import title_of, unique_labels
from addon.core.slang_nodes.sources import (
    SourceKey,
    marked_functions,
    parse_key,
    template_entries,
    templates_folder,
)
from addon.core.slang_nodes.watching import SILENCE, Watch

import weft

KEY = SourceKey("text", "a")


def test_keys_are_spelled_and_read():
    for key in (KEY, SourceKey("file", "//a:b/c.slang"), SourceKey("template", "texture/x")):
        assert parse_key(str(key)) == key
    for wrong in ("a.slang", "text:", "folder:x"):
        with pytest.raises(ValueError, match="a source is"):
            parse_key(wrong)


def test_marked_functions_are_found_whatever_stands_between():
    text = """
    // [Node("Comment")] float no() { }
    /// Rings.
    [Label("Nice Rings")] [Node("Pattern")] [Differentiable]
    public float rings([Label("Not this")] float2 p, [Range(0, 1)] float a = max(1, 2))
    { return 0; }
    struct A { float x; };
    [Node("Other")]
    A second<T>(T x) { return {}; }
    float plain(float x) { return x; }
    """

    found = [(e.function, e.label, e.category) for e in marked_functions(KEY, text)]

    assert found == [("rings", "Nice Rings", "Pattern"), ("second", "", "Other")]


def test_what_weft_brings_is_what_menus_offer():
    entries = template_entries(templates_folder())

    assert ("fractalNoise", "Fractal Noise", "Texture") in [
        (entry.function, entry.label, entry.category) for entry in entries
    ]
    for entry in entries:
        info = weft.lowering.source_info(templates_folder() / f"{entry.key.name}.slang")
        assert entry.function in [function.name for function in info.functions]


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("fractalNoise", "Fractal Noise"),
        ("fractal_noise", "Fractal Noise"),
        ("p", "P"),
        ("uvMap2", "UV Map 2"),
        ("ggxBRDF", "GGX BRDF"),
        ("größe", "Größe"),
    ],
)
def test_titles(name, title):
    assert title_of(name) == title


def test_labels_are_unique():
    assert unique_labels(["A", "A", "A 2", "B"]) == ["A", "A 3", "A 2", "B"]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("float3(1, .5, 0)", (1.0, 0.5, 0.0)),
        ("float3(2)", (2.0, 2.0, 2.0)),
        ("{1, 2}", (1.0, 2.0)),
        ("0.8, 0.2, 1e-1f", (0.8, 0.2, 0.1)),
        ("-3", (-3.0,)),
        ("a + 1", None),
        ("float3(x, 0, 0)", None),
        ("", None),
    ],
)
def test_numbers_of_defaults(text, numbers):
    assert numbers_of(text) == numbers


def test_the_first_sentence_is_a_tooltip():
    assert first_sentence("Rings of 1.5 m. More.\n@return x") == "Rings of 1.5 m"
    assert first_sentence("No end") == "No end"
    assert first_sentence("") == ""


def test_names_of_an_expression_are_inputs():
    assert variables("a * sin(b) + p.y - 2e3 * pi") == {"a": "float", "b": "float", "p": "float3"}


@pytest.mark.parametrize(
    "line", ["a * sin(b)", "p.x + p.y * e", "lerp(float3(1, 0, 0), c.rgb, t)", "length(p.xyz)", "2"]
)
def test_an_expression_is_a_function(line):
    lowered = weft.lower(None, "expression", text=expression_source(line))

    assert [socket.name for socket in lowered.inputs] == list(variables(line))


def test_the_example_is_a_node():
    assert weft.lower(None, "rings", text=EXAMPLE).nodes > 5


def test_a_source_is_due_once_it_has_been_silent():
    watch = Watch()

    assert watch.look({KEY: 1}, 0.0) == []
    assert watch.look({KEY: 2}, 1.0) == []
    assert watch.is_busy
    assert watch.look({KEY: 3}, 1.0 + 0.9 * SILENCE) == []
    assert watch.look({KEY: 3}, 1.0 + 1.5 * SILENCE) == []
    assert watch.look({KEY: 3}, 1.0 + 2 * SILENCE) == [KEY]
    assert watch.look({KEY: 3}, 3.0) == []
    watch.expect(KEY)
    assert watch.look({KEY: 3}, 3.0) == [KEY]
    assert watch.look({}, 4.0) == []
