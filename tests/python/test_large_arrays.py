# SPDX-License-Identifier: Apache-2.0
"""Large arrays inside functions: drivers of Vulkan get loops that fill and copy them."""

import numpy as np
import pytest

import weft

SOURCE = """
struct Table { float first; float[300] values; float2[40] pairs; };
static const float kSquares[4] = { 0, 1, 4, 9 };

float filled(float x, int i)
{
    float a[1000] = {};
    a[i] = x;
    float s = 0;
    for (int k = 0; k < 1000; k++) s += a[k] * (k + 1);
    return s;
}

float copied(float x, int i)
{
    float a[31][17];
    for (int r = 0; r < 31; r++) for (int c = 0; c < 17; c++) a[r][c] = x * (r * 17 + c);
    float b[31][17] = a;
    a[3][5] = -1;
    b[i % 31][i % 17] += 1;
    float s = a[3][5];
    for (int r = 0; r < 31; r++) for (int c = 0; c < 17; c++) s += b[r][c];
    return s;
}

float copied_in_a_loop(float x, int i)
{
    float a[300] = {};
    float b[300] = {};
    for (int k = 0; k < 6; k++)
    {
        a[k] = x + k;
        if ((i + k) % 2 == 0) b = a;
        a[i % 300] += 1;
    }
    float s = 0;
    for (int k = 0; k < 300; k++) s += b[k] * (k % 7);
    return s;
}

float swapped(float x, int i)
{
    float a[300] = {};
    float b[300] = {};
    a[i % 300] = x;
    b[(i + 1) % 300] = 2 * x;
    float t[300] = a;
    a = b;
    b = t;
    float s = 0;
    for (int k = 0; k < 300; k++) s += a[k] * k - b[k];
    return s;
}

float of_structures(float x, int i)
{
    Table t = {};
    t.first = x;
    t.values[i % 300] = 2;
    t.pairs[i % 40] = float2(x, 3);
    Table u = t;
    t.values[0] = 100;
    u.first += kSquares[i % 4];
    float s = u.first + t.values[0];
    for (int k = 0; k < 300; k++) s += u.values[k] * (k + 1);
    for (int k = 0; k < 40; k++) s += u.pairs[k].x - u.pairs[k].y;
    return s;
}
"""


def filled(x, i):
    return x * (i + 1)


def copied(x, i):
    return x * (31 * 17) * (31 * 17 - 1) / 2 + 1 - 1


def copied_in_a_loop(x, i):
    a, b = np.zeros(300), np.zeros(300)
    for k in range(6):
        a[k] = x + k
        if (i + k) % 2 == 0:
            b = a.copy()
        a[i % 300] += 1
    return float(b @ (np.arange(300) % 7))


def swapped(x, i):
    return 2 * x * ((i + 1) % 300) - x


def of_structures(x, i):
    return x + (i % 4) ** 2 + 100 + 2 * (i % 300 + 1) + x - 3


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "large_arrays", SOURCE)


@pytest.mark.parametrize("expected", [filled, copied, copied_in_a_loop, swapped, of_structures])
def test_large_arrays_hold_what_was_written(module, expected):
    x = np.linspace(0.5, 2, 37, dtype=np.float32)
    i = (np.arange(37) * 29 % 997).astype(np.int32)

    found = getattr(module, expected.__name__)(x, i)

    wanted = [expected(float(each), int(number)) for each, number in zip(x, i, strict=True)]
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


NEST = """
[Differentiable] float f(float x)
{
    float s = x;
    for (int a = 0; a < ROWS; a++)
        for (int b = 0; b < COLUMNS; b++)
            s = sin(s + x * 0.01f * (a - b));
    return s;
}
"""


@pytest.mark.parametrize(("rows", "columns"), [(20, 18), (3, 25), (17, 40)])
def test_reverse_mode_keeps_what_nests_of_loops_need(device, rows, columns):
    text = NEST.replace("ROWS", str(rows)).replace("COLUMNS", str(columns))
    module = weft.Module.load_from_source(device, f"nest_{rows}_{columns}", text)
    x = np.linspace(0.4, 1.1, 9, dtype=np.float32)
    argument = weft.diffPair(x)

    module.f.bwds(argument, _result=weft.diffPair(np.zeros(9, np.float32), np.ones(9, np.float32)))

    s, d = x.astype(float), np.ones(9)
    for a in range(rows):
        for b in range(columns):
            d = np.cos(s + x * 0.01 * (a - b)) * (d + 0.01 * (a - b))
            s = np.sin(s + x * 0.01 * (a - b))
    np.testing.assert_allclose(argument.grad, d, rtol=1e-3, atol=1e-5)


def test_an_array_that_a_driver_does_not_compile_is_named(device):
    text = """
float f(float x, int i)
{
    float a[5000];
    for (int k = 0; k < 5000; k++) a[k] = x + k;
    return a[i % 5000];
}
"""
    module = weft.Module.load_from_source(device, "five_thousand", text)
    x, i = np.ones(3, np.float32), np.array([1, 4999, 7001], np.int32)

    try:
        found = module.f(x, i)
    except weft.ArgumentError as error:  # NVIDIA's driver of Vulkan
        refusal = str(error)
    else:
        refusal = ""
        np.testing.assert_array_equal(found, 1 + i % 5000)
    assert refusal == "" or "'f' holds 5000 numbers in arrays of each thread" in refusal
