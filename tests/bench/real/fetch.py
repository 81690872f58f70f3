# SPDX-License-Identifier: Apache-2.0
"""Fetches what the benchmarks on real input measure: files of public repositories.

sources.json says which: repository, commit, path, and the name that git gives the content (a hash
of it), so that everybody measures the same bytes. Nothing of it is kept in this repository.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "weft-bench" / "real"


@dataclass(frozen=True)
class Source:
    """One file of a public repository, and those beside it that it names."""

    name: str
    use: str
    repository: str
    commit: str
    path: str
    blob: str
    beside: tuple[Mapping[str, str], ...] = ()

    @property
    def place(self) -> Path:
        """Where the file lies once it was fetched."""
        return self._place_of(self.path)

    def files(self) -> Iterator[tuple[Path, str]]:
        """Yield places and names of content."""
        yield self.place, self.blob
        for entry in self.beside:
            yield self._place_of(entry["path"]), entry["blob"]

    def _place_of(self, path: str) -> Path:
        return CACHE / self.use / self.name / Path(path).relative_to(Path(self.path).parent)


def sources(use: str) -> list[Source]:
    """Return what one benchmark needs."""
    entries = json.loads((HERE / "sources.json").read_text())["files"]
    return [Source(**entry) for entry in entries if entry["use"] == use]


def _git(folder: Path, *arguments: str) -> bytes:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()
        raise SystemExit(f"git {' '.join(arguments)}: {said}")
    return done.stdout


def _repository(name: str, mirrors: Path | None) -> Path:
    """Return a repository of this machine: a mirror, or a clone without content of files."""
    url = json.loads((HERE / "sources.json").read_text())["repositories"][name]["url"]
    if mirrors is not None:
        owner, project = url.rstrip("/").split("/")[-2:]
        for folder in (mirrors / project, mirrors / f"{owner}+{project}" / "repo"):
            if folder.is_dir():
                return folder
    clone = CACHE / "clones" / name
    if not clone.is_dir():
        clone.parent.mkdir(parents=True, exist_ok=True)
        _git(clone.parent, "clone", "--bare", "--filter=blob:none", url, str(clone))
    return clone


def _is_whole(place: Path, blob: str) -> bool:
    if not place.is_file():
        return False
    said = subprocess.run(
        ["git", "hash-object", "--no-filters", str(place)],
        capture_output=True,
        text=True,
        check=False,
    )
    return said.stdout.strip() == blob


def provide(use: str, mirrors: Path | None = None) -> list[Source]:
    """Fetch what one benchmark needs and is not there yet.

    Args:
        use: Name of the benchmark, as in sources.json.
        mirrors: Folder of clones that are taken instead of the network, each named like its
            project, or ``owner+project/repo``.

    Returns:
        Its files, all there and with the content that sources.json names.
    """
    wanted = sources(use)
    for source in wanted:
        for place, blob in source.files():
            if _is_whole(place, blob):
                continue
            content = _git(_repository(source.repository, mirrors), "cat-file", "blob", blob)
            place.parent.mkdir(parents=True, exist_ok=True)
            unfinished = place.with_name(place.name + ".part")
            unfinished.write_bytes(content)
            unfinished.replace(place)
    return wanted
