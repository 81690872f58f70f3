# SPDX-License-Identifier: Apache-2.0
"""Sources whose names or types the code around calls cannot live with say so, and quickly."""

from __future__ import annotations

import time

import numpy as np
import pytest

import weft
from weft import Tensor

ONES = np.ones(5, np.float32)


def load(device, source):
    return weft.Module.load_from_source(device, "refused", source)


NAMES = ["asfloat", "asuint", "vector", "min", "max", "any", "RWStructuredBuffer", "Ptr", "Array"]
FORMS = {
    "uniform": "uniform float {name};",
    "struct": "struct {name} {{ float v; }};",
    "constant": "static const float {name} = 2;",
    "enumeration": "enum {name} {{ first }};",
    "alias": "typedef float {name};",
    "function": "uint {name}(float x) {{ return 7; }} float {name}(uint x) {{ return 3.5f; }}",
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", FORMS)
def test_names_of_slang_work_or_are_named(device, form, name):
    declaration = FORMS[form].format(name=name)
    source = declaration + "\nfloat f(float x, float3 v) { return x + v.y; }"
    try:
        result = load(device, source).f(ONES, (1, 2, 3), _result="numpy")
    except weft.InternalError as error:
        pytest.fail(str(error))
    except (weft.ArgumentError, weft.CompileError) as error:
        shown = str(error)
    else:
        shown = name
        assert result.tolist() == [3.0] * 5
    assert name in shown


@pytest.mark.parametrize(
    "declaration",
    ["uniform float weft_x_p0_storage;", "struct weft_x_p0_storage { float v; };"],
)
def test_names_of_weft_are_refused_when_the_module_is_loaded(device, declaration):
    with pytest.raises(weft.ArgumentError, match=r"'weft_x_p0_storage'.*rename it"):
        load(device, declaration + "float f(float x) { return x; }")


@pytest.mark.parametrize("count", [513, 1024, 4096, 4097, 1_000_000])
@pytest.mark.parametrize("kind", ["list", "array", "tensor"])
def test_values_of_very_many_numbers_are_refused_quickly(device, count, kind):
    module = load(device, f"float f(float v[{count}]) {{ return v[3]; }}")
    value = np.ones(count, np.float32)
    given = {
        "list": lambda: value.tolist(),
        "array": lambda: value,
        "tensor": lambda: Tensor.from_numpy(device, value),
    }[kind]()
    start = time.monotonic()

    with pytest.raises(weft.ArgumentError, match=r"f: parameter 'v'.*at most 512.*ITensor"):
        module.f(given)
    assert time.monotonic() - start < 30


@pytest.mark.parametrize("shape", ["1x1", "1x4", "4x1"])
def test_matrices_of_one_row_or_column_say_why(device, shape):
    rows, columns = map(int, shape.split("x"))
    module = load(device, f"float f(float{shape} m) {{ return m[0][0]; }}")
    try:
        result = module.f(np.full((rows, columns), 2, np.float32))
    except weft.CompileError as error:
        result = str(error)
        assert "f: it cannot be called" in result
        assert "one row or one column" in result
    else:
        assert result == 2.0


def test_pointers_to_atomics_are_refused(device):
    module = load(device, "void f(Atomic<int>* p) { p[0].add(1); }")

    with pytest.raises(weft.CompileError, match=r"f: .*Atomic.*InterlockedAdd"):
        module.f(Tensor.zeros(device, (1,), weft.int32))


@pytest.mark.parametrize("way", ["text", "file", "import"])
def test_a_byte_order_mark_is_no_part_of_the_program(device, tmp_path, way):
    good = "\ufefffloat f(float x) { return x; }\n"
    bad = good + "float g(float x) { return y; }\n"
    (tmp_path / "good.slang").write_text(good, encoding="utf-8")
    (tmp_path / "bad.slang").write_text(bad, encoding="utf-8")
    (tmp_path / "user.slang").write_text("import good; float h(float x) { return f(x); }")
    if way == "import":
        assert weft.Module.load_from_file(device, tmp_path / "user.slang").h(2.0) == 2.0
        return
    if way == "file":
        assert weft.Module.load_from_file(device, tmp_path / "good.slang").f(2.0) == 2.0
        with pytest.raises(weft.CompileError) as caught:
            weft.Module.load_from_file(device, tmp_path / "bad.slang")
    else:
        assert load(device, good).f(2.0) == 2.0
        with pytest.raises(weft.CompileError) as caught:
            load(device, bad)
    assert caught.value.diagnostics[0].line == 2


def test_calling_an_entry_point_says_how_it_is_run(device):
    source = """
    [shader("compute")] [numthreads(1, 1, 1)]
    void entry(uint3 id : SV_DispatchThreadID, uniform float x) {}
    """

    with pytest.raises(weft.ArgumentError, match=r"entry: .*entry point.*entry\.dispatch"):
        load(device, source).entry(1.0)


def test_tensors_of_other_and_of_closed_devices_say_so(device, fresh_device):
    module = load(device, "float f(float x) { return x; }")
    other = Tensor.zeros(fresh_device, (3,))

    with pytest.raises(weft.ArgumentError, match=r"f: parameter 'x'.*another.*to_numpy"):
        module.f(other)
    fresh_device.close()
    with pytest.raises(weft.ArgumentError, match=r"f: parameter 'x'.*closed"):
        module.f(other)
    with pytest.raises(weft.DeviceError, match=r"load_module: device .* is closed"):
        load(fresh_device, "float f(float x) { return x; }")


@pytest.mark.parametrize("kind", ["torhc", "tensors", "numppy", "list", ""])
def test_unknown_kinds_of_result_are_named(device, kind):
    module = load(device, "float add(float a, float b) { return a + b; }")

    with pytest.raises(weft.ArgumentError, match=r"add: _result.*'numpy'.*weft\.Tensor.*got"):
        module.add(1.0, 2.0, _result=kind)


@pytest.mark.parametrize("dimensions", [-1, -(2**62), 17, 10**6, 2**70])
def test_grids_of_impossible_dimensions_are_refused(dimensions):
    with pytest.raises(weft.ArgumentError, match="grid: "):
        weft.grid(dimensions)
