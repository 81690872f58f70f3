# SPDX-License-Identifier: Apache-2.0
"""Kernels as operators of torch.library: torch.compile and export take them without a break."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

import weft
from weft._scalar_of import scalar_of
from weft.torch import bridge as bridge  # refuses versions of torch that are too old
from weft.torch.transforms import Step

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

    @property
    def is_differentiable(self) -> list[bool]:
        """Of each result."""
        return [is_diff_tensor_view(each.type) for each in self.results]

    @property
    def has_derivatives(self) -> bool:
        """Whether inputs have gradients."""
        return bool(self.info.is_differentiable and self.differentiated)

    def followed(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Return those that belong to results with gradients."""
        pairs = zip(tensors, self.is_differentiable, strict=True)
        return [tensor for tensor, is_one in pairs if is_one]

    def warn_of_untracked(self, needs: Sequence[bool]) -> None:
        """Say which inputs enter as constants although they require gradients."""
        for each, is_asked in zip(self.inputs, needs, strict=True):
            if is_asked and not is_diff_tensor_view(each.type):
                bridge.warn(
                    f"{self.kernel.name}: the tensor of '{each.name}' requires gradients, and a "
                    "TensorView has none: it enters as its values; declare it as DiffTensorView, "
                    "or pass tensor.detach()"
                )

    def made(self, values: tuple[Any, ...]) -> list[torch.Tensor]:
        """Return new tensors for the results, given what the caller passes."""
        named = self.named(values)
        return [_called(self.outputs[each.name], named) for each in self.results]

    def named(self, values: tuple[Any, ...]) -> dict[str, Any]:
        """Return what the caller passes by name."""
        return {each.name: value for each, value in zip(self.inputs, values, strict=True)}

    def launch(self, kernel: Kernel, named: Mapping[str, Any], values: tuple[Any, ...]) -> None:
        """Launch it, or its derivative, on the sizes of a call."""
        bound = kernel(**{name: _uncounted(value) for name, value in named.items()})
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

    def push(self, *values: Any) -> list[torch.Tensor]:
        """Return the tangents of results that have one, given inputs and their tangents."""
        count = len(self.inputs)
        values, tangents = values[:count], values[count:]
        named = self.named(values)
        for each, tangent in zip(self.differentiated, tangents, strict=True):
            named[each.name] = DiffTensorView(named[each.name], tangent)
        made = self.made(values)
        found = [torch.zeros_like(tensor) for tensor in made]
        for each, tensor, tangent in zip(self.results, made, found, strict=True):
            is_view = is_diff_tensor_view(each.type)
            named[each.name] = DiffTensorView(tensor, tangent) if is_view else tensor
        with torch.no_grad():
            self.launch(self.kernel.fwd, named, values)
        return self.followed(found)


def _uncounted(value: Any) -> Any:
    """Return an argument whose writes torch does not count: an operator says what it writes."""
    if isinstance(value, DiffTensorView):
        return DiffTensorView(_uncounted(value.value), _uncounted(value.grad))
    return value.data if isinstance(value, torch.Tensor) else value


class KernelOperator:
    """A kernel that torch knows by name; call it with its inputs, in order or by name.

    Attributes:
        overload: What torch.library made: ``torch.ops.library.operator.default``.
    """

    def __init__(self, operator: Operator, step: Step) -> None:
        self._names = [each.name for each in operator.inputs]
        self._kernel = operator.kernel.name
        self._step = step
        self.overload = step.overload

    def __repr__(self) -> str:
        return f"<weft.slangtorch.KernelOperator {self.overload._schema}>"

    def __deepcopy__(self, memo: object) -> KernelOperator:
        return self

    def __call__(self, *values: Any, **named: Any) -> Any:
        """Return the results.

        Raises:
            ArgumentTypeError: Too many arguments, one that is missing, given twice or unknown.
        """
        names = self._names
        rest = names[len(values) :]
        if len(values) > len(names) or len(named) != len(rest) or any(n not in named for n in rest):
            raise weft.ArgumentTypeError(
                f"{self._kernel}: as an operator it takes {', '.join(names)}, got {len(values)} "
                f"arguments by position and {list(named)} by name; pass each once"
            )
        return self._step(*values, *(named[name] for name in rest))


def make_operator(operator: Operator, name: str) -> KernelOperator:
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

    def fake(*values: Any) -> Any:
        results = operator.made(values)
        return results[0] if len(results) == 1 else tuple(results)

    if not operator.has_derivatives:
        made = _register(name, operator.run, f"({declared}) -> {returned}", fake)
        step = Step(made._opoverload, [False] * len(operator.results), _no_values, _no_values)
        _register_vmap(made, step)
        return KernelOperator(operator, step)
    pull, push = _register_derivatives(operator, name, declared)
    made = _register(name, operator.run, f"({declared}) -> {returned}", fake)
    names = {each.name for each in operator.differentiated}

    def pulled(values: Sequence[Any], upstream: Sequence[Any]) -> list[Any]:
        gradients = iter(pull(*values, *upstream))
        return [next(gradients) if each.name in names else None for each in operator.inputs]

    def pushed(values: Sequence[Any], tangents: Sequence[Any]) -> list[Any]:
        triples = zip(operator.inputs, values, tangents, strict=True)
        given = [
            torch.zeros_like(value) if tangent is None else tangent
            for each, value, tangent in triples
            if each.name in names
        ]
        found = iter(push(*values, *given))
        return [next(found) if is_one else None for is_one in operator.is_differentiable]

    step = Step(made._opoverload, operator.is_differentiable, pulled, pushed)
    _register_vmap(made, step)
    _register_gradient(operator, made, pulled)
    return KernelOperator(operator, step)


def _register(name: str, function: Any, schema: str, fake: Any) -> Any:
    made = torch.library.custom_op(name, function, mutates_args=(), schema=schema)
    made.register_fake(fake)
    return made


def _register_vmap(made: Any, step: Step) -> None:
    if hasattr(made, "register_vmap"):  # torch 2.5
        made.register_vmap(step.rows)


def _no_values(values: Sequence[Any], given: Sequence[Any]) -> list[Any]:
    raise AssertionError("what is not differentiable was differentiated")


def _register_derivatives(operator: Operator, name: str, declared: str) -> tuple[Step, Step]:
    """Register reverse and forward mode as operators of their own, without derivatives."""
    upstream = ", ".join(f"Tensor upstream_{each.name}" for each in operator.results)
    tangents = ", ".join(f"Tensor tangent_{each.name}" for each in operator.differentiated)

    def fake_pull(*values: Any) -> list[torch.Tensor]:
        named = operator.named(values[: len(operator.inputs)])
        return [torch.zeros_like(named[each.name]) for each in operator.differentiated]

    def fake_push(*values: Any) -> list[torch.Tensor]:
        made = operator.made(values[: len(operator.inputs)])
        return [torch.zeros_like(tensor) for tensor in operator.followed(made)]

    def refuse(*_given: Any) -> Any:
        raise weft.ArgumentError(
            f"{operator.kernel.name}: torch asks for the derivative of its derivative, and kernels "
            "have the first one only; leave out create_graph=True, or detach what depends on it"
        )

    steps = []
    for suffix, run, given, fake, count in (
        ("backward", operator.pull, upstream, fake_pull, len(operator.differentiated)),
        ("forward", operator.push, tangents, fake_push, sum(operator.is_differentiable)),
    ):
        made = _register(f"{name}_{suffix}", run, f"({declared}, {given}) -> Tensor[]", fake)
        made.register_autograd(refuse)
        step = Step(made._opoverload, [True] * count, refuse, refuse)
        _register_vmap(made, step)
        steps.append(step)
    return steps[0], steps[1]


def _register_gradient(operator: Operator, made: Any, pulled: Any) -> None:
    """Say what the derivative is."""

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        operator.warn_of_untracked(ctx.needs_input_grad[: len(inputs)])
        outputs = output if isinstance(output, tuple) else (output,)
        marks = zip(outputs, operator.is_differentiable, strict=True)
        ctx.mark_non_differentiable(*(each for each, is_one in marks if not is_one))
        ctx.numbers = [None if isinstance(v, torch.Tensor) else v for v in inputs]
        ctx.save_for_backward(*(v if isinstance(v, torch.Tensor) else None for v in inputs))

    def backward(ctx: Any, *upstream: torch.Tensor) -> tuple[Any, ...]:
        tensors = zip(ctx.saved_tensors, ctx.numbers, strict=True)
        return tuple(pulled([n if t is None else t for t, n in tensors], upstream))

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
