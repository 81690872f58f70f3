# SPDX-License-Identifier: Apache-2.0
"""What a declaration says, without a device: overloads and generic functions with arguments."""

from __future__ import annotations

import pytest

import weft
from weft import lowering

TEXT = """
float f(float x) { return x; }
float f(float2 x) { return x.y; }
vector<T, N> twice<T : __BuiltinFloatingPointType, let N : int>(vector<T, N> x) { return x + x; }
"""


@pytest.mark.parametrize(
    ("spelled", "types"),
    [("f(float)", ["float"]), ("f(float2)", ["float2"]), ("twice<half, 3>", ["half3"])],
)
def test_a_function_is_found_as_lower_finds_it(spelled: str, types: list[str]) -> None:
    found = lowering.function_info(None, spelled, text=TEXT)

    assert [entry.type.name for entry in found.parameters] == types
    assert len(found.generics) == 0


@pytest.mark.parametrize(
    ("spelled", "message"),
    [
        ("f", "has 2 overloads"),
        ("f(int)", "no overload is"),
        ("twice<int, 3>", "no function 'twice<int, 3>'"),
        ("g", "no function 'g'"),
    ],
)
def test_what_is_not_there_is_named(spelled: str, message: str) -> None:
    with pytest.raises(weft.ArgumentError, match=message):
        lowering.function_info(None, spelled, text=TEXT)


def test_a_path_or_a_text_is_given() -> None:
    with pytest.raises(weft.ArgumentError, match="function_info: give either the path"):
        lowering.function_info(None, "f")


def test_what_a_function_returns_may_be_a_color() -> None:
    text = "import weft.node;\n[Color] float3 f(float3 x) { return x; }\n"

    assert weft.lower(None, "f", text=text).outputs[0].type == "NodeSocketColor"
    assert "output color Result" in weft.lower(None, "f", text=text, to="osl").text


@pytest.mark.parametrize(("name", "shown"), [(None, "<text>"), ("rings.slang", "rings.slang")])
def test_errors_call_a_text_by_its_name(name: str | None, shown: str) -> None:
    given = {} if name is None else {"name": name}

    with pytest.raises(weft.CompileError, match=f"'{shown}' does not compile") as caught:
        weft.lower(None, "f", text="\nfloat f(float x) { return sinn(x); }", **given)

    assert [(entry.file, entry.line) for entry in caught.value.diagnostics] == [(shown, 2)]
