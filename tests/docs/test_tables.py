# SPDX-License-Identifier: Apache-2.0
"""Tables of the documents are equal to the code that they describe."""

from __future__ import annotations

import builtins
import inspect
import re
from pathlib import Path

import pytest

import weft
from checks.source_tree import ROOT, short, text_of

DOCS = ROOT / "docs"


def rows(page: Path, heading: str) -> list[list[str]]:
    """Return the cells of the first table below a heading."""
    below = text_of(page).split(f"\n## {heading}\n", 1)[1]
    table = re.search(r"^\| --- .*\n((?:\|.*\n)+)", below, re.MULTILINE)
    assert table is not None
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in table[1].splitlines()
    ]


def code_words(cell: str) -> list[str]:
    return re.findall(r"`([\w.]+)`", cell)


def error_classes() -> dict[str, type]:
    return {
        name: value
        for name, value in vars(weft).items()
        if inspect.isclass(value) and issubclass(value, weft.Error)
    }


def test_the_contract_lists_every_error_class_with_its_bases():
    listed = {
        code_words(row[0])[0]: code_words(row[1]) for row in rows(DOCS / "errors.md", "Classes")
    }

    assert listed == {
        name: [base.__name__ for base in value.__bases__] for name, value in error_classes().items()
    }


def test_the_contract_lists_the_attributes_of_errors():
    for row in rows(DOCS / "errors.md", "Classes"):
        for attribute in code_words(row[3]) if not row[3].startswith("as ") else []:
            assert hasattr(getattr(weft, code_words(row[0])[0]), attribute), row


def test_situations_name_classes_that_exist():
    known = set(error_classes())
    named = [code_words(row[1]) for row in rows(DOCS / "errors.md", "Which situation, which class")]

    assert len(named) > 15
    assert {word for words in named for word in words if word.endswith("Error")} <= known


def test_the_guide_tells_the_truth_about_bases():
    for page in (DOCS / "guide" / "errors.md",):
        for name, base in re.findall(
            r"^\| `weft\.(\w+)` \| `(\w+)` \|", text_of(page), re.MULTILINE
        ):
            assert issubclass(getattr(weft, name), getattr(builtins, base))


def test_the_page_about_passes_lists_them_in_order():
    called = re.findall(
        r"^    (\w+)\(kernel\);", text_of(ROOT / "native/codegen/pipeline.cpp"), re.MULTILINE
    )

    assert [
        code_words(row[0])[0] for row in rows(DOCS / "adding_a_pass.md", "What there is")
    ] == called


def test_members_that_passes_set_exist():
    header = text_of(ROOT / "native/codegen/kernel.hpp")

    for row in rows(DOCS / "adding_a_pass.md", "What there is"):
        for member in code_words(row[1].replace("Memory::", "")):
            assert re.search(rf"\b{member}\b", header), member


def test_the_page_of_lowered_operations_is_what_its_script_writes():
    from docs.write_lowered_operations import PAGE, page

    assert text_of(PAGE) == page(), "run ./dev python tests/docs/write_lowered_operations.py"


def test_the_architecture_lists_every_layer():
    layers = {path.name for path in (ROOT / "native").iterdir() if path.is_dir()}

    assert {code_words(row[0])[0] for row in rows(DOCS / "architecture.md", "Layers")} == layers


def test_the_architecture_lists_every_decision():
    text = text_of(DOCS / "architecture.md")

    for decision in sorted((DOCS / "decisions").glob("*.md")):
        assert f"(decisions/{decision.name})" in text, short(decision)


def test_the_guide_lists_every_key_of_a_job():
    from weft.fit.job_file import TABLES, TOP

    found = {
        re.sub(r"[`\[\]]", "", row[0]): set(code_words(row[1]))
        for row in rows(DOCS / "guide/fitting.md", "The command line")
    }

    assert found.pop("outside of tables") == set(TOP)
    assert list(found) == list(TABLES)
    for name, table in TABLES.items():
        classes = {"FitSettings", "Target.from_file", "Exposure", "LightParameter"}
        classes |= {"EnvironmentParameter"}
        assert found[name] - classes == set(table.keys), name


def test_the_job_of_the_guide_is_one(tmp_path):
    from weft.fit.job_file import TABLES, read_job_text

    text = re.search(r"```toml\n(.*?)```", text_of(DOCS / "guide/fitting.md"), re.DOTALL)
    (tmp_path / "job.toml").write_text(text[1])

    job = read_job_text(tmp_path / "job.toml")

    assert [name for name in TABLES if job.tables[name]] == list(TABLES)[:-1]


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=short)
def test_files_named_in_a_page_exist(page):
    named = re.findall(r"`((?:native|packaging|shaders|tests)/[\w./-]+)`", text_of(page))
    named += re.findall(r"(?<![\w/])(native/[\w/]+\.[ch]pp)\b", text_of(page))

    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_page_of_supported_nodes_is_that_of_the_table():
    from docs.write_supported_nodes import PAGE, page

    assert text_of(PAGE) == page(), "run ./dev python tests/docs/write_supported_nodes.py"
