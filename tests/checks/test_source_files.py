# SPDX-License-Identifier: Apache-2.0
"""What every file of the project has in common."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from checks.source_tree import files_under, project_files, short, text_of

CODE = {".cpp", ".hpp", ".py", ".pyi", ".slang", ".cmake", ".c"}
BINARY = {".bin", ".blend", ".exr", ".jpg", ".npy", ".npz", ".png"}
LICENCES = {"addon": "GPL-3.0-or-later"}
LONGEST_FILE = 500
SHORTER_FILE = 350
"""Of the parts that fits and renders are made of; the others have longer tables."""
FIT_AND_RENDER = (
    *("native/fit", "native/render", "native/python/weft/fit", "native/python/weft/render"),
    *("shaders/weft/fit", "shaders/weft/render", "addon/core/fitting"),
)
LONGEST_BODY = 40
"""Lines of a function, without its signature and docstring."""
# A machine's own folders, and where packages are fetched from, have no place in the project.
FOREIGN = re.compile(r"/(?:work|farm)/[a-z.]|/tmp/[a-z]|/root/|index-url|https?://\S*/simple\b")


def code_files() -> list[Path]:
    """Return all sources in the project's languages."""
    return [path for path in project_files() if path.suffix in CODE]


def test_licence_is_the_first_line() -> None:
    def expected(path: Path) -> str:
        return LICENCES.get(short(path).split("/")[0], "Apache-2.0")

    wrong = [
        short(path)
        for path in code_files()
        if f"SPDX-License-Identifier: {expected(path)}"
        not in "".join(text_of(path).splitlines()[:2])
    ]

    assert not wrong


def test_no_file_is_longer_than_a_reader_holds() -> None:
    written = [path for path in code_files() if path.suffix != ".pyi"]
    long = {short(path): text_of(path).count("\n") for path in written}

    assert {name: lines for name, lines in long.items() if lines > LONGEST_FILE} == {}


@pytest.mark.parametrize("folder", FIT_AND_RENDER)
def test_files_of_fits_and_renders_are_shorter(folder: str) -> None:
    lines = {short(p): text_of(p).count("\n") for p in files_under(folder, *CODE)}

    assert lines
    assert {name: count for name, count in lines.items() if count > SHORTER_FILE} == {}


@pytest.mark.parametrize("folder", FIT_AND_RENDER)
def test_functions_of_fits_and_renders_fit_on_a_page(folder: str) -> None:
    def length(function: ast.FunctionDef) -> int:
        body = function.body[1:] if ast.get_docstring(function) else function.body
        return (function.end_lineno or 0) - body[0].lineno + 1 if body else 0

    long = {
        f"{short(path)}: {node.name}": length(node)
        for path in files_under(folder, ".py")
        for node in ast.walk(ast.parse(text_of(path)))
        if isinstance(node, ast.FunctionDef) and length(node) > LONGEST_BODY
    }

    assert long == {}


def test_headers_are_included_once() -> None:
    headers = files_under("native", ".hpp") + files_under("tests/native", ".hpp")

    assert [short(path) for path in headers if "#pragma once" not in text_of(path)] == []


def test_own_header_comes_first() -> None:
    late = []
    for path in files_under("native", ".cpp"):
        own = path.with_suffix(".hpp")
        includes = re.findall(r'^#include [<"]([^>"]+)', text_of(path), re.MULTILINE)
        if own.is_file() and includes and not short(own).endswith(includes[0]):
            late.append(short(path))

    assert not late


def test_no_file_names_a_machine_or_a_package_server() -> None:
    this_file = Path(__file__).resolve()
    texts = [path for path in project_files() if path.suffix not in BINARY]

    found = [
        f"{short(path)}: {match[0]}"
        for path in texts
        if path != this_file
        for match in FOREIGN.finditer(text_of(path))
    ]

    assert not found


@pytest.mark.parametrize("word", ["TODO", "FIXME", "XXX"])
def test_unfinished_work_is_an_issue_not_a_comment(word: str) -> None:
    this_file = Path(__file__).resolve()
    pattern = re.compile(rf"\b{word}\b(?!\(#\d+\))")

    assert [short(p) for p in code_files() if p != this_file and pattern.search(text_of(p))] == []
