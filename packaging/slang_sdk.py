# SPDX-License-Identifier: Apache-2.0
"""Provide the Slang SDK (headers and run-time libraries) in a folder.

The SDK is cut out of a pinned wheel of the slangpy package, which carries the compiler, glslang
and the header. The wheel is checked against its SHA-256 and kept in the user's cache folder, so
that a machine downloads it once.

    python packaging/slang_sdk.py build/sdk
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

WHEEL = "slangpy-0.43.1-cp311-cp311-manylinux_2_34_x86_64.whl"
REQUIREMENT = "slangpy==0.43.1"
SHA256 = "965dbbd1d907c90e17027945780146a67c66baf766f3d0b8af3f52ea2c4a8eb9"
MEMBERS = {
    "slangpy/libslang-compiler.so.0.2026.12": "lib",
    "slangpy/libslang-glslang-2026.12.so": "lib",
    "slangpy/include/slang.h": "include",
    "slangpy/include/slang-deprecated.h": "include",
    "slangpy/include/slang-image-format-defs.h": "include",
    "slangpy/include/slang-user-config.h": "include",
    "slangpy-0.43.1.dist-info/licenses/LICENSE": "licenses/slangpy",
}


class SdkError(Exception):
    """The SDK could not be provided; the text says why and what to do."""


def cache_folder() -> Path:
    """Return the folder of the user's cache that Weft keeps downloads in."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "weft" / "downloads"


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal text."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def pip_command() -> list[str]:
    """Return how to call pip: this interpreter's, else its base interpreter's."""
    base = getattr(sys, "_base_executable", sys.executable)
    for python in dict.fromkeys((sys.executable, base)):
        if subprocess.run([python, "-m", "pip", "--version"], capture_output=True).returncode == 0:
            return [python, "-m", "pip"]
    raise SdkError(
        f"slang_sdk: pip is needed to fetch {REQUIREMENT}, but {sys.executable} has none; "
        "install pip or set WEFT_SLANG_DIR to a Slang SDK folder"
    )


def download(target: Path) -> None:
    """Fetch the wheel with pip, as the user configured pip, and put it at `target`."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        result = subprocess.run(
            [
                *pip_command(), "download", "-qq", "--no-deps", "--only-binary=:all:",
                "--implementation=cp", "--python-version=3.11", "--platform=manylinux_2_34_x86_64",
                f"--dest={scratch}", REQUIREMENT,
            ],
            stdout=sys.stderr,
        )  # fmt: skip
        fetched = Path(scratch) / WHEEL
        if result.returncode != 0 or not fetched.is_file():
            raise SdkError(
                f"slang_sdk: pip could not download {REQUIREMENT}; see its message above, "
                "or set WEFT_SLANG_DIR to a Slang SDK folder"
            )
        fetched.replace(target)


def provide_wheel() -> Path:
    """Return the path of the wheel, its hash checked, downloaded if the cache has none."""
    path = cache_folder() / WHEEL
    if path.is_file() and sha256_of(path) != SHA256:
        path.unlink()
    if not path.is_file():
        download(path)
    actual = sha256_of(path)
    if actual != SHA256:
        path.unlink()
        raise SdkError(
            f"slang_sdk: {WHEEL} has SHA-256 {actual}, expected {SHA256}; "
            "the download was removed, check where pip fetches packages from"
        )
    return path


def unpack(wheel: Path, sdk: Path) -> None:
    """Write the members of the wheel that make the SDK into `sdk`, replacing what was there."""
    with zipfile.ZipFile(wheel) as archive:
        for member, folder in MEMBERS.items():
            path = sdk / folder / PurePosixPath(member).name
            path.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as source, path.open("wb") as copy:
                shutil.copyfileobj(source, copy)


def provide(sdk: Path) -> None:
    """Make sure that `sdk` holds the pinned SDK."""
    stamp = sdk / "wheel.sha256"
    if stamp.is_file() and stamp.read_text() == SHA256:
        return
    unpack(provide_wheel(), sdk)
    stamp.write_text(SHA256)


def main() -> int:
    """Provide the SDK in the folder named on the command line."""
    try:
        provide(Path(sys.argv[1]))
    except SdkError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
