# SPDX-License-Identifier: Apache-2.0
"""Errors of a node's code call it by its name."""

from __future__ import annotations

import pytest
from addon.core.slang_nodes.preparing import Request, prepare, read_source
from addon.core.slang_nodes.sources import Source, SourceKey

import weft

NAMES = ["rings.slang", "Ringe ä.001", r"a\1 'b' (c)/d", "source"]


def text_source(text, name="rings.slang"):
    return Source(SourceKey("text", name), text=text)


@pytest.mark.parametrize("name", NAMES)
def test_a_text_that_does_not_compile_is_called_by_its_name(name):
    source = text_source("\nfloat f(float x) { return sinn(x); }\n", name)

    with pytest.raises(weft.CompileError) as caught:
        read_source(source)

    assert str(caught.value).startswith(f"'{name}' does not compile: {name}:2:")
    assert "'sinn'" in str(caught.value)
    assert [(entry.file, entry.line) for entry in caught.value.diagnostics] == [(name, 2)]


@pytest.mark.parametrize("name", NAMES)
def test_a_function_that_no_tree_computes_is_in_the_text_of_its_name(name):
    source = text_source("float f(float x) { while (x > 0) x = sin(x); return x; }\n", name)

    with pytest.raises(weft.ArgumentError) as caught:
        prepare(Request(source, "f", "ShaderNodeTree", (4, 5)))

    assert f"({name}:1)" in str(caught.value)


def test_a_file_keeps_its_path(tmp_path):
    path = tmp_path / "source.slang"
    path.write_text("float f(float x) { return sinn(x); }\n", encoding="utf-8")

    with pytest.raises(weft.CompileError, match=r"source\.slang:1:"):
        read_source(Source(SourceKey("file", str(path)), path=path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("float f(float x) { return x; }\0", "'rings.slang' has a NUL at byte 30"),
        ("", "the source has no function 'f'"),
        ("void f(float x) {}\n", r"f \(rings\.slang:1\) has no result"),
        ("float f(float x) { return x; }\n" * 2, r"rings\.slang:2:7: error 30201: redeclared"),
    ],
)
def test_bad_texts_have_one_clear_error(text, message):
    with pytest.raises(weft.Error, match=message):
        prepare(Request(text_source(text), "f", "ShaderNodeTree", (4, 5)))


def test_long_texts_and_many_parameters_are_a_node():
    names = [f"p{k}" for k in range(200)]
    parameters = ", ".join(f"float {name}" for name in names)
    comment = "// a megabyte of comments\n" * 41000
    source = text_source(f"{comment}float f({parameters}) {{ return {' + '.join(names)}; }}\n")

    prepared = prepare(Request(source, "f", "ShaderNodeTree", (4, 5)))

    assert [entry.name for entry in prepared.interface.inputs] == names


ORBIT = """float2 orbit(float2 c)
{
    float2 z = float2(0);
    for (int i = 0; i < 24; i++)
        if (dot(z, z) < 4)
            z = float2(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
    return z;
}
"""
POWERS = "float powers(float x) { %s return x; }" % ("x = pow(x + 1, 1.3f) + x;" * 40)


@pytest.mark.parametrize(
    ("text", "tree", "is_offered"),
    [
        (ORBIT, "ShaderNodeTree", True),
        (ORBIT, "GeometryNodeTree", False),
        (POWERS, "ShaderNodeTree", False),  # which OSL computes no faster
        ("float f(float x) { return 2 * x; }", "ShaderNodeTree", False),
    ],
)
def test_a_form_that_is_five_times_faster_is_offered(text, tree, is_offered):
    source = text_source(text)
    name = read_source(source).functions[0].name

    notes = prepare(Request(source, name, tree, (4, 5))).notes

    assert any(note.startswith("as OSL it would take about") for note in notes) is is_offered


def test_blenders_with_the_same_nodes_share_a_hash():
    source = Source(SourceKey("text", "f.slang"), None, "float f(float x) { return sin(x); }")
    whole = Source(SourceKey("text", "f.slang"), None, "float f(int x) { return sin(x); }")

    def hash_of(source, version):
        return prepare(Request(source, "f", "ShaderNodeTree", version)).hash

    assert hash_of(source, (4, 5)) == hash_of(source, (5, 2))
    assert hash_of(whole, (4, 5)) != hash_of(whole, (5, 2))  # a socket of whole numbers
