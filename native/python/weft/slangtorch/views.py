# SPDX-License-Identifier: Apache-2.0
"""Memory of a launch's tensors on the device.

Arrays of the host travel there before the launch and back after it. Arrays that share memory, or
overlap, share it on the device, too, so that a kernel sees what it would see in place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

import weft

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

MAX_DIMENSIONS = 5


@dataclass(eq=False)
class View:
    """A tensor that a kernel gets.

    Args:
        array: Array of the host, or a ``weft.Tensor``.
        label: Kernel and parameter, for messages.
        inner: Last dimensions that belong to an element: 1 for vectors.
        owner: The torch tensor of that memory; None: it is not torch's.
    """

    array: NDArray[Any] | weft.Tensor
    label: str
    inner: int = 0
    owner: Any = None
    fields: dict[str, Any] = field(default_factory=dict)

    def place(self, data: weft.Tensor, strides: tuple[int, ...]) -> None:
        """Say where its first element lies, and how far apart others are, in scalars."""
        shape = tuple(self.array.shape)
        outer = len(shape) - self.inner
        unit = math.prod(shape[outer:])
        for stride, extent in zip(strides[:outer], shape[:outer], strict=True):
            if stride % unit and extent > 1:
                raise weft.ArgumentError(
                    f"{self.label} has rows of {stride} numbers, which are no whole elements of "
                    f"{unit}; pass a contiguous copy"
                )
        self.fields.update(data=data, **layout(shape, [each // unit for each in strides[:outer]]))


class Staging:
    """Puts views on a device for one launch; a context manager whose end brings results back.

    Args:
        device: That the kernel runs on.
        views: What it gets.
    """

    def __init__(self, device: weft.Device, views: Iterable[View]) -> None:
        self._device = device
        self._views = list(views)
        self._copies: list[tuple[NDArray[Any], weft.Tensor, list[View]]] = []

    def __enter__(self) -> None:
        hosts = []
        for view in self._views:
            if isinstance(view.array, weft.Tensor):
                self._place_tensor(view)
            elif view.array.size == 0:
                self._place_nothing(view)
            else:
                hosts.append(view)
        for group in overlapping(hosts):
            self._upload(group)

    def __exit__(self, kind: type[BaseException] | None, *_rest: object) -> None:
        owners = [view.owner for view in self._views if view.owner is not None]
        if owners:
            from weft.torch.bridge import note_launch

            note_launch(self._device, owners)
        if kind is not None:
            return
        for base, tensor, group in self._copies:
            _bring_back_views(base, tensor, group)

    def _place_tensor(self, view: View) -> None:
        tensor = view.array
        assert isinstance(tensor, weft.Tensor)
        strides = tuple(tensor.strides)
        if any(n > 1 and each <= 0 for n, each in zip(tensor.shape, strides, strict=True)):
            raise weft.ArgumentError(
                f"{view.label} has strides {strides} in elements: they repeat memory or go "
                "backward, and what kernels write there is lost; pass tensor.contiguous()"
            )
        view.place(memory_from(tensor), strides)

    def _place_nothing(self, view: View) -> None:
        nothing = weft.Tensor.zeros(self._device, (1,), dtype=view.array.dtype)
        view.place(nothing, contiguous_strides(tuple(view.array.shape)))

    def _upload(self, group: list[View]) -> None:
        """Copy the memory of arrays that overlap."""
        first = group[0].array  # the lowest
        assert not isinstance(first, weft.Tensor)
        spans = [span(view.array) for view in group]
        low, high = spans[0][0], max(end for _begin, end in spans)
        count = (high - low) // first.itemsize
        base = np.lib.stride_tricks.as_strided(
            first, (count,), (first.itemsize,), writeable=first.flags.writeable
        )
        tensor = weft.Tensor.from_numpy(self._device, base)
        self._copies.append((base, tensor, group))
        for view, (begin, _end) in zip(group, spans, strict=True):
            assert not isinstance(view.array, weft.Tensor)
            offset = (begin - low) // first.itemsize
            strides = tuple(stride // first.itemsize for stride in view.array.strides)
            view.place(tensor[offset:] if offset else tensor, strides)


def repeats(array: Any) -> bool:
    """Return whether several elements of an array are the same memory."""
    return any(n > 1 and step == 0 for n, step in zip(array.shape, array.strides, strict=True))


def memory_from(tensor: weft.Tensor) -> weft.Tensor:
    """Return a contiguous tensor of the memory that a view reaches: a pointer to its first element.

    Args:
        tensor: Of scalars.
    """
    if tensor.is_contiguous():
        return tensor
    steps = zip(tensor.shape, tensor.strides, strict=True)
    elements = 1 + sum((extent - 1) * stride for extent, stride in steps)
    return tensor.view((max(elements, 0),), (1,))


def _bring_back_views(base: NDArray[Any], tensor: weft.Tensor, group: Sequence[View]) -> None:
    """Let an array have what was written; refuse that where views of it must not be written."""
    repeated = next((view for view in group if repeats(view.array)), None)
    refusal = (
        f"{group[0].label} is read only, and the kernel wrote to it; pass a copy"
        if repeated is None
        else f"{repeated.label} repeats elements in memory (strides of 0), and the kernel "
        "wrote to it; pass a contiguous copy"
    )
    if repeated is not None:
        base = base.view()
        base.flags.writeable = False
    bring_back(base, tensor, (view.owner for view in group), refusal)


def bring_back(
    array: NDArray[Any], tensor: weft.Tensor, owners: Iterable[Any], refusal: str
) -> None:
    """Let an array of the host have what kernels wrote to its copy.

    Args:
        array: Of the host.
        tensor: Its copy on the device.
        owners: Tensors of torch on that memory, or None. Torch is told of what was written, for it
            may need the old values.
        refusal: Message where the array is read only and was written.

    Raises:
        ArgumentError: It is, and was.
    """
    found = np.asarray(tensor.to_numpy())
    if np.array_equal(np.ascontiguousarray(array).view(np.uint8), found.view(np.uint8)):
        return
    if not array.flags.writeable:
        raise weft.ArgumentError(refusal)
    array[...] = found
    written = [owner for owner in owners if owner is not None]
    if written:
        from weft.torch.bridge import note_writes

        note_writes(written)


def overlapping(views: list[View]) -> list[list[View]]:
    """Return groups of arrays whose spans of memory overlap, each from its lowest one on.

    Raises:
        ArgumentError: Arrays of different types overlap.
    """
    groups: list[list[View]] = []
    end = -1
    for view in sorted(views, key=lambda each: span(each.array)[0]):
        begin, own_end = span(view.array)
        if begin < end:
            other = groups[-1][0]
            if other.array.dtype != view.array.dtype:
                raise weft.ArgumentError(
                    f"{view.label} shares memory with {other.label}, which has another type of "
                    "elements; pass copies"
                )
            groups[-1].append(view)
        else:
            groups.append([view])
        end = max(end, own_end)
    return groups


def span(array: Any) -> tuple[int, int]:
    """Return the addresses of an array's first element and of the end of its last."""
    begin: int = array.__array_interface__["data"][0]
    last = sum((n - 1) * stride for n, stride in zip(array.shape, array.strides, strict=True))
    return begin, begin + last + array.itemsize


def layout(shape: tuple[int, ...], strides: Sequence[int]) -> dict[str, Any]:
    """Return sizes, strides and rank as structures of shaders/compat/slangtorch have them.

    Args:
        shape: Of at most five dimensions.
        strides: Of the first of them; others have 0.
    """
    return {
        "sizes": [*shape, *[1] * (MAX_DIMENSIONS - len(shape))],
        "strides": [*strides, *[0] * (MAX_DIMENSIONS - len(strides))],
        "rank": len(shape),
    }


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return strides of row-major memory, in scalars."""
    strides: list[int] = []
    count = 1
    for extent in reversed(shape):
        strides.insert(0, count)
        count *= max(extent, 1)
    return tuple(strides)
