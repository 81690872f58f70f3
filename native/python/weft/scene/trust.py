# SPDX-License-Identifier: Apache-2.0
"""Whose Slang text may run: that of this user, and that of files which the user says to trust.

A material's function is a program, and runs with the user's rights. What this user has saved with
weft is kept as text in a folder, the user's own; a file is read without question if all its
functions are Weft's or in there. docs/security.md says what that promises.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import weft
from weft._native import ArgumentError, text_of_code
from weft._replacing import replacing
from weft.scene.containment import node_functions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weft.scene.values import SlangCall

FOLDER = "WEFT_TRUST_DIR"
SHIPPED = "weft.nodes"
"""The module of Weft whose functions take and return numbers only."""

MAX_NAMED = 3


@dataclass(frozen=True)
class Code:
    """What a call of a material runs.

    Args:
        function: Its name.
        text: What has to be equal to be the same.
    """

    function: str
    text: str

    @staticmethod
    def of(call: SlangCall) -> Code:
        """Return what a call runs."""
        return Code(call.function, text_of_code(call.function, call.source, call.module))

    @property
    def digest(self) -> str:
        """SHA-256 of the text, 64 hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def summary(self) -> str:
        """A few words that tell it from others."""
        line = re.sub(r"[^\x20-\x7e]+", " ", self.text).strip()
        return f"'{self.function[:60]}' ({len(self.text)} characters: {line[:60]}...)"


def trust_folder() -> Path | None:
    """Return the folder of the user's own functions; ``None`` if the user has no home.

    ``$WEFT_TRUST_DIR``; else ``weft/trusted`` in ``$XDG_DATA_HOME`` or ``~/.local/share``, on
    macOS in ``~/Library/Application Support``, on Windows in ``%LOCALAPPDATA%``.
    """
    if FOLDER in os.environ:
        return Path(os.environ[FOLDER]) if os.environ[FOLDER] else None
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    return base / "weft" / "trusted"


def is_shipped(call: SlangCall) -> bool:
    """Return whether a call runs one of Weft's nodes, or a text that comes with Weft."""
    if call.module:
        return call.module == SHIPPED and call.function.split("<")[0] in node_functions()
    return call.source in shipped_texts()


@functools.cache
def shipped_texts() -> frozenset[str]:
    """Return the node templates of Weft."""
    files = (Path(weft.__file__).parent / "node_templates").rglob("*.slang")
    return frozenset(file.read_text(encoding="utf-8") for file in files)


def is_own(code: Code) -> bool:
    """Return whether this user has saved this code before."""
    folder = trust_folder()
    if folder is None:
        return False
    try:
        return (folder / f"{code.digest}.slang").read_text(encoding="utf-8") == code.text
    except (OSError, UnicodeDecodeError):
        return False


def remember(calls: Iterable[SlangCall]) -> None:
    """Keep what calls run as this user's own, but for what only a flag trusts."""
    keep(Code.of(call) for call in calls if not call.origin and not is_shipped(call))


def keep(codes: Iterable[Code]) -> None:
    """Keep what this user has made, or lets run, as the user's own.

    Where the folder cannot be written nothing is kept, and files ask for trust.
    """
    folder = trust_folder()
    fresh = {code.digest: code for code in codes if not is_own(code)}
    if folder is None or not fresh:
        return
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for digest, code in fresh.items():
            with replacing(folder / f"{digest}.slang") as temporary:
                temporary.write_bytes(code.text.encode())
    except OSError:
        return


def foreign_calls(calls: Sequence[SlangCall]) -> list[SlangCall]:
    """Return those that run what is neither Weft's nor this user's."""
    return [call for call in calls if not is_shipped(call) and not is_own(Code.of(call))]


def require_trust(file: Path, foreign: Sequence[SlangCall]) -> None:
    """Refuse a file whose functions nobody vouches for.

    Raises:
        ArgumentError: `foreign` is not empty.
    """
    if not foreign:
        return
    codes = list(dict.fromkeys(Code.of(call) for call in foreign))
    named = ", ".join(code.summary for code in codes[:MAX_NAMED])
    more = f" and {len(codes) - MAX_NAMED} more" if len(codes) > MAX_NAMED else ""
    raise ArgumentError(
        f"Scene.load: '{file}' was not loaded, because it carries Slang functions that this user "
        f"has not saved, and they would run with your rights: {named}{more}; if you trust who made "
        "it, pass trust=True (on the command line --trust), or read its scene.json first"
    )
