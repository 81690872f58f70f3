# SPDX-License-Identifier: Apache-2.0
"""Names and calls of SlangPy's documents that a script keeps when only its import changes."""

from __future__ import annotations

import numpy as np
import pytest

import weft

SOURCE = """
import "slangpy";
struct Pixel { float r; float g; float b; };
Pixel add(Pixel a, Pixel b) { return { a.r + b.r, a.g + b.g, a.b + b.b }; }
struct Particle
{
    float3 position;
    float3 velocity;
    __init(float3 p, float3 v) { position = p; velocity = v; }
    [mutating] void update(float dt) { position += velocity * dt; }
};
void copy(float4 src, out float4 dest) { dest = src; }
void copy_vector<let N : int>(vector<float, N> src, out vector<float, N> dest) { dest = src; }
void copy_generic<T>(T src, out T dest) { dest = src; }
float add_floats(float a, float b) { return a + b; }
float3 add_vectors(float3 a, float3 b) { return a + b; }
float multiply(float a, float b) { return a * b; }
int2 pair(int2 value) { return value; }
float2 random(float2 value) { return value; }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "porting", SOURCE)


VECTOR = {"x": 1.0, "y": weft.rand_float(min=0, max=1, dim=1), "z": 0.0, "w": 1.0}


def test_a_vector_comes_from_a_dict_of_components(module):
    dest = np.zeros((16, 16, 4), np.float32)

    module.copy(src=VECTOR, dest=dest)

    assert np.all(dest[..., 0] == 1)
    assert np.all((dest[..., 1] >= 0) & (dest[..., 1] < 1))
    assert np.unique(dest[..., 1]).size > 200
    assert module.copy({"x": 1, "y": 2, "z": 3, "w": 4}) == (1, 2, 3, 4)


def test_a_generic_vector_is_inferred_from_its_dict(module):
    dest = np.zeros((8, 4), np.float32)

    module.require_function("copy_vector<4>")(src=VECTOR, dest=dest)
    module.copy_vector(src={"_type": "float4", **VECTOR}, dest=dest)
    module.copy_generic.map(src="float4", dest="float4")(src=VECTOR, dest=dest)

    assert np.all(dest[:, 3] == 1)


def test_a_dict_of_wrong_components_says_so(module):
    with pytest.raises(weft.ArgumentError, match="no field 'w'"):
        module.copy({"x": 1, "y": 2, "z": 3})
    with pytest.raises(weft.ArgumentError, match=r"its _type is 'float3'"):
        module.copy({"_type": "float3", "x": 1, "y": 2, "z": 3, "w": 4})


def test_types_of_the_module_are_mapped_by_name(device, module):
    pixels = weft.Tensor.zeros(device, (4,), module.Pixel)

    dest = weft.Tensor.zeros(device, (4,), module.Pixel)
    module.copy_generic.map(src="Pixel", dest=module.Pixel)(pixels, dest)

    with pytest.raises(weft.ArgumentError, match="there is no type 'Pixl'"):
        module.copy_generic.map(src="Pixl")
    with pytest.raises(weft.ArgumentError, match=r"no parameter 'dset'. Did you mean 'dest'"):
        module.copy_generic.map(dset="Pixel")


def test_map_by_type_and_by_dimension(module):
    src = np.random.rand(100).astype(np.float32)
    dest = np.zeros_like(src)

    module.copy_generic.map(src="float", dest="float")(src=src, dest=dest)
    assert np.array_equal(src, dest)
    dest[:] = 0
    module.copy_generic.map(src=(0,), dest=(0,))(src=src, dest=dest)
    assert np.array_equal(src, dest)
    outer = module.multiply.map(a=(0,), b=(1,))(a=src[:10], b=src[:20], _result="numpy")
    assert np.array_equal(outer, np.multiply.outer(src[:10], src[:20]))


def test_vectors_are_arrays_of_floats_too(module):
    a = weft.float3(1, 2, 3)
    b = np.arange(30, dtype=np.float32).reshape(10, 3)

    assert module.add_floats(a, weft.float3(4, 5, 6), _result="numpy").tolist() == [5, 7, 9]
    assert module.add_vectors(a, weft.float3(4, 5, 6)) == (5, 7, 9)
    assert np.array_equal(module.add_vectors(a, b, _result="numpy"), np.add(b, a))


def test_generators_fill_a_result_of_any_shape(module):
    ints = np.zeros((4, 4, 2), np.int32)
    floats = np.zeros((4, 4, 2), np.float32)

    module.pair(weft.wang_hash(), _result=ints)
    module.random(weft.rand_float(min=0, max=10), _result=floats)

    assert np.unique(ints).size > 28
    assert floats.min() >= 0
    assert floats.max() < 10
    assert np.unique(floats).size > 28


def test_cursors_read_and_write_elements(device, module):
    image_1 = weft.NDBuffer(device, dtype=module.Pixel, shape=(16, 16))
    image_2 = weft.NDBuffer(device, dtype=module.Pixel, shape=(16, 16))
    cursor = image_1.cursor()
    for x in range(16):
        for y in range(16):
            cursor[x + y * 16].write({"r": (x + y) / 32.0, "g": 0, "b": 0})
    cursor.apply()
    values = 0.5 * np.arange(16 * 16 * 3).astype(np.float32)
    image_2.copy_from_numpy(values)

    result = module.add(image_1, image_2).cursor()

    pixel = result[3 + 2 * 16].read()
    assert pixel == {"r": 5 / 32 + values[105], "g": values[106], "b": values[107]}
    assert len(image_1.cursor(start=2, count=5)) == 5


def test_cursors_of_vectors_and_nested_fields(device, module):
    particles = weft.Tensor.zeros(device, (3,), module.Particle)
    cursor = particles.cursor()

    cursor[1].write({"position": [1, 2, 3]})
    cursor[-1]["velocity"] = (4, 5, 6)
    cursor.apply()

    assert cursor[1].read() == {"position": [1, 2, 3], "velocity": [0, 0, 0]}
    assert particles.numpy()["velocity"][2].tolist() == [4, 5, 6]
    numbers = weft.Tensor.zeros(device, (2, 2), int)
    part = numbers.cursor(1, 2)
    part[0].write(7)
    part.apply()
    assert numbers.numpy().tolist() == [[0, 7], [0, 0]]
    assert part[0].read() == 7


def test_cursors_name_what_is_not_there(device, module):
    cursor = weft.Tensor.zeros(device, (3,), module.Pixel).cursor()

    with pytest.raises(IndexError, match="element 3 is outside its 3 elements"):
        cursor[3]
    with pytest.raises(weft.ArgumentError, match="no field 'a'; the fields are r, g, b"):
        cursor[0].write({"a": 1})
    with pytest.raises(weft.ArgumentError, match="outside the tensor's 3 elements"):
        weft.Tensor.zeros(device, (3,)).cursor(2, 5)


def test_structures_and_functions_are_their_own_typed_views(module):
    assert module.Pixel.as_struct() is module.Pixel
    assert module.add_floats.as_func()(1.0, 2.0) == 3.0


def test_torch_tensors_are_copied(device):
    torch = pytest.importorskip("torch")
    tensor = weft.Tensor.zeros(device, (2, 3))

    tensor.copy_from_torch(torch.arange(6.0).reshape(2, 3).requires_grad_())

    assert tensor.numpy().tolist() == [[0, 1, 2], [3, 4, 5]]
