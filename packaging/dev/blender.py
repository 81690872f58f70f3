# SPDX-License-Identifier: Apache-2.0
"""Blender as a Python module: the environments that tests/blender runs in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dev import environments
from dev.project import leave_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dev.environments import Environment

FOLDER = "tests/blender"


@dataclass(frozen=True)
class Blender:
    """A version of Blender, and the Python version that its module needs."""

    version: str
    python: str


BLENDERS = (Blender("4.5", "3.11"), Blender("5.2", "3.13"))


def provide(blender: Blender) -> Environment | None:
    """Return the environment of a Blender, ready to use; None, said in one line, without Python."""
    python = environments.find_python(blender.python)
    if python is None:
        variable = f"WEFT_PYTHON{blender.python.replace('.', '')}"
        leave_out(
            f"no Python {blender.python} ({variable}, pyenv, PATH): the tests in Blender "
            f"{blender.version} are skipped"
        )
        return None
    environment = environments.Environment(f"bpy-{blender.version}", python)
    environments.provide(environment, environment.name)
    return environment


def split_selection(arguments: Sequence[str]) -> tuple[list[str] | None, list[str] | None]:
    """Split what pytest shall run into what runs inside Blender and what runs outside.

    Args:
        arguments: Paths and options; options go to both.

    Returns:
        The arguments of both runs; None: there is nothing to run.
    """
    inside = [argument for argument in arguments if argument.startswith(FOLDER)]
    outside = [argument for argument in arguments if argument.startswith("tests/")]
    outside = [argument for argument in outside if argument not in inside]
    options = [argument for argument in arguments if not argument.startswith("tests/")]
    return (
        [*inside, *options] if inside else None,
        [*outside, *options] if outside or not inside else None,
    )
