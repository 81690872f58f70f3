# SPDX-License-Identifier: Apache-2.0
"""What loadModule() returns: kernels and structures of one Slang file."""

from __future__ import annotations

import keyword
from collections import namedtuple
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import weft

from .cuda_text import explained
from .host import HostFunction, hash_of
from .kernel import Kernel
from .launcher import Mode

if TYPE_CHECKING:
    from weft import FunctionInfo, StructInfo

BOUND = "AutoPyBindCUDA"
KERNEL = "CudaKernel"
ENTRY_POINT = "TorchEntryPoint"


@dataclass
class Reflection:
    """What one generation of a source declares, by name."""

    generation: int
    functions: dict[str, list[FunctionInfo]]
    structures: dict[str, StructInfo]
    by_hash: dict[int, str]
    """Functions by the numbers that records of host functions have for them."""


class TorchModule:
    """A Slang file with its kernels as attributes, and its structures as named tuples.

    Edits of the file and of what it imports take effect half a second later.

    Args:
        module: The file, loaded.
        path: Of the file, absolute.
        options: Include paths and defines, for launchers.
    """

    def __init__(self, module: weft.Module, path: str, options: dict[str, Any]) -> None:
        self._module = module
        self._path = path
        self._options = options
        self._kernels: dict[tuple[str, Mode], Kernel] = {}
        self._launchers: dict[str, tuple[weft.Module, int]] = {}
        self._entries: dict[str, HostFunction] = {}
        self._tuples: dict[str, tuple[tuple[str, ...], type]] = {}
        self._known: Reflection | None = None
        self._listed_kernels: set[str] = set()
        """Kernels that are attributes until the source changes."""

    @property
    def device(self) -> weft.Device:
        """That kernels run on."""
        return self._module.device

    @property
    def loaded(self) -> weft.Module:
        """The file as a module of Weft."""
        return self._module

    @property
    def path(self) -> str:
        """Of the Slang file, absolute."""
        return self._path

    @property
    def generation(self) -> int:
        """Grows by one with each reload of the file."""
        return self._module.generation

    def function_info(self, name: str) -> FunctionInfo:
        """Return the reflection of a kernel.

        Raises:
            ArgumentAttributeError: There is none of that name, or it is no kernel.
        """
        functions = self._reflection().functions
        if name not in functions:
            raise weft.ArgumentAttributeError(
                f"{self._module.name} has no '{name}'; it has {self._listed()}"
            )
        found = functions[name]
        if not any(attribute.name in (BOUND, KERNEL) for attribute in found[0].attributes):
            raise weft.ArgumentAttributeError(
                f"'{name}' is no kernel; mark it [AutoPyBindCUDA] [CudaKernel]"
            )
        if len(found) > 1:
            raise weft.ArgumentAttributeError(
                f"the kernel '{name}' is declared {len(found)} times; give each its own name"
            )
        return found[0]

    def entry_point_info(self, name: str) -> FunctionInfo | None:
        """Return the reflection of a host function; None: there is none of that name."""
        found = self._reflection().functions.get(name, [])
        is_entry = found and any(each.name == ENTRY_POINT for each in found[0].attributes)
        return found[0] if is_entry else None

    def _reflection(self) -> Reflection:
        """Return what the source in force declares."""
        generation = self.generation
        if self._known is None or self._known.generation != generation:
            self._known = Reflection(generation, {}, {}, {})
            for name in self._listed_kernels:
                self.__dict__.pop(name, None)
            self._listed_kernels.clear()
            for info in self._module.functions:
                if not info.owner:
                    self._known.functions.setdefault(info.name, []).append(info)
                    self._known.by_hash[hash_of(info.name)] = info.name
            for structure in self._module.structs:
                self._known.structures[structure.name] = structure
        return self._known

    def kernel(self, name: str, mode: Mode = Mode.PLAIN) -> Kernel:
        """Return a kernel, the same object each time."""
        key = name, mode
        if key not in self._kernels:
            self._kernels[key] = Kernel(self, name, mode)
        return self._kernels[key]

    def refresh(self) -> None:
        """Read the file again if it has changed.

        Raises:
            CompileError: Slang rejects it.
        """
        self._module.reload()

    def launcher(self, name: str, source: str) -> weft.Module:
        """Return the module of a text that launches a function of this one.

        Args:
            name: For messages.
            source: The text.
        """
        generation = self.generation
        known, loaded = self._launchers.get(source, (None, -1))
        if known is None:
            known = weft.Module.load_from_source(self.device, name, source, self._options)
        elif loaded != generation:
            known.reload()
        self._launchers[source] = known, generation
        return known

    def explained(self, error: weft.CompileError) -> weft.CompileError:
        """Return an error that names what only CUDA compiles, where that may be the reason."""
        if self.device.info.type == weft.DeviceType.cuda:
            return error
        return explained(error, self._path, self._options["include_paths"])

    def __getattr__(self, name: str) -> Any:
        """Return a kernel or the named tuple of a structure.

        Raises:
            ArgumentAttributeError: The module has neither, or the function is no kernel.
        """
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._reflection().structures:
            return self._named_tuple(name)
        if self.entry_point_info(name) is not None:
            return self._entries.setdefault(name, HostFunction(self, name))
        self.function_info(name)
        self._listed_kernels.add(name)
        self.__dict__[name] = kernel = self.kernel(name)
        return kernel

    def kernel_of_hash(self, number: int) -> Kernel:
        """Return the kernel that a record of a host function names."""
        return self.kernel(self._reflection().by_hash[number])

    def __dir__(self) -> list[str]:
        """Return kernels, structures and methods."""
        return [*object.__dir__(self), *self._names()]

    def __repr__(self) -> str:
        return f"<weft.slangtorch.TorchModule {self._module.name}: {self._listed()}>"

    def _names(self) -> list[str]:
        known = self._reflection()
        marks = BOUND, KERNEL, ENTRY_POINT
        functions = [
            name
            for name, found in known.functions.items()
            if any(attribute.name in marks for attribute in found[0].attributes)
        ]
        return [*functions, *known.structures]

    def _listed(self) -> str:
        return ", ".join(self._names()) or "no kernels"

    def _named_tuple(self, name: str) -> type:
        """Return the named tuple of a structure, the same class until its members change."""
        structure = self._reflection().structures[name]
        fields = tuple(field.name for field in structure.type.fields)
        known = self._tuples.get(name)
        if known is None or known[0] != fields:
            # Members may be called as Python's keywords.
            bad = any(keyword.iskeyword(field) or field.startswith("_") for field in fields)
            self._tuples[name] = known = (fields, namedtuple(name, fields, rename=bad))
        return known[1]
