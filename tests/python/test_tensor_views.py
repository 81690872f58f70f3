# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import weft
from weft import Tensor

KEYS = [
    1,
    -1,
    np.int64(2),
    slice(1, None),
    slice(None, -1, 2),
    slice(-100, 100),
    slice(3, 1),
    (slice(None), 2),
    (Ellipsis, 0),
    (None, Ellipsis, None),
    (1, 2, 3),
    (Ellipsis, slice(None, None, 3)),
    (),
]


@pytest.fixture(scope="module")
def array():
    return np.arange(60, dtype=np.float32).reshape(3, 4, 5)


@pytest.fixture(scope="module")
def tensor(device, array):
    return Tensor.from_numpy(device, array)


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_indexing_selects_what_numpy_selects(tensor, array, key):
    assert np.array_equal(tensor[key].numpy(), array[key])
    assert tensor[key].shape == array[key].shape


@pytest.mark.parametrize("shape", [(60,), (-1,), (4, 15), (2, -1, 3), (1, 60, 1)])
def test_reshape_keeps_row_major_order(tensor, array, shape):
    assert np.array_equal(tensor.reshape(shape).numpy(), array.reshape(shape))
    assert np.array_equal(tensor.reshape(*shape).numpy(), array.reshape(shape))


def test_reshape_of_a_transposed_tensor_copies(tensor, array):
    assert np.array_equal(tensor.T.reshape(-1).numpy(), array.T.reshape(-1))


@pytest.mark.parametrize("axes", [(), (2, 0, 1), (0, -1, 1)])
def test_transpose_and_permute_reorder_axes(tensor, array, axes):
    expected = array.transpose(*axes)

    assert np.array_equal(tensor.transpose(*axes).numpy(), expected)
    assert np.array_equal(tensor.permute(*axes).numpy(), expected)


def test_t_reverses_all_axes(tensor, array):
    assert np.array_equal(tensor.T.numpy(), array.T)


def test_broadcast_to_repeats_elements(tensor, array):
    row = tensor[0, 0]

    view = row.broadcast_to((2, 3, 5))

    assert view.strides == (0, 0, 1)
    assert np.array_equal(view.numpy(), np.broadcast_to(array[0, 0], (2, 3, 5)))


def test_squeeze_and_unsqueeze_change_axes_of_extent_one(tensor):
    view = tensor[:1, :, :1]

    assert view.squeeze().shape == (4,)
    assert view.squeeze(0).shape == (4, 1)
    assert view.unsqueeze(-1).shape == (1, 4, 1, 1)


def test_flatten_dtype_gives_components_an_axis(device):
    array = np.arange(12, dtype=np.float32).reshape(4, 3)
    vectors = Tensor.from_numpy(device, array, dtype=weft.float3)

    flat = vectors.flatten_dtype()

    assert flat.dtype == weft.float32
    assert np.array_equal(flat.numpy(), array)
    flat[1].clear()
    assert np.array_equal(vectors.numpy()[1], [0, 0, 0])


def test_view_takes_shape_strides_and_offset(tensor):
    assert tensor.view((2, 2), (20, 5), 1).numpy().tolist() == [[1, 6], [21, 26]]


def test_contiguous_copies_only_if_it_must(tensor, array):
    assert tensor.contiguous().address == tensor.address
    assert not tensor.T.is_contiguous()
    assert tensor.T.contiguous().is_contiguous()
    assert np.array_equal(tensor.T.contiguous().numpy(), array.T)


def test_views_share_memory(device):
    base = Tensor.zeros(device, (4,))

    base[1:3].fill(1)

    assert base.numpy().tolist() == [0, 1, 1, 0]


SHAPES = npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_array_and_index_behave_as_in_numpy(device, data):
    dtype = data.draw(st.sampled_from(["float32", "int16", "uint8", "float64", "bool"]))
    array = data.draw(
        npst.arrays(dtype, SHAPES, elements={"allow_nan": False} if "f" in dtype else None)
    )
    array = array.transpose(data.draw(st.permutations(range(array.ndim))))
    key = data.draw(
        npst.basic_indices(array.shape, allow_ellipsis=True, allow_newaxis=True, max_dims=8).filter(
            has_no_negative_step
        )
    )

    tensor = Tensor.from_numpy(device, array)

    assert np.array_equal(tensor.numpy(), array)
    assert np.array_equal(tensor[key].numpy(), array[key])
    assert np.array_equal(tensor[key].T.numpy(), np.transpose(array[key]))
    assert np.array_equal(tensor[key].reshape(-1).numpy(), array[key].reshape(-1))


def has_no_negative_step(key):
    entries = key if isinstance(key, tuple) else (key,)
    return all((entry.step or 1) > 0 for entry in entries if isinstance(entry, slice))


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_writing_to_any_view_behaves_as_in_numpy(device, data):
    array = np.zeros(data.draw(npst.array_shapes(min_dims=1, max_dims=3, max_side=6)), np.int32)
    key = data.draw(npst.basic_indices(array.shape).filter(has_no_negative_step))
    tensor = Tensor.from_numpy(device, array)
    values = np.arange(array[key].size, dtype=np.int32).reshape(array[key].shape)

    tensor[key].from_numpy(values)
    array[key] = values

    assert np.array_equal(tensor.numpy(), array)
