# SPDX-License-Identifier: Apache-2.0
"""check_gradients: backward derivatives against central differences and forward mode."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import ArgumentError, Tensor
from weft.gradient_leaves import (
    NAME,
    Leaf,
    Pair,
    Reader,
    fill_leaves,
    is_float,
    named_fields,
    scalar_name,
)
from weft.gradients import argument_positions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from weft._native import Function, FunctionInfo, Parameter
    from weft.gradient_leaves import Floats

    Wrt = Sequence[int | str]

HALVINGS = 5  # of the step of central differences, where the usual one is too large
ROUNDINGS = 8  # that outputs have gone through: sums of a few terms that cancel


@dataclass(frozen=True)
class GradientCheck:
    """What :func:`check_gradients` found."""

    passed: bool
    """No difference is larger than the tolerance."""
    differences: list[str]
    """Where a gradient differs from its central difference or forward mode, and by how much."""
    largest: float
    """The largest relative difference."""


def _signature(function: Function, count: int) -> FunctionInfo:
    """Return the overload that takes as many arguments, one with derivatives if there is one."""
    fitting = [
        overload
        for overload in function.overloads
        if sum(not parameter.has_default for parameter in overload.parameters)
        <= count
        <= len(overload.parameters)
    ]
    fitting.sort(key=lambda overload: not overload.is_differentiable)
    return fitting[0] if fitting else function.signature


def _array_like(tensor: Tensor) -> NDArray[Any]:
    """Return zeros of the shape and type of a tensor's values."""
    return np.zeros_like(tensor.to_numpy())


def _tensor_like(tensor: Tensor, values: NDArray[Any]) -> Tensor:
    made = Tensor.empty_like(tensor)
    if values.size:
        made.copy_from_numpy(values)
    return made


def _gradient_like(tensor: Tensor) -> Tensor:
    """Return zeros of the shape and differential type of a tensor."""
    gradient = tensor.with_grads().grad_in
    assert gradient is not None  # with_grads() makes one
    return gradient


def _product(weights: NDArray[Any], values: NDArray[Any]) -> tuple[float, float]:
    """Return <weights, values> in double precision, and the sum of the sizes of its terms."""
    total = size = 0.0
    by_label = dict(named_fields(values, ""))
    for label, weight in named_fields(weights, ""):
        if is_float(weight) and label in by_label:
            terms = np.asarray(weight, np.float64) * np.asarray(by_label[label], np.float64)
            total += float(np.sum(terms))
            size += float(np.sum(np.abs(terms)))
    return total, size


def _epsilon(values: NDArray[Any]) -> float:
    """Return the largest relative distance of neighbouring numbers of any field."""
    kinds = [part.dtype for _, part in named_fields(values, "") if is_float(part)]
    return max((float(np.finfo(kind).eps) for kind in kinds), default=0.0)


class _Call:
    """A function with arguments, as a map from its inputs to its outputs."""

    def __init__(
        self,
        function: Function,
        arguments: Sequence[Any],
        wrt: Wrt | None,
        outputs: Wrt | None,
    ) -> None:
        self.function = function
        signature = _signature(function, len(arguments))
        parameters = signature.parameters
        inputs = (
            None if wrt is None else set(argument_positions(NAME, parameters, len(arguments), wrt))
        )
        written = set(
            argument_positions(NAME, parameters, len(arguments), outputs or (), "outputs")
        )
        self.rounding = 0.0  # of the last loss
        self.values: list[Any] = []
        self.leaves: list[Leaf] = []
        for position, value in enumerate(arguments):
            if position >= len(parameters):
                self.values.append(value)  # the call itself says what is wrong
                continue
            self._read(parameters[position], value, position, inputs, written)
        self.result = Leaf("_result", self._result(), False, True) if self._returns() else None
        self._require_something(parameters)

    def _read(
        self,
        parameter: Parameter,
        value: Any,  # noqa: ANN401
        position: int,
        inputs: set[int] | None,
        written: set[int],
    ) -> None:
        is_named = position in written or (inputs is not None and position in inputs)
        reader = Reader(self.function, parameter, True if is_named else None)
        if value is None and reader.is_out:
            raise ArgumentError(
                f"{NAME}: parameter {parameter.name!r} of {self.function.name} is an output; "
                "pass a Tensor for it"
            )
        self.values.append(reader.read(value, parameter.name))
        is_input = inputs is None or position in inputs
        for leaf in reader.leaves:
            leaf.choose_roles(is_input, is_written=position in written)
        self.leaves += reader.leaves

    def _returns(self) -> bool:
        value_type = self.function.signature.return_type
        scalar = None if value_type is None else scalar_name(value_type)
        return value_type is not None and value_type.full_name != "void" and scalar not in ("void",)

    def _result(self) -> Tensor:
        result = self.function(*self._arguments(self._copies()), _result="tensor")
        assert isinstance(result, Tensor)  # as _result says
        return result

    def _require_something(self, parameters: Sequence[Parameter]) -> None:
        if not any(leaf.is_input for leaf in self.leaves):
            names = ", ".join(parameter.name for parameter in parameters)
            raise ArgumentError(
                f"{NAME}: no argument of {self.function.name} ({names}) can be differentiated by; "
                "pass floats, arrays or Tensors of them for parameters that are not no_diff"
            )
        if self.result is None and not any(leaf.is_output for leaf in self.leaves):
            raise ArgumentError(
                f"{NAME}: {self.function.name} has no output with derivatives: it returns nothing "
                "and writes to no out, inout or IWDiffTensor parameter"
            )

    def outputs(self) -> list[Leaf]:
        found = [leaf for leaf in self.leaves if leaf.is_output]
        return found if self.result is None else [*found, self.result]

    def inputs(self) -> list[Leaf]:
        return [leaf for leaf in self.leaves if leaf.is_input]

    def _copies(self, moved: Mapping[Leaf, NDArray[Any]] | None = None) -> dict[Leaf, Tensor]:
        """Return fresh tensors: a call may change them."""
        moved = moved or {}
        leaves = self.leaves
        return {
            leaf: _tensor_like(
                leaf.tensor, moved[leaf] if leaf in moved else leaf.tensor.to_numpy()
            )
            for leaf in leaves
        }

    def _arguments(self, tensors: Mapping[Leaf, Tensor]) -> list[Any]:
        return [fill_leaves(value, tensors) for value in self.values]

    def loss(
        self, weights: Mapping[Leaf, NDArray[Any]], moved: Mapping[Leaf, NDArray[Any]]
    ) -> float:
        """Return the sum of the weighted outputs; `rounding` is by how much it is rounded."""
        tensors = self._copies(moved)
        arguments = self._arguments(tensors)
        if self.result is None:
            self.function(*arguments)
        else:
            tensors[self.result] = self.function(*arguments, _result="tensor")
        total = 0.0
        self.rounding = 0.0
        for leaf in self.outputs():
            values = tensors[leaf].to_numpy()
            product, size = _product(weights[leaf], values)
            total += product
            self.rounding += _epsilon(values) * size
        return total

    def _derive(
        self, derivative: Function, given: Mapping[Leaf, NDArray[Any]]
    ) -> dict[Leaf, NDArray[Any]]:
        """Call a derivative: ``given`` for what it reads; what it wrote comes back."""
        tensors = self._copies()
        varying = {*self.inputs(), *self.outputs()}
        if self.result is not None:
            tensors[self.result] = Tensor.empty_like(self.result.tensor)
        for leaf in varying:
            gradient = _gradient_like(leaf.tensor)
            read = _tensor_like(gradient, given.get(leaf, _array_like(gradient)))
            tensors[leaf] = tensors[leaf].with_grads(grad_in=read, grad_out=gradient)
        arguments = self._arguments(tensors)
        if self.result is None:
            derivative(*arguments)
        else:
            derivative(*arguments, _result=tensors[self.result])
        found = {}
        for leaf in varying:
            gradient_out = tensors[leaf].grad_out
            assert gradient_out is not None  # set above
            found[leaf] = gradient_out.to_numpy()
        return found

    def backward(self, weights: Mapping[Leaf, NDArray[Any]]) -> dict[Leaf, NDArray[Any]]:
        """Return the gradients of the inputs for one weight of each output."""
        found = self._derive(self.function.bwds, weights)
        return {leaf: found[leaf] for leaf in self.inputs()}

    def forward(self, tangents: Mapping[Leaf, NDArray[Any]]) -> dict[Leaf, NDArray[Any]]:
        """Return the tangents of the outputs."""
        found = self._derive(self.function.fwds, tangents)
        return {leaf: found[leaf] for leaf in self.outputs()}


def _random_like(array: NDArray[Any], random: np.random.Generator) -> NDArray[Any]:
    """Return normal random numbers in the form of an array."""
    made = np.zeros_like(array)
    for (_, target), (_, like) in zip(named_fields(made, ""), named_fields(array, ""), strict=True):
        if is_float(like):
            target[...] = random.standard_normal(like.shape)
    return made


def _step_at(values: Floats, place: tuple[int, ...], step: float | None) -> float:
    """Return the step of a central difference: a thousandth of the size of the values around."""
    if step is not None:
        return step
    finite = np.abs(np.asarray(values, np.float64))
    typical = float(np.mean(finite[np.isfinite(finite)])) if finite.size else 0.0
    size = max(float(finite[place]), typical)
    return 1e-3 * (size if 0 < size < np.inf else 1.0)


def _extrapolated(difference_of: Callable[[float], float], size: float) -> float:
    """Return the derivative from central differences of ever smaller steps (Ridders 1982).

    Args:
        difference_of: Central difference of a step.
        size: The first step.
    """
    before = [difference_of(size)]
    best, least = before[0], math.inf
    for halving in range(1, HALVINGS + 1):
        row = [difference_of(size / 2**halving)]
        for order, coarse in enumerate(before, start=1):
            row.append(row[-1] + (row[-1] - coarse) / (4**order - 1))
            error = max(abs(row[-1] - row[-2]), abs(row[-1] - coarse))
            if error < least:
                best, least = row[-1], error
        if abs(row[-1] - before[-1]) > 2 * least:
            break
        before = row
    return best


def _difference_pairs(
    call: _Call,
    leaf: Leaf,
    gradient: NDArray[Any],
    weights: Mapping[Leaf, NDArray[Any]],
    picks: Sequence[int],
    step: float | None,
    tolerance: float,
) -> list[Pair]:
    """Hold picked numbers of one gradient against central differences.

    Where those of the usual step are off, the step may be too large for the function.
    """
    base = leaf.tensor.to_numpy()
    numbers = [
        (label, derivatives, place)
        for label, derivatives in named_fields(gradient, leaf.label)
        if is_float(derivatives)
        for place in np.ndindex(derivatives.shape)
    ]
    pairs = []
    for pick in picks:
        label, derivatives, place = numbers[pick]
        values = dict(named_fields(base, leaf.label))[label]
        size = _step_at(values, place, step)

        def difference_of(by: float, label: str = label, place: tuple[int, ...] = place) -> float:
            losses, places = [], []
            for sign in (1, -1):
                moved = base.copy()
                target = dict(named_fields(moved, leaf.label))[label]
                target[place] += sign * by
                losses.append(call.loss(weights, {leaf: moved}))
                places.append(float(target[place]))
            return (losses[0] - losses[1]) / (places[0] - places[1])

        difference = difference_of(size)
        where = ", ".join(str(entry) for entry in place)
        scale = float(np.abs(derivatives).max(initial=0.0)) or 1.0
        named = f"{label}[{where}]" if place else label
        pair = Pair(f"{named} by central differences", float(derivatives[place]), difference, scale)
        if step is None and not pair.error <= tolerance:
            pair = replace(pair, expected=_extrapolated(difference_of, size))
            # Where outputs cancel, rounding is all that a difference shows.
            rounding = ROUNDINGS * call.rounding / (2 * size)
            least = rounding / tolerance if tolerance > 0 else 0.0
            pair = replace(pair, scale=max(pair.scale, least))
        pairs.append(pair)
    return pairs


def _number_count(array: NDArray[Any]) -> int:
    return sum(part.size for _, part in named_fields(array, "") if is_float(part))


def _product_pair(
    call: _Call,
    gradients: Mapping[Leaf, NDArray[Any]],
    weights: Mapping[Leaf, NDArray[Any]],
    random: np.random.Generator,
) -> Pair:
    """Hold <vjp, direction> against <cotangent, jvp> for one random direction."""
    directions = {leaf: _random_like(gradient, random) for leaf, gradient in gradients.items()}
    tangents = call.forward(directions)
    ahead = [_product(weights[leaf], tangent) for leaf, tangent in tangents.items()]
    back = [_product(directions[leaf], gradient) for leaf, gradient in gradients.items()]
    return Pair(
        "<vjp, direction> by forward mode",
        sum(total for total, _ in back),
        sum(total for total, _ in ahead),
        max(sum(size for _, size in ahead), sum(size for _, size in back)) or 1.0,
    )


def _has_forward_mode(call: _Call) -> bool:
    """Return whether there are tangents: forward mode may be refused where reverse mode is not."""
    return not any(overload.forward_problem for overload in call.function.overloads)


def _is_exempt(call: _Call, leaf: Leaf, gradient: NDArray[Any]) -> bool:
    """Return whether a field or a whole tensor has no part in derivatives, in either mode."""
    if not leaf.may_be_exempt or any(np.any(part) for _, part in named_fields(gradient, "")):
        return False
    if not _has_forward_mode(call):
        return False
    ones = np.zeros_like(gradient)
    for _, part in named_fields(ones, ""):
        part[...] = 1
    tangents = call.forward({leaf: ones})
    return not any(
        np.any(part) for array in tangents.values() for _, part in named_fields(array, "")
    )


def check_gradients(
    function: Function,
    *arguments: Any,  # noqa: ANN401
    wrt: Wrt | None = None,
    outputs: Wrt | None = None,
    step: float | None = None,
    tolerance: float = 1e-2,
    samples: int = 20,
    seed: int = 0,
) -> GradientCheck:
    """Compare the backward derivative with central differences and with forward mode.

    A random cotangent weighs the elements of all outputs: L(x) = <cotangent, f(x)>. For random
    elements of every input the gradient is held against
    (L(x + step) - L(x - step)) / (2 step); for a random direction, <vjp, direction> against
    <cotangent, jvp>, which needs no step (and is left out of a function without forward mode). What
    differs is printed. The arguments are copied: a call that writes does not change them.

    Args:
        function: A [Differentiable] function.
        arguments: As for a call, a Tensor for each output; keep away from kinks such as ``abs`` at
            0. Fields of dicts and dataclasses are inputs, too.
        wrt: Arguments to check: positions or parameter names; None: all that can have a gradient.
        outputs: Arguments that the function writes its values to; None: those that its signature
            says (out, inout, IWDiffTensor).
        step: Of the central differences, in units of the argument; None: a thousandth of the size
            of the argument's values, and where that differs the limit of smaller ones.
        tolerance: Largest relative difference; single precision and the step allow about 1e-2.
            Where outputs cancel, a difference that eight roundings of them explain passes.
        samples: Numbers of each argument that are tried.
        seed: Of the random choices.

    Returns:
        The differences found.

    Raises:
        ArgumentError: The function is not differentiable, nothing can be differentiated by, or
            ``wrt`` or ``outputs`` names no argument.
    """
    call = _Call(function, arguments, wrt, outputs)
    random = np.random.default_rng(seed)
    weights = {
        leaf: _random_like(_gradient_like(leaf.tensor).to_numpy(), random)
        for leaf in call.outputs()
    }
    gradients = call.backward(weights)
    pairs = []
    for leaf, gradient in gradients.items():
        if _is_exempt(call, leaf, gradient):
            continue
        picks = random.permutation(_number_count(gradient))[:samples]
        chosen = [int(pick) for pick in picks]
        pairs += _difference_pairs(call, leaf, gradient, weights, chosen, step, tolerance)
    if _has_forward_mode(call):
        pairs.append(_product_pair(call, gradients, weights, random))
    differences = [str(pair) for pair in pairs if not pair.error <= tolerance]
    for line in differences:
        print(f"check_gradients: {function.name}: {line}")
    return GradientCheck(not differences, differences, max(pair.error for pair in pairs))
