# SPDX-License-Identifier: Apache-2.0
"""Refusals name the line of the expression."""

from __future__ import annotations

from pathlib import Path

import pytest

import weft

COUNTED = "int f(int n)\n{\n    int a = n + 1;\n    int b = a *\n        a;\n    return b;\n}\n"


def test_a_refused_integer_has_its_line(tmp_path: Path) -> None:
    source = tmp_path / "count.slang"
    source.write_text(COUNTED)
    with pytest.raises(weft.ArgumentError, match=r"count\.slang:3\): an integer"):
        weft.lower(source, "f", tree="shader")


def test_a_refusal_in_an_imported_file_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "inner.slang").write_text("// first\npublic " + COUNTED.replace("f(", "g("))
    main = tmp_path / "main.slang"
    main.write_text("import inner;\nint f(int n) { return g(n); }\n")
    with pytest.raises(weft.ArgumentError, match=r"inner\.slang:4\): an integer"):
        weft.lower(main, "f", tree="shader")


def test_a_refusal_of_osl_has_its_line(tmp_path: Path) -> None:
    source = tmp_path / "long.slang"
    source.write_text(
        "float f(float x)\n{\n    float y = x + 1;\n    double z = y;\n"
        "    z *= y;\n    return float(z);\n}\n"
    )
    with pytest.raises(weft.ArgumentError, match=r"long\.slang:4\): "):
        weft.lower(source, "f", to="osl")
