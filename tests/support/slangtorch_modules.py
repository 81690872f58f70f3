# SPDX-License-Identifier: Apache-2.0
"""Modules of SlangTorch from texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from weft import slangtorch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import weft


@pytest.fixture
def load(device: weft.Device, tmp_path: Path) -> Callable[..., slangtorch.TorchModule]:
    """A function that loads a text as SlangTorch's module; the same name is the same file."""

    def loaded(text: str, name: str = "kernels", **options: Any) -> slangtorch.TorchModule:
        path = tmp_path / f"{name}.slang"
        path.write_text(text)
        return slangtorch.loadModule(str(path), device=device, **options)

    return loaded
