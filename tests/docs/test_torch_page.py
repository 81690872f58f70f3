# SPDX-License-Identifier: Apache-2.0
"""The page about torch runs where torch is; test_snippets.py has the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checks.source_tree import ROOT, text_of
from docs.page import read_blocks, run_blocks

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch", reason="torch is not installed")


def test_the_snippets_of_the_page_run_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "guide" / "torch.md"

    run_blocks(read_blocks(text_of(page)), str(page), tmp_path)
