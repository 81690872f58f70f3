# SPDX-License-Identifier: Apache-2.0
"""Whether this machine can load Weft's native libraries at all."""

from __future__ import annotations

import importlib
import os
import sys

OLDEST_GLIBC = (2, 34)
"""Floor of the bundled Slang libraries."""


def glibc_version() -> tuple[int, ...] | None:
    """Return the version of the running glibc, for example ``(2, 36)``; None without glibc."""
    try:
        name, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").split()
        return tuple(int(part) for part in version.split(".")) if name == "glibc" else None
    except (AttributeError, OSError, ValueError):
        return None


def is_sub_interpreter() -> bool:
    """Say whether this is another interpreter than the one that the process began with."""
    for name in ("_interpreters", "_xxsubinterpreters"):  # from Python 3.13 on, and before
        try:
            interpreters = importlib.import_module(name)
        except ImportError:
            continue
        return bool(interpreters.get_current() != interpreters.get_main())
    return False


def require_supported_platform() -> None:
    """Refuse to go on where the native libraries cannot be loaded.

    Raises:
        ImportError: A sub-interpreter; Linux without glibc, or with one older than 2.34.
    """
    if is_sub_interpreter():
        raise ImportError(
            "import weft: the native library works in the main interpreter of a process only, "
            "this is a sub-interpreter; import weft in the main one, or use a process of its own"
        )
    if not sys.platform.startswith("linux"):
        return
    version = glibc_version()
    if version is None or version < OLDEST_GLIBC:
        found = "another C library" if version is None else "glibc " + ".".join(map(str, version))
        raise ImportError(
            "import weft: the Slang libraries need glibc "
            f"{'.'.join(map(str, OLDEST_GLIBC))} or later, got {found}; "
            "use Debian 12, Ubuntu 22.04, RHEL 9 or a later system"
        )
