# SPDX-License-Identifier: Apache-2.0
"""Devices for work beside torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft._native import ArgumentError, DeviceType, create_device

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    from weft._native import Device


def _type_for(type: DeviceType | str | None, torch: Any) -> DeviceType | str | None:
    """Return the type of the device: CUDA where torch has it, unless the caller says otherwise."""
    is_open = type is None or type in (DeviceType.automatic, "automatic")
    return DeviceType.cuda if is_open and torch.cuda.is_available() else type


def _adapter_for(torch_device: object, type: DeviceType | str | None, torch: Any) -> int | None:
    """Return the index of the GPU that ``torch_device`` names; None if any will do."""
    if type not in (DeviceType.cuda, "cuda"):
        return None
    place = torch.device("cuda" if torch_device is None else torch_device)
    if place.type != "cuda":
        raise ArgumentError(
            f"create_torch_device: torch_device must be a CUDA device for a CUDA device of Weft, "
            f"got {str(place)!r}; pass for example 'cuda:0', or type='vulkan'"
        )
    return int(torch.cuda.current_device() if place.index is None else place.index)


def create_torch_device(
    type: DeviceType | str | None = None,
    torch_device: object = None,
    *,
    include_paths: Iterable[str | PathLike[str]] = (),
    defines: Mapping[str, str] | None = None,
    debug: bool = False,
    **options: Any,
) -> Device:
    """Make a device for calls with tensors of torch; ``create_device()`` takes them just as well.

    Args:
        type: ``cuda`` shares torch's context and memory; ``vulkan`` copies, on the GPU if it is one
            and the tensors lie on it, and shares results then. Left open: CUDA where
            torch has it, else the best Vulkan device, software included.
        torch_device: The GPU, as torch names it: ``"cuda:1"``; None: torch's current one.
        include_paths: Folders in which imports are looked for.
        defines: Macros for all modules of the device.
        debug: Vulkan's validation layer, and checks of indices.
        **options: More arguments of :func:`weft.create_device`.

    Raises:
        ArgumentError: torch is missing or too old, or ``torch_device`` is no CUDA device.
        DeviceError: This machine has no such device.
    """
    try:
        import torch

        from weft.torch import bridge as bridge  # refuses versions that are too old
    except ImportError as error:
        raise ArgumentError(
            f"create_torch_device: torch cannot be imported ({error}); install it with "
            "'pip install torch', or use create_device()"
        ) from error
    chosen = _type_for(type, torch)
    adapter = _adapter_for(torch_device, chosen, torch)
    if adapter is not None:
        options.setdefault("adapter", adapter)
        torch.cuda.init()
    return create_device(
        type=chosen,
        include_paths=include_paths,
        defines=dict(defines or {}),
        debug=debug,
        **options,
    )
