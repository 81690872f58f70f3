# SPDX-License-Identifier: GPL-3.0-or-later
"""Which device the engine runs on, and what to tell people if there is none."""

from __future__ import annotations

import logging
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import weft


log = logging.getLogger("weft")

COMPILE_SECONDS = 240.0
"""For one kernel: a large graph takes 20 s of an idle processor, and people work beside."""


@dataclass(frozen=True)
class DeviceSettings:
    """What people choose.

    Args:
        device: "vulkan:1" or "cuda:0"; "": the best one.
        cache_folder: Where compiled kernels are kept; None: where WEFT_CACHE_DIR says.
        cache_megabytes: How much of them at most.
        memory_megabytes: Device memory that renders and fits may take; 0: all that there is.
    """

    device: str = ""
    cache_folder: Path | None = None
    cache_megabytes: int = 1024
    memory_megabytes: int = 0


@dataclass(frozen=True)
class DeviceChoice:
    """One device of this machine.

    Args:
        key: What DeviceSettings.device is called, "vulkan:0".
        label: Its name for people.
        is_software: It is the processor, not a graphics card.
    """

    key: str
    label: str
    is_software: bool


def list_devices() -> list[DeviceChoice]:
    """Return all devices that can be chosen, none if the machine has none. Loads the engine."""
    import weft

    return [
        DeviceChoice(
            f"{info.type.name}:{info.adapter}",
            f"{info.adapter_name} ({info.type.name})",
            info.features.is_software,
        )
        for info in weft.enumerate_devices()
    ]


def create_device(settings: DeviceSettings) -> weft.Device:
    """Return a new device. Loads the engine.

    Raises:
        DeviceError: There is none that works.
        ArgumentError: The chosen device is not there.
        ImportError: The engine cannot be loaded.
    """
    import weft

    kind, _, number = settings.device.partition(":")
    device = weft.create_device(
        type=kind or None,
        adapter=int(number) if number else None,
        cache_directory=settings.cache_folder,
        cache_size_limit=settings.cache_megabytes << 20,
        memory_limit=settings.memory_megabytes << 20 or None,
        compile_time_limit=None if "WEFT_COMPILE_TIME_LIMIT" in os.environ else COMPILE_SECONDS,
    )
    log.info("device: %s", device.info.name)
    return device


def give_back_memory(device: weft.Device) -> None:
    """Give memory that nothing on a device uses any more back to the system.

    A device that was closed, or lost, has none.
    """
    import weft

    try:
        freed = device.trim()
    except weft.DeviceError as error:
        log.debug("device: %s", error)
        return
    log.debug("device: %d MiB given back", freed >> 20)


def describe_failure(error: Exception, settings: DeviceSettings) -> str:
    """Return why no device could be had and what to do, as text for a panel."""
    if isinstance(error, ImportError):
        remedy = "Install the extension again, for this platform and this version of Blender."
    elif settings.device:
        remedy = "Choose another device in the preferences of the extension."
    else:
        remedy = (
            "Install a driver with Vulkan 1.2 or later; for a machine without a graphics card, "
            "Mesa's software driver (package mesa-vulkan-drivers)."
        )
    return f"{error}\n{remedy}"


def check_device(device: weft.Device, count: int = 1 << 16) -> str:
    """Compile a kernel, run it over `count` numbers, and compare with the right answer.

    Returns:
        One sentence for people.

    Raises:
        DeviceError: The numbers are wrong, or the device fails.
        CompileError: The kernel cannot be compiled.
    """
    import numpy as np

    import weft

    start = time.perf_counter()
    source = "float selfTest(float x) { return x * x + 1.f; }"
    module = weft.Module.load_from_source(device, "self_test", source)
    numbers = np.arange(count, dtype=np.float32) / count
    found = module.selfTest(numbers).to_numpy()
    error = float(np.abs(found - (numbers * numbers + 1)).max())
    if not error < 1e-5:
        raise weft.DeviceError(
            f"self-test: {device.info.name} is off by {error:.3g} where at most 1e-5 is expected; "
            "update its driver or choose another device"
        )
    return f"{device.info.name} works ({time.perf_counter() - start:.1f} s)"


COUNTED = 4 << 32
"""Bytes of texels that kernels can count: floats, by 32 bits."""


def texel_room(device: weft.Device) -> int:
    """Return how many bytes of texels a device takes: one buffer holds those of a scene."""
    memory = device.memory_info()
    free = memory.available or memory.total - memory.used
    largest = min(device.info.limits.max_buffer_size, COUNTED)
    return min(free, largest) if free > 0 else largest


def find_choice(choices: Sequence[DeviceChoice], key: str) -> DeviceChoice | None:
    """Return the device with a key, None if there is none such."""
    return next((choice for choice in choices if choice.key == key), None)
