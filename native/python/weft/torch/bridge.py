# SPDX-License-Identifier: Apache-2.0
"""What the native bindings ask of torch: see native/python/torch_bridge.cpp."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.autograd import forward_ad

from weft._native import ArgumentError, ArgumentTypeError, GradientWarning

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weft._native import Device, Function
    from weft._native import Tensor as WeftTensor

MIN_TORCH_VERSION = (2, 4)
"""The first torch that has all that is used here."""

version = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])
if version < MIN_TORCH_VERSION:
    raise ArgumentError(
        f"torch {torch.__version__} is too old: Weft needs "
        f"{MIN_TORCH_VERSION[0]}.{MIN_TORCH_VERSION[1]} or later; install it with "
        "'pip install --upgrade torch'"
    )

_TAKES_LISTS = (2, 6)
"""The first torch that increments the versions of several tensors at once."""

Tensor = torch.Tensor
empty_tensor = torch.empty
empty_like = torch.empty_like
zeros_like = torch.zeros_like
PLAIN_CLASSES = (torch.Tensor, torch.nn.Parameter)
"""Classes whose tensors are what they seem: most others change what their operations do."""

is_grad_enabled = torch.is_grad_enabled
is_functional = torch._C._are_functorch_transforms_active
is_forward_enabled = torch._C._is_fwd_grad_enabled
mode_count = torch._C._len_torch_dispatch_stack
increment_versions = torch.autograd.graph.increment_version
_mode_of = torch._C._get_dispatch_mode
_PROXY = torch._C._TorchDispatchModeKey.PROXY
_warned: set[str] = set()


def is_transformed() -> bool:
    """Return whether torch.func or forward mode follows what happens."""
    return bool(is_functional() or (forward_ad._current_level >= 0 and is_forward_enabled()))


def is_recorded() -> bool:
    """Return whether torch writes operations down, as make_fx does."""
    return mode_count() > 0 and _mode_of(_PROXY) is not None


def is_stand_in(tensor: torch.Tensor) -> bool:
    """Return whether a tensor stands for another while torch traces."""
    from torch._subclasses import FakeTensor
    from torch._subclasses.functional_tensor import FunctionalTensor

    return isinstance(tensor, (FakeTensor, FunctionalTensor))


def resolved(tensor: torch.Tensor) -> torch.Tensor | None:
    """Return a tensor whose memory holds the values themselves; None if there is none."""
    if complaint_of(tensor):
        return None
    return tensor.detach().resolve_conj().resolve_neg()


def capsule(tensor: torch.Tensor) -> object:
    """Return DLPack's capsule of a tensor for a torch without the table of C functions, or None."""
    if complaint_of(tensor):
        return None
    try:
        return torch.utils.dlpack.to_dlpack(tensor.detach())
    except (RuntimeError, BufferError, TypeError):
        return None


def complaint_of(tensor: torch.Tensor) -> str:
    """Return what keeps the values of a tensor from being read; "" if nothing is known to."""
    if tensor.device.type == "meta":
        return "is a meta tensor, which holds no values; pass one on a device"
    if is_fake(tensor):
        return f"is a {type(tensor).__name__}, which holds no values of its own; pass a plain one"
    if tensor.is_nested:
        return "is a nested tensor; pass its parts, or tensor.to_padded_tensor(0.0)"
    if tensor.layout is not torch.strided:
        return f"is a sparse tensor ({tensor.layout}); pass tensor.to_dense()"
    if tensor.is_quantized:
        return "is a quantized tensor; pass tensor.dequantize()"
    if tensor.is_complex():
        return f"is a tensor of {tensor.dtype}, which Weft has not; pass torch.view_as_real(tensor)"
    if tensor.numel() > 0 and tensor.untyped_storage().nbytes() == 0:
        return "is a tensor whose storage was freed (resize_(0)); pass one that has its memory"
    return ""


def complaint(tensor: torch.Tensor) -> str:
    """Return what follows "f: argument 'x'" in the message for a tensor that cannot be read."""
    return complaint_of(tensor) or (
        f"is a tensor of {tensor.dtype} on {tensor.device}, which Weft cannot read; convert it "
        "first, with tensor.float() or tensor.cpu()"
    )


def dtype_of(name: str) -> torch.dtype:
    """Return the dtype that numpy calls so."""
    return torch.bool if name == "bool" else getattr(torch, name)


def gpu(index: int) -> torch.device:
    """Return a GPU."""
    return torch.device("cuda", index)


def empty(shape: Sequence[int], code: int, bits: int) -> torch.Tensor:
    """Return a new tensor on the CPU of a dtype as DLPack has it."""
    name = {0: "int", 1: "uint", 2: "float"}[code] + str(bits) if code != 6 else "bool"
    return torch.empty(shape, dtype=getattr(torch, name))


def current_stream(index: int) -> int:
    """Return torch's current CUstream of a GPU; 0 is the default one."""
    return int(torch.cuda.current_stream(index).cuda_stream)


def from_dlpack(tensor: WeftTensor) -> torch.Tensor:
    """Return a CUDA tensor as a tensor of torch; its memory is shared on the default stream.

    On another stream it is a copy in torch's own memory: Weft uses freed memory again in the order
    of the default stream, which does not wait for what torch still reads.
    """
    shared = torch.from_dlpack(tensor)
    stream = current_stream(shared.device.index)
    if stream == 0:
        return shared
    copy = shared.clone()
    tensor.device._wait_for_stream(stream)
    return copy


def note_launch(device: Device, tensors: Iterable[torch.Tensor]) -> None:
    """Let torch's current streams wait for launches that used the memory of CUDA tensors."""
    for index in {tensor.device.index for tensor in tensors if tensor.is_cuda}:
        device._make_stream_wait(current_stream(index))


def copy_stored(to: torch.Tensor, source: torch.Tensor) -> None:
    """Copy values; what ``source`` repeats, ``to`` holds once."""
    given = source.detach()
    if given.shape != to.shape:
        given = given.as_strided(to.shape, given.stride(), given.storage_offset())
    to.copy_(given)


def from_structures(tensor: WeftTensor, place: str) -> Any:
    """Return a dict of tensors on ``place`` for a tensor of structures."""

    def converted(array: np.ndarray[Any, Any]) -> Any:
        if array.dtype.names is None:
            return torch.from_numpy(np.array(array)).to(place)
        return {name: converted(array[name]) for name in array.dtype.names}

    return converted(tensor.to_numpy())


def note_writes(tensors: list[torch.Tensor]) -> None:
    """Tell autograd that tensors were written."""
    for tensor in tensors:
        if tensor.is_inference():
            tensors = [each for each in tensors if not each.is_inference()]
            break
    if version >= _TAKES_LISTS:
        torch.autograd.graph.increment_version(tensors)
    else:
        for tensor in tensors:
            torch.autograd.graph.increment_version(tensor)


def stack(sequence: Sequence[Any], label: str) -> torch.Tensor:
    """Return one tensor of a nested list of tensors and numbers; gradients pass."""
    flat: list[Any] = []
    pending = [*sequence]
    while pending:
        entry = pending.pop()
        pending += entry if isinstance(entry, (list, tuple)) else []
        flat += [] if isinstance(entry, (list, tuple)) else [entry]
    tensors = [entry for entry in flat if isinstance(entry, torch.Tensor)]
    dtype = tensors[0].dtype
    for entry in tensors:
        dtype = torch.promote_types(dtype, entry.dtype)

    def stacked(entry: Any) -> torch.Tensor:
        if isinstance(entry, (list, tuple)):
            return torch.stack([stacked(part) for part in entry])
        return torch.as_tensor(entry, device=tensors[0].device).to(dtype)

    try:
        return stacked(sequence)
    except (RuntimeError, TypeError, ValueError) as error:
        raise ArgumentTypeError(
            f"{label} is a list of tensors that do not stack ({error}); pass tensors of one shape"
        ) from error


def holds_tensors(value: Any) -> bool:
    """Return whether a value is a tensor, or a list with one somewhere in it."""
    if isinstance(value, (list, tuple)):
        return any(holds_tensors(entry) for entry in value)
    return isinstance(value, torch.Tensor)


def is_fake(tensor: torch.Tensor) -> bool:
    """Return whether torch traces: the tensor holds no values of its own."""
    return type(tensor).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__


def second_derivative(name: str) -> str:
    """Return the message for the derivative of a function's derivative."""
    return (
        f"{name}: torch asks for the derivative of its derivative, which Slang 2026.12 cannot give "
        "for reverse mode over reverse mode; differentiate a Slang function that calls fwd_diff, "
        "see docs/guide/gradients.md"
    )


def warn_not_differentiable(name: str) -> None:
    """Say that the results of a function will not require gradients."""
    warn(
        f"{name} is not [Differentiable]: its results do not require gradients, although an "
        "argument does; pass tensor.detach() if that is meant"
    )


def warn(text: str) -> None:
    """Show a GradientWarning, once a process."""
    if text not in _warned:
        _warned.add(text)
        warnings.warn(text, GradientWarning, stacklevel=2)


def track(
    function: Function, this: object, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> Any:
    """Make a call that torch has to know of."""
    from weft.torch.tracking import track as run

    return run(function, this, arguments, keywords)
