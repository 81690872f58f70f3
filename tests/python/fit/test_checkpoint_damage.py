# SPDX-License-Identifier: Apache-2.0
"""Any bit of a checkpoint may flip: it is read as it was written, or refused by name."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft.fit import checkpoint

RANDOM_FLIPS = 3000
EDGE_BYTES = 64
"""Of the first and the last bytes every bit is flipped: headers and the directory stand there."""


@pytest.fixture(scope="module")
def written():
    """A state as fits have it."""
    rng = np.random.default_rng(0)
    return {
        "history": rng.random((5, 3)),
        "values.paint.base_color": rng.random((5, 3)),
        "errors.paint.base_color": rng.random((5, 3)),
        "adam.first": rng.random((16, 16, 3)).astype(np.float32),
        "step": np.array(5),
        "fingerprint": np.array("the same"),
        "format": np.array(checkpoint.FORMAT),
    }


@pytest.fixture
def load(monkeypatch, tmp_path):
    """Read bytes as the checkpoint of a fit that has the right fingerprint."""
    monkeypatch.setattr(checkpoint, "fingerprint", lambda fit: "the same")

    def read(content):
        path = tmp_path / "fit.npz"
        path.write_bytes(content)
        return checkpoint.load_state(path, None)

    return read


@pytest.fixture(scope="module")
def whole(written, tmp_path_factory):
    path = tmp_path_factory.mktemp("checkpoint") / "fit.npz"
    digest = checkpoint._digest(written)
    with path.open("wb") as stream:
        np.savez_compressed(stream, **written, digest=np.array(digest))
    return path.read_bytes()


def flipped(content, bit):
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def bits_of(content):
    bits = len(content) * 8
    edges = [*range(EDGE_BYTES * 8), *range(bits - EDGE_BYTES * 8, bits)]
    return edges + np.random.default_rng(1).integers(0, bits, RANDOM_FLIPS).tolist()


def test_a_whole_checkpoint_is_read_as_it_was_written(load, whole, written):
    state = load(whole)

    assert all(np.array_equal(state[name], value) for name, value in written.items())


@pytest.mark.full
def test_every_flipped_bit_is_harmless_or_refused(load, whole, written):
    refused = harmless = 0
    for bit in bits_of(whole):
        try:
            state = load(flipped(whole, bit))
        except weft.ArgumentError as error:
            refused += "fit.npz" in str(error) and len(str(error)) < 1000
        else:
            harmless += 1
            assert all(np.array_equal(state[name], value) for name, value in written.items()), bit
    assert refused + harmless == len(bits_of(whole))
    assert refused > RANDOM_FLIPS / 2


@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.9, 0.99])
def test_cut_checkpoints_are_refused(load, whole, part):
    with pytest.raises(weft.ArgumentError, match="no checkpoint"):
        load(whole[: int(len(whole) * part)])


def test_a_state_without_its_digest_is_refused(load, written, tmp_path):
    with (tmp_path / "bare.npz").open("wb") as stream:
        np.savez_compressed(stream, **written)

    with pytest.raises(weft.ArgumentError, match="damaged"):
        load((tmp_path / "bare.npz").read_bytes())
