# SPDX-License-Identifier: Apache-2.0
"""./dev templates: a new template to begin with, and when the library is built."""

from __future__ import annotations

import re

import pytest

from dev import templates
from dev.project import ROOT, DevError, Stamp


def test_a_new_template_is_the_example_of_the_page_under_its_name(tmp_path):
    said = templates.new_template(["pattern/old_chevrons"], tmp_path)

    text = (tmp_path / "pattern" / "old_chevrons.slang").read_text(encoding="utf-8")
    assert "module old_chevrons;" in text
    assert "public float oldChevrons(" in text
    assert '[Node("Pattern")] [Label("Old Chevrons")] [Preview(' in text
    assert "/// Source: " in text
    assert not re.search(r"stripes\(|module stripes", text)
    assert "references/pattern.py" in said
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["old_chevrons.slang"]


def test_a_new_template_stands_below_the_heading_of_its_category(tmp_path):
    (tmp_path / "distance").mkdir()
    (tmp_path / "distance" / "a.slang").write_text('[Node("Distance Fields")] float a() {}')

    templates.new_template(["b", "--category", "distance"], tmp_path)
    templates.new_template(["new_things/c"], tmp_path)

    found = [path.read_text(encoding="utf-8") for path in sorted(tmp_path.glob("*/[bc].slang"))]
    assert '[Node("Distance Fields")]' in found[0]
    assert '[Node("New Things")]' in found[1]


def test_a_template_that_is_there_is_refused(tmp_path):
    templates.new_template(["pattern/chevrons"], tmp_path)
    file = tmp_path / "pattern" / "chevrons.slang"
    file.write_text("mine")

    for arguments in (["pattern/chevrons"], ["chevrons", "--category", "noise"]):
        with pytest.raises(DevError, match="a template 'chevrons' already"):
            templates.new_template(arguments, tmp_path)

    assert file.read_text() == "mine"
    assert not (tmp_path / "noise").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["chevrons"],
        ["Pattern/chevrons"],
        ["pattern/old chevrons"],
        ["../chevrons"],
        ["a/b/c"],
        ["pattern/chevrons", "--category", "noise"],
        ["chevrons", "--category"],
        ["chevrons", "rows", "--category", "pattern"],
    ],
)
def test_other_names_are_refused(arguments, tmp_path):
    with pytest.raises(DevError, match=r"\./dev templates new CATEGORY/NAME"):
        templates.new_template(arguments, tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_what_the_library_is_made_of_is_there():
    assert [name for name in templates.MADE_BY if not (ROOT / name).exists()] == []


def test_a_library_counts_while_nothing_has_changed(tmp_path, monkeypatch):
    monkeypatch.setattr(templates, "LIBRARY", tmp_path)
    monkeypatch.setattr(Stamp, "is_fresh", lambda self: True)
    assert templates.built() is None  # nothing is there

    (tmp_path / "weft.blend").touch()
    assert templates.built() == tmp_path

    monkeypatch.setattr(Stamp, "is_fresh", lambda self: False)
    assert templates.built() is None


def test_unknown_arguments_are_named():
    with pytest.raises(DevError, match="takes nothing or new NAME, got build"):
        templates.command_templates(["build"])
