# SPDX-License-Identifier: Apache-2.0
"""Slang functions as operators of torch.library. Start reading at op()."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.autograd import forward_ad

from weft._native import ArgumentError, ArgumentTypeError
from weft.torch import bridge, kernels
from weft.torch.layout import Layout, Operand, layout_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from weft._native import Function


class Operator:
    """A Slang function that torch knows by name; call it as the function.

    Attributes:
        function: The Slang function.
        layout: Its tensors, in the order of the operator's schema.
        overload: What torch.library made: ``torch.ops.lib.f.default``.
    """

    def __init__(self, function: Function, layout: Layout, overload: Any) -> None:
        self.function = function
        self.layout = layout
        self.overload = overload

    def __repr__(self) -> str:
        return f"<weft.torch.Operator {self.overload._schema}>"

    def __deepcopy__(self, memo: object) -> Operator:
        return self

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Call the function; see :func:`op`."""
        if not torch.compiler.is_compiling() and is_differentiating():
            return self.function(*arguments, **keywords)  # operators of torch cannot take part
        given = self._named(arguments, keywords)
        places = given.pop("_result", None)
        values = [_found(given, operand) for operand in self.layout.operands]
        outputs = self.overload(*self._tensors(values))
        if len(self.layout.results) + len(self.layout.written) == 1:
            outputs = (outputs,)
        count = len(self.layout.results)
        for place, output in zip(self.layout.written, outputs[count:], strict=True):
            values[place].copy_(output)
        returned = self._store_results(outputs, given, places)
        if not returned:
            return None
        return returned[0] if len(returned) == 1 else tuple(returned)

    def _tensors(self, values: list[Any]) -> list[torch.Tensor]:
        """Return the operands as tensors; copies of those that are written."""
        tensors = [self._tensor(i, values) for i in range(len(values))]
        for i in self.layout.written:
            if not isinstance(values[i], torch.Tensor):
                _refuse(self, self.layout.operands[i], values[i], "is written: it")
            tensors[i] = tensors[i].clone()  # torch keeps what the call saw
        return tensors

    def _store_results(
        self, outputs: Sequence[torch.Tensor], given: Mapping[str, Any], places: Any
    ) -> list[torch.Tensor]:
        """Write the results for which there is a tensor; return the others."""
        returned = []
        for result, output in zip(self.layout.results, outputs, strict=False):
            target = places if result.name == "_result" else given.get(result.name)
            if target is None:
                returned.append(output)
            else:
                _store(self, target, output, result.name)
        return returned

    def _named(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
        names = self.layout.parameters
        if len(arguments) > len(names):
            raise ArgumentTypeError(
                f"{self.function.name}: takes {len(names)} arguments, got {len(arguments)}"
            )
        given = dict(zip(names, arguments, strict=False))
        for name, value in keywords.items():
            if (name not in names and name != "_result") or name in given:
                problem = "was given twice" if name in given else "is none of its parameters"
                raise ArgumentTypeError(
                    f"{self.function.name}: argument '{name}' {problem}; it takes "
                    f"{', '.join(names)}"
                )
            given[name] = value
        return given

    def _tensor(self, index: int, values: list[Any]) -> torch.Tensor:
        operand, value = self.layout.operands[index], values[index]
        if isinstance(value, torch.Tensor):
            return value
        dtype = operand.dtype
        if dtype is None:
            dtype = _generic_type(self.layout, operand.generic, values)
        if isinstance(value, (bool, int, float, torch.SymInt, torch.SymFloat)):
            return torch.full((), value, dtype=dtype)
        if isinstance(value, np.ndarray):
            return torch.from_numpy(value)
        if isinstance(value, (list, tuple)):
            if bridge.holds_tensors(value):
                return bridge.stack(value, f"{self.function.name}: argument '{operand.name}'")
            return torch.tensor(value, dtype=dtype)
        return _refuse(self, operand, value, "")


def is_differentiating() -> bool:
    """Return whether torch.func differentiates, or forward mode is on."""
    if forward_ad._current_level >= 0:
        return True
    if not torch._C._are_functorch_transforms_active():
        return False
    stack = torch._C._functorch.get_interpreter_stack() or ()
    return any(level.key() != torch._C._functorch.TransformType.Vmap for level in stack)


def _found(given: Mapping[str, Any], operand: Operand) -> Any:
    """Return what was given for an operand; its default if nothing was."""
    value: Any = given.get(operand.path[0], operand.default)
    for name in operand.path[1:]:
        value = value.get(name) if isinstance(value, dict) else getattr(value, name, None)
    return value


def _refuse(operator: Operator, operand: Operand, value: Any, why: str) -> Any:
    got = "nothing" if value is None else f"a {type(value).__name__}"
    raise ArgumentTypeError(
        f"{operator.function.name}: argument '{'.'.join(operand.path)}' {why} must be a tensor of "
        f"torch{'' if why else ', a number or a list of them'}, got {got}; for a grid pass "
        "torch.arange(n)"
    )


def _store(operator: Operator, target: Any, output: torch.Tensor, name: str) -> None:
    if not isinstance(target, torch.Tensor) or target.shape != output.shape:
        got = tuple(target.shape) if isinstance(target, torch.Tensor) else type(target).__name__
        raise ArgumentError(
            f"{operator.function.name}: {name} must be a tensor of torch of shape "
            f"{tuple(output.shape)}, got {got}"
        )
    target.copy_(output)


def _generic_type(layout: Layout, generic: str, values: list[Any]) -> torch.dtype:
    for operand, value in zip(layout.operands, values, strict=True):
        if operand.generic == generic and isinstance(value, torch.Tensor):
            return value.dtype
    return torch.get_default_dtype()


def op(function: Function, name: str) -> Callable[..., Any]:
    """Register a Slang function as an operator of torch.

    Where torch traces instead of running (``torch.compile(fullgraph=True)``, ``torch.export``,
    ``make_fx``, fake and meta tensors), the operator stands in the graph as one node, and shapes
    and types of its results follow from the declaration. ``torch.func.vmap`` makes one call of a
    batch.

    Args:
        function: ``module.f``, with one overload; ``set()`` and ``constants()`` may have been
            applied.
        name: ``"library::name"``, by which torch, and saved programs, find it. A second
            registration of a name replaces the first.

    Returns:
        An :class:`Operator`. Call it as the function, with tensors of torch, numbers, lists of
        them, and dicts for structures; results are tensors of torch. Tensors given for ``inout``
        parameters, ``IRWTensor`` and the like are written after the call, by a copy.

    Raises:
        ArgumentError: The name is not ``library::name``; the function has several overloads, is a
            method, returns a structure, or has a pointer, buffer or texture as a parameter.

    Example:
        >>> shade = weft.torch.op(module.shade, name="mylib::shade")
        >>> torch.compile(lambda x: shade(x) + 1, fullgraph=True)(torch.ones(4))
    """
    parts = name.split("::") if isinstance(name, str) else []
    if len(parts) != 2 or not all(part.isidentifier() for part in parts):
        raise ArgumentError(
            f"op: name must be 'library::name', got {name!r}; pass for example 'mylib::"
            f"{getattr(function, 'name', 'f')}'"
        )
    if not hasattr(function, "overloads"):
        raise ArgumentTypeError(
            f"op: function must be a function of a module, got a {type(function).__name__}; pass "
            "module.f"
        )
    layout = layout_of(function)
    return Operator(function, layout, kernels.register(function, layout, name))
