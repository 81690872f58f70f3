# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501  (messages stand as they are printed)
"""Every message of Tensor: its class, its text, and that it is no InternalError."""

import re

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = "struct Mixed { int id; float x; }; struct Outer { Mixed inner; float y; };"


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "tensor_errors", SOURCE)


def assert_raises(kinds, text, action):
    with pytest.raises(weft.ArgumentError, match=re.escape(text)) as caught:
        action()
    for kind in kinds if isinstance(kinds, tuple) else (kinds,):
        assert isinstance(caught.value, kind)
    assert not isinstance(caught.value, weft.InternalError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("shape", "kind", "text"),
    [
        ((4, -1), ValueError, "Tensor: shape (4, -1) has -1 at axis 1; every extent must be 0 or greater"),
        ((4, 2.5), TypeError, "Tensor.zeros: shape must be an integer or a sequence of integers, got 2.5 at axis 1; pass for example (4, 3)"),
        ("12", TypeError, "Tensor.zeros: shape must be an integer or a sequence of integers, got '12'"),
        ((True,), TypeError, "got True at axis 0"),
        (None, TypeError, "got None"),
        ((1,) * 17, ValueError, "has 17 dimensions, at most 16 are possible; merge some of them"),
        ((2**62, 4), ValueError, "is larger than any memory; check the order of shape and dtype"),
        ((2**70,), ValueError, "which is larger than any memory"),
    ],
)  # fmt: skip
def test_shapes_must_be_sequences_of_natural_numbers(device, shape, kind, text):
    assert_raises(kind, text, lambda: Tensor.zeros(device, shape))


@pytest.mark.parametrize(
    ("dtype", "text"),
    [
        ("flot", "attributes of their module. Did you mean 'float'"),
        ("float5", "there is no type 'float5'"),
        (3, "a type must be weft.float32 and the like"),
        (np.complex64, "there is no type 'complex64'"),
    ],
)
def test_dtypes_must_be_known(device, dtype, text):
    assert_raises(ValueError, text, lambda: Tensor.zeros(device, (2,), dtype))


def test_the_device_comes_first():
    assert_raises(
        TypeError,
        "Tensor.zeros: device must be a weft.Device, got tuple; pass what weft.create_device() returns",
        lambda: Tensor.zeros((2,), weft.float32),
    )


def test_values_must_have_the_tensors_shape(device):
    tensor = Tensor.zeros(device, (3, 4))

    assert_raises(
        ValueError,
        "Tensor.from_numpy: argument 'array' has shape (3, 5) (axis 1 is 5 instead of 4), (3, 4) is expected; "
        "reshape it (12 numbers in one dimension are taken too)",
        lambda: tensor.from_numpy(np.zeros((3, 5))),
    )
    assert_raises(
        ValueError, "has shape (11,), (3, 4) is expected", lambda: tensor.from_numpy(np.zeros(11))
    )
    assert_raises(
        ValueError,
        "Tensor.copy_from_numpy: argument 'array'",
        lambda: tensor.copy_from_numpy(np.zeros(3)),
    )


def test_floats_are_no_integers(device):
    tensor = Tensor.zeros(device, (2,), int)

    assert_raises(
        TypeError,
        "Tensor.from_numpy: argument 'array' holds float64 values, int32 is expected; round them yourself, for "
        "example with numpy.rint(x).astype(numpy.int32)",
        lambda: tensor.from_numpy([1.0, 2.0]),
    )
    assert_raises(TypeError, "argument 'value' holds float64", lambda: tensor.fill(1.5))


def test_integers_must_fit(device):
    assert_raises(
        ValueError,
        "Tensor.from_numpy: argument 'array': element (1, 0) is 300, outside the range [-128, 127] of int8; clip "
        "it or use a wider type",
        lambda: Tensor.zeros(device, (2, 2), "int8").from_numpy([[1, 2], [300, 4]]),
    )
    assert_raises(
        ValueError,
        "Tensor.full: argument 'value': its value is -1, outside the range [0, 255] of uint8",
        lambda: Tensor.full(device, (2,), -1, "uint8"),
    )


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (
            np.zeros(2, np.complex64),
            "is an array of complex64; pass bools, integers or floats of at most 64 bits",
        ),
        (np.array(["a", "b"]), "is an array of <U1"),
        ([1, None], "is an array of object"),
        ([[1, 2], [3]], "cannot become an array"),
    ],
)
def test_values_must_be_numbers(device, values, text):
    assert_raises(
        TypeError,
        f"Tensor.from_numpy: argument 'array' {text}",
        lambda: Tensor.zeros(device, (2,)).from_numpy(values),
    )


def test_structures_need_all_their_fields_and_no_others(device, module):
    tensor = Tensor.zeros(device, (2,), module.Outer)

    assert_raises(
        ValueError,
        "Tensor.from_numpy: argument 'array', field 'inner' has no field 'x'; Mixed has 'id', 'x'",
        lambda: tensor.from_numpy({"inner": {"id": [1, 2]}, "y": [1, 2]}),
    )
    assert_raises(
        ValueError,
        "Tensor.from_numpy: argument 'array' has a field 'z'; Outer has 'inner', 'y'",
        lambda: tensor.from_numpy({"inner": {"id": [1, 2], "x": [1, 2]}, "y": [1, 2], "z": 1}),
    )
    assert_raises(
        ValueError,
        "field 'inner.x' has shape (3,) (axis 0 is 3 instead of 2), (2,) is expected",
        lambda: tensor.from_numpy({"inner": {"id": [1, 2], "x": [1, 2, 3]}, "y": [1, 2]}),
    )


def test_structures_of_mixed_scalars_take_no_plain_arrays(device, module):
    assert_raises(
        TypeError,
        "Tensor.from_numpy: argument 'array' is an array of float64, Mixed mixes scalar kinds; pass a dict or a "
        "numpy array with its fields 'id', 'x'",
        lambda: Tensor.zeros(device, (2,), module.Mixed).from_numpy(np.zeros(4)),
    )


def test_structured_arrays_need_a_shape_and_a_dtype(device, module):
    array = np.zeros(3, [("id", "i4"), ("x", "f4")])

    assert_raises(
        TypeError,
        "Tensor.from_numpy: argument 'array' is a structured array, whose Slang type is unknown; pass dtype=module.Name",
        lambda: Tensor.from_numpy(device, array),
    )
    assert_raises(
        ValueError,
        "has shape (3,) (axis 0 is 3 instead of 2), (2,) is expected; reshape it",
        lambda: Tensor.zeros(device, (2,), module.Mixed).from_numpy(array),
    )


def test_vector_dtypes_need_their_components_in_the_last_axis(device):
    assert_raises(
        ValueError,
        "Tensor.from_numpy: argument 'array' has shape (4, 2), for dtype float3 it must end in (3,); reshape it",
        lambda: Tensor.from_numpy(device, np.zeros((4, 2)), dtype=weft.float3),
    )


def test_ranges_must_end(device):
    assert_raises(
        ValueError,
        "Tensor.arange: start, stop and step must be finite and step not 0, got 0, 4, 0",
        lambda: Tensor.arange(device, 0, 4, 0),
    )
    assert_raises(
        TypeError,
        "Tensor.arange: start must be a number, got tuple; pass for example Tensor.arange(device, 0, 10, 2)",
        lambda: Tensor.arange(device, (4,)),
    )


@pytest.mark.parametrize(
    ("key", "kind", "text"),
    [
        (3, ValueError, "Tensor[]: index 3 is outside axis 0 of shape (3, 4); pass -3 to 2"),
        ((0, -5), ValueError, "Tensor[]: index -5 is outside axis 1 of shape (3, 4); pass -4 to 3"),
        ((0, 0, 0), ValueError, "Tensor[]: the index has 3 entries, the tensor of shape (3, 4) has 2 dimensions"),
        ((..., ...), ValueError, "Tensor[]: the index has 2 ellipses (...), one is possible"),
        (slice(None, None, -1), ValueError, "has step -1, steps must be 1 or greater; reverse the array with numpy"),
        ([0, 1], TypeError, "Tensor[]: an index must be an integer, a slice, None or ..., got list; index to_numpy()"),
        (1.5, TypeError, "got float"),
        (True, TypeError, "got bool"),
    ],
)  # fmt: skip
def test_indices_are_checked(device, key, kind, text):
    assert_raises(kind, text, lambda: Tensor.zeros(device, (3, 4))[key])


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (lambda t: t.reshape(5), "reshape: shape (5,) does not fit the 6 elements of shape (2, 3)"),
        (lambda t: t.permute(0, 0), "permute: axes (0, 0) name axis 0 twice; name every axis once"),
        (lambda t: t.broadcast_to((3, 3)), "axis 0 of shape (2, 3) has extent 2, shape (3, 3) asks for 3"),
        (lambda t: t.squeeze(0), "squeeze: axis 0 of shape (2, 3) has extent 2, only extent 1 can be dropped"),
        (lambda t: t.unsqueeze(4), "unsqueeze: axis 4 is outside a tensor of 3 dimensions; pass -3 to 2"),
        (lambda t: t.view((7,)), "a view of shape (7,) at offset 0 needs 7 elements, the buffer holds 6 of float"),
        (lambda t: t.view((2,), (-1,)), "strides (-1,) have -1 at axis 0; strides must be 0 or greater"),
        (lambda t: t.view((2,), (1, 1)), "strides (1, 1) have 2 entries, shape (2,) has 1"),
        (lambda t: t.astype(weft.float3), "Tensor.astype: dtype must be a scalar type, got float3"),
        (lambda t: t.item(), "Tensor.item: the tensor has 6 elements, one is expected"),
        (lambda t: t[:1].broadcast_to((2, 3)).clear(), "clear: the tensor repeats its elements along axis 0"),
        (lambda t: t[:1].broadcast_to((2, 3)).from_numpy(np.zeros(6)), "upload: the tensor repeats its elements"),
        (lambda t: np.array(t, copy=False), "device memory can only become an array as a copy; pass copy=None"),
    ],
)  # fmt: skip
def test_views_that_cannot_be_are_refused(device, action, text):
    assert_raises(ValueError, text, lambda: action(Tensor.zeros(device, (2, 3))))


def test_a_tensor_without_dimensions_has_no_rows(device):
    tensor = Tensor.zeros(device, ())

    assert_raises(TypeError, "has no rows to iterate over; use item()", lambda: iter(tensor))
    assert_raises(TypeError, "has no len(); use item()", lambda: len(tensor))


def test_structures_of_mixed_scalars_cannot_be_flattened_or_converted(device, module):
    tensor = Tensor.zeros(device, (2,), module.Mixed)

    assert_raises(ValueError, "flatten_dtype: Mixed mixes scalar kinds", tensor.flatten_dtype)
    assert_raises(TypeError, "astype: Mixed is a structure", lambda: tensor.astype(float))


def test_dlpack_takes_arrays_only(device):
    assert_raises(
        TypeError,
        "from_dlpack: an array with __dlpack__ is expected, got int; pass a torch, cupy, jax or numpy array",
        lambda: weft.from_dlpack(device, 3),
    )
    capsule = np.zeros(3).__dlpack__()
    weft.from_dlpack(device, capsule)
    assert_raises(
        ValueError,
        "from_dlpack: the capsule holds no array, or it was taken out before; make a new one",
        lambda: weft.from_dlpack(device, capsule),
    )
    assert_raises(
        TypeError,
        "are no bool, integer or float",
        lambda: weft.from_dlpack(device, np.zeros(2, complex)),
    )


def test_dlpack_exports_say_what_they_cannot_do(device):
    tensor = Tensor.zeros(device, (2,))

    with pytest.raises(BufferError, match=r"Tensor\.__dlpack__: the memory is on DLPack device"):
        tensor.__dlpack__(dl_device=(10, 0))
    if device.type == weft.DeviceType.vulkan:
        with pytest.raises(BufferError, match="can only leave as a copy"):
            tensor.__dlpack__(copy=False)


def test_a_closed_device_is_named(fresh_device):
    tensor = Tensor.zeros(fresh_device, (2,))
    fresh_device.close()

    for action in (tensor.numpy, tensor.clear, lambda: Tensor.zeros(fresh_device, (2,))):
        with pytest.raises(weft.DeviceError, match="closed"):
            action()


def test_out_of_memory_says_what_was_asked_and_who_holds_how_much(device):
    held = Tensor.zeros(device, (1 << 16,))

    with pytest.raises(MemoryError) as caught:
        Tensor.empty(device, (1 << 50,))

    assert isinstance(caught.value, weft.DeviceError)
    assert isinstance(caught.value, RuntimeError)
    assert "tensor" in str(caught.value)
    assert held.numpy().sum() == 0


@pytest.mark.parametrize("name", ["torch", "to_torch"])
@pytest.mark.parametrize("value", [[1.0], np.ones(2), None, "text"])
def test_conversions_to_torch_take_tensors_alone(name, value):
    with pytest.raises(TypeError, match=rf"{name}"):
        getattr(Tensor, name)(value)
