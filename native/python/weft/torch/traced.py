# SPDX-License-Identifier: Apache-2.0
"""Calls that torch traces instead of running: a Slang function becomes an operator by itself.

torch.compile comes by call_traced(), which it reads; what traces with tensors that run through the
program (make_fx, torch.export) by call_recorded().
"""

from __future__ import annotations

import hashlib
import re
import types
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from weft._native import ArgumentError
from weft.torch import kernels
from weft.torch.layout import Layout, layout_of
from weft.torch.operator import Operator, is_differentiating

if TYPE_CHECKING:
    from weft._native import Function

LIBRARY = "weft_calls"
made = types.SimpleNamespace()
"""The operators by the second half of their names."""
overloads = types.SimpleNamespace()
"""What torch made of them."""
_operators: dict[Function, Operator] = {}
_counts: Counter[str] = Counter()


def call_traced(function: Function, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Make a call in the eyes of torch.compile, which follows what this function does.

    What no operator can do is a call of C, at which torch breaks the graph and makes the call.
    """
    if not keywords:
        short = find_overload(function, len(arguments))
        if short:
            for value in arguments:
                if not isinstance(value, torch.Tensor):
                    break
            else:
                return getattr(overloads, short)(*arguments)  # fewer guards than an Operator's
    name = find_operator(function)
    if not name or not takes(arguments, keywords):
        return function.call(*arguments, **keywords)
    return getattr(made, name)(*arguments, **without_kind(keywords))


def call_recorded(function: Function, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Make a call with tensors that stand for others, or whose operations torch writes down.

    Raises:
        ArgumentError: The call cannot be an operator, or torch.func differentiates it.
    """
    try:
        operator = _operator_of(function)
        why = "" if takes(arguments, keywords) else "an argument or _result is no tensor of torch"
    except ArgumentError as error:
        why = str(error).removeprefix("op: ")
    if is_differentiating():
        why = "torch.func and forward mode cannot differentiate operators"
    if why:
        raise ArgumentError(
            f"{function.name}: torch traces this call, which must be an operator for that, and "
            f"cannot be: {why}"
        )
    return operator(*arguments, **without_kind(keywords))


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator, unused-ignore]
def find_overload(function: Function, count: int) -> str:
    """Return the name in ``overloads`` of what takes and gives tensors as the function does.

    "" if there is none for so many arguments, or it is not that simple.
    """
    name = find_operator(function)
    if not name:
        return ""
    layout = getattr(made, name).layout
    return name if layout.is_plain and len(layout.operands) == count else ""


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator, unused-ignore]
def find_operator(function: Function) -> str:
    """Return the name in ``made`` of a function's operator; "" if there can be none.

    A name, as torch.compile takes no call of an object that comes from such a function.
    """
    try:
        name = _operator_of(function).overload._schema.name.partition("::")[2]
    except ArgumentError:
        return ""
    return str(name)


def _operator_of(function: Function) -> Operator:
    if function not in _operators:
        layout = layout_of(function)
        name = _name_of(function, layout)
        operator = Operator(function, layout, kernels.register(function, layout, name))
        short = name.partition("::")[2]
        setattr(made, short, operator)
        setattr(overloads, short, operator.overload)
        _operators[function] = operator
    return _operators[function]


def _name_of(function: Function, layout: Layout) -> str:
    """Return a name that processes share which make their operators in one order."""
    declaration = f"{function.full_name}\n{layout}"
    digest = hashlib.sha256(declaration.encode()).hexdigest()[:12]
    name = f"{LIBRARY}::{re.sub(r'[^A-Za-z0-9_]', '_', function.name)}_{digest}"
    _counts[name] += 1
    return name if _counts[name] == 1 else f"{name}_{_counts[name]}"


def takes(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Return whether an operator takes these arguments, and gives what is asked for."""
    for value in arguments:
        if not _is_value(value):
            return False
    for name, value in keywords.items():
        if name == "_result" and _is_torch(value):
            continue
        if not _is_value(value):
            return False
    return True


def without_kind(keywords: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords without a _result that says torch, as operators do."""
    return {
        name: value for name, value in keywords.items() if name != "_result" or not _is_torch(value)
    }


def _is_torch(value: Any) -> bool:
    if isinstance(value, str):
        return value == "torch"
    return value is torch.Tensor


def _is_value(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_is_value(entry) for entry in value)
    if isinstance(value, dict):
        return all(_is_value(entry) for entry in value.values())
    kinds = (torch.Tensor, bool, int, float, torch.SymInt, torch.SymFloat, np.ndarray)
    return value is None or isinstance(value, kinds)
