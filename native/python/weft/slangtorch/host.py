# SPDX-License-Identifier: Apache-2.0
"""Host functions: they write down what they allocate and dispatch, and this does it.

The layout of a record stands in shaders/compat/slangtorch/host.slang.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

import weft
from weft._scalar_of import scalar_of

from .launcher import declarations, imports
from .plans import Arguments, Plan, Plans
from .records import ELEMENTS, Records, key_of
from .values import described, is_tensor, is_tensor_view, memory_of
from .views import MAX_DIMENSIONS, bring_back, contiguous_strides, layout

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from weft import FunctionInfo, Type

    from .module import TorchModule

ALLOCATION, FILLING, DISPATCH = 0, 1, 2
FIRST_ROOM = 1024
NAME = "slangtorch_host"


class HostFunction:
    """A [TorchEntryPoint] of a module: called with tensors, numbers and tuples by position.

    Args:
        module: That has it.
        name: Of it.
    """

    def __init__(self, module: TorchModule, name: str) -> None:
        self._module = module
        self._name = name
        self._records = Records()
        self._plans = Plans()

    def __repr__(self) -> str:
        parameters = ", ".join(f"{p.name}: {p.type.name}" for p in self._info().parameters)
        return f"<weft.slangtorch.HostFunction {self._name}({parameters})>"

    def _info(self) -> FunctionInfo:
        info = self._module.entry_point_info(self._name)
        if info is None:
            raise weft.ArgumentAttributeError(
                f"'{self._name}' is no longer a [TorchEntryPoint] of {self._module.path}"
            )
        return info

    def __call__(self, *arguments: Any) -> Any:
        """Run it.

        Returns:
            Tensors of the kind that were passed; tuples for structures, lists for arrays.

        Raises:
            ArgumentTypeError: Too few or too many arguments, or one of another kind.
            ArgumentError: A dispatch that cannot be launched.
            CompileError: The function uses what has no record.
        """
        short = Arguments(arguments, self._module.device)
        generation = self._module.generation
        known = None if short.key is None else self._plans.get(generation, short.key)
        if known is not None:
            return known.run(short.tensors)
        info = self._info()
        parameters = info.parameters
        if len(arguments) != len(parameters):
            names = ", ".join(parameter.name for parameter in parameters)
            raise weft.ArgumentTypeError(
                f"{self._name}: expected {len(parameters)} arguments by position ({names}), "
                f"got {len(arguments)}"
            )
        call = Call(self._module.device, self._name)
        values = {
            parameter.name: call.taken(given, parameter.type, parameter.name)
            for parameter, given in zip(parameters, arguments, strict=True)
        }
        result, words = self._record(info, values, len(call.tensors))
        plan = None if short.key is None else Plan(short, self._module.device)
        Replay(self._module, call, plan).run(words)
        if plan is not None and plan.is_whole and short.has_taken(call.given):
            plan.hand_back(returned(result, info.return_type))
            self._plans.put(generation, short.key, plan)
        return call.handed_back(result, info.return_type)

    def _record(
        self, info: FunctionInfo, values: Mapping[str, Any], count: int
    ) -> tuple[Any, NDArray[np.uint32]]:
        """Return a host function's value and what it writes down; equal calls are not repeated."""
        generation, key = self._module.generation, key_of(values)
        known = None if key is None else self._records.get(generation, key)
        if known is None:
            known = self._run(info, values, count)
            if key is not None:
                self._records.put(generation, key, *known)
        return known

    def _run(
        self, info: FunctionInfo, values: Mapping[str, Any], count: int
    ) -> tuple[Any, NDArray[np.uint32]]:
        """Run the host function; return its value and what it wrote down."""
        text = host_source(self._module.path, info)
        function = self._module.launcher(f"{self._name} (host)", text).find_function(NAME)
        assert function is not None
        room = FIRST_ROOM
        while True:
            tape = weft.Tensor.zeros(self._module.device, (room,), dtype=weft.uint)
            result = function(
                slangtorch_tape=tape, slangtorch_words=room, slangtorch_tensors=count, **values
            )
            words = np.asarray(tape.to_numpy())
            used = int(words[0])
            if used <= room:
                return result, words[:used]
            room = used


def host_source(path: str, info: FunctionInfo) -> str:
    """Return a module with one function that runs a host function and keeps its record."""
    names = ", ".join(parameter.name for parameter in info.parameters)
    returned = info.return_type.full_name
    return "\n".join(
        [
            *imports(path),
            f"{returned} {NAME}(uint* slangtorch_tape, uint slangtorch_words, "
            f"uint slangtorch_tensors{declarations(info)})",
            "{",
            "    weft_begin_tape(slangtorch_tape, slangtorch_words, slangtorch_tensors);",
            f"    {'' if returned == 'void' else 'return '}{info.name}({names});",
            "}",
        ]
    )


def is_torch_tensor(kind: Type) -> bool:
    """Return whether a type is TorchTensor<T>."""
    return kind.kind == weft.TypeKind.structure and kind.name.startswith("TorchTensor")


@dataclass
class Call:
    """Tensors of one call by number, and what kind the caller uses.

    Args:
        device: Where they lie.
        name: Of the host function, for messages.
    """

    device: weft.Device
    name: str
    tensors: list[weft.Tensor] = field(default_factory=list)
    given: list[Any] = field(default_factory=list)
    copies: list[tuple[NDArray[Any], weft.Tensor, Any]] = field(default_factory=list)
    """Arrays of the host with their copies, and what of torch has that memory."""

    def taken(self, given: Any, wanted: Type, label: str) -> Any:
        """Return an argument as the host function gets it."""
        if is_torch_tensor(wanted):
            return self._tensor(given, wanted, label)
        if wanted.kind == weft.TypeKind.structure:
            return self._structure(given, wanted, label)
        if wanted.kind == weft.TypeKind.array and wanted.element is not None:
            element = wanted.element
            if element.kind == weft.TypeKind.structure:
                return [self.taken(v, element, f"{label}[{k}]") for k, v in enumerate(given)]
        return given

    def _structure(self, given: Any, wanted: Type, label: str) -> dict[str, Any]:
        names = [each.name for each in wanted.fields]
        if isinstance(given, Mapping):
            given = [given.get(name) for name in names]
        if not isinstance(given, Sequence) or len(given) != len(names):
            raise weft.ArgumentTypeError(
                f"{self.name}: argument '{label}' must be a tuple ({', '.join(names)}), got "
                f"{described(given)}"
            )
        return {
            each.name: self.taken(value, each.type, f"{label}.{each.name}")
            for each, value in zip(wanted.fields, given, strict=True)
        }

    def _tensor(self, given: Any, wanted: Type, label: str) -> dict[str, Any]:
        """Return number, sizes and strides of a tensor."""
        if not is_tensor(given):
            raise weft.ArgumentTypeError(
                f"{self.name}: argument '{label}' must be a tensor, got {described(given)}"
            )
        full_label = f"{self.name}: argument '{label}'"
        array, owner = memory_of(given, self.device, full_label)
        shape = tuple(array.shape)
        if not 1 <= len(shape) <= MAX_DIMENSIONS:
            raise weft.ArgumentError(
                f"{full_label} has {len(shape)} dimensions, expected 1 to {MAX_DIMENSIONS}"
            )
        if isinstance(array, weft.Tensor):
            tensor = array.contiguous()
        else:
            tensor = weft.Tensor.from_numpy(self.device, np.ascontiguousarray(array))
            self.copies.append((array, tensor, owner))
        self.tensors.append(tensor)
        self.given.append(given)
        strides = [tensor.dtype.size * stride for stride in contiguous_strides(shape)]
        return {"number": len(self.tensors) - 1, **layout(shape, strides)}

    def handed_back(self, value: Any, kind: Type) -> Any:
        """Return what the host function returned, as its caller expects it."""
        if is_torch_tensor(kind):
            return self._array(value["number"])
        if kind.kind == weft.TypeKind.structure:
            return tuple(self.handed_back(value[each.name], each.type) for each in kind.fields)
        if kind.kind == weft.TypeKind.array and kind.element is not None:
            return [self.handed_back(each, kind.element) for each in value]
        return copy.deepcopy(value)  # the record keeps its own

    def _array(self, number: int) -> Any:
        """Return a tensor as the kind that was passed."""
        if number < len(self.given):
            return self.given[number]
        tensor = self.tensors[number]
        example = self.given[0] if self.given else None
        if isinstance(example, weft.Tensor):
            return tensor
        if example is None or isinstance(example, np.ndarray):
            return tensor.to_numpy()
        return tensor.torch()


class Replay:
    """Does what a host function has written down.

    Args:
        module: With the kernels.
        call: With the tensors.
        plan: Takes down what is done.
    """

    def __init__(self, module: TorchModule, call: Call, plan: Plan | None) -> None:
        self._module = module
        self._call = call
        self._plan = plan
        self._words: NDArray[np.uint32] = np.zeros(0, np.uint32)
        self._at = 0

    def run(self, words: NDArray[np.uint32]) -> None:
        """Do all of it.

        Args:
            words: The record.

        Raises:
            ArgumentError: A dispatch cannot be launched.
        """
        self._words, self._at = words, 1
        while self._at < len(words):
            operation = self._next()
            if operation == ALLOCATION:
                self._allocate()
            elif operation == FILLING:
                self._fill()
            else:
                self._dispatch()
        refusal = (
            f"{self._call.name}: an argument is read only, and a kernel wrote to it; pass a copy"
        )
        for array, tensor, owner in self._call.copies:
            bring_back(array, tensor, (owner,), refusal)

    def _next(self) -> int:
        self._at += 1
        return int(self._words[self._at - 1])

    def _allocate(self) -> None:
        number, scalar, fill, rank = (self._next() for _ in range(4))
        shape = tuple(self._next() for _ in range(rank))
        make = weft.Tensor.empty if fill else weft.Tensor.zeros
        assert number == len(self._call.tensors)
        self._call.tensors.append(make(self._module.device, shape, dtype=ELEMENTS[scalar]))
        if self._plan is not None:
            self._plan.allocate(shape, ELEMENTS[scalar], is_filled=bool(fill))

    def _fill(self) -> None:
        number = self._next()
        tensor = self._call.tensors[number]
        content = self._value()
        values = np.frombuffer(content, np.dtype(tensor.dtype.numpy_name))
        count = max(len(content) // tensor.dtype.size, 1)
        shape = tuple(tensor.shape)
        if self._plan is not None:
            self._plan.fill(number, values[0].item() if count == 1 else None)
        if count > 1:
            filled = np.broadcast_to(values, shape)
            tensor.copy_from_numpy(np.ascontiguousarray(filled))
        else:
            tensor.fill(values[0].item())

    def _value(self) -> bytes:
        words = self._next()
        self._at += self._at & 1
        self._at += words
        return self._words[self._at - words : self._at].tobytes()

    def _dispatch(self) -> None:
        kernel = self._module.kernel_of_hash(self._next())
        grid = tuple(self._next() for _ in range(3))
        block = tuple(self._next() for _ in range(3))
        arguments, numbers = {}, {}
        for parameter in self._module.function_info(kernel.name).parameters:
            if is_tensor_view(parameter.type):
                numbers[parameter.name] = self._next()
                arguments[parameter.name] = self._call.tensors[numbers[parameter.name]]
            else:
                arguments[parameter.name] = decoded(parameter.type, self._value())
        if self._plan is not None:
            self._plan.dispatch(kernel, arguments, numbers, (block, grid))
        kernel(**arguments).launchRaw(block, grid)


def returned(value: Any, kind: Type) -> Callable[[list[Any]], Any]:
    """Return what makes a host function's value of the tensors of a call."""
    if is_torch_tensor(kind):
        return operator.itemgetter(value["number"])
    if kind.kind == weft.TypeKind.structure:
        members = [returned(value[each.name], each.type) for each in kind.fields]
        return lambda tensors: tuple(member(tensors) for member in members)
    if kind.kind == weft.TypeKind.array and kind.element is not None:
        elements = [returned(each, kind.element) for each in value]
        return lambda tensors: [element(tensors) for element in elements]
    return lambda _tensors: copy.deepcopy(value)


def decoded(kind: Type, content: bytes) -> Any:
    """Return the value of bytes as a device writes them."""
    if kind.kind == weft.TypeKind.structure:
        return {f.name: decoded(f.type, content[f.offset :]) for f in kind.fields}
    if kind.kind == weft.TypeKind.array and kind.element is not None:
        size = kind.element.size
        count = kind.shape[0]
        return [decoded(kind.element, content[k * size :]) for k in range(count)]
    scalar = scalar_of(kind)
    if scalar.numpy_name == "bool":
        return bool(np.frombuffer(content[:4], np.uint32)[0])
    count = int(np.prod(kind.shape, dtype=int))
    numbers = np.frombuffer(content, np.dtype(scalar.numpy_name), count)
    return numbers.reshape(kind.shape).tolist()


def hash_of(name: str) -> int:
    """Return the number by which a record names a kernel: FNV-1a, 32 bits."""
    value = 2166136261
    for byte in name.encode():
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return value
