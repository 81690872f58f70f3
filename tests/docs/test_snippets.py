# SPDX-License-Identifier: Apache-2.0
"""Every snippet of README and of docs/ runs, and prints what its page shows."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from checks.source_tree import ROOT, project_files, short, text_of
from docs.page import CHECKED, PageError, check_blocks, read_blocks, run_blocks

PAGES = [
    path
    for path in project_files()
    if path.suffix == ".md" and (path.parent == ROOT or path.is_relative_to(ROOT / "docs"))
]
WITH_CODE = [
    path for path in PAGES if any(block.language in CHECKED for block in read_blocks(text_of(path)))
]


LONG = ("docs/guide/fitting.md", "docs/guide/rendering.md")
"""Pages that take minutes."""


@pytest.mark.parametrize("page", WITH_CODE, ids=short)
def test_the_code_of_a_page_compiles_and_its_quotations_hold(page: Path, tmp_path: Path) -> None:
    check_blocks(read_blocks(text_of(page)), str(page), tmp_path)


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(path, marks=[pytest.mark.full] if short(path) in LONG else [])
        for path in WITH_CODE
    ],
    ids=short,
)
def test_the_snippets_of_a_page_run_in_order(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if short(page) in ("docs/guide/torch.md", "docs/guide/slangtorch_autograd.md"):
        pytest.importorskip("torch", reason="torch is not installed")

    run_blocks(read_blocks(text_of(page)), str(page), tmp_path)


def test_the_guide_is_among_the_pages() -> None:
    names = {short(path) for path in WITH_CODE}

    assert "README.md" in names
    assert {short(path) for path in PAGES if path.parent.name == "guide"} - names <= {
        "docs/guide/first_fit.md",
        "docs/guide/index.md",
        "docs/guide/slang_baked.md",
    }


def run(page: str, folder: Path) -> None:
    run_blocks(read_blocks(textwrap.dedent(page)), "page.md", folder)


def test_a_snippet_that_raises_fails_at_its_line(tmp_path: Path) -> None:
    page = """
        Text.

        ```python
        value = 1
        ```

        ```python
        assert value == 2
        ```
    """

    with pytest.raises(AssertionError) as error:
        run(page, tmp_path)

    assert error.traceback[-1].lineno + 1 == 9
    assert str(error.traceback[-1].path).endswith("page.md")


def test_output_that_differs_fails(tmp_path: Path) -> None:
    page = """
        ```python
        print("one thing")
        ```

        ```output
        {}
        ```
    """

    run(page.format("one thing"), tmp_path)
    run(page.format("one ..."), tmp_path)
    with pytest.raises(PageError, match="another"):
        run(page.format("another thing"), tmp_path)


def test_output_that_follows_nothing_fails(tmp_path: Path) -> None:
    with pytest.raises(PageError, match="follows no python block"):
        run("```output\nx\n```\n", tmp_path)


def test_a_marked_snippet_is_not_run(tmp_path: Path) -> None:
    run("<!-- not run: needs CUDA -->\n```python\nraise SystemExit\n```\n", tmp_path)


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<!-- not run -->\n```python\n```\n", "no reason"),
        ("<!-- not run: because -->\nText\n```python\n```\n", "right above"),
        ("<!-- not run: because -->\n", "above no block"),
        ("- item\n  ```python\n  x\n  ```\n", "indented"),
        ("```python\nx\n", "never closed"),
    ],
)
def test_a_page_that_would_hide_a_snippet_is_refused(page: str, text: str) -> None:
    with pytest.raises(PageError, match=text):
        read_blocks(page)


def test_a_slang_block_becomes_the_file_that_it_names(tmp_path: Path) -> None:
    run("```slang\n// parts/one.slang\nint one() { return 1; }\n```\n", tmp_path)

    assert (tmp_path / "parts" / "one.slang").read_text() == "int one() { return 1; }\n"


def test_a_quotation_that_the_file_does_not_hold_fails(tmp_path: Path) -> None:
    page = "```cpp\n// native/codegen/pipeline.hpp\n{}\n```\n"

    run(page.format("#pragma once\n// ...\nvoid lower(Kernel& kernel);"), tmp_path)
    with pytest.raises(PageError, match="no such lines"):
        run(page.format("void raise(Kernel& kernel);"), tmp_path)
    with pytest.raises(PageError, match="names a file"):
        run("```cpp\nvoid lower();\n```\n", tmp_path)
    with pytest.raises(PageError, match="there is no file"):
        run("```cpp\n// native/absent.cpp\nvoid lower();\n```\n", tmp_path)
