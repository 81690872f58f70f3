# SPDX-License-Identifier: Apache-2.0
"""Reductions that read 16 bytes an access, as GPUs do them: every type, start and length."""

from __future__ import annotations

import numpy as np
import pytest

import weft

TYPES = ("f2", "f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")


@pytest.fixture(autouse=True)
def kernels_of_a_gpu(monkeypatch):
    monkeypatch.setenv("WEFT_KERNELS_FOR", "gpu")


def supported(device, kind):
    features = device.info.features
    needed = {"f2": "float16", "f8": "float64", "i1": "int8", "u1": "int8", "i2": "int16"}
    needed |= {"u2": "int16", "i8": "int64", "u8": "int64"}
    return kind not in needed or getattr(features, needed[kind])


@pytest.mark.sweep(3)
@pytest.mark.parametrize("kind", TYPES)
def test_every_element_of_every_type_counts_once_from_any_start(device, kind):
    if not supported(device, kind):
        pytest.skip(f"the device has no {kind}")
    random = np.random.default_rng(3)
    values = random.integers(0, 90, 70_003).astype(kind)
    tensor = weft.Tensor.from_numpy(device, values)

    for start, end in ((0, 70_003), (1, 70_000), (3, 9_001), (17, 8_300), (5, 4_200)):
        part, wide = tensor[start:end], values[start:end].astype(np.float64)
        assert weft.sum(part) == pytest.approx(wide.sum(), rel=1e-6)
        if kind not in ("f2", "i1", "u8"):  # the operations are the same for all
            continue
        assert weft.max(part) == wide.max()
        assert weft.norm(part) == pytest.approx(np.linalg.norm(wide), rel=1e-5)
        assert weft.all(part) == wide.all()


def test_a_single_element_at_any_place_is_found(device):
    values = np.zeros(20_000, np.float32)
    for place in (0, 1, 3, 4, 1023, 1024, 8191, 8192, 19_996, 19_999):
        values[:] = 0
        values[place] = -7
        tensor = weft.Tensor.from_numpy(device, values)

        assert (weft.min(tensor), weft.max(tensor), weft.sum(tensor)) == (-7, 0, -7)
        assert weft.min(tensor[1:]) == (0 if place == 0 else -7)


def test_a_nan_at_any_place_of_an_access_is_the_extremum(device):
    for place in (4001, 4002, 4003, 4004):
        values = np.ones(9_000, np.float32)
        values[place] = np.nan
        tensor = weft.Tensor.from_numpy(device, values)

        assert np.isnan(weft.max(tensor))
        assert np.isnan(weft.min(tensor[1:]))


def test_rows_that_lie_one_after_the_other_are_reduced_apart(device):
    values = np.random.default_rng(4).standard_normal((37, 3001)).astype(np.float32)
    tensor = weft.Tensor.from_numpy(device, values)

    found = weft.sum(tensor, 1).to_numpy()
    inner = weft.max(tensor[:, 5:2999], 1).to_numpy()

    assert np.allclose(found, values.sum(1, dtype=np.float64), rtol=1e-5, atol=1e-4)
    assert np.array_equal(inner, values[:, 5:2999].max(1))


@pytest.mark.parametrize("shape", [(9000, 40), (700, 3), (257, 2000), (130, 33), (65, 1 << 13)])
def test_columns_are_reduced_in_pieces(device, shape):
    values = np.random.default_rng(7).standard_normal(shape).astype(np.float32)
    tensor = weft.Tensor.from_numpy(device, values)

    found = weft.sum(tensor, 0).to_numpy()

    assert np.allclose(found, values.sum(0, dtype=np.float64), rtol=1e-5, atol=1e-3)
    assert np.array_equal(weft.max(tensor, 0).to_numpy(), values.max(0))


def test_a_dot_product_of_a_tensor_with_itself_reads_it_once(device):
    values = np.random.default_rng(5).standard_normal(30_001).astype(np.float32)
    tensor = weft.Tensor.from_numpy(device, values)

    assert weft.dot(tensor, tensor) == pytest.approx(np.dot(values, values), rel=1e-5)
    assert weft.all_close(tensor, tensor)


def test_two_sums_agree_bit_for_bit(device):
    values = np.random.default_rng(6).standard_normal(300_007).astype(np.float32)
    tensor = weft.Tensor.from_numpy(device, values)

    assert len({weft.sum(tensor[3:]) for _ in range(5)}) == 1
