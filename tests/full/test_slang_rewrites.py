# SPDX-License-Identifier: Apache-2.0
"""Which rewrites of Slang's sources the present Slang still needs (docs/decisions/0054)."""

import shutil

import pytest

from support import slang_faults
from support.slang_faults import CASES

pytestmark = pytest.mark.full

LIBRARY = slang_faults.find_library()


@pytest.fixture(scope="module")
def library():
    if LIBRARY is None or shutil.which("c++") is None:
        pytest.skip("needs Slang below build/sdk, and a C++ compiler")
    return LIBRARY


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_rewrite_is_still_needed(library, case):
    is_right = slang_faults.is_right(library, case.written, may_fail=case.fails)

    assert not is_right, (
        f"this rewrite can go: Slang {slang_faults.version(library)} is right where {case.name}; "
        f"take it out of native/compile/{case.rewrite} and of docs/decisions/0054"
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_rewritten_source_is_right(library, case):
    derivative, truth = slang_faults.compute(library, case.rewritten)

    assert derivative == pytest.approx(truth, rel=5e-3, abs=5e-3)


def test_a_source_without_a_fault_is_right_as_it_is(library):
    source = "[Differentiable] float f(float x) { return x * x; }" + slang_faults.BACKWARD

    assert slang_faults.is_right(library, source)
    assert not slang_faults.is_right(library, source.replace("return p.d", "return 2 * p.d"))
