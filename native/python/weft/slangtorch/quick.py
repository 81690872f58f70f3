# SPDX-License-Identifier: Apache-2.0
"""The short way of a launch: tensors without gradients of torch, of the device or of the CPU.

With tensors of the device's memory, repeated launches run no code of Python: the bindings read what
is kept here (native/python/kernel_call.hpp). Arrays of the host come by values().

The bindings fill a TensorView from a tensor of the device (native/dispatch/match_view.cpp) and keep
a plan for each layout. Contiguous arrays of the host are copied to memory that is kept for the next
launch. Whatever is not as simple goes the long way, whose errors say what is wrong.
"""

from __future__ import annotations

import enum
import itertools
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

import weft
from weft._scalar_of import scalar_of

from .values import MAX_ELEMENTS, DiffTensorView, is_diff_tensor_view, is_tensor_view
from .views import MAX_DIMENSIONS, bring_back

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft import FunctionInfo, Type

LARGEST_KEPT = 1 << 24
"""Bytes of a copy on the device that is kept for the next launch."""
MAX_KEPT = 64
"""Shapes of which copies are kept."""


class Kind(enum.IntEnum):
    """What a parameter takes."""

    PLAIN = 0
    VIEW = 1
    PAIR = 2
    STRUCTURE = 3


@dataclass
class Reader:
    """How an argument is read: its kind, and its parts.

    Args:
        kind: What the parameter takes.
        names: Of the members of a structure.
        parts: Readers of the members.
        element: Of a TensorView, and of the gradient of a DiffTensorView.
    """

    kind: Kind
    names: tuple[str, ...] = ()
    parts: tuple[Reader, ...] = ()
    element: Any = None
    nothing: Any = None
    """Stands for a gradient that is not given, see fill()."""
    dtype: Any = field(init=False, default=None)
    inner: tuple[int, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        """Know what arrays of these elements look like."""
        if self.element is not None:
            self.dtype = np.dtype(scalar_of(self.element).numpy_name)
            self.inner = tuple(self.element.shape)


@dataclass
class HostArray:
    """An array of the host among the values of a launch.

    Args:
        array: Contiguous and writeable.
        owner: The torch tensor that has its memory, or None.
        begin: Its address.
        holder: Dict of the values that takes its copy on the device.
        key: Where.
    """

    array: Any
    owner: Any
    begin: int
    holder: dict[str, Any]
    key: str


class Values(dict[str, Any]):
    """Arguments of the launcher, with what has to be copied to the device first."""

    def __init__(self) -> None:
        super().__init__()
        self.hosts: list[HostArray] = []


class _Long(Exception):
    """The arguments go the long way."""


class QuickLaunch:
    """A kernel's parameters, and the launches that were made.

    Args:
        info: Reflection of the kernel.
        generation: Of its source.
        device: That it runs on.
        is_derivative: Gradients are read and written.
    """

    def __init__(
        self, info: FunctionInfo, generation: int, device: weft.Device, *, is_derivative: bool
    ) -> None:
        self.generation = generation
        self.names = {parameter.name for parameter in info.parameters}
        readers = [(each.name, reader_of(each.type)) for each in info.parameters]
        self.readers = tuple((name, reader) for name, reader in readers if reader is not None)
        """Names of parameters, and how their arguments are read."""
        if not is_derivative:
            for _name, reader in self.readers:
                fill(reader, device)
        self._device = device
        self._is_derivative = is_derivative
        self._is_cuda = device.info.type == weft.DeviceType.cuda
        self.launches: dict[Any, tuple[weft.Function, Any]] = {}
        """By blockSize and gridSize: the launcher for that many threads, and the block."""
        self._copies: dict[Any, list[weft.Tensor]] = {}
        self._bridge: Any = None  # weft.torch.bridge, once there is a tensor of torch
        self._has_torch = False

    def values(self, named: Mapping[str, Any]) -> Values | None:
        """Return arguments of the launcher; None: they go the long way.

        Args:
            named: Arguments of the kernel, all of them.
        """
        values = Values()
        self._has_torch = False
        try:
            for name, reader in self.readers:
                self._read(named[name], reader, values, name, values.hosts)
        except _Long:
            return None
        if len(values.hosts) > 1 and _overlap(values.hosts):
            return None
        return None if self._has_torch and self._bridge.is_transformed() else values

    def _read(
        self, given: Any, reader: Reader, holder: dict[str, Any], key: str, hosts: list[HostArray]
    ) -> None:
        """Put what the launcher takes for a value into its holder."""
        kind = reader.kind
        if kind is Kind.PLAIN:
            holder[key] = given
        elif kind is Kind.VIEW:
            self._read_tensor(given, reader, holder, key, hosts)
        elif kind is Kind.PAIR:
            self._read_pair(given, reader, holder, key, hosts)
        else:
            members: dict[str, Any] = {}
            given_members = _members(given, reader)
            for name, part, member in zip(reader.names, reader.parts, given_members, strict=True):
                self._read(member, part, members, name, hosts)
            holder[key] = members

    def _read_tensor(
        self, given: Any, reader: Reader, holder: Any, key: Any, hosts: list[HostArray]
    ) -> None:
        if type(given) is weft.Tensor or self._is_shared(given):
            holder[key] = given
            return
        array, owner = given, None
        if type(given) is not np.ndarray:
            array, owner = self._array_of_torch(given), given
        flags = array.flags
        is_plain = flags.c_contiguous and flags.writeable and array.dtype.kind in "fiu"
        if array.size == 0 or not is_plain or not _fits(array, reader):
            raise _Long
        begin = owner.data_ptr() if owner is not None else array.__array_interface__["data"][0]
        hosts.append(HostArray(array, owner, begin, holder, key))

    def _array_of_torch(self, given: Any) -> Any:
        """Return the memory of a tensor of torch that lies on the host and has no gradient."""
        if self._bridge is None or type(given) not in self._bridge.PLAIN_CLASSES:
            raise _Long
        if given.requires_grad or given.device.type != "cpu":
            raise _Long
        try:
            return given.numpy()
        except (TypeError, RuntimeError):
            raise _Long from None

    def _is_shared(self, given: Any) -> bool:
        """Return whether a value is a tensor of torch in the device's memory, without gradients."""
        if self._bridge is None:
            if type(given) is np.ndarray or "torch" not in sys.modules:
                return False
            from weft.torch import bridge

            self._bridge = bridge
        if type(given) not in self._bridge.PLAIN_CLASSES:
            return False
        self._has_torch = True
        return self._is_cuda and bool(given.is_cuda) and not given.requires_grad

    def _read_pair(
        self, given: Any, reader: Reader, holder: Any, key: Any, hosts: list[HostArray]
    ) -> None:
        """Read both halves of a DiffTensorView."""
        value, gradient = given, None
        if type(given) is tuple and len(given) == 2:
            value, gradient = given
        elif type(given) is DiffTensorView:
            value, gradient = given.value, given.grad
        halves: dict[str, Any] = {"number": 0, "diff": {}}
        self._read_tensor(value, reader, halves, "primal", hosts)
        if gradient is None:
            if self._is_derivative:
                raise _Long
            halves["diff"]["diff"] = reader.nothing
        elif type(gradient) is not type(value) or gradient.shape != value.shape:
            raise _Long
        else:
            self._read_tensor(gradient, reader, halves["diff"], "diff", hosts)
        holder[key] = halves

    def upload(self, values: Values) -> list[tuple[HostArray, weft.Tensor]]:
        """Put arrays of the host on the device, and their copies into the values."""
        copies = []
        for host in values.hosts:
            try:
                copy = self._copies[host.array.shape, host.array.dtype.char].pop()
                copy.copy_from_numpy(host.array)
            except (KeyError, IndexError):
                copy = weft.Tensor.from_numpy(self._device, host.array)
            host.holder[host.key] = copy
            copies.append((host, copy))
        return copies

    def bring_back(self, copies: list[tuple[HostArray, weft.Tensor]]) -> None:
        """Let arrays of the host have what the kernel wrote, and keep their copies for later."""
        for host, copy in copies:
            bring_back(host.array, copy, (host.owner,), "")
            if host.array.nbytes <= LARGEST_KEPT:
                if len(self._copies) >= MAX_KEPT:
                    self._copies.clear()
                key = host.array.shape, host.array.dtype.char
                self._copies.setdefault(key, []).append(copy)

    def remember(self, sizes: Any, function: weft.Function, total: Any, block: Any) -> None:
        """Keep what a launch of these sizes needs.

        Args:
            sizes: blockSize and gridSize as the caller gave them.
            function: The launcher with its group size.
            total: Threads.
            block: Threads of a block.
        """
        try:
            self.launches[sizes] = function.for_threads(total), block
        except TypeError:
            return  # lists have no hash

    def launch(self, values: Values, sizes: Any) -> bool:
        """Launch with sizes that are known; return whether they are.

        Args:
            values: Of :meth:`values`.
            sizes: blockSize and gridSize.
        """
        try:
            function, block = self.launches[sizes]
        except (KeyError, TypeError):
            return False
        copies = self.upload(values)
        function(slangtorch_size=block, **values)
        self.bring_back(copies)
        return True


def fill(reader: Reader, device: weft.Device) -> None:
    """Make what stands for gradients that are not given."""
    if reader.kind is Kind.PAIR:
        reader.nothing = weft.Tensor.zeros(device, (1,), dtype=reader.element)
    for part in reader.parts:
        fill(part, device)


def _members(given: Any, reader: Reader) -> list[Any]:
    """Return the members of a structure."""
    if isinstance(given, dict):
        if given.keys() != set(reader.names):
            raise _Long
        return [given[name] for name in reader.names]
    if not isinstance(given, (tuple, list)) or len(given) != len(reader.parts):
        raise _Long
    return list(given)


def _overlap(hosts: list[HostArray]) -> bool:
    """Return whether arrays have memory in common: the kernel has to see that."""
    spans = sorted((host.begin, host.begin + host.array.nbytes) for host in hosts)
    return any(after[0] < before[1] for before, after in itertools.pairwise(spans))


def _fits(array: Any, reader: Reader) -> bool:
    """Return whether an array is what a view shows. The long way says what is wrong with others."""
    inner = reader.inner
    return bool(
        array.dtype == reader.dtype
        and 1 <= array.ndim <= MAX_DIMENSIONS
        and array.size <= MAX_ELEMENTS
        and (not inner or array.shape[-len(inner) :] == inner)
    )


def reader_of(kind: Type) -> Reader | None:
    """Return how an argument of a type is read; None: the long way."""
    if is_tensor_view(kind):
        return Reader(Kind.VIEW, element=kind.fields[0].type.element)
    if is_diff_tensor_view(kind):
        return Reader(Kind.PAIR, element=kind.fields[0].type.fields[0].type.element)
    if kind.kind == weft.TypeKind.structure:
        return _reader_of_structure(kind)
    if kind.kind == weft.TypeKind.array:
        part = None if kind.element is None else reader_of(kind.element)
        return part if part is not None and part.kind is Kind.PLAIN else None
    scalars = (weft.TypeKind.scalar, weft.TypeKind.vector, weft.TypeKind.matrix)
    return Reader(Kind.PLAIN) if kind.kind in scalars else None


def _reader_of_structure(kind: Type) -> Reader | None:
    members = [(field.name, reader_of(field.type)) for field in kind.fields]
    parts = tuple(reader for _name, reader in members if reader is not None)
    names = tuple(name for name, _reader in members)
    return Reader(Kind.STRUCTURE, names, parts) if len(parts) == len(names) else None


def has_quick_launch(info: FunctionInfo) -> bool:
    """Return whether the short way knows all parameters of a kernel."""
    return all(reader_of(each.type) is not None for each in info.parameters)
