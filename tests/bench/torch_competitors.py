# SPDX-License-Identifier: Apache-2.0
"""SlangTorch beside Weft, in the same process: the same kernels by nvcc, where it runs."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import torch

from bench.torch_subjects import CALL_COUNT, KERNELS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bench.torch_subjects import Beside


def competitors(beside: Beside, folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Return what makes the call of a case, by system, and which systems are not measured."""
    skipped = []
    made: dict[str, Any] = {}
    if beside.place != "cuda":
        why = "it needs tensors of an NVIDIA GPU"
        return {}, [f"slangtorch is not measured: {why}", f"slangpy is not measured: {why}"]
    for name, start in (("slangtorch", _slangtorch), ("slangpy", _slangpy)):
        try:
            made[name] = start(folder)
        except Exception as error:
            skipped.append(f"{name} is not measured: {type(error).__name__}: {error}")
    return made, skipped


def _slangtorch(folder: Path) -> Callable[[str], Callable[[], object] | None]:
    system: Any = importlib.import_module("slangtorch")
    if system.__file__ is None:  # the folder of Weft's own tests of that name
        raise ModuleNotFoundError("No module named 'slangtorch'")
    path = folder / "for_slangtorch.slang"
    path.write_text(KERNELS.replace("DiffTensorView<float>", "DiffTensorView"))
    module = system.loadModule(str(path))

    def make(case: str) -> Callable[[], object] | None:
        x, y = torch.ones(1024, device="cuda"), torch.ones(1024, device="cuda")
        sizes = {"blockSize": (256, 1, 1), "gridSize": (4, 1, 1)}
        if case == "launch":
            return lambda: module.plain(input=x, output=y).launchRaw(**sizes)
        if case == "entry_point":
            return lambda: module.squared(x)
        if case != "launch_bwd":
            return None
        many = [torch.ones(CALL_COUNT, device="cuda") for _ in range(4)]
        gain = (torch.ones(1, device="cuda"), torch.ones(1, device="cuda"))
        pairs = {"gain": gain, "input": (many[0], many[1]), "output": (many[2], many[3])}
        large = {"blockSize": (256, 1, 1), "gridSize": (CALL_COUNT // 256, 1, 1)}
        return lambda: module.scaled.bwd(**pairs).launchRaw(**large)

    return make


def _slangpy(folder: Path) -> Callable[[str], Callable[[], object] | None]:
    system: Any = importlib.import_module("slangpy")
    device = system.create_torch_device(type=system.DeviceType.cuda, include_paths=[folder])
    (folder / "for_slangpy.slang").write_text(
        "[Differentiable] float twice(float x) { return 2 * x; }"
    )
    twice = system.Module.load_from_file(device, "for_slangpy.slang").twice

    def make(case: str) -> Callable[[], object] | None:
        one, result = torch.ones(1, device="cuda"), torch.ones(1, device="cuda")
        if case == "call_given":
            return lambda: twice(one, _result=result)
        return (lambda: twice(one)) if case == "call_allocated" else None

    return make
