# SPDX-License-Identifier: Apache-2.0
"""What an operator of torch needs of a Slang function: its tensors and results, by reflection."""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import TYPE_CHECKING, Any

import torch

from weft._native import ArgumentError, Direction, TypeKind
from weft._scalar_of import scalar_of

if TYPE_CHECKING:
    from weft._native import Function, FunctionInfo, Parameter, Type

_WHOLE = re.compile(
    r"^(?P<interface>I?)(?P<access>R?W)?(?:Diff|Atomic)?Tensor<.*, *(?P<rank>\d+)>$"
)


@dataclasses.dataclass(frozen=True)
class Operand:
    """A tensor among the arguments: a parameter, or a field of one."""

    name: str
    """In the operator's schema."""
    path: tuple[str, ...]
    """The parameter, then the fields."""
    trailing: tuple[int, ...]
    """The dimensions that one value has."""
    dtype: torch.dtype | None
    """None for a generic type."""
    generic: str = ""
    rank: int = 0
    """Dimensions that the function indexes itself; -1: all, whatever they are."""
    is_written: bool = False
    default: Any = None

    @property
    def is_whole(self) -> bool:
        """Whether the function picks the elements itself."""
        return self.rank != 0

    def leading(self, tensor: torch.Tensor) -> tuple[int, ...]:
        """Return the part of a tensor's shape that is a shape of calls."""
        if self.rank < 0:
            return ()
        return tuple(tensor.shape[: max(tensor.dim() - self.rank - len(self.trailing), 0)])


@dataclasses.dataclass(frozen=True)
class Result:
    """A tensor that a call returns."""

    name: str
    trailing: tuple[int, ...]
    dtype: torch.dtype | None
    generic: str = ""


@dataclasses.dataclass(frozen=True)
class Layout:
    """The tensors of a function."""

    parameters: tuple[str, ...]
    operands: tuple[Operand, ...]
    results: tuple[Result, ...]
    written: tuple[int, ...]
    """The operands whose new values follow the results."""
    is_differentiable: bool

    @functools.cached_property
    def is_plain(self) -> bool:
        """Whether the operator takes and gives just what the function does, all of it tensors."""
        names = [operand.path for operand in self.operands]
        is_same = names == [(name,) for name in self.parameters]
        return is_same and not self.written and [r.name for r in self.results] == ["_result"]

    @property
    def schema(self) -> str:
        """The operator's schema without its name."""
        count = len(self.results) + len(self.written)
        taken = ", ".join(f"Tensor {operand.name}" for operand in self.operands)
        given = "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"
        return f"({taken}) -> {given}"


def _scalar(type: Type, where: str) -> tuple[torch.dtype | None, str]:
    """Return the dtype of the numbers of a type, or the generic parameter that says it."""
    type = scalar_of(type)
    if type.kind == TypeKind.generic_parameter:
        return None, type.name
    if type.numpy_name is None:
        raise ArgumentError(
            f"{where} is {type.name}, which no tensor of torch holds; pass its numbers one by one"
        )
    return getattr(torch, type.numpy_name.rstrip("_")), ""


def _extents(type: Type, where: str) -> tuple[int, ...]:
    if 0 in type.shape or (type.element is not None and 0 in type.element.shape):
        raise ArgumentError(
            f"{where} has an extent that is generic; an operator needs it fixed, such as float3"
        )
    return tuple(type.shape)


def _operands(type: Type, path: tuple[str, ...], common: dict[str, Any], function: str) -> Any:
    where = f"op: {function}: parameter '{'.'.join(path)}'"
    name = "_".join(path)
    if type.kind == TypeKind.structure:
        if any(attribute.name == "FromTensor" for attribute in type.attributes):
            yield Operand(name, path, (), torch.float32, rank=-1, **common)
            return
        for field in type.fields:
            yield from _operands(field.type, (*path, field.name), common, function)
        return
    if type.kind == TypeKind.tensor:
        yield _whole(type, path, common, where)
        return
    if type.kind in (TypeKind.pointer, TypeKind.resource):
        raise ArgumentError(
            f"{where} is {type.name}, which does not say what a call reads and writes; declare it "
            "as ITensor or IRWTensor"
        )
    dtype, generic = _scalar(type, where)
    yield Operand(name, path, _extents(type, where), dtype, generic, **common)


def _whole(type: Type, path: tuple[str, ...], common: dict[str, Any], where: str) -> Operand:
    is_buffer = type.name.startswith("StructuredBuffer<")
    found = _WHOLE.match(type.name)
    if (found is None and not is_buffer) or type.element is None:
        raise ArgumentError(
            f"{where} is {type.name}, whose dimensions an operator cannot know; declare it as "
            "ITensor<T, N> or IRWTensor<T, N>"
        )
    dtype, generic = _scalar(type.element, where)
    return Operand(
        "_".join(path),
        path,
        _extents(type.element, where),
        dtype,
        generic,
        rank=1 if found is None else int(found["rank"]),
        is_written=found is not None and bool(found["access"]),
        default=common["default"],
    )


def _result(name: str, type: Type, function: str) -> Result:
    where = f"op: {function}: {name}"
    if type.kind not in (
        TypeKind.scalar,
        TypeKind.vector,
        TypeKind.matrix,
        TypeKind.array,
        TypeKind.generic_parameter,
    ):
        raise ArgumentError(
            f"{where} is {type.name}, which is more than one tensor; write its fields to out "
            "parameters"
        )
    dtype, generic = _scalar(type, where)
    return Result(name, _extents(type, where), dtype, generic)


def _overload(function: Function) -> FunctionInfo:
    overloads = function.overloads
    if len(overloads) != 1:
        raise ArgumentError(
            f"op: {function.name} has {len(overloads)} overloads, and an operator of torch has one "
            "schema; give the one that is meant a name of its own"
        )
    info = overloads[0]
    if info.owner and not info.is_static:
        raise ArgumentError(
            f"op: {function.name} is a method; write a function that takes the {info.owner} as a "
            "parameter"
        )
    if not function._is_as_declared():
        raise ArgumentError(
            f"op: {function.name} was changed by bwds, fwds, map(), return_type() or "
            "for_threads(), so that its declaration does not say what it takes and gives; pass "
            "module.f itself"
        )
    return info


def layout_of(function: Function) -> Layout:
    """Return the layout of a function.

    Raises:
        ArgumentError: The function has several overloads, is a method, or has parameters or results
            whose shapes, types or uses its declaration does not say.
    """
    info = _overload(function)
    operands: list[Operand] = []
    results: list[Result] = []
    if info.return_type.name != "void":
        results.append(_result("_result", info.return_type, function.name))
    for parameter in info.parameters:
        if parameter.direction == Direction.out:
            results.append(_result(parameter.name, parameter.type, function.name))
            continue
        common = {
            "is_written": parameter.direction == Direction.inout,
            "default": _default(parameter),
        }
        operands += _operands(parameter.type, (parameter.name,), common, function.name)
    written = tuple(i for i, operand in enumerate(operands) if operand.is_written)
    if not operands or not (results or written):
        raise ArgumentError(
            f"op: {function.name} must take and give at least one tensor to be an operator of torch"
        )
    _require_known_types(operands, results, function.name)
    return Layout(
        tuple(parameter.name for parameter in info.parameters),
        tuple(operands),
        tuple(results),
        written,
        info.is_differentiable,
    )


def _default(parameter: Parameter) -> Any:
    return parameter.default if parameter.has_default else None


def _require_known_types(operands: list[Operand], results: list[Result], function: str) -> None:
    known = {operand.generic for operand in operands}
    for result in results:
        if result.generic and result.generic not in known:
            raise ArgumentError(
                f"op: {function}: {result.name} is {result.generic}, which its parameters do not "
                "tell; write a function of a concrete type"
            )
