# SPDX-License-Identifier: Apache-2.0
"""Derivatives for those who think in functions: vjp, jvp, value_and_grad, check_gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import ArgumentError, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from weft._native import Function

    Wrt = Sequence[int | str]
    Floats = NDArray[np.floating]


def _positions(name: str, function: Function, count: int, wrt: Wrt) -> list[int]:
    """Return the positions of the arguments to differentiate by."""
    parameters = [parameter.name for parameter in function.signature.parameters]
    positions = []
    for entry in wrt:
        position = parameters.index(entry) if entry in parameters else entry
        if not isinstance(position, int) or not 0 <= position < count:
            raise ArgumentError(
                f"{name}: wrt names {entry!r}, expected a position below {count} or one of "
                f"{', '.join(parameters)}; pass the argument by position"
            )
        positions.append(position)
    return positions


def _as_tensor(name: str, function: Function, value: object) -> Tensor:
    """Return an argument as a tensor."""
    if isinstance(value, Tensor):
        return value
    array = np.asarray(value)
    if array.dtype.kind not in "fiu":
        raise ArgumentError(
            f"{name}: an argument to differentiate by must be a number, an array or a Tensor, "
            f"got {type(value).__name__}; pass a structure as a Tensor"
        )
    kept = array.dtype if array.dtype == np.float16 else np.float32
    return Tensor.from_numpy(function.device, array.astype(kept))


def _with_tensors(
    name: str, function: Function, arguments: Sequence[Any], wrt: Wrt
) -> tuple[list[Any], list[int]]:
    """Return the arguments, those of ``wrt`` as tensors, and the positions of these."""
    positions = _positions(name, function, len(arguments), wrt)
    values = list(arguments)
    for position in positions:
        values[position] = _as_tensor(name, function, values[position])
    return values, positions


def _zero_gradient(tensor: Tensor) -> Tensor:
    """Return a gradient for a tensor: zeros of its shape and differential type."""
    gradient = tensor.with_grads().grad_in
    assert gradient is not None  # with_grads() makes one
    return gradient


def _like(gradient: Tensor, value: object) -> Tensor:
    """Return a tensor like ``gradient`` that holds ``value``, broadcast."""
    if isinstance(value, Tensor):
        return value
    shape, scalar = gradient.to_numpy().shape, gradient.to_numpy().dtype
    made = Tensor.empty_like(gradient)
    made.copy_from_numpy(np.broadcast_to(np.asarray(value, scalar), shape).copy())
    return made


def vjp(
    function: Function, *arguments: object, wrt: Wrt = (0,)
) -> tuple[Tensor, Callable[[Any], tuple[Tensor, ...]]]:
    """Evaluate a function and return its pullback.

    Args:
        function: A [Differentiable] function that returns a value.
        arguments: As for a call. Those named by ``wrt`` are numbers, arrays or Tensors.
        wrt: Arguments to differentiate by: positions or parameter names.

    Returns:
        The value, a Tensor of the call's shape, and a function that takes a cotangent (a Tensor, an
        array or a number that broadcasts to the value) and returns one gradient for each entry of
        ``wrt``, with the shape of that argument.

    Raises:
        ArgumentError: The function is not differentiable, ``wrt`` names no argument, or an argument
            cannot be differentiated by.
    """
    values, positions = _with_tensors("vjp", function, arguments, wrt)
    value = _as_tensor("vjp", function, function(*values))

    def pullback(cotangent: object) -> tuple[Tensor, ...]:
        """Return the gradients for one cotangent."""
        inputs = list(values)
        for position in positions:
            inputs[position] = values[position].with_grads()
        result = Tensor.empty_like(value)
        result = result.with_grads(grad_in=_like(_zero_gradient(value), cotangent))
        function.bwds(*inputs, _result=result)
        return tuple(inputs[position].grad_out for position in positions)

    return value, pullback


def jvp(
    function: Function, arguments: Sequence[Any], tangents: Sequence[Any], wrt: Wrt | None = None
) -> tuple[Tensor, Tensor]:
    """Evaluate a function and its derivative along a direction, by forward mode.

    Args:
        function: A [Differentiable] function that returns a value.
        arguments: As for a call.
        tangents: One for each entry of ``wrt``: a Tensor, array or number that broadcasts to it.
        wrt: Arguments that move: positions or parameter names; None: all.

    Returns:
        The value and its tangent, Tensors of the call's shape.

    Raises:
        ArgumentError: As of :func:`vjp`, or the numbers of tangents and arguments differ.
    """
    names = range(len(arguments)) if wrt is None else wrt
    if len(tangents) != len(names):
        raise ArgumentError(
            f"jvp: {len(names)} arguments move, but {len(tangents)} tangents are given; "
            "give one each"
        )
    values, positions = _with_tensors("jvp", function, arguments, list(names))
    shape_of = _as_tensor("jvp", function, function(*values))
    for position, tangent in zip(positions, tangents, strict=True):
        moved = values[position]
        values[position] = moved.with_grads(grad_in=_like(_zero_gradient(moved), tangent))
    result = Tensor.empty_like(shape_of)
    result_tangent = _zero_gradient(result)
    function.fwds(*values, _result=result.with_grads(grad_out=result_tangent))
    return result, result_tangent


def value_and_grad(
    function: Function, wrt: Wrt = (0,)
) -> Callable[..., tuple[Tensor, tuple[Tensor, ...]]]:
    """Return a function that gives the value and the gradients of the sum of its elements.

    Args:
        function: A [Differentiable] function that returns a value.
        wrt: Arguments to differentiate by: positions or parameter names.

    Returns:
        A function of the same arguments. It returns the value, and one gradient for each entry of
        ``wrt``.

    Raises:
        ArgumentError: As of :func:`vjp`, when the returned function is called.
    """

    def evaluate(*arguments: object) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Return the value and the gradients."""
        value, pullback = vjp(function, *arguments, wrt=wrt)
        return value, pullback(1.0)

    return evaluate


@dataclass(frozen=True)
class GradientCheck:
    """What :func:`check_gradients` found."""

    passed: bool
    """No difference is larger than the tolerance."""
    differences: list[str]
    """Where a gradient differs from its central difference or forward mode, and by how much."""
    largest: float
    """The largest relative difference."""


@dataclass(frozen=True)
class _Pair:
    """A number of the backward derivative and what it should be."""

    label: str
    found: float
    expected: float
    scale: float
    """Differences below it count less than their relative size."""

    @property
    def error(self) -> float:
        size = max(abs(self.found), abs(self.expected), self.scale)
        return abs(self.found - self.expected) / size

    def __str__(self) -> str:
        return (
            f"{self.label}: the gradient is {self.found:.6g}, expected {self.expected:.6g}, "
            f"relative difference {self.error:.2g}"
        )


def _weighed(cotangent: Floats, value: Floats) -> float:
    """Return <cotangent, value> in double precision."""
    return float(np.sum(cotangent * np.asarray(value, np.float64)))


def _difference_pairs(
    function: Function,
    values: list[Any],
    position: int,
    gradient: Floats,
    cotangent: Floats,
    picks: NDArray[np.integer],
    step: float,
) -> list[_Pair]:
    """Hold picked elements of one gradient against central differences."""
    base = values[position].to_numpy()
    name = function.signature.parameters[position].name
    scale = float(np.abs(gradient).max(initial=0.0)) or 1.0

    def loss(array: Floats) -> float:
        moved = list(values)
        moved[position] = Tensor.empty_like(values[position])
        moved[position].copy_from_numpy(array)
        result = _as_tensor("check_gradients", function, function(*moved))
        return _weighed(cotangent, result.to_numpy())

    pairs = []
    for index in picks:
        place = np.unravel_index(index, base.shape)
        above, below = base.copy(), base.copy()
        above[place] += step
        below[place] -= step
        slope = (loss(above) - loss(below)) / float(above[place] - below[place])
        where = ", ".join(str(entry) for entry in place)
        label = f"{name}[{where}] by central differences"
        pairs.append(_Pair(label, float(gradient[place]), slope, scale))
    return pairs


def _product_pair(
    function: Function,
    values: list[Any],
    positions: list[int],
    gradients: list[Floats],
    cotangent: Floats,
    random: np.random.Generator,
) -> _Pair:
    """Hold <vjp, direction> against <cotangent, jvp> for one random direction."""
    directions = [random.standard_normal(gradient.shape) for gradient in gradients]
    _, tangent = jvp(function, values, directions, wrt=positions)
    moved = tangent.to_numpy()
    found = sum(
        _weighed(way, gradient) for way, gradient in zip(directions, gradients, strict=True)
    )
    scale = _weighed(np.abs(cotangent), np.abs(moved)) or 1.0
    return _Pair("<vjp, direction> by forward mode", found, _weighed(cotangent, moved), scale)


def check_gradients(
    function: Function,
    *arguments: object,
    wrt: Wrt = (0,),
    step: float = 1e-3,
    tolerance: float = 1e-2,
    samples: int = 20,
    seed: int = 0,
) -> GradientCheck:
    """Compare the backward derivative with central differences and with forward mode.

    A random cotangent weighs the elements of the value: L(x) = <cotangent, f(x)>. For random
    elements of every argument of ``wrt`` the gradient is held against
    (L(x + step) - L(x - step)) / (2 step); for a random direction, <vjp, direction> against
    <cotangent, jvp>, which needs no step. What differs is printed.

    Args:
        function: A [Differentiable] function that returns a value.
        arguments: As for a call; keep away from kinks such as ``abs`` at 0.
        wrt: Arguments to check: positions or parameter names, of float or double elements.
        step: Of the central differences, in units of the argument.
        tolerance: Largest relative difference; single precision and the step allow about 1e-2.
        samples: Elements of each argument that are tried.
        seed: Of the random choices.

    Returns:
        The differences found.

    Raises:
        ArgumentError: As of :func:`vjp`.
    """
    values, positions = _with_tensors("check_gradients", function, arguments, wrt)
    random = np.random.default_rng(seed)
    value, pullback = vjp(function, *values, wrt=positions)
    cotangent = random.standard_normal(value.to_numpy().shape)
    gradients = [gradient.to_numpy() for gradient in pullback(cotangent)]
    pairs = []
    for position, gradient in zip(positions, gradients, strict=True):
        picks = random.permutation(gradient.size)[:samples]
        pairs += _difference_pairs(function, values, position, gradient, cotangent, picks, step)
    pairs.append(_product_pair(function, values, positions, gradients, cotangent, random))
    differences = [str(pair) for pair in pairs if not pair.error <= tolerance]
    for line in differences:
        print(f"check_gradients: {function.name}: {line}")
    return GradientCheck(not differences, differences, max(pair.error for pair in pairs))
