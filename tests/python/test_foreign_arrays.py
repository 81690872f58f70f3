# SPDX-License-Identifier: Apache-2.0
"""Arrays of other libraries in host memory: results reach them, and nothing about them is lost."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.foreign_arrays import (
    HostArray,
    NegatedArray,
    SilentArray,
    StridedArray,
    TrackedArray,
)
from weft import Tensor

SOURCE = """
struct Cell { float value; int count; }
float twice(float x) { return 2 * x; }
float3 lengthen(float3 v) { return v * 2; }
void split(float x, out float low, out float high) { low = x - 1; high = x + 1; }
void decay(inout float x, float rate) { x -= rate * x; }
void bump(inout int x) { x += 1; }
void grow(inout Cell cell) { cell.value *= 3; cell.count += 1; }
void fill(int i, IWTensor<float, 1> to) { to[i] = i + 1; }
void scale(int i, IRWTensor<float, 1> x) { x[i] = 10 * x[i]; }
void scale_concrete(int i, RWTensor<float, 1> x) { x[i] = 10 * x[i]; }
void fill_buffer(int i, RWNDBuffer<float, 1> x) { x[i] = i + 1; }
void through_pointer(int i, float* x) { x[i] = 10 * x[i]; }
void through_int_pointer(int i, int* x) { x[i] = 10 * x[i]; }
void through_vector_pointer(int i, float3* x) { x[i] = 10 * x[i]; }
float read_pointer(int i, Ptr<float, Access.Read> x) { return x[i]; }
struct View { RWTensor<float, 1> to; float* at; float scale; }
void through_members(int i, View view) { view.to[i] = view.scale * i; view.at[i] = view.scale; }
[Differentiable] float square(float x) { return x * x; }
"""

VALUES = [1.0, 2.0, 3.0, 4.0]


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "foreign_arrays", SOURCE)


def numpy_array(array):
    """The array itself: what holds for other libraries holds for numpy."""
    return array


WRAPS = {
    "numpy": numpy_array,
    "dlpack": HostArray,
    "old dlpack": lambda array: HostArray(array, old=True),
}
each_library = pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS.keys())


def floats(values=VALUES, dtype=np.float32):
    return np.array(values, dtype)


@each_library
def test_a_result_is_written_back(module, wrap):
    to = floats()

    module.twice(wrap(floats()), _result=wrap(to))

    assert to.tolist() == [2, 4, 6, 8]


@each_library
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_results_are_written_back_in_the_type_of_the_array(module, wrap, dtype):
    to = floats(dtype=dtype)

    module.twice(wrap(floats(dtype=dtype)), _result=wrap(to))

    assert to.dtype == dtype
    assert to.tolist() == [2, 4, 6, 8]


@each_library
def test_outputs_and_inout_parameters_are_written_back(module, wrap):
    low, high, x, n = floats(), floats(), floats(), np.arange(4, dtype=np.int32)

    module.split(wrap(floats()), wrap(low), high=wrap(high))
    module.decay(wrap(x), 0.5)
    module.bump(wrap(n))

    assert low.tolist() == [0, 1, 2, 3]
    assert high.tolist() == [2, 3, 4, 5]
    assert x.tolist() == [0.5, 1, 1.5, 2]
    assert n.tolist() == [1, 2, 3, 4]


@each_library
@pytest.mark.parametrize("name", ["scale", "scale_concrete"])
def test_tensors_that_are_read_and_written_are_written_back(module, wrap, name):
    x = floats()

    getattr(module, name)(weft.grid((4,)), wrap(x))

    assert x.tolist() == [10, 20, 30, 40]


@each_library
@pytest.mark.parametrize("name", ["fill", "fill_buffer"])
@pytest.mark.parametrize("count", [4, 2, 0])
def test_elements_that_a_function_leaves_alone_stay(module, wrap, name, count):
    x = floats([9, 9, 9, 9])

    getattr(module, name)(weft.grid((count,)), wrap(x))

    assert x.tolist() == [1, 2, 3, 4][:count] + [9] * (4 - count)


@each_library
def test_what_is_written_through_pointers_is_written_back(module, wrap):
    x, n, v = floats(), np.arange(4, dtype=np.int32), np.ones((2, 3), np.float32)

    module.through_pointer(weft.grid((3,)), wrap(x))
    module.through_int_pointer(weft.grid((4,)), wrap(n))
    module.through_vector_pointer(weft.grid((2,)), wrap(v))

    assert x.tolist() == [10, 20, 30, 4]
    assert n.tolist() == [0, 10, 20, 30]
    assert v.tolist() == [[10] * 3] * 2


@each_library
def test_pointers_convert_as_other_parameters_do(module, wrap):
    x = floats(dtype=np.float64)

    module.through_pointer(weft.grid((4,)), wrap(x))

    assert x.tolist() == [10, 20, 30, 40]
    with pytest.raises(weft.ArgumentError, match="of that element type"):
        module.through_pointer(weft.grid((4,)), wrap(np.arange(4)))
    with pytest.raises(weft.ArgumentError, match="of that element type"):
        module.through_int_pointer(weft.grid((4,)), wrap(floats()))


@each_library
def test_members_of_structures_are_written_back(module, wrap):
    to, at = floats(), floats()

    module.through_members(weft.grid((4,)), {"to": wrap(to), "at": wrap(at), "scale": 2.0})

    assert to.tolist() == [0, 2, 4, 6]
    assert at.tolist() == [2, 2, 2, 2]


@each_library
def test_fields_of_inout_structures_are_written_back(module, wrap):
    value, count = floats(), np.zeros(4, np.int32)

    module.grow({"value": wrap(value), "count": wrap(count)})

    assert value.tolist() == [3, 6, 9, 12]
    assert count.tolist() == [1] * 4


@each_library
@pytest.mark.parametrize("step", [1, 2, -1, -3])
@pytest.mark.parametrize("columns", [False, True])
def test_strided_arrays_are_written_back_in_place(module, wrap, step, columns):
    memory = np.zeros((4, 6), np.float32)
    view = memory.T[::step] if columns else memory[:, ::step]
    values = np.arange(view.size, dtype=np.float32).reshape(view.shape)

    module.twice(values, _result=wrap(view))

    expected = np.zeros((4, 6), np.float32)
    (expected.T[::step] if columns else expected[:, ::step])[...] = 2 * values
    assert np.array_equal(memory, expected)


@each_library
def test_vectors_are_written_back(module, wrap):
    v = np.arange(12, dtype=np.float32).reshape(4, 3)

    module.lengthen(wrap(v), _result=wrap(v))

    assert np.array_equal(v, 2 * np.arange(12).reshape(4, 3))


@each_library
def test_an_array_without_elements_is_an_output(module, wrap):
    module.twice(np.zeros(0, np.float32), _result=wrap(np.zeros(0, np.float32)))


@each_library
def test_an_array_without_dimensions_is_an_output(module, wrap):
    x = np.array(4, np.float32)

    module.decay(wrap(x), 0.5)

    assert x == 2


@each_library
def test_repeated_calls_write_to_the_array_that_they_got(module, wrap):
    arrays = [floats() for _ in range(5)]

    for index, array in enumerate(arrays):
        module.twice(floats() + index, _result=wrap(array))

    for index, array in enumerate(arrays):
        assert np.array_equal(array, 2 * (floats() + index))


def test_byte_offsets_and_missing_strides_count(module):
    memory = np.arange(12, dtype=np.float32)
    array = StridedArray(memory, (2, 3), None, byte_offset=16)

    module.twice(array, _result=array)

    assert memory.tolist() == [0, 1, 2, 3, 8, 10, 12, 14, 16, 18, 10, 11]
    assert array.released == 2


def test_an_array_is_released_where_the_call_fails(module):
    array = StridedArray(floats(), (4,), (1,))

    with pytest.raises(weft.ArgumentError):
        module.twice(array, array, array)

    assert array.released == 3


@pytest.mark.parametrize(
    ("shape", "strides"), [((4,), (0,)), ((2, 4), (0, 1)), ((3, 2), (1, 1)), ((2, 2), (1, 1))]
)
def test_elements_that_share_memory_are_no_output(module, shape, strides):
    memory = floats()
    array = StridedArray(memory, shape, strides)

    doubled = module.twice(array).numpy()
    with pytest.raises(weft.ArgumentError, match=r"share memory.*pass a copy"):
        module.decay(array, 0.5)

    expected = 2 * np.lib.stride_tricks.as_strided(memory, shape, [4 * s for s in strides])
    assert np.array_equal(doubled, expected)
    assert memory.tolist() == VALUES


def locked(array):
    array.flags.writeable = False
    return array


LOCKED = {
    "a read-only numpy array": (locked, "is a read-only array"),
    "a read-only array by DLPack": (lambda a: HostArray(locked(a)), "is a read-only array"),
    "a tracked array": (TrackedArray, "requires_grad.*pass tensor.detach()"),
    "a negated array": (NegatedArray, "negates.*pass tensor.resolve_neg()"),
}


@pytest.mark.parametrize("kind", LOCKED)
@pytest.mark.parametrize(
    "call",
    [
        lambda m, x: m.twice(VALUES, _result=x),
        lambda m, x: m.split(VALUES, Tensor.zeros(m.device, (4,)), x),
        lambda m, x: m.decay(x, 0.5),
        lambda m, x: m.scale(weft.grid((4,)), x),
        lambda m, x: m.fill(weft.grid((4,)), x),
        lambda m, x: m.scale_concrete(weft.grid((4,)), x),
        lambda m, x: m.through_pointer(weft.grid((4,)), x),
        lambda m, x: m.grow({"value": x, "count": np.zeros(4, np.int32)}),
        lambda m, x: m.through_members(weft.grid((4,)), {"to": x, "at": floats(), "scale": 1.0}),
    ],
    ids=["result", "out", "inout", "IRW", "IW", "RW", "pointer", "field", "member"],
)  # fmt: skip
def test_what_must_not_be_written_is_refused_before_anything_runs(module, kind, call):
    make, message = LOCKED[kind]
    memory = floats()

    with pytest.raises(weft.ArgumentError, match=message) as caught:
        call(module, make(memory))

    assert "parameter '" in str(caught.value)
    assert memory.tolist() == VALUES


def test_a_refused_call_writes_no_other_output(module):
    low = floats()

    with pytest.raises(weft.ArgumentError, match="'high' is a read-only"):
        module.split(floats(), low, locked(floats()))

    assert low.tolist() == VALUES


def test_read_only_arrays_are_read(module):
    assert module.twice(locked(floats())).numpy().tolist() == [2, 4, 6, 8]
    assert module.twice(HostArray(locked(floats()))).numpy().tolist() == [2, 4, 6, 8]
    assert module.read_pointer(weft.grid((4,)), locked(floats())).numpy().tolist() == VALUES


def test_tracked_arrays_enter_as_their_values(device, module):
    tracked = TrackedArray(floats())

    assert module.twice(tracked).numpy().tolist() == [2, 4, 6, 8]
    assert module.read_pointer(weft.grid((4,)), tracked).numpy().tolist() == VALUES
    assert weft.from_dlpack(device, tracked).numpy().tolist() == VALUES
    assert Tensor.from_dlpack(device, tracked).numpy().tolist() == VALUES
    to = Tensor.zeros(device, (4,))
    to.copy_from_torch(tracked)
    assert to.numpy().tolist() == VALUES


def test_negated_arrays_enter_with_their_sign(device, module):
    negated = NegatedArray(floats())

    assert module.twice(negated).numpy().tolist() == [-2, -4, -6, -8]
    assert weft.from_dlpack(device, negated).numpy().tolist() == [-1, -2, -3, -4]


MASKED = {
    "masked": np.ma.masked_array([1.0, 2.0], [False, True]),
    "without a masked element": np.ma.masked_array([1.0, 2.0]),
    "structured": np.ma.masked_array(
        np.zeros(2, [("value", "f4"), ("count", "i4")]), [(True, False)] * 2
    ),
    "in a list": [np.ma.masked_array([1.0, 2.0], [False, True]), np.ones(2)],
    "later in a list": [np.ones(2), np.ma.masked_array([1.0, 2.0], [False, True])],
}


@pytest.mark.parametrize("kind", MASKED)
@pytest.mark.parametrize(
    "call",
    [
        lambda m, x: m.twice(x),
        lambda m, x: m.grow({"value": x, "count": 1}),
        lambda m, x: m.twice(VALUES[:2], _result=x),
        lambda m, x: Tensor.from_numpy(m.device, x),
        lambda m, x: Tensor.zeros(m.device, (2,)).copy_from_numpy(x),
        lambda m, x: weft.diffPair(x),
        lambda m, x: Tensor.zeros(m.device, (2, 2)).__setitem__(slice(None), x),
    ],
    ids=["argument", "field", "result", "from_numpy", "copy_from_numpy", "diffPair", "assigned"],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:Warning. converting a masked element")
def test_a_mask_is_never_lost(module, kind, call):
    with pytest.raises(weft.ArgumentError, match=r"masked array, whose mask would be lost"):
        call(module, MASKED[kind])


def test_a_mask_is_never_lost_by_dlpack(device):
    with pytest.raises(weft.ArgumentError, match="masked array"):
        weft.from_dlpack(device, MASKED["masked"])


@pytest.mark.parametrize(
    "error", [BufferError("no"), RuntimeError("no"), ValueError("no"), TypeError("no")]
)
def test_what_a_library_refuses_to_share_names_the_argument(device, module, error):
    with pytest.raises(weft.ArgumentError, match=r"twice: argument 'x'.*SilentArray \(no\)"):
        module.twice(x=SilentArray(error))
    with pytest.raises(weft.ArgumentError, match=r"from_dlpack.*SilentArray \(no\)"):
        weft.from_dlpack(device, SilentArray(error))


def test_ctrl_c_in_another_library_is_ctrl_c(module):
    with pytest.raises(KeyboardInterrupt):
        module.twice(SilentArray(KeyboardInterrupt()))


def test_host_arrays_of_other_libraries_are_constants_of_derivatives(device, module):
    result = Tensor.zeros(device, (4,)).with_grads(Tensor.ones(device, (4,)))

    with pytest.raises(weft.ArgumentError, match="no differentiable argument has a gradient"):
        module.square.bwds(HostArray(floats()), _result=result)


def test_arrays_of_jax_are_read_and_never_written(device, module, monkeypatch):
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax_numpy = pytest.importorskip("jax.numpy")
    x = jax_numpy.asarray(floats())

    if x.device.platform != "cpu":
        pytest.skip("jax has a GPU here")
    assert module.twice(x).numpy().tolist() == [2, 4, 6, 8]
    with pytest.raises(weft.ArgumentError, match="read-only"):
        module.decay(x, 0.5)
    assert x.tolist() == VALUES
