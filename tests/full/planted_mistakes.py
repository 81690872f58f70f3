# SPDX-License-Identifier: Apache-2.0
"""Plant mistakes, one at a time, and see whether the tests find them.

    ./dev python tests/full/planted_mistakes.py [FOLDER ...] [--only NAME]

tests/full/mistakes/FOLDER.toml lists them: a file, the text that stands there, what is planted
instead, and the tests that should fail. Text is compared word by word, so that formatting may
change; it must stand there once. Everything happens in a worktree of HEAD below build/mistakes.
Native mistakes are compiled all at once, each behind a switch that an environment variable turns,
and need one build. Ends with 1 if more survive than MAX_SURVIVORS of sixty.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / "build" / "mistakes"
LISTS = Path(__file__).parent / "mistakes"
MAX_SURVIVORS = 8
LIMIT = 600.0
SWITCH = "WEFT_PLANTED_MISTAKE"
SWITCHES = f"""\
#include <cstdlib>
#include <string_view>
[[maybe_unused]] static bool weft_planted(std::string_view name) {{
    static const char* const chosen = std::getenv("{SWITCH}");
    return chosen != nullptr && name == chosen;
}}
"""


@dataclass(frozen=True)
class Mistake:
    """One mistake.

    Args:
        folder: Of the list that names it.
        name: In words that may be a file's name.
        file: Relative to the project.
        old: What stands there: of C++, an expression, or statements that end with ; or }.
        new: What is planted.
        tests: What pytest gets.
    """

    folder: str
    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    @property
    def is_native(self) -> bool:
        """Whether planting it takes a build."""
        return self.file.endswith((".cpp", ".hpp"))

    @property
    def switched(self) -> str:
        """Both texts, and a switch between them."""
        if self.old.rstrip().endswith((";", "}")):
            return f'if (weft_planted("{self.name}")) {{ {self.new} }} else {{ {self.old} }}'
        return f'(weft_planted("{self.name}") ? ({self.new}) : ({self.old}))'


def load_mistakes(folder: Path = LISTS) -> list[Mistake]:
    """Return all mistakes of the lists."""
    found = []
    for path in sorted(folder.glob("*.toml")):
        text = tomllib.loads(path.read_text(encoding="utf-8"))
        for entry in text["mistake"]:
            own = {key: entry[key] for key in ("name", "file", "old", "new")}
            tests = tuple(entry.get("tests") or text["tests"])
            found.append(Mistake(path.stem, tests=tests, **own))
    return found


def pattern_of(text: str) -> re.Pattern[str]:
    """Return what finds a text, however its words are spaced."""
    words = re.findall(r"\w+|[^\w\s]", text)
    return re.compile(r"\s*".join(map(re.escape, words)))


def planted(source: str, mistake: Mistake, new: str) -> str:
    """Return a source with a mistake.

    Raises:
        ValueError: The text does not stand there, or more than once.
    """
    places = list(pattern_of(mistake.old).finditer(source))
    if len(places) != 1:
        raise ValueError(
            f"{mistake.folder}: '{mistake.name}': {mistake.file} has the text {len(places)} times, "
            "not once; bring the list up to date"
        )
    return source[: places[0].start()] + new + source[places[0].end() :]


def prepare_tree() -> None:
    """Make the worktree hold HEAD, with the environments of this one."""
    if not TREE.exists():
        subprocess.run(["git", "worktree", "prune"], cwd=ROOT, check=True)
        command = ["git", "worktree", "add", "-q", "--detach", TREE, "HEAD"]
        subprocess.run(command, cwd=ROOT, check=True)
    subprocess.run(["git", "checkout", "-qf", "--detach", head()], cwd=TREE, check=True)
    (TREE / "build").mkdir(exist_ok=True)
    for shared in [*(ROOT / "build").glob("venv-*"), ROOT / "build" / "sdk"]:
        link = TREE / "build" / shared.name
        if not link.exists():
            link.symlink_to(shared.resolve())


def head() -> str:
    """Return the commit that is tested."""
    command = ["git", "rev-parse", "HEAD"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()


def plant_native(mistakes: list[Mistake]) -> None:
    """Put all native mistakes behind switches, and build."""
    for file in {mistake.file for mistake in mistakes}:
        source = (TREE / file).read_text()
        for mistake in mistakes:
            if mistake.file == file:
                source = planted(source, mistake, mistake.switched)
        (TREE / file).write_text(SWITCHES + source)
    program = "from dev import native_build as b; b.build_and_stage('weft_python', 'weft-compiler')"
    path = {"PYTHONPATH": str(TREE / "packaging")}
    subprocess.run([sys.executable, "-c", program], cwd=TREE, env=os.environ | path, check=True)


def tests_fail(mistake: Mistake, folder: Path) -> bool | None:
    """Run the tests of a mistake; return whether any failed, None if none ran."""
    verdicts = []
    for words in mistake.tests:
        verdicts.append(run_tests(mistake, words, folder))
        if verdicts[-1]:
            return True
    return None if None in verdicts else False


def run_tests(mistake: Mistake, words: str, folder: Path) -> bool | None:
    """Run one selection of pytest; return whether it failed, None if it has no tests."""
    path = {"PYTHONPATH": str(TREE / "build" / "dev" / "stage")}
    switch = {SWITCH: mistake.name} if mistake.is_native else {}
    cache = {"WEFT_CACHE_DIR": str(folder / "cache")}
    options = ["-x", "-q", "-p", "no:cacheprovider", *shlex.split(words)]
    command = [sys.executable, "-m", "pytest", *options]
    try:
        done = subprocess.run(
            command,
            cwd=TREE,
            env=os.environ | path | switch | cache,
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )
    except subprocess.TimeoutExpired:
        return True
    if done.returncode in (4, 5):  # wrong arguments, or no tests
        print(done.stdout[-500:], done.stderr[-500:])
        return None
    return done.returncode != 0


def run_one(mistake: Mistake) -> str:
    """Plant one mistake, and return "found", "SURVIVED" or "no tests"."""
    path = TREE / mistake.file
    before = path.read_text()
    if not mistake.is_native:
        path.write_text(planted(before, mistake, mistake.new))
    try:
        failed = tests_fail(mistake, TREE / "build")
    finally:
        path.write_text(before)
    return {True: "found", False: "SURVIVED", None: "no tests"}[failed]


def main() -> int:
    """Run the mistakes that the arguments choose."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="*", help="lists to run (default: all)")
    parser.add_argument("--only", help="a part of the names to run")
    arguments = parser.parse_args()
    mistakes = [
        mistake
        for mistake in load_mistakes()
        if (not arguments.folders or mistake.folder in arguments.folders)
        and (arguments.only or "") in mistake.name
    ]
    prepare_tree()
    plant_native([mistake for mistake in mistakes if mistake.is_native])
    verdicts: dict[str, list[str]] = {"found": [], "SURVIVED": [], "no tests": []}
    for mistake in mistakes:
        start = time.monotonic()
        verdict = run_one(mistake)
        verdicts[verdict].append(f"{mistake.folder}: {mistake.name}")
        seconds = time.monotonic() - start
        print(f"{verdict:>8}  {mistake.folder}: {mistake.name} ({seconds:.0f} s)", flush=True)
    print(f"\n{len(verdicts['found'])} of {len(mistakes)} found")
    for name in verdicts["SURVIVED"] + verdicts["no tests"]:
        print(f"  not found: {name}")
    missed = len(mistakes) - len(verdicts["found"])
    return 0 if missed <= MAX_SURVIVORS * len(mistakes) / 60 else 1


if __name__ == "__main__":
    sys.exit(main())
