# SPDX-License-Identifier: Apache-2.0
"""Calls that torch differentiates. Start reading at track(); autograd.py says what torch asks."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

import weft
from weft._native import ArgumentError, Tensor
from weft.torch import bridge
from weft.torch.trees import Slot, Taker, give

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from weft._native import Device, Function


@dataclass
class Use:
    """What a call does with a tensor."""

    name: str = ""
    is_read: bool = False
    is_written: bool = False
    is_whole: bool = False
    """The function picks the elements itself."""
    is_known: bool = True


class Place(NamedTuple):
    """What a tensor is, apart from its values."""

    shape: tuple[int, ...]
    dtype: torch.dtype

    @classmethod
    def of(cls, tensor: torch.Tensor) -> Place:
        """Return the place of a tensor."""
        return cls(tuple(tensor.shape), tensor.dtype)

    @property
    def nbytes(self) -> int:
        """Bytes of its elements."""
        return math.prod(self.shape) * int(self.dtype.itemsize)

    @property
    def is_real(self) -> bool:
        """Whether its numbers may have gradients."""
        return bool(self.dtype.is_floating_point)


@dataclass
class Call:
    """A call with its tensors taken out, and what its forward run found out."""

    function: Function
    this: Any
    arguments: list[Any]
    keywords: dict[str, Any]
    is_differentiable: bool = True
    generation: int = 0
    uses: list[Use] = field(default_factory=list)
    returned: list[str] = field(default_factory=list)
    template: Any = None
    """Of the result."""
    results: list[Place] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    """Of the tensors passed."""
    written: list[int] = field(default_factory=list)
    """The tensors that the call writes."""
    kept: list[int] = field(default_factory=list)
    """The tensors that it writes and reads, of which copies are kept."""
    copied: frozenset[int] = frozenset()
    """Views that are written: torch lets a function write one only if it is all that it returns, so
    that the call writes a copy."""

    @property
    def name(self) -> str:
        """The function's name, for messages."""
        return self.function.name

    def bound(self, of: Any) -> tuple[Function, list[Any], dict[str, Any]]:
        """Return function, arguments and keywords with ``of(index)`` for each tensor."""
        function = self.function
        if self.this is not None:
            function = function.bind(give(self.this, of))
        arguments = [
            of(value.index) if type(value) is Slot else give(value, of) for value in self.arguments
        ]
        return function, arguments, give(self.keywords, of) if self.keywords else {}

    def prepare(self, tensors: Sequence[torch.Tensor]) -> None:
        """Find out what the call does with its tensors, and refuse what torch could not follow."""
        function, arguments, keywords = self.bound(tensors.__getitem__)
        plan = function._torch_plan(*arguments, **keywords)
        self.is_differentiable, is_torch, self.generation, self.returned, uses = plan
        self.uses = [Use(is_known=False) for _ in tensors]
        places = {id(tensor): index for index, tensor in enumerate(tensors)}
        for tensor, name, is_read, is_written, is_whole, rank in uses:
            use = self.uses[places[id(tensor)]]
            use.name = use.name or name
            use.is_read |= is_read
            use.is_written |= is_written
            use.is_whole |= is_whole
            use.is_known = rank >= 0
        self.places = [Place.of(tensor) for tensor in tensors]
        self.written = [i for i, use in enumerate(self.uses) if use.is_written]
        if self.written:
            self._prepare_writes(tensors, is_torch)
        self._require_gradients(tensors)

    def _prepare_writes(self, tensors: Sequence[torch.Tensor], is_torch: bool) -> None:
        self.kept = [i for i in self.written if self.uses[i].is_read]
        if self.returned and not is_torch:
            raise ArgumentError(
                f"{self.name}: a call that writes tensors of torch while gradients are recorded "
                "must return tensors of torch, got another _result; leave it away, or call under "
                "torch.no_grad()"
            )
        for index in self.written:
            self._require_writable(index, tensors[index])
        self.copied = frozenset(index for index in self.written if tensors[index]._is_view())

    def _require_writable(self, index: int, tensor: torch.Tensor) -> None:
        use = self.uses[index]
        if not tensor.requires_grad:
            return
        if tensor.is_leaf or (tensor._is_view() and tensor._base.is_leaf):
            with torch.enable_grad():
                tensor.mul_(1)  # torch's own error
        if not self.is_differentiable:
            raise ArgumentError(
                f"{self.name}: parameter '{use.name}' is tracked by torch (requires_grad), and "
                f"{self.name} is not [Differentiable]: torch would not see the results written to "
                "it; pass tensor.detach()"
            )
        if use.is_whole:
            raise ArgumentError(
                f"{self.name}: parameter '{use.name}' is written where the function chooses, and "
                "requires gradients already: those of the elements it leaves alone would be lost; "
                "pass a tensor without, such as torch.empty_like(tensor), or tensor.detach()"
            )

    def _require_gradients(self, tensors: Sequence[torch.Tensor]) -> None:
        if not self.is_differentiable:
            return
        for index, use in enumerate(self.uses):
            if not use.is_known and tensors[index].requires_grad:
                raise ArgumentError(
                    f"{self.name}: a tensor that requires gradients is in a list of structures, "
                    "through which gradients do not pass; pass a structure of tensors"
                )

    def run(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Make the call and return the tensors among its results."""
        function, arguments, keywords = self.bound(tensors.__getitem__)
        found = function(*arguments, **keywords)
        if type(found) is torch.Tensor:
            self.template = Slot(0)
            self.results = [Place.of(found)]
            return [found]
        taker = Taker(self.name)
        is_tuple = isinstance(found, tuple)
        self.template = tuple(map(taker.take, found)) if is_tuple else taker.take(found)
        parts = self.template if is_tuple else (self.template,)
        if self.is_differentiable and any(isinstance(part, dict) for part in parts):
            raise ArgumentError(
                f"{self.name}: its result is a structure, through which gradients of torch do not "
                "pass yet; write its fields to out parameters, or call under torch.no_grad()"
            )
        self.results = [Place.of(tensor) for tensor in taker.tensors]
        return taker.tensors

    def plain_parts(self) -> tuple[list[int], tuple[Any, ...]] | None:
        """Return, of each argument, its tensor or -1, and its number or None.

        None unless tensors that are only read, and numbers, make one result.
        """
        if not self._makes_one_result() or not all(use.is_read for use in self.uses):
            return None
        places, numbers = [], []
        for argument in self.arguments:
            is_slot = type(argument) is Slot
            if not is_slot and type(argument) not in (int, float):
                return None
            places.append(argument.index if is_slot else -1)
            numbers.append(None if is_slot else argument)
        return places, tuple(numbers)

    def _makes_one_result(self) -> bool:
        """Return whether real numbers are returned, and nothing else is named or written."""
        if self.this is not None or self.keywords or self.written:
            return False
        return self.returned == ["_result"] and self.results[0].is_real

    def require_same_code(self) -> None:
        """Refuse the derivative of other code than ran forward."""
        if self.function._generation() != self.generation:
            raise ArgumentError(
                f"{self.name}: its source was edited after the call whose derivative is asked for; "
                "make the call again"
            )

    def with_outputs(
        self, arguments: list[Any], keywords: Mapping[str, Any], outputs: Sequence[Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """Return the arguments with ``outputs`` for what the forward call returned."""
        parameters: list[str] = []
        if any(name != "_result" for name in self.returned):
            parameters = [parameter.name for parameter in self.function.signature.parameters]
        given = list(arguments)
        named = {key: value for key, value in keywords.items() if key != "_result"}
        if isinstance(self.keywords.get("_result"), (Slot, dict)):
            named["_result"] = keywords["_result"]
        for name, output in zip(self.returned, outputs, strict=True):
            index = parameters.index(name) if name in parameters else len(given)
            if index < len(given):
                given[index] = output
            else:
                named["_result" if name not in parameters else name] = output
        return given, named


class Memory:
    """Where the tensors of a derivative call lie.

    Beside tensors of the device's own GPU all of it is torch's, in the order of its current stream:
    nothing is copied, and a CUDA graph may hold the call. Beside tensors of the CPU a software
    device has large ones in torch's memory: wait() comes before anybody sees them. All else is the
    device's.

    Args:
        device: That makes the call.
        beside: A tensor of the forward call.
    """

    def __init__(self, device: Device, beside: torch.Tensor | None) -> None:
        self._device = device
        self._beside = beside
        self._is_shared = (
            beside is not None and beside.is_cuda and beside.get_device() == device._torch_gpu
        )
        self._least_bytes = device._least_lent_bytes
        """Of a tensor of the CPU that is used where it is."""
        self._is_on_host = (
            self._least_bytes >= 0 and beside is not None and beside.device.type == "cpu"
        )
        self._lent: dict[int, tuple[Tensor, torch.Tensor]] = {}
        self._is_awaited = False

    def of(self, tensor: torch.Tensor) -> Tensor:
        """Return the values of a tensor of torch as a Tensor."""
        if self._is_shared or self._is_on_host:
            lent = self._device._lend(tensor)
            if lent is None and self._is_on_host and tensor.nbytes >= self._least_bytes:
                tensor = tensor.contiguous()  # torch's copy is the quicker one
                lent = self._device._lend(tensor)
            if lent is not None:
                self._is_awaited = self._is_on_host
                return lent
        return weft.from_dlpack(self._device, tensor)

    def zeros(self, place: Place) -> Tensor:
        """Return a Tensor of zeros."""
        made = self._made(torch.zeros, place)
        if made is None:
            return Tensor.zeros(self._device, place.shape, _dtype_name(place.dtype))
        return made

    def empty(self, place: Place) -> Tensor:
        """Return a Tensor whose values are written before they are read."""
        made = self._made(torch.empty, place)
        if made is None:
            return Tensor.empty(self._device, place.shape, _dtype_name(place.dtype))
        return made

    @property
    def is_shared(self) -> bool:
        """Whether of() may give a tensor's own memory."""
        return self._is_shared or self._is_on_host

    def wait(self) -> None:
        """Wait for the device if it works on memory of the CPU that is torch's."""
        if self._is_awaited:
            self._device.wait()

    def to_torch(self, tensor: Tensor, like: torch.Tensor) -> torch.Tensor:
        """Return what zeros() or empty() made as a tensor of torch, where another one lies."""
        lent = self._lent.get(id(tensor))
        found = tensor._to_torch(like.is_cuda) if lent is None else lent[1]
        return found if found.device == like.device else found.to(like.device)

    def _made(self, make: Callable[..., torch.Tensor], place: Place) -> Tensor | None:
        is_large = self._is_on_host and place.nbytes >= self._least_bytes
        if not (self._is_shared or is_large):
            return None
        assert self._beside is not None
        made = make(place.shape, dtype=place.dtype, device=self._beside.device)
        lent = self._device._lend(made)
        if lent is None:
            assert self._is_on_host
            return None
        self._is_awaited = self._is_on_host
        self._lent[id(lent)] = lent, made  # the first one lives as long as its id() counts
        return lent


@functools.cache
def _dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def track(
    function: Function, this: object, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> Any:
    """Make a call that torch records, or follows otherwise.

    Args:
        function: The function; ``this`` is what it is bound to.
        this: None, or the object of a method.
        arguments: As the caller gave them.
        keywords: The same.

    Returns:
        What the call returns.
    """
    from weft.torch.autograd import function_for, node_for

    taker = Taker(function.name)
    positional = [taker.take(argument) for argument in arguments]
    call = Call(function, taker.take(this), positional, taker.take(keywords))
    if bridge.is_recorded() or any(map(bridge.is_stand_in, taker.tensors)):
        from weft.torch.traced import call_recorded

        return call_recorded(function, arguments, keywords)
    if bridge.is_transformed():
        outputs = function_for(function.name).apply(call, *taker.tensors)
    else:
        outputs = node_for(function.name)(call, *taker.tensors)
    for place, index in enumerate(call.written, len(call.results)):
        if index in call.copied or index in taker.widened:
            given = taker.given[index]
            _ = given.grad_fn  # a view learns here that its base was written before
            given.copy_(outputs[place])
    result = give(call.template, outputs.__getitem__)
    for instance in taker.instances:
        if hasattr(instance, "update_this"):
            instance.update_this(instance.get_this())
    return result
