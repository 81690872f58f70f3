# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501 (Slang in one line reads better than in two strings)
"""A function with a result that reads and changes memory without gradients has no reverse mode."""

import re

import numpy as np
import pytest

import weft
from support.plain_memory_cases import CHANGED, KINDS, cases_for, module_text, names_of
from weft import Tensor

# Other memory than a parameter that is indexed: (declarations, parameter, body of f).
OTHER = {
    "global tensor": ("uniform RWTensor<float, 1> g;", "", "g[0] += 1.f; return g[0] * x;"),
    "global buffer": ("RWStructuredBuffer<float> g;", "", "g[0] += 1.f; return g[0] * x;"),
    "global pointer": ("uniform float* g;", "", "g[0] += 1.f; return g[0] * x;"),
    "global, by a function": (
        "uniform RWTensor<float, 1> g; float bump() { g[0] += 1.f; return g[0]; }",
        "",
        "return x * no_diff bump();",
    ),
    "global, read and written by functions": (
        "uniform RWTensor<float, 1> g; float get() { return g[0]; } void put(float a) { g[0] = a; }",
        "",
        "float a = no_diff get(); no_diff put(a * 2.f); return x * a;",
    ),
    "a static variable": ("static float g = 1.f;", "", "g += 1.f; return g * x;"),
    "bytes": (
        "",
        "RWByteAddressBuffer t, ",
        "uint o = t.Load(0); t.Store(0, o + 1); return x * float(o);",
    ),
    "atomic of bytes": (
        "",
        "RWByteAddressBuffer t, ",
        "uint o; t.InterlockedAdd(0, 1, o); return x * float(o);",
    ),
    "atomic of a buffer": (
        "",
        "RWStructuredBuffer<uint> t, ",
        "InterlockedAdd(t[0], 1); return x * x;",
    ),
    "atomic by an address": (
        "",
        "RWTensor<float, 1> t, ",
        "int64_t[1] i = { 0 }; weft_atomic_add(t._address(i), 1.f); return x * t[0];",
    ),
    "load and store": (
        "",
        "RWTensor<float, 1> t, ",
        "int64_t[1] i = { 0 }; t.store(i, t.load(i) + 1.f); return x * t[0];",
    ),
    "two dimensions": (
        "",
        "RWTensor<float, 2> t, ",
        "t[0, 1] = t[0, 1] + 1.f; return x * t[0, 1];",
    ),
    "a component": ("", "RWTensor<float3, 1> t, ", "t[0].x += 1.f; return x * t[0].x;"),
    "a macro": (
        "#define BUMP(a) a[0] += 1.f\n",
        "RWTensor<float, 1> t, ",
        "BUMP(t); return x * t[0];",
    ),
    "a macro with the name in it": (
        "#define BUMP t[0]++\n",
        "RWTensor<float, 1> t, ",
        "BUMP; return x * t[0];",
    ),
    "integers": (
        "",
        "RWTensor<uint, 1> t, ",
        "uint n = t[0]; t[0] = n * 1664525u + 1013904223u; return x * float(n >> 8);",
    ),
    "a shift": ("", "RWTensor<uint, 1> t, ", "t[0] >>= 1; return x * float(t[0]);"),
    "an array of tensors": ("", "RWTensor<float, 1>[2] t, ", "t[0][0] += 1.f; return t[0][0] * x;"),
}


def refusal(device, module, name, arguments):
    x = Tensor.from_numpy(device, np.array([2.0], np.float32)).with_grads()
    result = Tensor.zeros(device, (1,)).with_grads(Tensor.ones(device, (1,)))
    with pytest.raises(weft.ArgumentError) as caught:
        getattr(module, name).bwds(*arguments, x, _result=result)
    return str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_reverse_mode_of_what_changes_memory_that_it_reads_is_refused(device, kind):
    cases = cases_for(CHANGED, kind)
    text = module_text(cases, kind, has_result=True)
    module = weft.Module.load_from_source(device, "changed", text)
    first_line = text.count("\n") - len(cases) + 1
    memory = Tensor.from_numpy(device, np.array([5, 7], np.float32))

    for number, (case, name) in enumerate(names_of(cases).items()):
        message = refusal(device, module, name, (memory,))
        place = rf"changed:{first_line + number}: '\w+' is read and changed"
        assert re.search(place, message), (case, message)
        assert "write its value to an out parameter" in message
    assert memory.numpy().tolist() == [5, 7]


@pytest.mark.parametrize("case", OTHER)
def test_reverse_mode_is_refused_whatever_memory_it_is(device, case):
    declarations, parameter, body = OTHER[case]
    text = f"{declarations}\n[Differentiable] float f({parameter}float x) {{ {body} }}\n"
    module = weft.Module.load_from_source(device, "other", text)
    numbers = np.zeros((2, 2, 3), np.float32)
    given = {"a component": numbers[0], "two dimensions": numbers[..., 0]}.get(
        case, numbers[0, :, 0]
    )
    kind = np.uint32 if re.search("bytes|uint", parameter.lower() + case) else np.float32

    memory = Tensor.from_numpy(device, np.ascontiguousarray(given, kind))
    message = refusal(device, module, "f", (memory,) if parameter else ())

    assert f"other:{declarations.count(chr(10)) + 2}: '" in message
    assert "is read and changed" in message


def test_functions_of_other_files_count(device, tmp_path):
    (tmp_path / "steps.slang").write_text(
        "public float step_of(RWTensor<float, 1> t) { t[0] += 1.f; return t[0]; }\n"
    )
    (tmp_path / "user.slang").write_text(
        "import steps;\n"
        "[Differentiable] float inner(RWTensor<float, 1> t, float x)\n"
        "{\n    return x * no_diff step_of(t);\n}\n"
        "[Differentiable] float outer(RWTensor<float, 1> t, float x)\n"
        "{\n    return inner(t, x) + x;\n}\n"
    )
    module = weft.Module.load_from_file(device, tmp_path / "user.slang")
    memory = Tensor.zeros(device, (2,))

    assert "user.slang:4: 't' is read and changed" in refusal(device, module, "inner", (memory,))
    assert "user.slang:8: 't' is read and changed" in refusal(device, module, "outer", (memory,))
