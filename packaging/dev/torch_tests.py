# SPDX-License-Identifier: Apache-2.0
"""The tests that need torch: an environment with torch on the CPU, and which tests run in it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dev import environments
from dev.project import PACKAGING, DevError, content_hash, leave_out, say, timed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dev.environments import Environment

GROUP = "torch"
FILES = (
    "tests/torch_tensors",
    "tests/errors/test_torch_errors.py",
    "tests/slangtorch/test_autograd.py",
    "tests/slangtorch/test_torch_op.py",
    "tests/seeds/test_torch.py",
    "tests/seeds/test_slangtorch_with_torch.py",
    "tests/python/test_foreign_arrays_torch.py",
    "tests/python/test_gradients_against_torch.py",
    "tests/docs/test_torch_page.py",
    "tests/full/test_torch_soak.py",
)
"""What runs where torch is; nowhere else does it do more than skip itself."""
PLAIN = "2.13.0"
"""The version that WEFT_TORCH=1 takes, with CUDA's libraries."""


def is_required() -> bool:
    """Return whether a machine without torch is a failure: in the continuous integration."""
    return os.environ.get("CI", "").lower() in ("1", "true")


def provide() -> Environment | None:
    """Return the environment with torch; None, said in one line, where the index lacks it.

    Raises:
        DevError: It is lacking, and CI=true.
    """
    environment = environments.Environment(GROUP, environments.primary().base_python)
    is_plain = os.environ.get("WEFT_TORCH") == "1"
    try:
        environments.provide(environment, *(() if is_plain else (GROUP,)))
        if is_plain:
            provide_plain(environment)
    except DevError as error:
        if is_required():
            raise DevError(f"CI=true, and torch cannot be installed: {error}") from error
        leave_out(
            "torch==2.13.0+cpu cannot be installed here: its tests are skipped (WEFT_TORCH=1 "
            "takes plain torch, 5.5 GB)"
        )
        return None
    return environment


def provide_plain(environment: Environment) -> None:
    """Install torch with CUDA's libraries, beside what the tests need."""
    stamp = environment.folder / ".plain-torch"
    key = content_hash([PACKAGING / "requirements-test.txt"], extra=PLAIN)
    if stamp.is_file() and stamp.read_text() == key:
        return
    say(f"WEFT_TORCH=1: torch {PLAIN} with CUDA's libraries takes 5.5 GB in build/")
    with timed(f"installing torch {PLAIN} into {environment.folder.name}"):
        requirements = PACKAGING / "requirements-test.txt"
        environments.pip(environment, "install", f"torch=={PLAIN}", "-r", requirements)
    stamp.write_text(key)


def present(files: Sequence[str] = FILES) -> list[str]:
    """Return those of the files that the project has."""
    return [name for name in files if (PACKAGING.parent / name).exists()]


def split_selection(arguments: Sequence[str]) -> tuple[list[str] | None, list[str] | None]:
    """Split what pytest shall run into what needs torch and the rest; options go to both.

    Returns:
        The arguments of both runs; None: there is nothing to run.
    """
    inside = [argument for argument in arguments if argument.startswith(FILES)]
    outside = [
        argument
        for argument in arguments
        if argument.startswith("tests/") and argument not in inside
    ]
    options = [argument for argument in arguments if not argument.startswith("tests/")]
    return (
        [*inside, *options] if inside else None,
        [*outside, *options] if outside or not inside else None,
    )
