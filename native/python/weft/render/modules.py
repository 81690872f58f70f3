# SPDX-License-Identifier: Apache-2.0
"""The modules of a scene's kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft._native import Module
from weft.scene.containment import require_contained
from weft.scene.kernel_text import (
    print_program_module,
    print_recording_module,
    print_shared_module,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft._native import Device
    from weft.scene.kernel_text import SceneTraits
    from weft.scene.program import Program

MOST_LOADED = 32
"""Modules beyond one a program that a renderer keeps, for what an edit takes back."""
MOST_PROGRAMS = 8  # above, launches over all paths cost more than a sort


def must_sort_paths(device: Device, programs: int) -> bool:
    """Return whether launches serve the paths of one program only.

    Sorting needs the host. GPUs skip paths that are not theirs, as long as launches are few;
    software devices execute both sides of every branch.
    """
    return device.info.features.is_software or programs > MOST_PROGRAMS


class SceneModules:
    """The kernels that evaluate no material, and those of each program in a module of its own.

    Args:
        device: Where they run.
        programs: Of the scene.
        traits: Of the scene.
        loaded: Modules by their text, those of other scenes too; new ones are added.

    Raises:
        CompileError: A Slang function of a material does not compile.
        ArgumentError: One that only a flag trusts could reach memory of this process.
    """

    def __init__(
        self,
        device: Device,
        programs: Sequence[Program],
        traits: SceneTraits,
        loaded: dict[str, Module] | None = None,
    ) -> None:
        """Load them."""
        if device.info.features.is_software:
            require_contained([item for program in programs for item in program.origins.items()])
        self._device, self._programs, self._traits = device, programs, traits
        self._recording: dict[int, Module] = {}
        self._loaded = {} if loaded is None else loaded
        self.shared = self._load("weft_scene", print_shared_module(traits))
        self.programs = [
            self._load("weft_material", print_program_module(program, traits))
            for program in programs
        ]

    def is_same(self, other: SceneModules | None) -> bool:
        """Return whether another one has the same modules."""
        if other is None or other.shared is not self.shared:
            return False
        return other.programs == self.programs

    def recording(self, program: int) -> Module:
        """Return the module of a program with the kernels that record and replay paths.

        Args:
            program: Its number.
        """
        if program not in self._recording:
            text = print_recording_module(self._programs[program], self._traits)
            self._recording[program] = self._load("weft_material", text)
        return self._recording[program]

    def _load(self, name: str, text: str) -> Module:
        module = self._loaded.pop(text, None)
        if module is None:
            module = Module.load_from_source(self._device, name, text)
            module.check_gradients = False  # forward mode of a whole material takes long to compile
        self._loaded[text] = module  # what was used last stands at the end
        while len(self._loaded) > MOST_LOADED + len(self._programs):
            del self._loaded[next(iter(self._loaded))]
        return module
