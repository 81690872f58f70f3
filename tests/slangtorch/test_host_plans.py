# SPDX-License-Identifier: Apache-2.0
"""Host functions called again with tensors of the device: their records are not read again."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.slangtorch_host import TEXT, runs_of
from support.slangtorch_modules import load
from weft import Tensor, slangtorch
from weft.slangtorch import host

__all__ = ["load"]  # the fixture


@pytest.fixture
def module(load):
    return load(TEXT)


@pytest.fixture
def replays(monkeypatch):
    """A list that grows by one whenever a record is read."""
    found, run = [], host.Replay.run

    def counted(self, words):
        found.append(1)
        return run(self, words)

    monkeypatch.setattr(host.Replay, "run", counted)
    return found


def put(module, array):
    return Tensor.from_numpy(module.device, np.asarray(array, np.float32))


def test_a_second_call_reads_no_record(module, replays, monkeypatch):
    runs = runs_of(module.power, monkeypatch)
    for k in range(4):
        values = np.full((3, 2), 1.0 + k)
        found = module.power(put(module, values), 2)
        assert isinstance(found, Tensor)
        assert np.allclose(found.numpy(), values**4)
    assert len(replays) == len(runs) == 1


def test_calls_that_differ_have_their_own(module, replays):
    for _ in range(2):
        for shape in ((3, 2), (2, 3), (4, 4)):
            for count in (0, 1, 2):
                values = np.linspace(0.5, 1.5, np.prod(shape)).reshape(shape)
                found = module.power(put(module, values), count).numpy()
                assert np.allclose(found, values ** (2**count), rtol=1e-5)
    assert len(replays) == 9


def test_results_of_two_calls_are_not_the_same_memory(module):
    first, second = (module.square(put(module, [[2.0, 3.0]])) for _ in range(2))
    first.copy_from_numpy(np.zeros((1, 2), np.float32))
    assert second.numpy().tolist() == [[4.0, 9.0]]


@pytest.mark.parametrize("is_on", [True, False])
def test_structures_and_numbers_come_back_as_at_first(module, replays, is_on):
    image = put(module, np.ones((4, 4)))
    answers = [module.many(image, [3.0, 4.0, 5.0], is_on) for _ in range(3)]
    for tensors, area, sizes in answers:
        assert tensors[0] is image
        assert not tensors[1].numpy().any()
        assert area == answers[0][1]
        assert list(sizes) == list(answers[0][2])
    assert len(replays) == 1


def test_what_a_fill_wrote_is_written_again(module):
    image = put(module, np.ones(4))
    for _ in range(3):
        tensors, _area, _sizes = module.many(image, [3.0, 4.0, 5.0], True)
        assert tensors[1].numpy().tolist() == [[3.0] * 3] * 2
        tensors[1].fill(7)


def test_signs_of_zeros_and_types_of_numbers_count(module):
    image = put(module, np.ones((4, 4)))
    module.many(image, [0.0, 1.0, 2.0], True)
    for sign in (1.0, -1.0, 1.0, -1.0):
        tensors, _area, _sizes = module.many(put(module, np.ones(4)), [sign * 0.0, 1, 2], True)
        assert np.signbit(tensors[1].numpy()).all() == (sign < 0)


def test_other_tensors_go_the_long_way(module, replays):
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    whole = put(module, values)
    module.square(whole)
    module.square(whole)
    assert len(replays) == 1
    for part, expected in ((whole[:, ::2], values[:, ::2]), (values, values)):
        assert np.array_equal(np.asarray(module.square(part)), expected**2)
    assert len(replays) == 3
    with pytest.raises(weft.ArgumentTypeError, match="must be a tensor, got"):
        module.square("no")


def test_an_edited_source_is_recorded_again(device, tmp_path, replays):
    path = tmp_path / "edited.slang"
    path.write_text(TEXT)
    module = slangtorch.loadModule(str(path), device=device)
    image = put(module, [[3.0]])
    assert [module.square(image).numpy().item() for _ in range(2)] == [9, 9]
    path.write_text(TEXT.replace("input[i] * input[i]", "input[i] + 1"))
    slangtorch.loadModule(str(path), device=device)
    assert [module.square(image).numpy().item() for _ in range(2)] == [4, 4]
    assert len(replays) == 2


def test_tensors_of_torch_on_the_gpu_go_the_short_way(module, replays):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    if module.device._torch_gpu < 0 or not torch.cuda.is_available():
        pytest.skip("no CUDA device for torch")
    image = torch.rand(5, 6, device="cuda")
    for _ in range(3):
        found = module.square(image)
        assert found.is_cuda
        assert torch.equal(found, image * image)
        image = image * 0.5
    assert len(replays) == 1
    with torch.cuda.stream(torch.cuda.Stream()):
        image = torch.rand(5, 6, device="cuda")
        assert torch.equal(module.square(image), image * image)
    leaf = torch.rand(5, 6, device="cuda", requires_grad=True)
    assert torch.equal(module.square(leaf), leaf.detach() ** 2)
    assert len(replays) == 2
