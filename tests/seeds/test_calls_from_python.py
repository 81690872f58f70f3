# SPDX-License-Identifier: Apache-2.0
"""The uses that the specification of functional calls shows, each in a program of its own.

Each test is one documented use: the same calls with the same kinds of arguments, in other words.
docs/seeds.md lists what had to be repaired in the documents' own text.
"""

from __future__ import annotations

import numpy
import numpy as np
import pytest

import weft

EXAMPLE = """
// Mixes two signals.
float blend(float a, float b)
{
    return a + b;
}

[numthreads(128, 1, 1)]
void blendBuffers(NDBuffer<float, 1> a, NDBuffer<float, 1> b, NDBuffer<float, 1> result,
                  int i : SV_DispatchThreadID)
{
     result[i] = blend(a[i], b[i]);
}
"""

TYPES = """
struct Setting { int level; float gain; }
struct Texel { float r; float g; float b; }
void note(int x, float y) {}
int shape(float3 x) { return 1; }
int shape(float3 x[2]) { return 2; }
float trace(float3x3 x) { return x[0][0] + x[1][1] + x[2][2]; }
float apply(Setting s) { return s.level * s.gain; }
Texel over(Texel a, Texel b) { return { a.r + b.r, a.g + b.g, a.b + b.b }; }
void step(inout float parameter, float gradient, float rate) { parameter -= gradient * rate; }
"""


@pytest.fixture(scope="module")
def example(device, tmp_path_factory):
    path = tmp_path_factory.mktemp("seeds") / "example.slang"
    path.write_text(EXAMPLE)
    return weft.Module.load_from_file(device, str(path))


@pytest.fixture(scope="module")
def types(device):
    return weft.Module.load_from_source(device, "seed_types", TYPES)


def test_an_entry_point_is_dispatched_over_buffers(device, example, capsys):
    a = numpy.random.default_rng(1).random(1024)
    b = numpy.random.default_rng(2).random(1024)
    r = numpy.zeros(1024)
    buffer_a = weft.NDBuffer(device, shape=(1024,))
    buffer_b = weft.NDBuffer(device, shape=(1024,))
    buffer_r = weft.NDBuffer(device, shape=(1024,))
    buffer_a.from_numpy(a)
    buffer_b.from_numpy(b)
    buffer_r.from_numpy(r)

    example.blendBuffers.dispatch(1024, buffer_a, buffer_b, buffer_r)
    print(buffer_r)

    assert np.allclose(buffer_r.numpy(), a + b)
    assert "1024" in capsys.readouterr().out


def test_a_function_is_called_with_numpy_arrays(example, capsys):
    a = numpy.random.default_rng(3).random(1024)
    b = numpy.random.default_rng(4).random(1024)

    result = example.blend(a, b)
    print(result)

    assert np.allclose(result.numpy(), a + b)
    assert capsys.readouterr().out.count(".") >= 4


def test_scalars_are_passed_as_they_are(types):
    assert types.note(5, 6.0) is None


def test_lists_and_arrays_become_vectors_arrays_and_matrices(types):
    assert types.shape([5, 6, 7]) == 1
    assert types.shape([[1, 2, 3], [5, 6, 7]]) == 2
    assert types.trace(numpy.eye(3)) == 3.0


def test_an_array_of_other_dimensions_is_refused_with_the_expected_ones(types):
    with pytest.raises(weft.ArgumentError, match=r"trace.*'x'.*\(3, 2\).*\(3, 3\)"):
        types.trace(numpy.zeros((3, 2)))


def test_a_dict_becomes_a_structure(types):
    assert types.apply({"level": 5, "gain": 6.0}) == 30.0
    assert types.apply({"_type": "Setting", "level": 5, "gain": 6.0}) == 30.0


def test_buffers_of_structures_are_filled_from_a_flat_array_of_scalars(device, types):
    image_1 = weft.NDBuffer(device, dtype=types.Texel, shape=(16, 16))
    image_2 = weft.NDBuffer(device, dtype=types.Texel, shape=(16, 16))
    values = 0.1 * np.random.default_rng(5).random(16 * 16 * 3).astype(np.float32)
    image_1.clear()
    image_2.from_numpy(values)

    result = types.over(image_1, image_2)

    assert result.shape == (16, 16)
    assert np.array_equal(result.numpy()["g"].ravel(), values[1::3])


def test_function_objects_offer_each_documented_way_of_calling(device, example):
    values = np.arange(4, dtype=np.float32)
    tensor = weft.Tensor.from_numpy(device, values)
    out = weft.Tensor.empty(device, (4,), weft.float32)
    commands = device.create_command_encoder()

    called = example.blend.call(tensor, 1.0)
    example.blend.append_to(commands, tensor, 2.0, _result=out)
    device.submit_command_buffer(commands.finish())
    mapped = example.blend.map((0,), (1,))(tensor, tensor)
    as_numpy = example.blend.return_type("numpy")(tensor, 3.0)

    assert np.array_equal(called.numpy(), values + 1)
    assert np.array_equal(out.numpy(), values + 2)
    assert np.array_equal(mapped.numpy(), np.add.outer(values, values))
    assert np.array_equal(as_numpy, values + 3)


def test_tensors_are_made_and_updated_in_place(device, types):
    from weft.types import Tensor

    weights = Tensor.from_numpy(device, numpy.ones((4, 3), dtype=numpy.float32))
    slope = Tensor.zeros(device, dtype=types.float, shape=(4, 3))
    built = weft.Tensor.numpy(device, numpy.full((4, 3), 2, dtype=numpy.float32))

    types.step(weights.flatten_dtype(), built.flatten_dtype(), 0.25)
    types.step(weights, slope, 1.0)

    assert np.array_equal(weights.to_numpy(), np.full((4, 3), 0.5))
    assert weights.to_numpy().mean() == 0.5


def test_the_result_is_a_tensor_if_that_is_asked_for(device, example):
    result = example.blend(weft.Tensor.ones(device, (8,), float), 1.0, _result=weft.Tensor)

    assert isinstance(result, weft.Tensor)
    assert np.array_equal(result.numpy(), np.full(8, 2.0))


def test_the_device_loads_a_module_by_itself(device, tmp_path):
    path = tmp_path / "loaded.slang"
    path.write_text("float id(float x) { return x; }")

    assert device.load_module_from_file(str(path)).id(3.0) == 3.0
