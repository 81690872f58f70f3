# SPDX-License-Identifier: Apache-2.0
"""docs/reference says what the sources say, and what the pages are made of is read rightly."""

from dev import reference
from dev.reference_headers import header_text
from dev.reference_python import entries_of


def test_the_pages_are_those_of_the_sources():
    assert reference.stale() == [], "run ./dev reference"


def test_the_pages_are_small_enough_to_read():
    assert sum(len(text.encode()) for text in reference.pages().values()) < 1_000_000


def test_every_public_class_of_a_part_is_there():
    assert {entry.name for entry in entries_of("weft.fit")} >= {"Fit", "Target", "Parameter"}
    assert {entry.name for entry in entries_of("weft")} >= {"Tensor", "Module", "Scene", "Renderer"}
    (fit,) = [entry for entry in entries_of("weft.fit") if entry.name == "Fit"]
    assert "step" in {member.name for member in fit.members}
    assert "targets" in fit.signature


def test_sections_of_docstrings_become_lists():
    text = reference.markdown(
        "Return it.\n\nArgs:\n    size: Pixels, of\n        ``a < b``.\n\n"
        "Returns:\n    Shape x < y.\n\n>>> f(1)\n2"
    )

    assert text == (
        "Return it.\n\n**Args**\n\n- `size`: Pixels, of\n`a < b`.\n\n"
        "**Returns**\n\nShape x &lt; y.\n\n```text\n>>> f(1)\n2\n```"
    )


def test_headers_lose_what_is_private():
    about, code = header_text(
        "// SPDX-License-Identifier: Apache-2.0\n// What it is.\n#pragma once\n"
        "#include <a>\nnamespace weft {\n/// A thing.\nclass WEFT_API Thing {\npublic:\n"
        "    /// Its size.\n    int size() const {\n"
        "        return m_size;\n    }\nprivate:\n    int m_size = 0;\n};\n"
        "int f();\n} // namespace weft\n"
    )

    assert about == "What it is."
    assert code == (
        "/// A thing.\nclass Thing {\n    /// Its size.\n    int size() const;\n};\nint f();"
    )


def test_bodies_go_whose_signature_spans_lines():
    _, code = header_text(
        "// What it is.\nstruct Shape {\n    int width = 0;\n};\n"
        "/// How many.\ninline int count(const Shape& shape,\n                 int rows) {\n"
        "    if (rows > 0) {\n        return rows;\n    }\n    return 0;\n}\n\n"
        "/// Later.\nint g();\n"
    )

    assert code == (
        "struct Shape {\n    int width = 0;\n};\n/// How many.\n"
        "inline int count(const Shape& shape,\n                 int rows);\n\n/// Later.\nint g();"
    )
