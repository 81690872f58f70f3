# SPDX-License-Identifier: Apache-2.0
"""set() gives module-scope uniforms a value, constants() specialises link-time constants."""

from __future__ import annotations

import numpy as np
import pytest

import weft

SOURCE = """
struct Lamp { float3 color; float power; };
uniform float gain;
uniform Lamp lamp;
uniform int shift;
extern static const int kSteps = 1;
extern static const float kBase = 0.5;
float amplify(float x) { return x * gain + shift; }
float3 light(float x) { return lamp.color * lamp.power * x; }
float climb(float x)
{
    for (int i = 0; i < kSteps; ++i)
        x += kBase;
    return x;
}
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "globals_and_constants", SOURCE)


def test_set_gives_uniforms_their_values(module):
    assert module.amplify.set({"gain": 3.0, "shift": 1})(2.0) == 7.0
    assert module.amplify.set(gain=10, shift=0)(2.0) == 20.0


def test_set_adds_to_what_was_set_before(module):
    tuned = module.amplify.set(gain=2.0).set(shift=5)

    assert tuned(1.0) == 7.0


def test_set_takes_a_function_that_computes_the_values(module):
    assert module.amplify.set(lambda function: {"gain": 4.0, "shift": 0})(2.0) == 8.0


def test_a_uniform_may_be_a_structure(module):
    lit = module.light.set(lamp={"color": [1, 2, 3], "power": 2.0})

    assert np.array_equal(lit(np.array([1.0, 0.5])).numpy(), [[2, 4, 6], [1, 2, 3]])


def test_constants_specialise_a_function(module):
    assert module.climb(1.0) == 1.5
    assert module.climb.constants({"kSteps": 4})(1.0) == 3.0
    assert module.climb.constants({"kSteps": 2, "kBase": 10.0})(1.0) == 21.0


def test_a_uniform_that_a_function_reads_must_have_a_value(module):
    with pytest.raises(weft.ArgumentError, match=r"amplify.*'gain'.*set\("):
        module.amplify.set(shift=1)(1.0)


def test_uniforms_that_a_function_does_not_read_need_no_value(module):
    assert module.amplify.set(gain=1.0, shift=0)(2.0) == 2.0
    assert module.climb(0.0) == 0.5


def test_an_unknown_constant_is_an_argument_error(module):
    with pytest.raises(weft.ArgumentError, match="kStep"):
        module.climb.constants({"kStepz": 2})(1.0)


def test_set_refuses_anything_but_names_and_values(module):
    with pytest.raises(weft.ArgumentError, match=r"set: expected a dict.*got int"):
        module.amplify.set(3)


def test_constants_refuse_text(module):
    with pytest.raises(weft.ArgumentError, match=r"constants: expected a number.*got str"):
        module.climb.constants({"kSteps": "many"})
