# SPDX-License-Identifier: Apache-2.0
"""Lines of refused expressions, and loops that [MaxIters(n)] bounds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import weft

TRUNCATED = "[MaxIters(4)]\n    for (int i = 0; i < n; i++)\n        sum += i + 1;"
NESTED = """[MaxIters(3)]
    for (int i = 0; i < n; i++)
    {
        [MaxIters(5)]
        for (int k = 0; k < n + 2; k++)
            sum += i * 10 + k;
    }"""
# A body, and what n = 0, 1, 2, 3 give.
BOUNDED = {
    "for": (TRUNCATED, [0, 1, 3, 6]),
    "while": (
        "int i = 0;\n    [MaxIters(4)]\n    while (i < n)\n        sum += ++i;",
        [0, 1, 3, 6],
    ),
    "do": ("int i = 0;\n    [MaxIters(4)]\n    do { sum += ++i; } while (i < n);", [1, 1, 3, 6]),
    "nested": (NESTED, [0, 3, 52, 180]),
    "comments": (
        "[MaxIters( /* most */ 4)] // [MaxIters(1)]\n\n    /* why */\n"
        "    for (int i = 0; i < n; i++)\n        sum += i + 1;",
        [0, 1, 3, 6],
    ),
    "same line": ("[MaxIters(4)] for (int i = 0; i < n; i++) sum += i + 1;", [0, 1, 3, 6]),
    "several lines": (
        "[MaxIters(4)]\n    for (int i = 0;\n         i < n;\n         i++)\n        sum += i + 1;",
        [0, 1, 3, 6],
    ),
    "break": (
        "[MaxIters(4)]\n    for (int i = 0; ; i++)\n    {\n        if (i >= n)\n"
        "            break;\n"
        "        sum += i + 1;\n    }",
        [0, 1, 3, 6],
    ),
    "no condition": (
        "int i = 0;\n    [MaxIters(4)]\n    while (true)\n    {\n        if (i >= n) break;\n"
        "        sum += ++i;\n    }",
        [0, 1, 3, 6],
    ),
    "condition of two lines": (
        "[MaxIters(4)]\n    for (int i = 0;\n         i\n            < n; i++)\n"
        "        sum += i + 1;",
        [0, 1, 3, 6],
    ),
    "outer loop alone": (
        "[MaxIters(4)]\n    for (int i = 0; i < n; i++)\n        for (int k = 0; k < 2; k++)\n"
        "            sum += k * (i + 1);",
        [0, 1, 3, 6],
    ),
    "function in the condition": (
        "int i = 0;\n    [MaxIters(4)]\n    while (i < clamp(n * 3, 0, 9) / 3)\n"
        "        sum += ++i;",
        [0, 1, 3, 6],
    ),
    "two": (
        f"{TRUNCATED}\n    [MaxIters(6)]\n    for (int k = 0; k < 2 * n; k++)\n        sum += 1;",
        [0, 3, 7, 12],
    ),
}


def function(body: str) -> str:
    return f"int f(int n)\n{{\n    int sum = 0;\n    {body}\n    return sum;\n}}\n"


@pytest.mark.parametrize("name", BOUNDED)
def test_max_iters_bounds_a_loop(name: str) -> None:
    body, expected = BOUNDED[name]
    lowered = weft.lower(None, "f", text=function(body), to="nodes", tree="geometry")
    found = lowered.evaluate({"n": np.arange(4, dtype="i4")})["Result"]
    assert found.tolist() == expected
    assert lowered.nodes > 0


def test_rounds_beyond_max_iters_do_not_run() -> None:
    lowered = weft.lower(None, "f", text=function(TRUNCATED), to="dag")
    found = lowered.evaluate({"n": np.array([4, 5, 100], "i4")})["Result"]
    assert found.tolist() == [10, 10, 10]


def test_max_iters_of_an_imported_module(tmp_path: Path) -> None:
    (tmp_path / "sums.slang").write_text(function(TRUNCATED).replace("int f(", "public int total("))
    main = tmp_path / "main.slang"
    main.write_text("import sums;\nint f(int n) { return total(n) + 1; }\n")
    lowered = weft.lower(main, "f", to="dag")
    found = lowered.evaluate({"n": np.arange(4, dtype="i4")})["Result"]
    assert found.tolist() == [1, 2, 4, 7]


@pytest.mark.parametrize(
    ("body", "line", "message"),
    [
        (
            "for (int i = 0; i < n; i++)\n        sum += i;",
            4,
            r"more than 256 rounds.*MaxIters\(16\)",
        ),
        (
            "static const int M = 4;\n    [MaxIters(M)]\n    for (int i = 0; i < n; i++)\n"
            "        sum += i;",
            6,
            r"must be written out, as in \[MaxIters\(16\)\]",
        ),
        (
            "[MaxIters(4)] for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) sum += k;",
            4,
            "two loops begin on the line",
        ),
        (
            "[MaxIters(4)]\n    for (int k = 0; k < n; k++)\n        sum += k;\n"
            "    for (int i = 0; i < n; i++)\n        sum += i;",
            7,
            "256 rounds",
        ),
        (
            "for (;;)\n    {\n        [MaxIters(4)]\n        for (int k = 0; k < n; k++)\n"
            "            sum += k;\n        if (sum > 9 * n)\n            break;\n    }",
            0,
            "256 rounds|not known which",
        ),
        ("// [MaxIters(4)]\n    for (int i = 0; i < n; i++)\n        sum += i;", 5, "256 rounds"),
    ],
)
def test_what_bounds_no_loop_is_said(body: str, line: int, message: str) -> None:
    with pytest.raises(weft.ArgumentError, match=message) as refused:
        weft.lower(None, "f", text=function(body), to="dag")
    assert not line or f":{line}): " in str(refused.value)
