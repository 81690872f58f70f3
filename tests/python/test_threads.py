# SPDX-License-Identifier: Apache-2.0
"""What the docstrings of Device, Module and Tensor promise to several threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

import weft

THREADS = 8
SOURCE = """
[Differentiable] float scale(float x, float by) { return x * by; }
struct Box<T> { T value; __init(T v) { value = v; } };
"""


def in_threads(work):
    start = Barrier(THREADS)

    def body(thread):
        start.wait()
        return work(thread)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(body, range(THREADS)))


@pytest.mark.parametrize("owner", [weft.Device, weft.Module, weft.Tensor])
def test_the_docstring_says_it(owner):
    assert "Any thread may" in owner.__doc__


def test_threads_share_device_module_function_and_tensor(device):
    module = weft.Module.load_from_source(device, "threads", SOURCE)
    values = np.arange(1000, dtype=np.float32)
    shared = weft.Tensor.from_numpy(device, values)

    def work(thread):
        own = weft.Tensor.from_numpy(device, values + thread).with_grads()
        for _ in range(10):
            total = module.scale(shared, float(thread))
            assert np.array_equal(total.numpy(), values * thread)
            assert module.Box[int](thread) == {"value": thread}
        out = weft.Tensor.zeros(device, (1000,)).with_grads()
        out.grad.fill(1.0)
        module.scale.bwds(own, float(thread), _result=out)
        return float(own.grad.numpy()[7])

    assert in_threads(work) == list(range(THREADS))


def test_threads_load_modules_on_one_device(device):
    def work(thread):
        source = f"float own(float x) {{ return x + {thread}; }}"
        module = weft.Module.load_from_source(device, f"own_{thread}", source)
        return module.own(1.0)

    assert in_threads(work) == [1.0 + thread for thread in range(THREADS)]
