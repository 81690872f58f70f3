# SPDX-License-Identifier: Apache-2.0
"""Links of the documents lead somewhere, and README names what is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from checks.source_tree import ROOT, project_files, short, text_of

DOCUMENTS = [path for path in project_files() if path.suffix == ".md"]
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")


@pytest.mark.parametrize("document", DOCUMENTS, ids=short)
def test_relative_links_resolve(document: Path) -> None:
    targets = [target for target in LINK.findall(text_of(document)) if "://" not in target]

    assert [target for target in targets if not (document.parent / target).exists()] == []


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
