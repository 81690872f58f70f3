# SPDX-License-Identifier: Apache-2.0
"""The short way of a launch: tensors of the device that need no copy and no gradient.

The bindings fill a TensorView from such a tensor (native/dispatch/match_view.cpp) and keep a plan
for each layout. Whatever is not as simple goes the long way, whose errors say what is wrong.
"""

from __future__ import annotations

import enum
import sys
from typing import TYPE_CHECKING, Any

import weft

from .values import DiffTensorView, is_diff_tensor_view, is_tensor_view

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft import FunctionInfo, Type


class Kind(enum.IntEnum):
    """What a parameter takes."""

    PLAIN = 0
    VIEW = 1
    PAIR = 2


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
        kinds = [(each.name, kind_of(each.type)) for each in info.parameters]
        self._views = [name for name, kind in kinds if kind is Kind.VIEW]
        self._pairs = [name for name, kind in kinds if kind is Kind.PAIR]
        self._is_derivative = is_derivative
        self._is_cuda = device.info.type == weft.DeviceType.cuda
        self._launches: dict[Any, tuple[weft.Function, Any]] = {}
        self._nothing: dict[str, weft.Tensor] = {}
        self._bridge: Any = None  # weft.torch.bridge, once there is a tensor of torch
        self._has_torch = False
        for each in info.parameters:
            if is_diff_tensor_view(each.type):
                element = each.type.fields[0].type.fields[0].type.element
                assert element is not None
                self._nothing[each.name] = weft.Tensor.zeros(device, (1,), dtype=element)

    def values(self, named: dict[str, Any]) -> dict[str, Any] | None:
        """Return arguments of the launcher; None: they go the long way.

        Args:
            named: Arguments of the kernel, all of them.
        """
        self._has_torch = False
        values = named
        for name in self._views:
            given = named[name]
            if type(given) is not weft.Tensor and not self._is_shared(given):
                return None
        if self._pairs:
            values = {**named}
            for name in self._pairs:
                pair = self._pair(named[name], name)
                if pair is None:
                    return None
                values[name] = pair
        return None if self._has_torch and self._bridge.is_transformed() else values

    def _is_shared(self, given: Any) -> bool:
        """Return whether a value is a tensor of torch in the device's memory, without gradients."""
        if self._bridge is None:
            if not self._is_cuda or "torch" not in sys.modules:
                return False
            from weft.torch import bridge

            self._bridge = bridge
        self._has_torch = True
        return bool(
            type(given) in self._bridge.PLAIN_CLASSES and given.is_cuda and not given.requires_grad
        )

    def _pair(self, given: Any, name: str) -> dict[str, Any] | None:
        """Return both halves of a DiffTensorView."""
        value, gradient = given, None
        if type(given) is tuple and len(given) == 2:
            value, gradient = given
        elif type(given) is DiffTensorView:
            value, gradient = given.value, given.grad
        if type(value) is not weft.Tensor and not self._is_shared(value):
            return None
        if gradient is None:
            if self._is_derivative:
                return None
            gradient = self._nothing[name]
        elif type(gradient) is not type(value) or gradient.shape != value.shape:
            return None
        return {"primal": value, "diff": {"diff": gradient}, "number": 0}

    def remember(self, sizes: Any, function: weft.Function, total: Any, block: Any) -> None:
        """Keep what a launch of these sizes needs.

        Args:
            sizes: blockSize and gridSize as the caller gave them.
            function: The launcher with its group size.
            total: Threads.
            block: Threads of a block.
        """
        try:
            self._launches[sizes] = function.for_threads(total), block
        except TypeError:
            return  # lists have no hash

    def launch(self, values: Mapping[str, Any], sizes: Any) -> bool:
        """Launch with sizes that are known; return whether they are.

        Args:
            values: Of :meth:`values`.
            sizes: blockSize and gridSize.
        """
        try:
            function, block = self._launches[sizes]
        except (KeyError, TypeError):
            return False
        function(**values, slangtorch_size=block)
        return True


def kind_of(kind: Type) -> Kind | None:
    """Return what a parameter takes; None: a structure or an array."""
    if is_tensor_view(kind):
        return Kind.VIEW
    if is_diff_tensor_view(kind):
        return Kind.PAIR
    scalars = (weft.TypeKind.scalar, weft.TypeKind.vector, weft.TypeKind.matrix)
    return Kind.PLAIN if kind.kind in scalars else None


def has_quick_launch(info: FunctionInfo) -> bool:
    """Return whether a kernel has neither structures nor arrays among its parameters."""
    return all(kind_of(each.type) is not None for each in info.parameters)
