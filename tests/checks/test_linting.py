# SPDX-License-Identifier: Apache-2.0
"""clang-tidy runs again on a file exactly if something changed that it can see."""

from __future__ import annotations

from pathlib import Path

import pytest

from dev import linting, project

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A small project with a counting clang-tidy; returns a function that lints main.cpp."""
    (tmp_path / "native").mkdir()
    (tmp_path / ".clang-tidy").write_text("Checks: bugprone-*")
    (tmp_path / "native" / "main.cpp").write_text('#include "part.hpp"\n')
    (tmp_path / "native" / "part.hpp").write_text('#include "detail.hpp"\n')
    (tmp_path / "native" / "detail.hpp").write_text("int detail();\n")
    tool = tmp_path / "tool"
    tool.write_text(f"#!/bin/sh\necho run >>{tmp_path}/runs\ntest ! -e {tmp_path}/bad\n")
    tool.chmod(0o755)
    monkeypatch.setattr(linting, "ROOT", tmp_path)
    monkeypatch.setattr(project, "BUILD", tmp_path / "build")

    def lint(command="c++"):
        linting.direct_includes.cache_clear()
        linting.tidy_one(tool, tmp_path / "native" / "main.cpp", command)
        return (tmp_path / "runs").read_text().count("run")

    return lint


def test_an_unchanged_file_is_linted_once(tree):
    assert [tree(), tree()] == [1, 1]


@pytest.mark.parametrize("changed", ["native/main.cpp", "native/detail.hpp", ".clang-tidy"])
def test_a_change_that_the_file_sees_lints_it_again(tree, tmp_path, changed):
    tree()
    with (tmp_path / changed).open("a") as file:
        file.write("# more\n")

    assert tree() == 2


def test_other_compiler_options_lint_a_file_again(tree):
    assert [tree("c++"), tree("c++ -DX")] == [1, 2]


def test_a_complaint_is_not_remembered_as_success(tree, tmp_path):
    (tmp_path / "bad").touch()

    assert [tree(), tree()] == [1, 2]


def test_headers_are_followed_through_headers():
    seen = linting.with_headers(ROOT / "native" / "compile" / "service.cpp")

    assert ROOT / "native" / "compile" / "service.hpp" in seen
    assert ROOT / "native" / "core" / "error.hpp" in seen
