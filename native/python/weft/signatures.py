# SPDX-License-Identifier: Apache-2.0
"""What ``help(module.f)`` and ``inspect.signature(module.f)`` say of a Slang function."""

from __future__ import annotations

import inspect
import keyword
from typing import TYPE_CHECKING

from weft._native import Direction

if TYPE_CHECKING:
    from collections.abc import Iterable

    from weft._native import Function, FunctionInfo, Parameter

_ANY = (
    inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
    inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD),
)
_RESULT = inspect.Parameter("_result", inspect.Parameter.KEYWORD_ONLY, default=None)


def signature_of(function: Function) -> inspect.Signature:
    """Return the parameters of a function with their Slang types as annotations.

    A function with several overloads takes ``*args, **kwargs``; its documentation lists them.
    """
    overloads = function.overloads
    if len(overloads) != 1:
        return inspect.Signature([_ANY[0], _RESULT, _ANY[1]])
    info = overloads[0]
    parameters = [*_parameters(info.parameters), _RESULT]
    return inspect.Signature(parameters, return_annotation=_result_of(info))


def documentation_of(function: Function) -> str:
    """Return the signature of each overload with the comments of its declaration."""
    return "\n\n".join(_documentation(info) for info in function.overloads)


def _result_of(info: FunctionInfo) -> str | None:
    name = info.return_type.name
    return None if name == "void" else name


def _is_optional(parameter: Parameter) -> bool:
    return parameter.has_default or parameter.direction is Direction.out


def _annotation(parameter: Parameter) -> str:
    prefix = {Direction.out: "out ", Direction.inout: "inout "}.get(parameter.direction, "")
    name: str = parameter.type.name
    return prefix + name


def _parameters(declared: Iterable[Parameter]) -> list[inspect.Parameter]:
    """Turn parameters into Python's: defaults stand last, names are none of Python's own."""
    result: list[inspect.Parameter] = []
    is_last = True
    kind: inspect._ParameterKind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    for parameter in reversed(list(declared)):
        is_last = is_last and _is_optional(parameter)
        default = parameter.default if parameter.has_default else None
        if keyword.iskeyword(parameter.name):
            kind = inspect.Parameter.POSITIONAL_ONLY
        result.append(
            inspect.Parameter(
                parameter.name,
                kind,
                default=default if is_last else inspect.Parameter.empty,
                annotation=_annotation(parameter),
            )
        )
    return result[::-1]


def _documentation(info: FunctionInfo) -> str:
    entries = ", ".join(f"{entry.name}: {_annotation(entry)}" for entry in info.parameters)
    result = _result_of(info)
    lines = [f"{info.name}({entries})" + (f" -> {result}" if result else "")]
    if info.documentation:
        lines += ["", info.documentation]
    described = [entry for entry in info.parameters if entry.documentation]
    if described:
        lines += ["", "Args:"]
        lines += [f"    {entry.name}: {_indented(entry.documentation)}" for entry in described]
    return "\n".join(lines)


def _indented(text: str) -> str:
    return text.replace("\n", "\n        ")
