# SPDX-License-Identifier: Apache-2.0
"""SlangTorch's interface: kernels that see whole tensors, launched over blocks of threads.

>>> import weft.slangtorch as slangtorch
>>> m = slangtorch.loadModule("square.slang")
>>> m.square(input=a, output=b).launchRaw(blockSize=(32, 1, 1), gridSize=(4, 1, 1))

Kernels run on CUDA and on Vulkan alike, software devices included. Tensors are those of torch,
numpy arrays or ``weft.Tensor``.
"""

from __future__ import annotations

from .kernel import BoundKernel, Kernel, LaunchWarning
from .loading import (
    clearPersistentShaderCache,
    clearSessionShaderCache,
    clearShaderCaches,
    loadModule,
)
from .module import TorchModule
from .values import DiffTensorView

__all__ = [
    "BoundKernel",
    "DiffTensorView",
    "Kernel",
    "LaunchWarning",
    "TorchModule",
    "clearPersistentShaderCache",
    "clearSessionShaderCache",
    "clearShaderCaches",
    "loadModule",
]
