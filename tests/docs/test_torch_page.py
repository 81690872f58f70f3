# SPDX-License-Identifier: Apache-2.0
"""Pages about torch run where torch is; test_snippets.py has the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checks.source_tree import ROOT, text_of
from docs.page import read_blocks, run_blocks

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch", reason="torch is not installed")


@pytest.mark.parametrize("name", ["torch.md", "slangtorch_autograd.md"])
def test_the_snippets_of_the_page_run_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "guide" / name

    run_blocks(read_blocks(text_of(page)), str(page), tmp_path)
