# SPDX-License-Identifier: Apache-2.0
"""clang-tidy with a memory: a file is linted again only if it or a header of it changed."""

from __future__ import annotations

import concurrent.futures
import functools
import hashlib
import json
import os
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from dev.project import BUILD, ROOT, Stamp, output_of, tracked_files

if TYPE_CHECKING:
    from dev.environments import Environment

INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
DATABASE = BUILD / "dev" / "compile_commands.json"


@functools.cache
def direct_includes(source: Path) -> tuple[Path, ...]:
    """Return the project's headers that a file names."""
    folders = (source.parent, ROOT / "native", ROOT / "tests" / "native")
    found = []
    for name in INCLUDE.findall(source.read_text(errors="replace")):
        candidates = (folder / name for folder in folders)
        found += [path for path in candidates if path.is_file()][:1]
    return tuple(found)


def with_headers(source: Path) -> list[Path]:
    """Return a file and all the project's headers that reach it, sorted."""
    seen = {source}
    waiting = [source]
    while waiting:
        fresh = set(direct_includes(waiting.pop())) - seen
        seen |= fresh
        waiting += fresh
    return sorted(seen)


def changed_files() -> set[Path]:
    """Return the files that differ from the upstream branch, else from the commit before."""
    for base in ("@{upstream}", "HEAD~1", "HEAD"):
        known = subprocess.run(
            ["git", "rev-parse", "--verify", "--quiet", base], cwd=ROOT, capture_output=True
        )
        if known.returncode == 0:
            break
    names = output_of("git", "diff", "--name-only", "-z", base).split("\0")
    names += output_of("git", "ls-files", "-z", "--others", "--exclude-standard").split("\0")
    return {ROOT / name for name in names if name}


def tidy_one(tool: Path, source: Path, command: str) -> str:
    """Return clang-tidy's complaints about a file, "" if there are none."""
    digest = hashlib.sha256(command.encode())
    settings = [folder / ".clang-tidy" for folder in source.parents if folder.is_relative_to(ROOT)]
    for path in (*filter(Path.is_file, settings), tool, *with_headers(source)):
        digest.update(path.read_bytes())
    stamp = Stamp(f"tidy/{source.relative_to(ROOT)}", digest.hexdigest())
    if stamp.is_fresh():
        return ""
    result = subprocess.run(
        [tool, "--quiet", "-p", DATABASE.parent, source], cwd=ROOT, capture_output=True, text=True
    )
    if result.returncode != 0:
        return result.stdout + result.stderr
    stamp.write()
    return ""


def tidy(environment: Environment, *, everything: bool) -> list[str]:
    """Run clang-tidy over the changed sources, or all; return its complaints, one text a file."""
    commands = {entry["file"]: entry["command"] for entry in json.loads(DATABASE.read_text())}
    changed = changed_files()
    sources = [
        source
        for source in tracked_files(".cpp")
        if str(source) in commands and (everything or not changed.isdisjoint(with_headers(source)))
    ]
    tool = environment.tool("clang-tidy")
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        texts = pool.map(lambda source: tidy_one(tool, source, commands[str(source)]), sources)
        return [text for text in texts if text]
