# SPDX-License-Identifier: Apache-2.0
"""CMake lists name every source, once, in order; nothing is globbed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from checks.source_tree import ROOT, files_under, project_files, short, text_of

LISTS = [
    path
    for path in project_files()
    if path.name == "CMakeLists.txt" and path.is_relative_to(ROOT / "native")
] + [
    path
    for path in project_files()
    if path.name == "CMakeLists.txt" and path.is_relative_to(ROOT / "tests" / "native")
]
BLOCK = re.compile(r"\bSOURCES\b((?:\s+[\w./-]+\.cpp)+)")


def source_blocks(path: Path) -> list[list[str]]:
    """Return the lists after each SOURCES of a CMake file."""
    return [found[1].split() for found in BLOCK.finditer(text_of(path))]


@pytest.mark.parametrize("path", LISTS, ids=short)
def test_sources_are_listed_in_order(path: Path) -> None:
    for block in source_blocks(path):
        assert block == sorted(set(block))


@pytest.mark.parametrize("folder", ["native", "tests/native"])
def test_every_source_is_built(folder: str) -> None:
    listed = {
        (path.parent / name).resolve()
        for path in LISTS
        for name in re.findall(r"[\w./-]+\.cpp", text_of(path))
    }

    forgotten = [short(path) for path in files_under(folder, ".cpp") if path not in listed]

    assert not forgotten


@pytest.mark.parametrize("path", LISTS, ids=short)
def test_sources_are_not_globbed(path: Path) -> None:
    assert not re.search(r"\bfile\s*\(\s*GLOB", text_of(path))
