# SPDX-License-Identifier: Apache-2.0
"""Weights of multilayer perceptrons; the networks themselves are in Slang: ``import mlp;``."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import ArgumentError, Device, Tensor, Type

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["create_hash_grid", "create_weights", "layers", "weight_count"]


def weight_count(
    inputs: int, outputs: int, hidden: Sequence[int] = (), *, biases: bool = False
) -> int:
    """Return how many numbers the weights of a network are.

    Args:
        inputs: Values that go in, ``In`` of ``MLP<In, Out, ...>``.
        outputs: Values that come out.
        hidden: Values of each hidden layer, at most eight layers.
        biases: Each layer adds one number to each of its sums.

    Raises:
        ArgumentError: A size is below 1, or there are more than eight hidden layers.
    """
    sizes = [inputs, *hidden, outputs]
    if min(sizes) < 1 or len(hidden) > 8:
        raise ArgumentError(
            f"weight_count: sizes must be 1 or greater and hidden layers at most 8, got {sizes}; "
            "leave out hidden layers without values"
        )
    return sum((fan_in + biases) * fan_out for fan_in, fan_out in pairwise(sizes))


def layers(
    weights: NDArray[Any],
    inputs: int,
    outputs: int,
    hidden: Sequence[int] = (),
    *,
    biases: bool = False,
) -> Iterator[tuple[NDArray[Any], NDArray[Any] | None]]:
    """Split weights, or their gradient, into layers.

    Args:
        weights: All numbers of the network, of any shape.
        inputs: As for ``weight_count``, like the others.
        outputs: Values that come out.
        hidden: Values of each hidden layer.
        biases: Each layer has biases.

    Returns:
        For each layer a view of its weights, shape ``(values in, values out)``, and of its biases,
        shape ``(values out,)``, or ``None``. The layer computes ``values @ weights + biases``.

    Raises:
        ArgumentError: The number of weights is not that of the network.

    Example:
        >>> for weight, bias in weft.mlp.layers(tensor.to_numpy(), 32, 8, [64], biases=True): ...
    """
    flat = np.reshape(weights, -1)
    count = weight_count(inputs, outputs, hidden, biases=biases)
    if flat.size != count:
        raise ArgumentError(f"layers: the network has {count} weights, got {flat.size}")
    at = 0
    for fan_in, fan_out in pairwise([inputs, *hidden, outputs]):
        middle = at + fan_in * fan_out
        end = middle + fan_out * biases
        bias = flat[middle:end] if biases else None
        yield flat[at:middle].reshape(fan_in, fan_out), bias
        at = end


def create_weights(
    device: Device,
    inputs: int,
    outputs: int,
    hidden: Sequence[int] = (),
    *,
    biases: bool = False,
    dtype: Type | str | None = None,
    initialisation: str = "he",
    seed: int = 0,
) -> Tensor:
    """Create random weights of a network, to be passed for its ``MLP<...>`` or ``Network<...>``.

    Args:
        device: Where the weights shall be.
        inputs: Values that go in, ``In`` of ``MLP<In, Out, ...>``.
        outputs: Values that come out.
        hidden: Values of each hidden layer, at most eight layers.
        biases: The network has biases; they start at zero.
        dtype: ``weft.float32``, the default, or ``weft.float16``: first argument of ``Network``.
        initialisation: ``"he"``, uniform within sqrt(6 / values in), for ReLU and its relatives
            (He et al., "Delving Deep into Rectifiers", ICCV 2015, section 2.2), or ``"xavier"``,
            uniform within sqrt(6 / (values in + values out)), for others (Glorot and Bengio,
            "Understanding the difficulty of training deep feedforward neural networks", AISTATS
            2010, equation 16).
        seed: Equal seeds give equal weights.

    Returns:
        Shape ``(inputs, outputs)`` for one layer without biases, else ``(count,)`` in the layout of
        ``layers``. Call ``with_grads()`` on it to get derivatives.

    Raises:
        ArgumentError: A size is below 1, or ``initialisation`` is another word.

    Example:
        >>> weights = weft.mlp.create_weights(device, 32, 8, hidden=[64, 64]).with_grads()
    """
    if initialisation not in ("he", "xavier"):
        raise ArgumentError(
            f"create_weights: initialisation must be 'he' or 'xavier', got {initialisation!r}"
        )
    values = np.zeros(weight_count(inputs, outputs, hidden, biases=biases), np.float32)
    generator = np.random.default_rng(seed)
    for weight, _ in layers(values, inputs, outputs, hidden, biases=biases):
        fan_in, fan_out = weight.shape
        limit = np.sqrt(6 / (fan_in if initialisation == "he" else fan_in + fan_out))
        weight[...] = generator.uniform(-limit, limit, weight.shape)
    shape = (inputs, outputs) if not hidden and not biases else values.shape
    weights = Tensor.empty(device, shape, dtype)
    weights.copy_from_numpy(values.reshape(shape).astype(weights.dtype.numpy_name))
    return weights


def create_hash_grid(
    device: Device, levels: int, features: int, entries: int, *, seed: int = 0
) -> Tensor:
    """Create the tables of a ``HashGrid<D, Levels, Features, Entries, Coarsest, Finest>``.

    Args:
        device: Where the tables shall be.
        levels: Grids, from coarse to fine.
        features: Numbers a row.
        entries: Rows of each table.
        seed: Equal seeds give equal tables.

    Returns:
        Uniform within 1e-4, shape ``(levels * entries, features)`` (Mueller et al., "Instant Neural
        Graphics Primitives with a Multiresolution Hash Encoding", ACM Transactions on Graphics
        41(4), 2022, section 4). Call ``with_grads()`` on it to get derivatives.

    Raises:
        ArgumentError: A number is below 1.
    """
    if min(levels, features, entries) < 1:
        raise ArgumentError(
            "create_hash_grid: levels, features and entries must be 1 or greater, got "
            f"{levels}, {features} and {entries}"
        )
    generator = np.random.default_rng(seed)
    values = generator.uniform(-1e-4, 1e-4, (levels * entries, features))
    return Tensor.from_numpy(device, values.astype(np.float32))
