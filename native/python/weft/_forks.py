# SPDX-License-Identifier: Apache-2.0
"""A warning before ``os.fork()`` in a process whose GPU driver does not bear it.

NVIDIA's Vulkan driver (580.159.04) crashes in its own destructors when a forked child ends, and its
parent may then wait in the driver for ever. CUDA and software drivers bear a fork.
"""

from __future__ import annotations

import functools
import os
import warnings
from typing import TYPE_CHECKING

from weft._native import DeviceType, _open_devices

if TYPE_CHECKING:
    from collections.abc import Iterable

    from weft._native import DeviceInfo


def names_of_endangered(devices: Iterable[DeviceInfo]) -> str:
    """Return the names of the devices whose driver may not bear a fork, "" if there are none."""
    names = {
        info.name
        for info in devices
        if info.type == DeviceType.vulkan and not info.features.is_software
    }
    return ", ".join(sorted(names))


@functools.cache  # once is enough for the same devices
def _warn(names: str) -> None:
    warnings.warn(
        f"os.fork: this process has an open Vulkan device ({names}); the child may crash inside "
        "the driver when it ends, and this process may then wait in the driver for ever (NVIDIA "
        "580.159.04: both). Use multiprocessing's 'spawn' or subprocess, fork before the device "
        "is created, or use a CUDA device",
        RuntimeWarning,
        stacklevel=3,  # who forks: a cache has no frame
    )


def warn_before_fork() -> None:
    """Warn if a device that is open now may not bear a fork."""
    names = names_of_endangered(_open_devices())
    if names:
        _warn(names)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=warn_before_fork)
