# SPDX-License-Identifier: Apache-2.0
"""Links of the documents lead somewhere, and README names what is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from checks.source_tree import ROOT, project_files, short, text_of

DOCUMENTS = [path for path in project_files() if path.suffix == ".md"]
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]*)(#[^)\s]*)?[^)]*\)")
CODE_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def links_of(document: Path) -> list[tuple[Path, str]]:
    """Return target and anchor ("#..." or "") of each link into the project, code left out."""
    text = CODE_BLOCK.sub("", text_of(document))
    return [
        (document.parent / target if target else document, anchor)
        for target, anchor in LINK.findall(text)
        if "://" not in target
    ]


def anchors_of(document: Path) -> set[str]:
    """Return the anchors that GitHub makes of the headings."""
    text = CODE_BLOCK.sub("", text_of(document))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    kept = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {"#" + heading.replace(" ", "-") for heading in kept}


@pytest.mark.parametrize("document", DOCUMENTS, ids=short)
def test_relative_links_resolve(document: Path) -> None:
    assert [str(target) for target, _ in links_of(document) if not target.exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=short)
def test_links_to_headings_find_them(document: Path) -> None:
    broken = [
        f"{target.name}{anchor}"
        for target, anchor in links_of(document)
        if anchor and target.suffix == ".md" and anchor not in anchors_of(target)
    ]

    assert broken == []


def test_readme_lists_every_top_folder() -> None:
    tracked = {path.relative_to(ROOT).parts[0] for path in project_files() if path.parent != ROOT}
    folders = {name for name in tracked if not name.startswith(".")}
    listed = set(re.findall(r"^\| `(\w+)/`", text_of(ROOT / "README.md"), re.MULTILINE))

    assert folders <= listed


def test_readme_commands_exist() -> None:
    usage = text_of(ROOT / "packaging" / "dev" / "cli.py")
    known = set(re.findall(r'^    "(\w+)": command_', usage, re.MULTILINE))

    for name in ("README.md", "CONTRIBUTING.md"):
        assert set(re.findall(r"\./dev (\w+)", text_of(ROOT / name))) <= known
