# SPDX-License-Identifier: Apache-2.0
"""Generators with SlangPy's arguments, classes and sequences of random numbers."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft.types import CallIdArg, RandFloatArg, ThreadIdArg, WangHashArg

SOURCE = """
uint u1(uint x) { return x; }
uint2 u2(uint2 x) { return x; }
uint3 u3(uint3 x) { return x; }
int i1(int x) { return x; }
float f1(float x) { return x; }
float2 f2(float2 x) { return x; }
float3 f3(float3 x) { return x; }
int2 i2(int2 x) { return x; }
int[2] pair(int x[2]) { return x; }
int3 generic_components<T>(T x) { return int3(sizeof(T) / 4); }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "porting_generators", SOURCE)


def values(module, name, generator, count=2):
    """Return the first values of a generator in a call of five elements."""
    scalar = {"u": np.uint32, "i": np.int32, "f": np.float32}[name[0]]
    width = int(name[1])
    out = np.zeros((5, width) if width > 1 else (5,), scalar)
    module[name](generator, _result=out)
    return out[:count].tolist()


# What SlangPy 0.43.1 gave for each on software Vulkan.
SEQUENCES = {
    "default": ("u1", weft.wang_hash(), [3515661851, 3898497923]),
    "vector": (
        "u2",
        weft.wang_hash(seed=7),
        [[62190945, 3501556970], [2923066899, 3300263036]],
    ),
    "warmup": (
        "u3",
        weft.wang_hash(seed=7, warmup=2),
        [[732612764, 2803469888, 1758867313], [3352903094, 2472303878, 1330197533]],
    ),
    "plain seed": ("u1", weft.wang_hash(seed=7, hash_seed=False), [851741419, 1902946834]),
    "all": (
        "u2",
        weft.wang_hash(2, 7, 3, False),
        [[1374224580, 1888532917], [450901215, 4277341010]],
    ),
    "class": ("u1", WangHashArg(), [3075307816, 2024034049]),
    "signed": ("i1", weft.wang_hash(), [3515661851 - 2**32, 3898497923 - 2**32]),
    "float": ("f1", weft.rand_float(), [0.09955155849456787, 0.7371677160263062]),
    "float2": (
        "f2",
        weft.rand_float(-2, 3, seed=5),
        [[1.3106333017349243, -0.2554316520690918], [-1.288964867591858, 0.7051103115081787]],
    ),
    "float3": (
        "f3",
        weft.rand_float(-2, 3, seed=5),
        [
            [1.3106333017349243, -0.2554316520690918, -0.923233151435852],
            [-0.3984154462814331, 2.7505199909210205, -0.4998208284378052],
        ],
    ),
    "float3 warmup": (
        "f3",
        RandFloatArg(-2, 3, seed=5, warmup=2),
        [
            [-0.930518627166748, -1.3561094999313354, -1.2606544494628906],
            [-0.94378662109375, -1.1271543502807617, 0.7842092514038086],
        ],
    ),
    "float plain seed": (
        "f1",
        RandFloatArg(1, 4, seed=5, hash_seed=False),
        [1.25621497631073, 2.715548038482666],
    ),
}


@pytest.mark.parametrize("case", SEQUENCES)
def test_random_sequences_are_those_of_slangpy(module, case):
    name, generator, expected = SEQUENCES[case]

    result = values(module, name, generator)

    if name[0] == "f":  # a device may fuse the interpolation
        assert np.allclose(result, expected, rtol=0, atol=1e-6)
    else:
        assert result == expected


def test_one_kernel_serves_every_seed_and_warmup(module):
    first = module.u1.generated_source(weft.wang_hash(seed=1))

    assert module.u1.generated_source(weft.wang_hash(seed=2, warmup=9)) == first


def test_dims_must_be_those_of_the_parameter(module):
    assert values(module, "u2", weft.wang_hash(dim=2)) == values(module, "u2", weft.wang_hash())
    for generator in (weft.rand_float(dim=3), RandFloatArg(0, 1, 3)):
        with pytest.raises(weft.ArgumentError, match=r"'x'.*it was made for 3 components"):
            values(module, "f2", generator)
    with pytest.raises(weft.ArgumentError, match="it was made for 2 components"):
        module.i1(weft.call_id(2), _result=np.zeros(4, np.int32))
    with pytest.raises(weft.ArgumentError, match="it was made for 1 components"):
        module.u2(weft.thread_id(1), _result=np.zeros((4, 2), np.uint32))


def test_call_id_with_dims_counts_as_without(module):
    out = np.zeros((2, 3, 2), np.int32)
    array = np.zeros((2, 3, 2), np.int32)

    module.i2(weft.call_id(2), _result=out)
    module.pair(weft.call_id(dims=2), _result=array)

    assert out[1, 2].tolist() == [2, 1]
    assert array[1, 2].tolist() == [1, 2]


def test_call_id_of_a_tuple_is_a_grid(module):
    assert module.i2(weft.call_id((2, 3))).numpy()[1, 2].tolist() == [2, 1]
    with pytest.raises(weft.ArgumentError, match=r"call_id: dims must be an integer, got tuple"):
        CallIdArg((2, 3))


def test_thread_id_with_dims(module):
    out = np.zeros((8, 3), np.uint32)

    module.u3(weft.thread_id(3), _result=out)

    assert out[0].tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "generator", [weft.rand_float(dim=2), weft.wang_hash(2), weft.thread_id(2), weft.call_id(2)]
)
def test_dims_decide_a_generic_parameter(module, generator):
    out = np.zeros((2, 2, 3), np.int32)

    module.generic_components(generator, _result=out)

    assert np.all(out == 2)


def test_classes_have_slangpys_arguments():
    random = RandFloatArg(min=-1, max=1, dim=2, seed=3, warmup=4, hash_seed=False)
    bits = WangHashArg(2, 3, 4, False)

    assert (random.min, random.max, random.dims, random.seed) == (-1, 1, 2, 3)
    assert (random.warmup, random.hash_seed) == (4, False)
    assert (bits.dims, bits.seed, bits.warmup, bits.hash_seed) == (2, 3, 4, False)
    assert (CallIdArg().dims, ThreadIdArg(3).dims) == (-1, 3)
    assert weft.GridArg((2, 3), offset=1).offset == [1, 1]
    assert weft.GridArg(2).dims == 2
    assert isinstance(weft.rand_float(), RandFloatArg)
    assert weft.rand_float().seed == weft.wang_hash().seed == 2640457667


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: weft.rand_float(seed=2**32), r"rand_float: seed must fit 32 bits, got 4294967296"),
        (lambda: weft.wang_hash(warmup=-1), r"wang_hash: warmup must be 0 to 1000000, got -1"),
        (lambda: weft.rand_float(dim=5), r"rand_float: dims must be 1 to 4, or -1 for any, got 5"),
        (lambda: weft.thread_id(4), r"thread_id: dims must be 1 to 3, or -1 for any, got 4"),
        (lambda: weft.call_id("x"), r"call_id: dims must be an integer, got str"),
    ],
)
def test_bad_settings_are_named(make, message):
    with pytest.raises(weft.ArgumentError, match=message):
        make()
