# SPDX-License-Identifier: Apache-2.0
"""Edited files are used by the next call; a syntax error leaves the last good code callable."""

from __future__ import annotations

import time

import pytest

import weft
from weft import Module

PATIENCE = 5.0  # seconds; the promise is half a second, on a machine that is not busy


def write(path, text):
    """Replace the file as editors do: the new text appears at once."""
    temporary = path.with_suffix(".new")
    temporary.write_text(text)
    temporary.replace(path)


def eventually(check):
    """Call until `check` holds."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if check():
            return True
        time.sleep(0.02)
    return False


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "edited.slang"
    write(file, "float value() { return 1; }")
    return file


def test_an_edit_is_used_by_a_function_that_was_taken_before(device, path):
    module = Module.load_from_file(device, path)
    value = module.value
    assert value() == 1.0

    write(path, "float value() { return 2; }")

    assert eventually(lambda: value() == 2.0)


def test_new_functions_signatures_and_structures_appear(device, path):
    module = Module.load_from_file(device, path)
    module.value()

    write(
        path,
        "struct S { float x; };\nfloat value(S s) { return s.x; }\nfloat other() { return 7; }",
    )

    assert eventually(lambda: module.find_function("other") is not None)
    assert module.other() == 7.0
    assert module.value({"x": 3.0}) == 3.0
    assert module.find_struct("S") is not None


def test_an_edited_import_is_used(device, tmp_path):
    write(tmp_path / "part.slang", "float part() { return 1; }")
    write(tmp_path / "whole.slang", "import part;\nfloat whole() { return 10 * part(); }")
    module = Module.load_from_file(device, tmp_path / "whole.slang")
    assert module.whole() == 10.0

    write(tmp_path / "part.slang", "float part() { return 5; }")

    assert eventually(lambda: module.whole() == 50.0)


def test_a_syntax_error_keeps_the_last_good_code_and_is_reported_as_data(device, path):
    module = Module.load_from_file(device, path)
    assert module.value() == 1.0
    assert list(module.diagnostics) == []

    write(path, "float value() {\n return oops; }")

    assert eventually(lambda: module.value() == 1.0 and len(module.diagnostics) > 0)
    assert module.diagnostics[0].line == 2
    assert "oops" in module.diagnostics[0].message
    assert module.value() == 1.0

    write(path, "float value() { return 3; }")

    assert eventually(lambda: module.value() == 3.0)
    assert list(module.diagnostics) == []


def test_reload_takes_an_edit_at_once_and_raises_for_bad_source(device, path):
    module = Module.load_from_file(device, path, hot_reload=False)
    write(path, "float value() { return 4; }")
    assert module.value() == 1.0

    module.reload()
    assert module.value() == 4.0

    write(path, "float value( { return 5; }")
    with pytest.raises(weft.CompileError):
        module.reload()
    assert module.value() == 4.0
