# SPDX-License-Identifier: Apache-2.0
"""Methods of structures: `this` is a dict, a tensor of structures or an object with get_this()."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
struct Counter
{
    int value;
    int step;
    int peek() { return value + step; }
    [mutating] void advance(int times) { value += step * times; }
    static int unit() { return 1; }
};
"""


class PythonCounter:
    """A Python object whose state lives in a Slang structure."""

    def __init__(self, value, step):
        self.state = {"_type": "Counter", "value": value, "step": step}

    def get_this(self):
        return self.state

    def update_this(self, state):
        self.state = state


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "methods", SOURCE)


def test_a_method_is_bound_to_a_dict(module):
    assert module.Counter.peek.bind({"value": 40, "step": 2})() == 42


def test_a_method_runs_over_a_tensor_of_structures(device, module):
    counters = Tensor.zeros(device, dtype=module.Counter, shape=(3,))
    data = np.zeros(3, dtype=counters.numpy().dtype)
    data["value"], data["step"] = [1, 2, 3], 10
    counters.copy_from_numpy(data)

    assert np.array_equal(module.Counter.peek.bind(counters)().numpy(), [11, 12, 13])


def test_a_mutating_method_changes_the_tensor_it_is_bound_to(device, module):
    counters = Tensor.zeros(device, dtype=module.Counter, shape=(2,))
    data = np.zeros(2, dtype=counters.numpy().dtype)
    data["step"] = [1, 5]
    counters.copy_from_numpy(data)

    module.Counter.advance.bind(counters)(3)

    assert np.array_equal(counters.numpy()["value"], [3, 15])


def test_an_object_gives_its_state_through_get_this(module):
    assert module.Counter.peek.bind(PythonCounter(5, 6))() == 11


def test_static_methods_need_no_this(module):
    assert module.Counter.unit() == 1


def test_methods_are_found_by_structure_and_name(module):
    assert module.find_function_in_struct("Counter", "peek").bind({"value": 1, "step": 1})() == 2
    assert module.find_function_in_struct(module.Counter, "unit")() == 1


def test_an_unknown_method_suggests_a_near_miss(module):
    with pytest.raises(weft.ArgumentError, match=r"'Counter' has no method 'peak'.*peek"):
        module.Counter.peak  # noqa: B018


def test_a_method_without_this_says_what_is_missing(module):
    with pytest.raises(weft.ArgumentError, match=r"peek.*this"):
        module.Counter.peek()
