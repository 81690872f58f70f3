# SPDX-License-Identifier: Apache-2.0
"""Whose turn it is when a kernel does not compile: the user's own code, or Weft's."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.messages import assert_in_order

# source, call, what the message must say in this order
USERS = {
    "a function that is not public": (
        "public float g(float x) { return x; } float f(float x) { return x; }",
        lambda m: m.f(1.0),
        ["f: it cannot be called", "'f'", "declare it public"],
    ),
    "a field that is not public": (
        "public struct S { float x; }; public float f(S s) { return s.x; }",
        lambda m: m.f({"x": 1}),
        ["f: it cannot be called", "'x'", "declare it public"],
    ),
    "a const field": (
        "struct S { const float x; }; float f(S s) { return 1; }",
        lambda m: m.f({"x": 1}),
        ["f: it cannot be called", "without const"],
    ),
    "a function that throws": (
        "enum E { A, B }; float f(float x) throws E { return x; }",
        lambda m: m.f(1.0),
        ["f: it cannot be called", "catches"],
    ),
    "what a compute kernel cannot do": (
        "float f(float x) { discard; return x; }",
        lambda m: m.f(1.0),
        ["f: it cannot be called", "users:1:20", "discard"],
    ),
    "a constant without a value": (
        "extern static const int N; float f(float x) { return x * N; }",
        lambda m: m.f(1.0),
        ["f: it does not compile", "users:1:25", "'N'", "constants()", "link"],
    ),
    "a wrong prelude": (
        "float f(float x) { return x; }",
        lambda m: m.f.prelude("int q = absent;")(1.0),
        ["f: it cannot be called", "'absent'", "prelude()"],
    ),
    "a failed static_assert": (
        'float f<T>(T x) { static_assert(sizeof(T) == 8, "eight"); return 1; }',
        lambda m: m.f(1.0),
        ["f<float>: it does not compile", "users:1:", "eight"],
    ),
}


@pytest.mark.parametrize("case", USERS)
def test_an_error_of_the_users_code_says_where_and_what_to_do(device, case):
    source, run, words = USERS[case]
    module = weft.Module.load_from_source(device, "users", source)

    with pytest.raises(weft.CompileError) as error:
        run(module)

    message = str(error.value)
    assert_in_order(message, words)
    assert "\n" not in message
    assert error.value.diagnostics


def test_an_error_of_generated_code_is_a_bug_and_shows_the_code(device):
    module = weft.Module.load_from_source(device, "bug", "float f(float x) { return x; }")

    with pytest.raises(weft.InternalError, match="please report") as error:
        module.f.prelude("struct weft_Arguments { float own; };")(np.ones(3))

    assert "f: " in str(error.value)
    assert "void weft_kernel(" in str(error.value)


RESERVED = {
    "structure": ("struct weft_Arguments { float x; };", "weft_Arguments"),
    "function": ("float weft_index(float x) { return x; }", "weft_index"),
    "built-in type": ("struct uint { float x; };", "'uint'"),
}


@pytest.mark.parametrize("case", RESERVED)
def test_a_reserved_name_is_refused_when_the_module_is_loaded(device, case):
    source, name = RESERVED[case]

    with pytest.raises(weft.ArgumentError, match=r"load_module: 'reserved'.*rename it") as error:
        weft.Module.load_from_source(device, "reserved", source)

    assert name in str(error.value)


def test_a_reserved_name_in_an_import_is_refused(device, tmp_path):
    (tmp_path / "part.slang").write_text("struct weft_Arguments { float x; };", encoding="utf-8")
    main = tmp_path / "main.slang"
    main.write_text("import part; float f(float x) { return x; }", encoding="utf-8")

    with pytest.raises(weft.ArgumentError, match=r"part\.slang'.*weft_Arguments.*rename it"):
        weft.Module.load_from_file(device, main)
