# SPDX-License-Identifier: Apache-2.0
"""Every message about uniforms, buffers and resources names function, declaration and remedy."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.messages import assert_in_order

SOURCE = """
struct P { float k; float unused; };
struct Pixel { float3 color; int id; };
ConstantBuffer<P> p;
StructuredBuffer<float> numbers;
StructuredBuffer<Pixel> pixels;
ByteAddressBuffer bytes;
RWByteAddressBuffer room;
Texture2D<float4> picture;
SamplerState linear;
float constant(float x) { return x * p.k; }
float number(int i) { return numbers[i]; }
int pixel(int i) { return pixels[i].id; }
uint word(int i) { return bytes.Load(i); }
void store(int i) { room.Store(4 * i, i); }
float pictured(float x) { return picture.SampleLevel(linear, float2(x), 0).x; }
float textured(Texture2D<float4> t) { return 1; }
Texture2D<float4> given() { return picture; }
int8_t tiny(int8_t i) { return i; }
float maybe(Optional<float> x) { return x.value; }
"""

# call, text that must appear in this order
CASES = {
    "never set": (
        lambda m: m.constant(1.0),
        ["constant", "reads the uniform 'p'", "no value", "function.set({'p': ...})"],
    ),
    "field left out": (
        lambda m: m.constant.set(p={"unused": 1})(1.0),
        ["constant", "'p'", "no field 'k'", "dict"],
    ),
    "text for a number": (
        lambda m: m.constant.set(p={"k": [1, 2]})(1.0),
        ["constant", "uniform 'p.k' must be float", "list of shape (2,)"],
    ),
    "number for a buffer": (
        lambda m: m.number.set(numbers=1.0)(0),
        ["number", "uniform 'numbers' must be StructuredBuffer<float>", "the number 1"],
    ),
    "wrong structure": (
        lambda m: m.pixel.set(pixels={"color": np.zeros((2, 3)), "id": [1]})(0),
        ["pixel", "'pixels'", "'Pixel.id' must be int, one for each structure"],
    ),
    "bytes of a list": (
        lambda m: m.word.set(bytes=[1, 2])(0),
        ["word", "'bytes'", "a list", "have no size", "array with a dtype"],
    ),
    "resource in use": (
        lambda m: m.pictured(0.5),
        ["pictured", "'", "Weft cannot bind", "uniforms, pointers, tensors and buffers"],
    ),
    "resource as a parameter": (
        lambda m: m.textured(1.0),
        ["textured", "'t' must be Texture2D", "the number 1", "cannot bind", "Tensor"],
    ),
    "resource as a result": (
        lambda m: m.given(),
        ["given", "'_result' is Texture2D", "cannot bind"],
    ),
    "coordinates": (
        lambda m: m.tiny(weft.grid((200,))),
        ["tiny", "'i'", "-128 to 127", "0 to 199", "int64_t"],
    ),
    "optional": (
        lambda m: m.maybe({"value": 1.0, "hasValue": True}),
        ["maybe", "'x' must be Optional<float>", "structure of your own"],
    ),
    "unknown uniform": (lambda m: m.constant.set(q=1), ["set", "no uniform 'q'", "'p'"]),
}


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "resource_errors", SOURCE)


@pytest.mark.parametrize("case", CASES)
def test_a_message_says_all(module, case):
    call, words = CASES[case]

    with pytest.raises(weft.ArgumentError) as caught:
        call(module)

    assert_in_order(str(caught.value), words)


def test_a_read_only_array_is_refused(module):
    room = np.zeros(4, np.uint32)
    room.flags.writeable = False

    with pytest.raises(weft.ArgumentError) as caught:
        module.store.set(room=room)(1)

    assert_in_order(str(caught.value), ["store", "'room'", "read-only"])


def test_a_method_that_a_written_buffer_lacks_is_a_compile_error(device):
    with pytest.raises(weft.CompileError, match="Load"):
        weft.Module.load_from_source(
            device,
            "no_load",
            "RWStructuredBuffer<float> b;\nfloat f(int i) { return b.Load(i); }\n",
        )


NARROW = """
struct S { int8_t3 v; float x; };
uniform half4 h; uniform half3x2 m; uniform uint16_t2 k[4]; uniform S s; uniform float4 wide;
float of_vector(int i) { return h[i]; }
float of_matrix(int i) { return m[i][i & 1]; }
int of_array(int i) { return k[i][i & 1]; }
int of_structure(int i) { return s.v[i]; }
float constant(int i) { return h.x + m[i].y + wide[i]; }
[Differentiable] float sloped(no_diff int i, float x) { return h[i] * x; }
"""

NARROW_VALUES = {
    "h": (1, 2, 3, 4),
    "m": [[1, 2], [3, 4], [5, 6]],
    "k": np.arange(8, dtype=np.uint16).reshape(4, 2),
    "s": {"v": (1, 2, 3), "x": 0},
    "wide": (10, 20, 30, 40),
}


@pytest.mark.parametrize(
    ("function", "uniform", "expected"),
    [("of_vector", "h", 2), ("of_matrix", "m", 4), ("of_array", "k", 3), ("of_structure", "s", 2)],
)
def test_reads_that_a_driver_gets_wrong_are_refused_before_it_sees_them(
    device, monkeypatch, function, uniform, expected
):
    monkeypatch.setenv("WEFT_KERNELS_FOR", "nvidia")
    module = weft.Module.load_from_source(device, f"narrow_{function}", NARROW)
    bound = getattr(module, function).set(**NARROW_VALUES)

    if device.info.type == weft.DeviceType.cuda:
        assert bound(1) == expected
        return
    with pytest.raises(weft.ArgumentError) as caught:
        bound(1)

    words = [f"'{function}'", "8- or 16-bit", f"'{uniform}'", device.info.name]
    assert_in_order(str(caught.value), [*words, "constant indices", "32-bit", "CUDA"])
    assert module.constant.set(**NARROW_VALUES)(1) == 1 + 4 + 20


def test_gradients_of_reads_that_a_driver_gets_wrong_are_refused(device, monkeypatch):
    monkeypatch.setenv("WEFT_KERNELS_FOR", "nvidia")
    module = weft.Module.load_from_source(device, "narrow_gradients", NARROW)
    x = weft.Tensor.ones(device, (2,)).with_grads()
    result = weft.Tensor.ones(device, (2,)).with_grads()
    result.grad.copy_from_numpy(np.ones(2, np.float32))
    backward = module.sloped.bwds.set(h=NARROW_VALUES["h"])

    if device.info.type == weft.DeviceType.cuda:
        backward(1, x, _result=result)
        assert x.grad.numpy().tolist() == [2, 2]
        return
    with pytest.raises(weft.ArgumentError, match=r"'h'.*constant indices"):
        backward(1, x, _result=result)
