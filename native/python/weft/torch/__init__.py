# SPDX-License-Identifier: Apache-2.0
"""Weft and torch: imported when the first tensor of torch arrives, never by ``import weft``.

``create_torch_device`` makes a device; calls take tensors of torch as they are. ``op`` registers a
function as an operator of torch, ``Module`` is a layer. Start reading at ``tracking.py``, which
makes the calls that torch differentiates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.torch.devices import create_torch_device

if TYPE_CHECKING:
    from weft.torch.module import Module as Module
    from weft.torch.operator import Operator as Operator
    from weft.torch.operator import op as op

__all__ = ["Module", "Operator", "create_torch_device", "op"]


def __getattr__(name: str) -> Any:
    """Return what needs torch itself."""
    if name in ("Operator", "op"):
        from weft.torch import operator

        return getattr(operator, name)
    if name == "Module":
        from weft.torch.module import Module

        return Module
    raise AttributeError(f"module 'weft.torch' has no attribute {name!r}")
