# SPDX-License-Identifier: Apache-2.0
"""Files of users appear when they are whole: they are written under another name first."""

from __future__ import annotations

import ast

import pytest

from checks.source_tree import files_under, short, text_of

FOLDERS = ("addon", "native/python/weft", "native/python/weft_blender")
WRITERS = ("write_text", "write_bytes", "savez", "savez_compressed", "save_as_mainfile")
CAREFUL = ("replacing", "TemporaryDirectory", "NamedTemporaryFile")


def name_of(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def writes(call: ast.Call) -> bool:
    """Return whether a call writes a file."""
    texts = [str(entry.value) for entry in call.args if isinstance(entry, ast.Constant)]
    is_open = name_of(call) == "open" and any(
        set(text) & set("wax") for text in texts if len(text) < 4
    )
    is_path_like = isinstance(call.func, ast.Attribute)
    return is_open or (is_path_like and name_of(call) in WRITERS)


def careless(source: str) -> list[str]:
    """Return the functions that write a file under its own name."""
    found = []
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef):
            continue
        calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
        if any(map(writes, calls)) and not {name_of(call) for call in calls} & set(CAREFUL):
            found.append(function.name)
    return found


@pytest.mark.parametrize("folder", FOLDERS)
def test_files_are_written_under_a_temporary_name(folder):
    found = {
        short(path): names
        for path in files_under(folder, ".py")
        if (names := careless(text_of(path)))
    }

    assert found == {}


def test_a_function_that_writes_in_place_is_found():
    in_place = (
        "def f(p):\n    p.write_text('')\ndef g(p):\n    with open(p, 'w') as s: s.write('')\n"
    )
    with_care = "def f(p):\n    with replacing(p) as t:\n        t.write_text('')\n"

    assert careless(in_place) == ["f", "g"]
    assert careless(with_care) == []
