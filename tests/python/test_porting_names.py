# SPDX-License-Identifier: Apache-2.0
"""Small names of SlangPy: storage, shapes, layouts, constructors, pairs, gradients, limits."""

from __future__ import annotations

import logging

import numpy as np
import pytest

import weft
from weft.types import diffPair, floatDiffPair, floatRef, intRef

SOURCE = """
struct Particle
{
    float3 position;
    float mass;
    __init(float3 p, float m) { position = p; mass = m; }
    float weigh(float g) { return mass * g; }
};
struct Pixel { float r; float g; };
namespace scaling { float twice(float x) { return 2 * x; } }
T identity<T>(T x) { return x; }
[Differentiable] float polynomial(float a, float b) { return a * a + b + 1; }
float read_buffer(StructuredBuffer<float> values, int i) { return values[i]; }
float4 read_wide(StructuredBuffer<float4> values, int i) { return values[i]; }
uint read_raw(ByteAddressBuffer values, int i) { return values.Load(4 * i); }
float read_pointer(float* values, int i) { return values[i]; }
void write_buffer(int i, RWStructuredBuffer<float> values) { values[i] = 2 * i; }
void raise(inout int i, inout float x) { i += 1; x *= 2; }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "porting_names", SOURCE)


def floats(device, values, **kwargs):
    return weft.Tensor.from_numpy(device, np.asarray(values, np.float32), **kwargs)


def test_storage_is_the_bytes_of_all_views(device):
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    tensor = floats(device, values)

    assert tensor.storage.to_numpy().dtype == np.uint8
    assert np.array_equal(tensor[1:].storage.to_numpy().view(np.float32), values.ravel())
    assert (tensor.storage.size, tensor.storage.struct_size) == (48, 4)
    assert tensor[1].storage.device_address == tensor.address
    assert tensor.storage.device is device


def test_storage_takes_bytes(device):
    tensor = weft.Tensor.zeros(device, (2, 2), weft.float2)

    tensor.storage.copy_from_numpy(np.arange(6, dtype=np.float32)[::-1])

    assert tensor.numpy().ravel().tolist() == [5, 4, 3, 2, 1, 0, 0, 0]
    with pytest.raises(weft.ArgumentError, match=r"'data' has 40 bytes, the storage 32; pass"):
        tensor.storage.copy_from_numpy(np.zeros(10, np.float32))
    with pytest.raises(weft.ArgumentError, match="'data'"):
        tensor.storage.copy_from_numpy(np.array([object()]))


def test_storage_is_a_buffer_argument(device, module):
    tensor = floats(device, np.arange(8).reshape(2, 4))

    assert module.read_buffer(tensor.storage, 5) == 5
    assert module.read_wide(tensor.storage, 1) == (4, 5, 6, 7)
    assert module.read_raw(tensor.storage, 1) == np.float32(1).view(np.uint32)
    assert module.read_pointer(values=tensor[1].storage, i=2) == 2
    module.write_buffer(weft.grid((8,)), tensor.storage)
    assert tensor.numpy().ravel().tolist() == [0, 2, 4, 6, 8, 10, 12, 14]


def test_empty_storage_has_no_bytes(device):
    storage = weft.Tensor.zeros(device, (0, 3)).storage

    assert storage.size == 0
    assert storage.to_numpy().shape == (0,)


def test_shapes_and_strides_are_tuples_with_slangpys_methods(device):
    tensor = weft.Tensor.zeros(device, (2, 3, 4))

    assert isinstance(tensor.shape, tuple)
    assert tensor.shape == (2, 3, 4) == tensor.shape.as_tuple()
    assert type(tensor.shape.as_tuple()) is tuple
    assert tensor.shape.as_list() == tensor.shape == [2, 3, 4]
    assert tensor.strides == tensor.shape.calc_contiguous_strides() == (12, 4, 1)
    assert repr(tensor.shape) == "(2, 3, 4)"
    assert hash(tensor.shape) == hash((2, 3, 4))
    assert {(2, 3, 4): 1}[tensor.shape] == 1
    assert tensor.shape != (2, 3)


def test_shapes_are_made_joined_and_counted():
    assert weft.Shape(2, 3) == weft.Shape((2, 3)) == weft.Shape([2, 3])
    assert weft.Shape(5) == (5,)
    assert weft.Shape() == weft.Shape(()) == ()
    assert weft.Shape(2).__add__((3,)).calc_contiguous_strides() == (3, 1)
    assert weft.Shape(2, 3).element_count == 6
    assert weft.Shape(-1, 3).concrete is False
    assert weft.Shape(2).valid
    for wrong in ("ab", 1.5, None):
        with pytest.raises(weft.ArgumentTypeError, match="Shape: extents must be integers"):
            weft.Shape(wrong)


def test_layouts_find_types_and_functions(device, module):
    layout = module.layout

    assert layout.find_type_by_name("Pixel").name == "Pixel"
    assert layout.find_type_by_name("float3") == weft.float3
    assert layout.find_type_by_name("Nothing") is None
    assert layout.find_function_by_name("polynomial").name == "polynomial"
    method = layout.find_function_by_name_in_type(module.Particle, "weigh")
    assert method.name == "weigh"
    assert layout.find_function_by_name_in_type(module.Particle, "nothing") is None
    pixels = weft.Tensor.zeros(device, (2,), layout.require_type_by_name("Pixel"))
    assert pixels.dtype.name == "Pixel"
    with pytest.raises(weft.ArgumentError, match="Did you mean 'Pixel'"):
        layout.require_type_by_name("Pixle")
    with pytest.raises(weft.ArgumentError, match="no function 'polynom'"):
        layout.require_function_by_name("polynom")


def test_functions_know_their_name_and_module(module):
    assert module.Particle.weigh.name == "weigh"
    assert module.Particle.weigh.full_name == "Particle.weigh"
    assert module["scaling::twice"].name == "twice"
    assert module["identity<vector<float, 3>>"].name == "identity"
    assert module.polynomial.bwds.name == "polynomial"
    assert module.polynomial.module == module
    assert hash(module.polynomial.module) == hash(module)
    assert module.polynomial.module.scaling.twice(2.0) == 4
    assert module.Pixel.module is module
    assert module != weft.Module.load_from_source(module.device, "other", "float f() { return 1; }")


def test_a_function_keeps_its_module(device):
    function = weft.Module.load_from_source(device, "dropped", "float one() { return 1; }").one

    assert function.module.one() == 1
    assert function.module.name == "dropped"


def test_modules_are_made_of_loaded_modules(device, module):
    exporting = device.load_module_from_source(
        "exporting",
        "export float factor() { return 3; } float unused() { return FACTOR; }".replace(
            "FACTOR", "1"
        ),
    )
    importing = device.load_module_from_source(
        "importing",
        "#ifndef SCALE\n#define SCALE 1\n#endif\n"
        "extern float factor(); float scaled(float x) { return SCALE * factor() * x; }",
    )

    linked = weft.Module(importing, link=[exporting], options={"defines": {"SCALE": 10}})

    assert weft.Module(module) == module
    assert linked.scaled(2.0) == 60
    assert weft.Module(device_module=module).polynomial(2.0, 1.0) == 6
    with pytest.raises(
        weft.ArgumentTypeError, match=r"device_module must be a weft.Module, got str"
    ):
        weft.Module("file.slang")


def test_loggers_are_taken_without_effect(module, caplog):
    module.logger = weft.Logger(level=weft.LogLevel.warn, name="ported", use_default_outputs=False)

    assert module.logger is None
    with caplog.at_level(logging.DEBUG):
        weft.Logger(weft.LogLevel.warn, "ported").error("seen")
        weft.Logger(weft.LogLevel.warn, "ported").info("dropped")
    assert [(r.name, r.levelname, r.message) for r in caplog.records] == [
        ("ported", "ERROR", "seen")
    ]


def test_structures_are_constructed(module):
    positions = np.arange(6, dtype=np.float32).reshape(2, 3)
    particle = getattr(module.Particle, "__init")((1, 2, 3), 4.0)

    assert particle == {"position": (1, 2, 3), "mass": 4}
    assert module.Particle.weigh.bind(particle)(2.0) == 8
    many = module.Particle(positions, m=2.0)
    assert many.shape == (2,)
    assert many.dtype.name == "Particle"
    assert many.numpy()["position"].tolist() == positions.tolist()
    with pytest.raises(weft.ArgumentError, match="structure 'Pixel' has no method '__init'"):
        module.Pixel(1, 2)


def test_pairs_have_slangpys_arguments(module):
    a = diffPair(p=5.0)
    result = diffPair(d=1.0)

    module.polynomial.bwds(a, 10.0, _result=result)

    assert (a.primal, a.grad) == (5, 10)
    assert diffPair(p=2, d=3).grad == 3
    assert diffPair(1.0, 2.0, False).needs_grad is False
    assert (floatDiffPair().primal, floatDiffPair().grad, floatDiffPair(2.0).primal) == (0, 1, 2)
    assert module.polynomial(diffPair(5.0), 10.0) == 36
    with pytest.raises(weft.ArgumentError, match="'p' is another name of 'primal'"):
        diffPair(1.0, p=2.0)
    with pytest.raises(weft.ArgumentError, match="'d' is another name of 'gradient'"):
        diffPair(1.0, 2.0, d=2.0)


def test_a_pair_without_gradient_is_a_constant(device, module):
    a = diffPair(3.0, 7.0, needs_grad=False)
    b = diffPair(1.0)
    tensor = diffPair(floats(device, [1, 2]), needs_grad=False)

    module.polynomial.bwds(a, b, diffPair(d=1.0))
    module.polynomial.bwds(tensor, b, floats(device, [0, 0]).with_grads())

    assert (a.grad, b.grad) == (7, 1)
    assert tensor.grad.numpy().tolist() == [0, 0]


def test_value_refs_of_numbers(module):
    i, x = intRef(2), floatRef(1.5)

    module["raise"](i, x)

    assert (i.value, x.value) == (3, 3.0)


def test_backward_calls_take_a_positional_result(device, module):
    a = floats(device, [1, 2, 3]).with_grads()
    b = floats(device, [4, 5, 6]).with_grads()
    result = module.polynomial(a, b).with_grads()
    result.grad.storage.copy_from_numpy(np.ones(result.shape.as_tuple(), np.float32))

    module.polynomial.bwds(a, b, result)

    assert a.grad.numpy().tolist() == [2, 4, 6]
    assert b.grad.numpy().tolist() == [1, 1, 1]
    pair = diffPair(p=5.0)
    module.polynomial.bwds(pair, 1.0, diffPair(d=1.0))
    assert pair.grad == 10


def test_a_positional_result_is_for_backward_calls_alone(device, module):
    a = floats(device, [1.0]).with_grads()

    with pytest.raises(weft.ArgumentError, match="polynomial"):
        module.polynomial(a, a, a)
    with pytest.raises(weft.ArgumentError, match="polynomial"):
        module.polynomial.bwds(a, 1.0, a, a)
    with pytest.raises(weft.ArgumentError, match="polynomial"):
        module.polynomial.bwds(a, 1.0, a, _result=a)


def test_gradients_are_assigned(device, module):
    a = floats(device, [1, 2])
    result = weft.Tensor.zeros(device, (2,))
    gradient = weft.Tensor.zeros(device, (2,))

    a.grad_out = gradient
    result.grad_in = weft.Tensor.ones(device, (2,))
    module.polynomial.bwds(a, 1.0, result)

    assert a.grad_out is gradient
    assert a.grad_in is None
    assert gradient.numpy().tolist() == [2, 4]
    a.grad_out = None
    assert a.grad is None
    assert a.detach().grad is None


def test_assigned_gradients_must_fit(device):
    a = floats(device, [1, 2])

    for wrong, message in (
        (weft.Tensor.zeros(device, (3,)), "grad_in must be a tensor of float of shape"),
        (weft.Tensor.zeros(device, (2,), weft.int32), "grad_in must be a tensor of float"),
        (np.zeros(2, np.float32), "Tensor.grad_in: expected a Tensor or None, got numpy.ndarray"),
        (a, "a tensor cannot be its own gradient"),
    ):
        with pytest.raises(weft.ArgumentError, match=message):
            a.grad_in = wrong
    assert a.grad_in is None


def test_detached_tensors_share_memory(device):
    tensor = floats(device, [1, 2]).with_grads()
    plain = tensor.detach()

    plain.copy_from_numpy(np.array([3, 4], np.float32))

    assert plain.grad is None
    assert tensor.numpy().tolist() == [3, 4]


def test_tensors_point_to_other_memory(device, module):
    target = floats(device, np.arange(12).reshape(3, 4))
    tensor = floats(device, np.zeros((3, 2))).with_grads()
    gradient = tensor.grad

    tensor.point_to(target[:, 1:3])

    assert tensor.numpy().tolist() == [[1, 2], [5, 6], [9, 10]]
    assert (tensor.offset, tensor.strides, tensor.shape) == (1, (4, 1), (3, 2))
    assert tensor.grad is gradient
    target.copy_from_numpy(np.full((3, 4), 7, np.float32))
    assert module["scaling::twice"](tensor).numpy().tolist() == [[14, 14]] * 3


def test_memory_to_point_to_must_fit(device):
    tensor = weft.Tensor.zeros(device, (4,))

    for wrong, message in (
        (weft.Tensor.zeros(device, (2, 2)), r"target has shape \(2, 2\), the tensor \(4,\)"),
        (weft.Tensor.zeros(device, (4,), weft.float2), "elements of 8 bytes, the tensor of 4"),
    ):
        with pytest.raises(weft.ArgumentError, match=message):
            tensor.point_to(wrong)


def test_arrays_become_tensors_of_a_named_type(device, module):
    array = np.array([(1, 2), (3, 4)], [("r", np.float32), ("g", np.float32)])

    pixels = weft.Tensor.from_numpy(device, array, target_slang_dtype=module.Pixel)
    usage = weft.BufferUsage.shader_resource | weft.BufferUsage.unordered_access
    vectors = weft.Tensor.from_numpy(
        device,
        np.ones((2, 3), np.float32),
        usage=usage,
        memory_type=weft.MemoryType.device_local,
        program_layout=module.layout,
        target_slang_dtype="float3",
    )

    assert pixels.numpy().tobytes() == array.tobytes()
    assert (vectors.shape, vectors.dtype) == ((2,), weft.float3)
    assert weft.Tensor.empty(device, (2,), "float", usage=usage).shape == (2,)
    assert weft.NDBuffer(device, dtype=float, shape=(2,), usage=usage).shape == (2,)
    with pytest.raises(weft.ArgumentError, match="'target_slang_dtype' is another name of 'dtype'"):
        weft.Tensor.from_numpy(device, array, dtype=float, target_slang_dtype=module.Pixel)


def test_limits_have_slangpys_names(device):
    limits = device.info.limits

    assert limits.max_compute_threads_per_group == limits.max_threads_per_group > 0
    assert limits.max_compute_dispatch_thread_groups == limits.max_group_count
    assert len(limits.max_compute_thread_group_size) == 3
    assert min(limits.max_compute_thread_group_size) >= 64
    assert limits.min_wave_size == limits.max_wave_size == limits.subgroup_size > 0
    assert limits.max_entry_point_uniform_size == limits.max_inline_arguments > 0
    assert device.info.api_name == {"vulkan": "Vulkan", "cuda": "CUDA"}[device.type.name]
