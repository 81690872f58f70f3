# SPDX-License-Identifier: Apache-2.0
"""The lists of tests/full/planted_mistakes.py fit the sources of today."""

from __future__ import annotations

import importlib.util
import shlex
import sys
from collections import Counter

import pytest

from checks.source_tree import ROOT

SCRIPT = ROOT / "tests" / "full" / "planted_mistakes.py"
SPEC = importlib.util.spec_from_file_location("planted_mistakes", SCRIPT)
assert SPEC is not None
assert SPEC.loader is not None
script = importlib.util.module_from_spec(SPEC)
sys.modules["planted_mistakes"] = script
SPEC.loader.exec_module(script)
MISTAKES = script.load_mistakes()


def test_there_are_at_least_sixty_over_all_folders_and_each_has_a_name():
    folders = Counter(entry.folder for entry in MISTAKES if entry.folder != "once_survived")

    assert folders.total() >= 60
    assert set(folders) == {"codegen", "dispatch", "device", "fit", "render", "addon"}
    assert len({entry.name for entry in MISTAKES}) == len(MISTAKES)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_a_mistake_has_one_place_and_tests_that_are_there(mistake):
    source = (ROOT / mistake.file).read_text()

    assert script.planted(source, mistake, mistake.new) != source
    assert all((ROOT / shlex.split(words)[0]).is_file() for words in mistake.tests)


def test_formatting_does_not_hide_the_place():
    (mistake,) = (entry for entry in MISTAKES if entry.name == "no barrier goes before copies")
    source = "".join((ROOT / mistake.file).read_text().split())

    assert len(list(script.pattern_of(mistake.old).finditer(source))) == 1


@pytest.mark.parametrize("count", [0, 2])
def test_a_text_that_is_gone_or_doubled_is_named(count):
    mistake = script.Mistake("fit", "name", "a.py", "x + y", "x - y", ())

    with pytest.raises(ValueError, match=f"'name': a.py has the text {count} times"):
        script.planted("z = x+y\n" * count, mistake, mistake.new)


def test_native_mistakes_stand_beside_what_they_replace():
    one = script.Mistake("device", "a", "a.cpp", "x == 1", "x == 2", ())
    other = script.Mistake("device", "b", "a.cpp", "f(x);", "", ())

    assert one.switched == '(weft_planted("a") ? (x == 2) : (x == 1))'
    assert other.switched == 'if (weft_planted("b")) {  } else { f(x); }'
