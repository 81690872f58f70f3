# SPDX-License-Identifier: Apache-2.0
"""Host functions of SlangTorch: they allocate and dispatch, without a compiler of the host's."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.slangtorch_host import TEXT, runs_of
from weft import slangtorch


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    found = tmp_path_factory.mktemp("host") / "host.slang"
    found.write_text(TEXT)
    return found


@pytest.fixture
def module(device, path):
    return slangtorch.loadModule(path, device=device)


@pytest.fixture
def image():
    return np.random.default_rng(1).random((5, 11), np.float32)


def test_a_host_function_allocates_and_dispatches(module, image):
    assert np.array_equal(module.square(image), image * image)


def test_helper_functions_loops_and_numbers(module, image):
    expected = image
    for _ in range(3):
        expected = expected * expected
    assert np.allclose(module.power(image, 3), expected, rtol=1e-6)
    assert module.power(image, 0) is image


@pytest.mark.parametrize("rank", [1, 2])
def test_structures_arrays_vectors_and_branches(module, rank):
    given = np.ones((4,) * rank, np.float32)

    (tensors, area, sizes) = module.many(given, [3, 4, 5], True)

    assert tensors[0] is given
    assert tensors[1].tolist() == np.full((2, 3), 0 if rank == 2 else 3).tolist()
    assert area == 4 * 4 * (4 if rank == 2 else 1)
    assert list(sizes) == [2, 3]


def test_vectors_add_their_length_to_the_shape(module):
    found = module.painted([1, 2, 3])
    assert found.tolist() == [[k, 2 * k, 3 * k] for k in (1, 3, 5, 7)]


@pytest.mark.parametrize("number", [0, 1])
def test_tuples_are_structures(module, image, number):
    other = image + 1
    assert module.chosen((image, number), other) is (image if number else other)
    assert module.chosen({"a": image, "number": number}, other) is (image if number else other)


def test_what_kernels_write_to_an_argument_is_seen(module):
    numbers = np.arange(4, dtype=np.int32)
    assert module.bump(numbers) is None
    assert numbers.tolist() == [1, 2, 3, 4]
    numbers.flags.writeable = False
    with pytest.raises(weft.ArgumentError, match="read only, and a kernel wrote"):
        module.bump(numbers)


def test_a_record_may_be_long(module):
    numbers = np.zeros(3, np.int32)
    module.long_one(numbers, 300)
    assert numbers.tolist() == [300] * 3


def test_tensors_of_the_device_are_answered_with_such(device, module, image):
    found = module.square(weft.Tensor.from_numpy(device, image))
    assert isinstance(found, weft.Tensor)
    assert np.array_equal(found.numpy(), image * image)


def test_equal_calls_are_recorded_once(module, image, monkeypatch):
    runs = runs_of(module.power, monkeypatch)
    for values in (image, 2 * image, image + 1):
        assert np.allclose(module.power(values, 1), values * values, rtol=1e-6)
    assert len(runs) == 1
    module.power(image, 2)
    module.power(image[:2], 2)
    assert len(runs) == 3
    module.power(image[:2], 2)
    assert len(runs) == 3


def test_records_tell_numbers_and_zeros_by_their_signs(module):
    for sign in (1.0, -1.0, 1.0):
        found = module.painted([sign * 0.0, 1, 2])
        assert np.signbit(found[:, 0]).tolist() == [sign < 0] * 4


def test_what_a_caller_does_to_a_result_is_not_recorded(device, tmp_path, module):
    given = np.ones((4, 4), np.float32)
    module.many(given, [3, 4, 5], True)[0][1][:] = 7
    assert not module.many(given, [3, 4, 5], True)[0][1].any()

    path = tmp_path / "matrix.slang"
    path.write_text("[TorchEntryPoint] float2x2 scaled(float x) { return float2x2(x, 0, 0, x); }")
    scaled = slangtorch.loadModule(path, device=device).scaled
    np.asarray(scaled(3.0))[...] = 7
    assert np.asarray(scaled(3.0)).tolist() == [[3, 0], [0, 3]]


def test_few_records_are_kept(module):
    numbers = np.zeros(1, np.int32)
    for count in range(70):
        module.long_one(numbers, count)
    assert numbers[0] == sum(range(70))
    assert len(module.long_one._records) == 64
    module.long_one(numbers, 10_000)
    assert numbers[0] == sum(range(70)) + 10_000
    assert len(module.long_one._records) == 64


def test_records_are_dropped_when_the_file_changes(device, tmp_path):
    path = tmp_path / "edited.slang"
    text = """
    [TorchEntryPoint]
    TorchTensor<float> f() { var t = TorchTensor<float>.alloc(2); t.fillValue(1); return t; }
    """
    path.write_text(text)
    assert slangtorch.loadModule(path, device=device).f().tolist() == [1, 1]
    path.write_text(text.replace("Value(1)", "Value(2)"))
    assert slangtorch.loadModule(path, device=device).f().tolist() == [2, 2]


def test_wrong_arguments_are_named(module, image):
    with pytest.raises(weft.ArgumentTypeError, match=r"expected 1 arguments by position \(input\)"):
        module.square(image, 2)
    with pytest.raises(weft.ArgumentTypeError, match="argument 'input' must be a tensor, got int"):
        module.square(3)
    with pytest.raises(weft.ArgumentTypeError, match=r"'pair' must be a tuple \(a, number\)"):
        module.chosen((image,), image)
    with pytest.raises(weft.ArgumentTypeError, match=r"'input' must have elements of float32"):
        module.square(image.astype(np.float64))


def test_a_dispatch_that_cannot_be_launched_is_named(module):
    with pytest.raises(weft.ArgumentError, match=r"increment.*has 5000 threads, expected at most"):
        module.bump(np.zeros(5000, np.int32))


def test_a_dispatch_of_what_is_no_kernel_of_the_file_does_not_compile(device, tmp_path):
    path = tmp_path / "wrong.slang"
    path.write_text(
        "[TorchEntryPoint] void f(TorchTensor<float> t) "
        "{ __dispatch_kernel(nothing, uint3(1), uint3(1))(t); }"
    )
    with pytest.raises(weft.CompileError, match=r"undefined identifier .recordLaunchOf_nothing"):
        slangtorch.loadModule(path, device=device)
