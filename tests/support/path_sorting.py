# SPDX-License-Identifier: Apache-2.0
"""Renderers whose launches are told whether they serve the paths of one program only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft._native import kernel_traits

if TYPE_CHECKING:
    from collections.abc import Callable


def kernel_traits_with(*, sorts_paths: bool) -> Callable[..., dict[str, Any]]:
    """Return what stands in for weft.render.renderer.kernel_traits."""
    return lambda *given: kernel_traits(*given) | {"sorts_paths": sorts_paths}
