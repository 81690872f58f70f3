# SPDX-License-Identifier: Apache-2.0
"""Kernels as operators of torch.library: torch.compile and export take them without a break."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

import weft
from weft._scalar_of import scalar_of
from weft.torch import bridge as bridge  # refuses versions of torch that are too old

from .values import DiffTensorView, is_diff_tensor_view, is_tensor_view

if TYPE_CHECKING:
    from weft import FunctionInfo, Parameter

    from .kernel import Kernel

Sizes = Any


@dataclass
class Operator:
    """A kernel with what an operator has besides: results that it makes, and sizes.

    Args:
        kernel: To be launched.
        info: Its reflection.
        outputs: For each parameter that is a result: what makes its tensor.
        block: Threads of a block.
        grid: Blocks, or what computes them; None: `total` decides.
        total: Threads, or what computes them.
    """

    kernel: Kernel
    info: FunctionInfo
    outputs: Mapping[str, Callable[..., torch.Tensor]]
    block: Sizes
    grid: Sizes
    total: Sizes

    @property
    def inputs(self) -> list[Parameter]:
        """Parameters that its caller passes."""
        return [each for each in self.info.parameters if each.name not in self.outputs]

    @property
    def differentiated(self) -> list[Parameter]:
        """Inputs that have gradients."""
        return [each for each in self.inputs if is_diff_tensor_view(each.type)]

    @property
    def results(self) -> list[Parameter]:
        """Parameters that are results."""
        return [each for each in self.info.parameters if each.name in self.outputs]

    def made(self, values: tuple[Any, ...]) -> list[torch.Tensor]:
        """Return new tensors for the results, given what the caller passes."""
        named = self.named(values)
        return [_called(self.outputs[each.name], named) for each in self.results]

    def named(self, values: tuple[Any, ...]) -> dict[str, Any]:
        """Return what the caller passes by name."""
        return {each.name: value for each, value in zip(self.inputs, values, strict=True)}

    def launch(self, kernel: Kernel, named: Mapping[str, Any], values: tuple[Any, ...]) -> None:
        """Launch it, or its derivative, on the sizes of a call."""
        bound = kernel(**named)
        given = self.named(values)
        if self.grid is not None:
            bound.launchRaw(self.block, _sizes(self.grid, given))
        else:
            bound.launchTotal(self.block, _sizes(self.total, given))

    def run(self, *values: Any) -> Any:
        """Return the results of a call."""
        with torch.no_grad():
            made = self.made(values)
            results = {each.name: tensor for each, tensor in zip(self.results, made, strict=True)}
            self.launch(self.kernel, {**self.named(values), **results}, values)
        return made[0] if len(made) == 1 else tuple(made)

    def pull(self, *values: Any) -> list[torch.Tensor]:
        """Return the gradients of the inputs that have one, given inputs and those of results."""
        count = len(self.inputs)
        values, upstream = values[:count], values[count:]
        named = self.named(values)
        found = {each.name: torch.zeros_like(named[each.name]) for each in self.differentiated}
        for name, gradient in found.items():
            named[name] = DiffTensorView(named[name], gradient)
        made = self.made(values)
        for each, tensor, gradient in zip(self.results, made, upstream, strict=True):
            is_view = is_diff_tensor_view(each.type)
            clone = gradient.clone(memory_format=torch.contiguous_format)
            named[each.name] = DiffTensorView(tensor, clone) if is_view else tensor
        with torch.no_grad():
            self.launch(self.kernel.bwd, named, values)
        return list(found.values())


def make_operator(operator: Operator, name: str) -> Any:
    """Register a kernel with torch.library.

    Args:
        operator: The kernel.
        name: ``"library::operator"``.

    Raises:
        ArgumentError: A parameter that an operator cannot have.
    """
    declared = ", ".join(f"{_declared(operator, each)} {each.name}" for each in operator.inputs)
    returned = ", ".join("Tensor" for _ in operator.results)
    returned = returned if len(operator.results) == 1 else f"({returned})"
    made = torch.library.custom_op(
        name, operator.run, mutates_args=(), schema=f"({declared}) -> {returned}"
    )

    def fake(*values: Any) -> Any:
        results = operator.made(values)
        return results[0] if len(results) == 1 else tuple(results)

    made.register_fake(fake)
    if operator.info.is_differentiable and operator.differentiated:
        _register_gradient(operator, made, name, declared)
    return made


def _register_gradient(operator: Operator, made: Any, name: str, declared: str) -> None:
    """Register the derivative as an operator of its own, and say that it is that."""
    upstream = ", ".join(f"Tensor upstream_{each.name}" for each in operator.results)
    pull = torch.library.custom_op(
        f"{name}_backward",
        operator.pull,
        mutates_args=(),
        schema=f"({declared}, {upstream}) -> Tensor[]",
    )

    def fake(*values: Any) -> list[torch.Tensor]:
        named = operator.named(values[: len(operator.inputs)])
        return [torch.zeros_like(named[each.name]) for each in operator.differentiated]

    pull.register_fake(fake)

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.numbers = [None if isinstance(v, torch.Tensor) else v for v in inputs]
        ctx.save_for_backward(*(v if isinstance(v, torch.Tensor) else None for v in inputs))

    def backward(ctx: Any, *upstream: torch.Tensor) -> tuple[Any, ...]:
        tensors = zip(ctx.saved_tensors, ctx.numbers, strict=True)
        values = [number if tensor is None else tensor for tensor, number in tensors]
        gradients = iter(pull(*values, *upstream))
        names = {each.name for each in operator.differentiated}
        return tuple(next(gradients) if p.name in names else None for p in operator.inputs)

    made.register_autograd(backward, setup_context=setup_context)


def _declared(operator: Operator, parameter: Parameter) -> str:
    """Return the type of a parameter in a schema of torch."""
    kind = parameter.type
    if is_tensor_view(kind) or is_diff_tensor_view(kind):
        return "Tensor"
    scalar = scalar_of(kind)
    is_list = scalar is not kind
    known = {weft.TypeKind.scalar, weft.TypeKind.vector}
    name = scalar.numpy_name
    for prefix, word in (("float", "float"), ("bool", "bool"), ("int", "int"), ("uint", "int")):
        if kind.kind in known and name and name.startswith(prefix):
            return word + "[]" * is_list
    raise weft.ArgumentError(
        f"{operator.kernel.name}.torch_op: parameter '{parameter.name}' is {kind.name}, and an "
        "operator of torch takes tensors, numbers and vectors; pass its members one by one"
    )


def _called(function: Callable[..., Any], named: Mapping[str, Any]) -> Any:
    """Call a function with those of the arguments that it has parameters for."""
    parameters = inspect.signature(function).parameters
    return function(**{name: value for name, value in named.items() if name in parameters})


def _sizes(given: Sizes, named: Mapping[str, Any]) -> Any:
    return _called(given, named) if callable(given) else given
