# SPDX-License-Identifier: Apache-2.0
"""loadModule() and the caches that SlangTorch speaks of."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import weft

from .module import TorchModule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_devices: dict[tuple[int, int | None], weft.Device] = {}
_modules: dict[tuple[object, ...], TorchModule] = {}


def loadModule(
    fileName: str | os.PathLike[str],
    skipSlang: bool | None = None,
    verbose: bool = False,
    defines: Mapping[str, Any] = {},
    includePaths: Sequence[str | os.PathLike[str]] = (),
    skipNinjaCheck: bool = False,
    slangGenLineInfo: bool = True,
    cudaFastMath: bool = True,
    cudaGenLineInfo: bool = True,
    extraSlangFlags: Sequence[str] = (),
    extraCudaFlags: Sequence[str] = (),
    *,
    device: weft.Device | None = None,
) -> TorchModule:
    """Load a Slang file written for SlangTorch.

    The same file with the same options is the same module. No folder is written beside it, and no
    compiler but Weft's own is needed.

    Args:
        fileName: Path of the file.
        skipSlang: Deprecated; nothing depends on it.
        verbose: Print where the module runs.
        defines: Macros; a value of True or None: without a value.
        includePaths: Where imports are looked for, beside the folder of the file.
        skipNinjaCheck: Nothing depends on it: ninja is not used.
        slangGenLineInfo: Nothing depends on it.
        cudaFastMath: On CUDA, divisions, roots and functions such as sin are fast and less
            accurate, numbers below 1.2e-38 are 0, as SlangTorch has them; False: the exact ones.
        cudaGenLineInfo: Nothing depends on it.
        extraSlangFlags: ``-D`` and ``-I`` are taken, others refused.
        extraCudaFlags: Refused: kernels are not compiled by nvcc.
        device: Where kernels run; by default CUDA where torch has it, else the best other device.

    Raises:
        FileNotFoundError: There is no such file.
        CompileError: Slang rejects it.
        ArgumentError: A flag cannot be taken.
    """
    if skipSlang is not None:
        warnings.warn(
            "loadModule: skipSlang is deprecated and does nothing", DeprecationWarning, stacklevel=2
        )
    macros = {name: _macro(value) for name, value in defines.items()}
    folders = [os.fspath(path) for path in includePaths]
    _take_flags(extraSlangFlags, macros, folders)
    if extraCudaFlags:
        raise weft.ArgumentError(
            f"loadModule: extraCudaFlags {list(extraCudaFlags)} cannot be taken, for nvcc does not "
            "compile the kernels; leave them out"
        )
    path = str(Path(fileName).absolute())
    device = device or _default_device()
    fast = bool(cudaFastMath)
    key = (id(device), path, tuple(sorted(macros.items())), tuple(folders), fast)
    found = _modules.get(key)
    if found is None or found.device is not device:
        options: dict[str, Any] = {"include_paths": folders, "defines": macros, "fast_math": fast}
        module = weft.Module.load_from_file(device, path, options)
        found = _modules[key] = TorchModule(module, path, options)
    else:
        found.refresh()
    if verbose:
        print(f"loadModule: {path} runs on {device.info.name}")
    return found


def clearSessionShaderCache() -> None:
    """Forget the modules of this process; the next loadModule() reads their files again."""
    _modules.clear()


def clearPersistentShaderCache() -> None:
    """Do nothing: Weft's disk cache is keyed by content and keeps within its size by itself."""


def clearShaderCaches(*_names: object) -> None:
    """Forget the modules of this process."""
    clearSessionShaderCache()
    clearPersistentShaderCache()


def _macro(value: object) -> str:
    """Return the text of a macro."""
    if value is None or value is True:
        return "1" if value else ""
    return "0" if value is False else str(value)


def _take_flags(flags: Sequence[str], macros: dict[str, str], folders: list[str]) -> None:
    """Add -D and -I of Slang's flags."""
    rest = list(flags)
    while rest:
        flag = rest.pop(0)
        for prefix in ("-D", "-I"):
            if flag.startswith(prefix):
                value = flag[len(prefix) :] or (rest.pop(0) if rest else "")
                if prefix == "-I":
                    folders.append(value)
                else:
                    name, _, text = value.partition("=")
                    macros[name] = text
                break
        else:
            raise weft.ArgumentError(
                f"loadModule: the flag '{flag}' of extraSlangFlags cannot be taken, only -D and -I;"
                " leave it out"
            )


def _default_device() -> weft.Device:
    """Return the device that modules of this process share: where torch has CUDA, its own."""
    torch = sys.modules.get("torch")
    place = None
    if torch is not None and torch.cuda.is_available():
        place = torch.cuda.current_device()
    key = os.getpid(), place  # a fork does not keep devices
    if key not in _devices:
        _devices[key] = weft.create_device() if torch is None else weft.create_torch_device()
    return _devices[key]
