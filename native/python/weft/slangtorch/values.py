# SPDX-License-Identifier: Apache-2.0
"""From values of Python to the arguments of a kernel."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import weft
from weft._scalar_of import scalar_of

from .views import MAX_DIMENSIONS, View, span

if TYPE_CHECKING:
    from weft import Type

MAX_ELEMENTS = 1 << 32
"""Indices of a TensorView are unsigned integers of 32 bits."""


@dataclass(frozen=True)
class DiffTensorView:
    """A tensor with its gradient, or with its tangent.

    Args:
        value: The tensor.
        grad: Of its shape; ``None``: what is written to it is dropped, and it is read as zeros.
    """

    value: Any
    grad: Any = None


class Marshaller:
    """Turns the arguments of one kernel into what its launcher takes.

    Args:
        device: That the kernel runs on.
        kernel: Its name, for messages.
        is_derivative: Gradients are read and written.
    """

    def __init__(self, device: weft.Device, kernel: str, *, is_derivative: bool) -> None:
        self._device = device
        self._kernel = kernel
        self._is_derivative = is_derivative
        self.views: list[View] = []
        self.tracked: list[str] = []
        """DiffTensorViews with tensors of torch that require gradients, without a gradient."""
        self.untracked: list[str] = []
        """TensorViews with such tensors."""
        self._numbers = itertools.count()

    def value(self, given: Any, wanted: Type, name: str) -> Any:
        """Return an argument of the launcher.

        Args:
            given: A tensor, a number, a sequence or a mapping.
            wanted: Type of the parameter, or of the member.
            name: Of it, for messages.

        Raises:
            ArgumentTypeError: It is of another kind.
            ArgumentError: A tensor has too many dimensions or elements, or another shape.
        """
        if is_tensor_view(wanted):
            if getattr(given, "requires_grad", False):
                self.untracked.append(name)
            return self._view(given, wanted, name)
        if is_diff_tensor_view(wanted):
            return self._pair(given, wanted, name)
        if wanted.kind == weft.TypeKind.structure:
            return self._structure(given, wanted, name)
        if wanted.kind == weft.TypeKind.array and holds_tensors(wanted):
            return self._array(given, wanted, name)
        return given

    def _error(self, name: str, wanted: str, got: Any, remedy: str) -> weft.ArgumentTypeError:
        return weft.ArgumentTypeError(
            f"{self._kernel}: argument '{name}' must be {wanted}, got {described(got)}; {remedy}"
        )

    def _view(self, given: Any, wanted: Type, name: str) -> dict[str, Any]:
        """Return what a launch fills with pointer, sizes and strides of a tensor."""
        if not is_tensor(given):
            raise self._error(name, "a tensor", given, "pass a tensor of torch, numpy or Weft")
        label = f"{self._kernel}: argument '{name}'"
        array, owner = memory_of(given, self._device, label)
        shape = tuple(array.shape)
        element = wanted.fields[0].type.element
        assert element is not None
        inner = tuple(element.shape)
        if not 1 <= len(shape) <= MAX_DIMENSIONS:
            raise weft.ArgumentError(
                f"{label} has {len(shape)} dimensions, expected 1 to {MAX_DIMENSIONS}; reshape it"
            )
        if inner and shape[-len(inner) :] != inner:
            raise weft.ArgumentError(
                f"{label} has shape {shape}, expected {inner} as its last dimensions, for its "
                f"elements are {element.name}; reshape it"
            )
        self._require_type(array, element, label)
        self._require_memory(array, label)
        view = View(array, label, len(inner), owner)
        self.views.append(view)
        return view.fields

    def _require_type(self, array: Any, element: Type, label: str) -> None:
        scalar = scalar_of(element)
        dtype = array.dtype
        got = dtype.numpy_name if isinstance(dtype, weft.Type) else dtype.name
        if got != scalar.numpy_name:
            raise weft.ArgumentTypeError(
                f"{label} must have elements of {scalar.numpy_name}, got {got}; convert it"
            )
        if got == "bool" and self._device.info.type != weft.DeviceType.cuda:
            raise weft.ArgumentTypeError(
                f"{label} has elements of bool, which take four bytes in kernels of this device; "
                "declare it as TensorView<uint8_t>, and pass its bytes"
            )

    def _require_memory(self, array: Any, label: str) -> None:
        if isinstance(array, weft.Tensor):
            return
        if any(stride < 0 or stride % array.itemsize for stride in array.strides):
            raise weft.ArgumentError(
                f"{label} has strides {array.strides} in bytes, expected whole elements forward; "
                "pass a copy"
            )
        begin, end = span(array)
        if (end - begin) // array.itemsize > MAX_ELEMENTS:
            raise weft.ArgumentError(
                f"{label} reaches over {(end - begin) // array.itemsize} elements, expected at "
                f"most {MAX_ELEMENTS}: kernels index with 32 bits; split it"
            )

    def _pair(self, given: Any, wanted: Type, name: str) -> dict[str, Any]:
        """Return both halves of a differentiable tensor."""
        value, gradient = split_pair(given)
        if not is_tensor(value):
            raise self._error(
                name, "a tensor or (tensor, gradient)", given, "pass DiffTensorView(value, grad)"
            )
        primal = self._view(value, wanted.fields[0].type, name)
        gradients = wanted.fields[1].type.fields[0].type
        gradient_is_missing = gradient is None
        if gradient is None:
            # No derivative: nobody looks there. Else what is written is dropped.
            shape = tuple(value.shape) if self._is_derivative else (1,)
            element = gradients.fields[0].type.element
            gradient = weft.Tensor.zeros(self._device, shape, dtype=element)
        elif not is_tensor(gradient) or tuple(gradient.shape) != tuple(value.shape):
            raise weft.ArgumentError(
                f"{self._kernel}: the gradient of argument '{name}' must be a tensor of shape "
                f"{tuple(value.shape)}, got {described(gradient)}; pass zeros of its shape"
            )
        if gradient_is_missing and getattr(value, "requires_grad", False):
            self.tracked.append(name)
        return {
            "primal": primal,
            "diff": {"diff": self._view(gradient, gradients, name)},
            "number": next(self._numbers),
        }

    def _structure(self, given: Any, wanted: Type, name: str) -> dict[str, Any]:
        """Return the members of a structure by name."""
        fields = wanted.fields
        names = [field.name for field in fields]
        if isinstance(given, Mapping):
            self._require_members(given, names, wanted, name)
            members = [given[each] for each in names]
        elif isinstance(given, Sequence) and not isinstance(given, str):
            members = list(given)
            if len(members) != len(fields):
                raise weft.ArgumentTypeError(
                    f"{self._kernel}: argument '{name}' is {wanted.name} with {len(fields)} "
                    f"members ({', '.join(names)}), got {len(members)} values; pass as many"
                )
        else:
            raise self._error(
                name, f"{wanted.name}, a dict or a tuple", given, f"pass {', '.join(names)}"
            )
        return {
            field.name: self.value(member, field.type, f"{name}.{field.name}")
            for field, member in zip(fields, members, strict=True)
        }

    def _require_members(
        self, given: Mapping[Any, Any], names: Sequence[str], wanted: Type, name: str
    ) -> None:
        unknown = [str(key) for key in given if key not in names]
        missing = [each for each in names if each not in given]
        if unknown or missing:
            what = f"no member '{unknown[0]}'" if unknown else f"a member '{missing[0]}'"
            raise weft.ArgumentTypeError(
                f"{self._kernel}: argument '{name}' is {wanted.name}, which has {what}; its "
                f"members are {', '.join(names)}"
            )

    def _array(self, given: Any, wanted: Type, name: str) -> list[Any]:
        """Return the elements of an array of tensors or structures."""
        count, element = wanted.shape[0], wanted.element
        if not isinstance(given, Sequence) or len(given) != count or element is None:
            raise self._error(name, f"{count} values", given, "pass a list")
        return [self.value(each, element, f"{name}[{k}]") for k, each in enumerate(given)]


def is_tensor_view(kind: Type) -> bool:
    """Return whether a type is TensorView<T>."""
    return kind.kind == weft.TypeKind.structure and kind.name.startswith("TensorView")


def is_diff_tensor_view(kind: Type) -> bool:
    """Return whether a type is DiffTensorView<T>."""
    return kind.kind == weft.TypeKind.structure and kind.name.startswith("DiffTensorView")


def holds_tensors(kind: Type) -> bool:
    """Return whether tensors are somewhere in a type."""
    if is_tensor_view(kind) or is_diff_tensor_view(kind):
        return True
    if kind.kind == weft.TypeKind.structure:
        return any(holds_tensors(field.type) for field in kind.fields)
    return kind.element is not None and holds_tensors(kind.element)


def is_tensor(value: Any) -> bool:
    """Return whether a value has memory and a shape."""
    return hasattr(value, "shape") and hasattr(value, "dtype")


def memory_of(given: Any, device: weft.Device, label: str) -> tuple[Any, Any]:
    """Return a tensor's memory, and the torch tensor that has it.

    Args:
        given: A tensor of torch, numpy, Weft or another library.
        device: That the kernel runs on.
        label: Kernel and parameter, for messages.

    Returns:
        An array of the host or a tensor of the device; None: it is not torch's, or shared.

    Raises:
        ArgumentTypeError: numpy has no such elements.
    """
    if isinstance(given, weft.Tensor):
        return given.flatten_dtype(), None
    if isinstance(given, np.ndarray):
        return given, None
    if not type(given).__module__.startswith("torch"):
        return np.from_dlpack(given) if hasattr(given, "__dlpack__") else np.asarray(given), None
    refuse_transforms(label)
    if given.device.type == "cpu":
        return array_of_torch(given, label), given
    if device.info.type != weft.DeviceType.cuda:
        raise weft.ArgumentTypeError(
            f"{label} lies on {given.device}, which kernels on a {device.info.type.name} device "
            "cannot write; pass tensor.cpu(), or load the module for CUDA"
        )
    return weft.Tensor.from_dlpack(device, given.detach()), given


def refuse_transforms(label: str) -> None:
    """Refuse tensors that torch.func or forward mode follows.

    Raises:
        ArgumentError: They do.
    """
    from weft.torch.bridge import is_transformed

    if is_transformed():
        raise weft.ArgumentError(
            f"{label}: kernels have no part in torch.func and forward mode, for they write their "
            "results in place; use .fwd and .bwd, or torch_op()"
        )


def array_of_torch(tensor: Any, label: str) -> Any:
    """Return a torch tensor of the CPU as an array on the same memory.

    Args:
        tensor: Of the CPU.
        label: Kernel and parameter, for messages.

    Raises:
        ArgumentTypeError: numpy has no such elements.
    """
    try:
        return tensor.detach().numpy()
    except (TypeError, RuntimeError) as error:
        raise weft.ArgumentTypeError(
            f"{label} is a torch tensor of {tensor.dtype} ({tensor.layout}) without plain "
            f"memory ({error}); convert it"
        ) from error


def split_pair(given: Any) -> tuple[Any, Any]:
    """Return tensor and gradient of whatever stands for a differentiable tensor."""
    if isinstance(given, DiffTensorView):
        return given.value, given.grad
    if isinstance(given, tuple) and 1 <= len(given) <= 2:
        return given[0], given[1] if len(given) == 2 else None
    return given, None


def described(value: Any) -> str:
    """Return what a value is, for messages."""
    if is_tensor(value):
        return f"{type(value).__name__} of shape {tuple(value.shape)} and {value.dtype}"
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}"
    return f"{type(value).__name__} {value!r}"[:60]
