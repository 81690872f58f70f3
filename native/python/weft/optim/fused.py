# SPDX-License-Identifier: Apache-2.0
"""One launch for many small tensors.

A launch costs a GPU about as much as moving a hundred thousand elements. So tensors below that are
taken together, 16 a launch: a group of threads asks its second index which tensor it works on. The
kernel is made from the optimizer's own Slang function, so that a new optimizer needs nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft._native import CommandEncoder, Device, Module, Tensor
from weft.optim.parameters import Parameter

SLOTS = 16
"""Tensors that one launch takes; each costs some words of arguments."""

MAX_FUSED_ELEMENTS = 1 << 16
"""Elements of the largest tensor that is taken together with others."""

GROUP = 256
CHUNK = 1024
"""Threads of a group, and elements that it works on."""


@dataclass(frozen=True)
class Entry:
    """A tensor to be moved: its number among the parameters, and all that belongs to it."""

    index: int
    parameter: Parameter
    gradient: Tensor
    moments: Sequence[Tensor]
    bounds: tuple[float, float]

    @property
    def types(self) -> tuple[str, str, str]:
        """Names of the types of parameter, gradient and arithmetic."""
        scalars = self.parameter.scalars
        return (scalars.dtype.name, self.gradient.dtype.name, self.parameter.number)


def can_be_fused(parameter: Parameter, gradient: Tensor) -> bool:
    """Whether a tensor is small, and lies in memory without gaps as its gradient does."""
    scalars = parameter.scalars
    is_small = 0 < scalars.size <= MAX_FUSED_ELEMENTS
    return is_small and scalars.is_contiguous() and gradient.is_contiguous()


def batches(entries: Iterable[Entry]) -> list[list[Entry]]:
    """Return what is launched together: entries of the same types, at most SLOTS."""
    by_types: dict[tuple[str, str, str], list[Entry]] = {}
    for entry in entries:
        by_types.setdefault(entry.types, []).append(entry)
    return [
        members[first : first + SLOTS]
        for members in by_types.values()
        for first in range(0, len(members), SLOTS)
    ]


class FusedSteps:
    """The kernel that moves the tensors of a batch.

    Args:
        device: Where the tensors are.
        source: The Slang file of the optimizer.
        update: Its function.
        structure: The structure of its settings.
        moments: How many tensors it keeps for each parameter.
    """

    def __init__(
        self, device: Device, source: Path, update: str, structure: str, moments: int
    ) -> None:
        self._device, self._source = device, source
        self._update, self._structure, self._moments = update, structure, moments
        self._module: Module | None = None

    def launch(
        self,
        batch: Sequence[Entry],
        settings: Tensor,
        limits: Mapping[str, Tensor],
        commands: CommandEncoder | None,
    ) -> None:
        """Move the tensors of a batch, now or when `commands` runs."""
        if self._module is None:  # an optimizer of one tensor never needs it
            name = f"fused_{self._update}"
            text = kernel_source(self._source, self._update, self._structure, self._moments)
            self._module = Module.load_from_source(self._device, name, text)
        kernel = self._module[f"moveAll<{','.join(batch[0].types)}>"]
        largest = max(entry.parameter.scalars.size for entry in batch)
        threads = (-(-largest // CHUNK) * GROUP, len(batch), 1)
        slots = {f"slot{i}": _slot(entry) for i, entry in enumerate(batch)}
        unused = {**slots["slot0"], "count": 0}
        slots |= {f"slot{i}": unused for i in range(len(batch), SLOTS)}
        arguments = (slots, settings, limits["value"], limits["scale"])
        kernel.dispatch(threads, *arguments, command_encoder=commands)


def _slot(entry: Entry) -> dict[str, Any]:
    lower, upper = entry.bounds
    return {
        "parameter": entry.parameter.scalars,
        "gradient": entry.gradient,
        **{f"moment{i}": moment for i, moment in enumerate(entry.moments)},
        "count": entry.parameter.scalars.size,
        "row": entry.index,
        "lower": lower,
        "upper": upper,
    }


def kernel_source(source: Path, update: str, structure: str, moments: int) -> str:
    """Return the Slang text of moveAll()."""
    names = [f"moment{i}" for i in range(moments)]
    fields = "".join(f"    public W* {name};\n" for name in names)
    slots = "".join(f"    public Slot<P, G, W> slot{i};\n" for i in range(SLOTS))
    picks = "".join(
        f"    if (group.y == {i})\n        slot = slots.slot{i};\n" for i in range(1, SLOTS)
    )
    reads = "".join(f"        W {name} = slot.{name}[i];\n" for name in names)
    writes = "".join(f"        slot.{name}[i] = {name};\n" for name in names)
    passed = "".join(f"{name}, " for name in names)
    where = "where W : IStored where W : __BuiltinFloatingPointType"
    return f"""module fused_{update};
__exported import "{source.with_suffix("").as_posix()}";

public struct Slot<P, G, W>
{{
    public P* parameter;
    public G* gradient;
{fields}    public uint count;
    public uint row;
    public W lower;
    public W upper;
}}

public struct Slots<P, G, W>
{{
{slots}}}

[numthreads({GROUP}, 1, 1)]
public void moveAll<P : IStored, G : IStored, W>(
    uint3 group : SV_GroupID,
    uint lane : SV_GroupIndex,
    Slots<P, G, W> slots,
    {structure}<W>* settings,
    W* value,
    W* scale) {where}
{{
    Slot<P, G, W> slot = slots.slot0;
{picks}    const {structure}<W> step = settings[slot.row];
    GradientLimits<W> limits;
    limits.value = *value;
    limits.scale = *scale;
    const uint end = min(slot.count, (group.x + 1) * {CHUNK});
    for (uint i = group.x * {CHUNK} + lane; i < end; i += {GROUP})
    {{
        P parameter = slot.parameter[i];
{reads}        {update}(parameter, slot.gradient[i], {passed}step, limits, slot.lower, slot.upper);
        slot.parameter[i] = parameter;
{writes}    }}
}}
"""
