# SPDX-License-Identifier: Apache-2.0
"""The short way of host functions: what one did for such arguments before, done again at once.

It is for tensors in the device's memory, Weft's or, on CUDA, torch's without gradients, and for
numbers. Whatever else goes the long way, host.py, whose errors say what is wrong.
"""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import weft

from .records import MAX_RECORDS, key_of
from .views import MAX_DIMENSIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from .kernel import Kernel

    Step = Callable[[list[Any]], None]


class Arguments:
    """Arguments of a call as the short way sees them.

    Args:
        given: By the caller.
        device: That kernels run on.
    """

    def __init__(self, given: Sequence[Any], device: weft.Device) -> None:
        self.tensors: list[Any] = []
        self.torch: Any = None
        """The module, where the tensors are torch's."""
        self.bridge: Any = None
        self._device = device
        parts = tuple(map(self._part, given))
        is_short = None not in parts and len({type(each) for each in self.tensors}) == 1
        if self.bridge is not None:
            is_short = is_short and not (self.bridge.is_transformed() or self.bridge.is_recorded())
        self.key: Hashable = parts if is_short else None
        """Equal for calls that do the same; None: they go the long way."""

    def _part(self, given: Any) -> Hashable:
        """Return what counts of a value, and take the tensors out."""
        kind = type(given)
        if kind in (int, float, bool):
            return key_of(given)
        if isinstance(given, (tuple, list)):
            parts = tuple(map(self._part, given))
            return None if None in parts else parts
        is_own = kind is weft.Tensor and given.dtype.kind == weft.TypeKind.scalar
        if not is_own and not self._is_torch(given):
            return None
        shape = tuple(given.shape)
        if not given.is_contiguous() or not 1 <= len(shape) <= MAX_DIMENSIONS or 0 in shape:
            return None
        self.tensors.append(given)
        return kind, shape, given.dtype.name if is_own else given.dtype

    def has_taken(self, tensors: Sequence[Any]) -> bool:
        """Return whether these are the tensors, in this order."""
        return len(tensors) == len(self.tensors) and all(map(operator.is_, tensors, self.tensors))

    def _is_torch(self, given: Any) -> bool:
        """Return whether a value is a tensor of torch in the device's memory, without gradients."""
        if "torch" not in sys.modules or self._device.info.type != weft.DeviceType.cuda:
            return False
        if self.bridge is None:
            import torch

            from weft.torch import bridge

            self.torch, self.bridge = torch, bridge
        return (
            type(given) in self.bridge.PLAIN_CLASSES
            and not given.requires_grad
            and given.is_cuda
            and given.get_device() == self._device._torch_gpu
        )


class Plan:
    """What a host function did, as steps that take the tensors of a call by number.

    Args:
        arguments: Of that call.
        device: That kernels run on.
    """

    def __init__(self, arguments: Arguments, device: weft.Device) -> None:
        self._torch = arguments.torch
        self._place = arguments.tensors[0].device if arguments.torch is not None else device
        self._steps: list[Step] = []
        self._is_whole = True
        self._result: Callable[[list[Any]], Any] = _nothing

    @property
    def is_whole(self) -> bool:
        """Whether everything that the host function did is in it."""
        return self._is_whole

    def allocate(self, shape: tuple[int, ...], element: str, *, is_filled: bool) -> None:
        """Make a tensor.

        Args:
            shape: Of it, with the elements' own dimensions.
            element: Name of its scalars.
            is_filled: All of it is written before it is read.
        """
        if self._torch is None:
            make: Any = weft.Tensor.empty if is_filled else weft.Tensor.zeros
            made = functools.partial(make, self._place, shape, dtype=element)
        else:
            dtype = getattr(self._torch, element, None)
            self._is_whole &= dtype is not None
            make = self._torch.empty if is_filled else self._torch.zeros
            made = functools.partial(make, shape, dtype=dtype, device=self._place)
        self._steps.append(lambda tensors: tensors.append(made()))

    def fill(self, number: int, value: Any) -> None:
        """Fill a tensor; None: with more than one number, which is not known here."""
        self._is_whole &= value is not None
        name = "fill" if self._torch is None else "fill_"
        self._steps.append(lambda tensors: getattr(tensors[number], name)(value))

    def dispatch(
        self,
        kernel: Kernel,
        arguments: Mapping[str, Any],
        numbers: Mapping[str, int],
        sizes: tuple[Any, Any],
    ) -> None:
        """Launch a kernel.

        Args:
            kernel: The kernel.
            arguments: By name.
            numbers: Of the tensors among them, by name.
            sizes: Threads of a block, and blocks.
        """
        plain = {name: value for name, value in arguments.items() if name not in numbers}
        views = tuple(numbers.items())

        def launch(tensors: list[Any]) -> None:
            kernel(**plain, **{name: tensors[number] for name, number in views}).launchRaw(*sizes)

        self._steps.append(launch)

    def hand_back(self, result: Callable[[list[Any]], Any]) -> None:
        """Say what the call returns, of its tensors."""
        self._result = result

    def run(self, tensors: list[Any]) -> Any:
        """Do all of it, and return what the host function returns.

        Args:
            tensors: Those that were passed; the plan's own are added.
        """
        for step in self._steps:
            step(tensors)
        return self._result(tensors)


def _nothing(tensors: list[Any]) -> None:
    del tensors


class Plans:
    """Plans of one host function; the oldest is dropped where there are too many."""

    def __init__(self) -> None:
        self._kept: tuple[int, dict[Hashable, Plan]] = (-1, {})

    def get(self, generation: int, key: Hashable) -> Plan | None:
        """Return the plan of such a call, made with a generation of the source."""
        kept = self._kept  # one look: another thread may replace it
        return kept[1].get(key) if kept[0] == generation else None

    def put(self, generation: int, key: Hashable, plan: Plan) -> None:
        """Keep a plan."""
        plans = dict(self._kept[1]) if self._kept[0] == generation else {}
        while len(plans) >= MAX_RECORDS:
            del plans[next(iter(plans))]
        plans[key] = plan
        self._kept = generation, plans
