# SPDX-License-Identifier: Apache-2.0
"""Derivatives for those who think in functions: vjp, jvp, value_and_grad."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import ArgumentError, Direction, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from weft._native import Function, Parameter

    Wrt = Sequence[int | str]
    Floats = NDArray[np.floating]


CHANGEABLE = re.compile(r"(?:weft\.)?I?RW\w*Tensor\b")
"""Tensors that a function reads and writes."""


def argument_positions(
    name: str, parameters: Sequence[Parameter], count: int, wrt: Wrt, keyword: str = "wrt"
) -> list[int]:
    """Return the positions of the arguments that ``wrt`` or ``outputs`` names.

    Args:
        name: Of the function of Weft's, for messages.
        parameters: Of the Slang function.
        count: Of the arguments that are passed by position.
        wrt: Names and positions.
        keyword: That gave them, for messages.

    Raises:
        ArgumentError: One names no argument.
    """
    names = [parameter.name for parameter in parameters]
    positions = []
    for entry in wrt:
        position = names.index(entry) if entry in names else entry
        if not isinstance(position, int) or not 0 <= position < count:
            raise ArgumentError(
                f"{name}: {keyword} names {entry!r}, expected a position below {count} or one of "
                f"{', '.join(names)}; pass the argument by position"
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
    positions = argument_positions(name, function.signature.parameters, len(arguments), wrt)
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


def _is_inout(parameter: Parameter) -> bool:
    return parameter.direction == Direction.inout


def _may_change(parameter: Parameter) -> bool:
    """Return whether a function may change what it reads; of pointers nobody knows."""
    return _is_inout(parameter) or CHANGEABLE.match(str(parameter.type)) is not None


def _copy(value: Tensor | NDArray[Any]) -> Tensor | NDArray[Any]:
    """Return a copy, for tensors with the gradients of the original."""
    if not isinstance(value, Tensor):
        return value.copy()
    copy = Tensor.empty_like(value)
    copy[...] = value
    if value.grad_in is None and value.grad_out is None:
        return copy
    return copy.with_grads(grad_in=value.grad_in, grad_out=value.grad_out)


def _own(
    name: str, function: Function, parameter: Parameter, value: object
) -> Tensor | NDArray[Any]:
    """Return an argument that the function may change as something to copy."""
    if isinstance(value, Tensor):
        return value
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        raise ArgumentError(
            f"{name}: {function.name} may change {parameter.name!r}, of which a copy is passed on: "
            f"it must be a number, an array or a Tensor, got {type(value).__name__}; pass a "
            "structure as a Tensor"
        )
    needs_gradient = _is_inout(parameter) and array.dtype.kind == "f"
    return _as_tensor(name, function, array) if needs_gradient else array


class _Call:
    """A function with arguments, as a map from the tensors of ``wrt`` to tensors of values.

    What the function may change is copied for each call: a gradient is that at the values given,
    and the caller's data stay as they are.
    """

    def __init__(
        self, name: str, function: Function, arguments: Sequence[Any], wrt: Wrt, outputs: Wrt
    ) -> None:
        self.name = name
        self.function = function
        self.values, self.inputs = _with_tensors(name, function, arguments, wrt)
        self.outputs = argument_positions(
            name, function.signature.parameters, len(arguments), outputs, "outputs"
        )
        parameters = function.signature.parameters
        places = range(min(len(arguments), len(parameters)))
        self.changed = [i for i in places if _may_change(parameters[i]) and i not in self.outputs]
        self.inouts = [i for i in self.changed if _is_inout(parameters[i])]
        for position in self.changed:
            given = self.values[position]
            self.values[position] = _own(name, function, parameters[position], given)
        for position in self.outputs:
            self._require_output(position)

    def _require_output(self, position: int) -> None:
        name, function = self.name, self.function
        parameters = function.signature.parameters
        if position < len(parameters) and _is_inout(parameters[position]):
            raise ArgumentError(
                f"{name}: outputs names {parameters[position].name!r}, an inout parameter, "
                f"which {function.name} reads before it writes it; write the value to an out "
                "parameter, or call bwds with two gradients, with_grads(grad_in=, grad_out=)"
            )
        if not isinstance(self.values[position], Tensor) or position in self.inputs:
            parameter = function.signature.parameters[position].name
            raise ArgumentError(
                f"{name}: outputs names {parameter!r}, which must be a Tensor that "
                f"{function.name} only writes; pass one, and leave it out of wrt"
            )

    def _fresh(self, moved: Mapping[int, Tensor] | None = None) -> list[Any]:
        """Return arguments for one call: zeroed outputs, and copies of what it may change."""
        values = list(self.values)
        for position, tensor in (moved or {}).items():
            values[position] = tensor
        for position in self.outputs:
            values[position] = Tensor.zeros_like(values[position])
        for position in self.changed:
            values[position] = _copy(values[position])
        return values

    def _with_gradients(self, values: list[Any]) -> None:
        """Give the inout parameters gradients of zero, for derivatives ask for them."""
        for position in self.inouts:
            tensor = values[position]
            is_float = isinstance(tensor, Tensor) and tensor.to_numpy().dtype.kind in "fV"
            if is_float and position not in self.inputs:
                values[position] = tensor.with_grads()

    def evaluate(self, moved: Mapping[int, Tensor] | None = None) -> list[Tensor]:
        """Return the values, for other tensors at some positions."""
        values = self._fresh(moved)
        result = self.function(*values)
        if self.outputs:
            return [values[position] for position in self.outputs]
        return [_as_tensor(self.name, self.function, result)]

    def backward(self, results: Sequence[Tensor], cotangents: Sequence[Any]) -> tuple[Tensor, ...]:
        """Return the gradients of the inputs for one cotangent of each value."""
        values = self._fresh()
        self._with_gradients(values)
        for position in self.inputs:
            values[position] = values[position].with_grads()
        held = [
            Tensor.empty_like(result).with_grads(grad_in=_like(_zero_gradient(result), cotangent))
            for result, cotangent in zip(results, cotangents, strict=True)
        ]
        self._run(self.function.bwds, values, held)
        return tuple(values[position].grad_out for position in self.inputs)

    def forward(self, results: Sequence[Tensor], tangents: Sequence[Any]) -> list[Tensor]:
        """Return the tangents of the values, and write the values into ``results``."""
        values = self._fresh()
        self._with_gradients(values)
        for position, tangent in zip(self.inputs, tangents, strict=True):
            moved = values[position]
            given = _like(_zero_gradient(moved), tangent)
            is_inout = position in self.inouts  # which fwds writes
            values[position] = moved.with_grads(grad_in=_copy(given) if is_inout else given)
        moving = [_zero_gradient(result) for result in results]
        held = [
            result.with_grads(grad_out=tangent)
            for result, tangent in zip(results, moving, strict=True)
        ]
        self._run(self.function.fwds, values, held)
        return moving

    def _run(self, derivative: Function, values: list[Any], held: Sequence[Tensor]) -> None:
        """Call a derivative with tensors for the values."""
        if not self.outputs:
            derivative(*values, _result=held[0])
            return
        for position, tensor in zip(self.outputs, held, strict=True):
            values[position] = tensor
        derivative(*values)

    def packed(self, tensors: Sequence[Tensor]) -> Tensor | tuple[Tensor, ...]:
        """Return one tensor as it is, and several as a tuple."""
        return tensors[0] if len(tensors) == 1 else tuple(tensors)

    def unpacked(self, given: object, kind: str) -> Sequence[Any]:
        """Return one entry for each value."""
        if len(self.outputs) < 2:
            return [given]
        if not isinstance(given, (list, tuple)) or len(given) != len(self.outputs):
            raise ArgumentError(
                f"{self.name}: {self.function.name} writes {len(self.outputs)} outputs; pass a "
                f"tuple of as many {kind}"
            )
        return given


def vjp(
    function: Function, *arguments: object, wrt: Wrt = (0,), outputs: Wrt = ()
) -> tuple[Any, Callable[[object], tuple[Tensor, ...]]]:
    """Evaluate a function and return its pullback.

    Args:
        function: A [Differentiable] function that returns a value, or writes ``outputs``.
        arguments: As for a call. Those named by ``wrt`` are numbers, arrays or Tensors.
        wrt: Arguments to differentiate by: positions or parameter names.
        outputs: Arguments that the function writes its values to, such as an ``IWDiffTensor``:
            positions or parameter names. Tensors give shape and type; they are not written.

    Returns:
        The value, a Tensor of the call's shape (of ``outputs``: a Tensor, or a tuple of several),
        and a function that takes a cotangent of it (a Tensor, an array or a number that broadcasts;
        for several outputs a tuple) and returns one gradient for each entry of ``wrt``, with the
        shape of that argument.

    Raises:
        ArgumentError: The function is not differentiable, ``wrt`` or ``outputs`` names no argument,
            or an argument cannot be differentiated by.
    """
    call = _Call("vjp", function, arguments, wrt, outputs)
    results = call.evaluate()

    def pullback(cotangent: object) -> tuple[Tensor, ...]:
        """Return the gradients for one cotangent."""
        return call.backward(results, call.unpacked(cotangent, "cotangents"))

    return call.packed(results), pullback


def jvp(
    function: Function,
    arguments: Sequence[object],
    tangents: Sequence[object],
    wrt: Wrt | None = None,
    outputs: Wrt = (),
) -> tuple[Any, Any]:
    """Evaluate a function and its derivative along a direction, by forward mode.

    Args:
        function: A [Differentiable] function that returns a value, or writes ``outputs``.
        arguments: As for a call.
        tangents: One for each entry of ``wrt``: a Tensor, array or number that broadcasts to it.
        wrt: Arguments that move: positions or parameter names; None: all but ``outputs``.
        outputs: As of :func:`vjp`.

    Returns:
        The value and its tangent, Tensors of the call's shape (of ``outputs``: a Tensor each, or a
        tuple of several).

    Raises:
        ArgumentError: As of :func:`vjp`, or the numbers of tangents and arguments differ.
    """
    written = argument_positions(
        "jvp", function.signature.parameters, len(arguments), outputs, "outputs"
    )
    others = [position for position in range(len(arguments)) if position not in written]
    names = others if wrt is None else list(wrt)
    if len(tangents) != len(names):
        raise ArgumentError(
            f"jvp: {len(names)} arguments move, but {len(tangents)} tangents are given; "
            "give one each"
        )
    call = _Call("jvp", function, arguments, names, outputs)
    results = [Tensor.empty_like(result) for result in call.evaluate()]
    moved = call.forward(results, tangents)
    return call.packed(results), call.packed(moved)


def value_and_grad(
    function: Function, wrt: Wrt = (0,), outputs: Wrt = ()
) -> Callable[..., tuple[Any, tuple[Tensor, ...]]]:
    """Return a function that gives the value and the gradients of the sum of its elements.

    Args:
        function: A [Differentiable] function that returns a value, or writes ``outputs``.
        wrt: Arguments to differentiate by: positions or parameter names.
        outputs: As of :func:`vjp`.

    Returns:
        A function of the same arguments. It returns the value, and one gradient for each entry of
        ``wrt``.

    Raises:
        ArgumentError: As of :func:`vjp`, when the returned function is called.
    """

    def evaluate(*arguments: object) -> tuple[Any, tuple[Tensor, ...]]:
        """Return the value and the gradients."""
        value, pullback = vjp(function, *arguments, wrt=wrt, outputs=outputs)
        return value, pullback(1.0 if len(outputs) < 2 else (1.0,) * len(outputs))

    return evaluate
