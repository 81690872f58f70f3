# SPDX-License-Identifier: Apache-2.0
"""A Slang function with parameters that optimisers of torch train."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from weft._native import ArgumentError, ArgumentTypeError
from weft._native import Tensor as WeftTensor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class _Callee:
    """A function of a module, which copies of a Module share."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __deepcopy__(self, memo: object) -> _Callee:
        return self


class Module(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    """A Slang function as a layer: its parameters are trained, its other arguments are inputs.

    Args:
        function: ``module.f``, or an operator of :func:`weft.torch.op`, with which the layer takes
            part in ``torch.compile(fullgraph=True)`` and ``torch.export``.
        parameters: Values of parameters of the function, by name: tensors of torch (a tensor of
            integers becomes a buffer; an ``nn.Parameter`` is kept, and may be shared), Tensors of
            Weft such as ``weft.mlp.create_weights(...)``, arrays of numpy, numbers; a dict for a
            structure.

    ``forward(...)`` takes the function's other parameters, in their order or by name. Names in
    ``state_dict()`` are those of the parameters, fields after a dot.

    Raises:
        ArgumentError: A name is none of the function's parameters, or one that ``nn.Module`` has.

    Example:
        >>> layer = weft.torch.Module(module.f, parameters={"weights": torch.randn(24)})
        >>> optimiser = torch.optim.Adam(layer.parameters(), lr=0.01)
    """

    def __init__(self, function: Callable[..., Any], parameters: Mapping[str, Any]) -> None:
        super().__init__()
        slang: Any = getattr(function, "function", function)
        if not hasattr(slang, "overloads"):
            raise ArgumentTypeError(
                "Module: function must be a function of a module or an operator of weft.torch.op, "
                f"got a {type(function).__name__}; pass module.f"
            )
        self._callee = _Callee(function)
        self._function_name = str(slang.name)
        names = [[each.name for each in info.parameters] for info in slang.overloads]
        _require_known(slang.name, names, parameters)
        self._own = tuple(parameters)
        self._inputs = tuple(name for name in names[0] if name not in parameters)
        for name, value in parameters.items():
            _register(self, name, value, slang.name)

    def extra_repr(self) -> str:
        """Return what is shown in brackets."""
        return str(self._function_name)

    def forward(self, *arguments: Any, **keywords: Any) -> Any:
        """Call the function with the layer's parameters."""
        given = dict(keywords)
        if len(arguments) > len(self._inputs):
            raise ArgumentTypeError(
                f"{self._function_name}: the layer takes {len(self._inputs)} arguments "
                f"({', '.join(self._inputs)}), got {len(arguments)}"
            )
        for name, value in zip(self._inputs, arguments, strict=False):
            if name in given:
                raise ArgumentTypeError(f"{self._function_name}: '{name}' was given twice")
            given[name] = value
        for name in self._own:
            if name in keywords:
                raise ArgumentTypeError(
                    f"{self._function_name}: '{name}' is a parameter of the layer; leave it away, "
                    f"or change layer.{name}"
                )
            value = getattr(self, name)
            given[name] = value.values_of() if isinstance(value, _Structure) else value
        return self._callee.function(**given)


def _require_known(
    function: str, names: Sequence[Sequence[str]], parameters: Mapping[str, Any]
) -> None:
    """Refuse parameters that no overload has."""
    unknown = [name for name in parameters if not any(name in each for each in names)]
    if unknown:
        raise ArgumentError(
            f"Module: {function} has no parameter '{unknown[0]}'; it has {', '.join(names[0])}"
        )


class _Structure(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    """The fields of a structure."""

    def __init__(self, fields: Mapping[str, Any], function: str) -> None:
        super().__init__()
        self._fields = tuple(fields)
        for name, value in fields.items():
            _register(self, name, value, function)

    def values_of(self) -> dict[str, Any]:
        """Return the fields as an argument."""
        found = {}
        for name in self._fields:
            value = getattr(self, name)
            found[name] = value.values_of() if isinstance(value, _Structure) else value
        return found


def _register(owner: torch.nn.Module, name: str, value: Any, function: str) -> None:
    """Make a value a parameter, a buffer or a part of a module."""
    if hasattr(owner, name):
        raise ArgumentError(
            f"Module: {function}: parameter '{name}' has a name that torch.nn.Module uses; rename "
            "it in Slang"
        )
    if isinstance(value, dict):
        owner.add_module(name, _Structure(value, function))
        return
    tensor = _tensor(value, name, function)
    if isinstance(tensor, torch.nn.Parameter):
        owner.register_parameter(name, tensor)
    elif tensor.is_floating_point():
        owner.register_parameter(name, torch.nn.Parameter(tensor.detach().clone()))
    else:
        owner.register_buffer(name, tensor.detach().clone())


def _tensor(value: Any, name: str, function: str) -> torch.Tensor:
    if isinstance(value, torch.Tensor):
        return value
    if isinstance(value, WeftTensor):
        return torch.as_tensor(value.torch())
    try:
        made = torch.as_tensor(value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ArgumentTypeError(
            f"Module: {function}: parameter '{name}' must be a tensor, an array, a number or a "
            f"dict of them, got a {type(value).__name__} ({error})"
        ) from error
    return made.float() if made.dtype == torch.float64 and not hasattr(value, "dtype") else made
