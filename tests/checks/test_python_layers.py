# SPDX-License-Identifier: Apache-2.0
"""Which part of the Python package may import which, and no import circles."""

from __future__ import annotations

import pytest

from checks.python_imports import Import, circles, imports_of_package, modules

FRONT = ("weft", "weft.__main__", "weft._compiled_calls", "weft.demo")
"""Modules at the top of the package that may import all of it; cli and cli_* are, too."""

PARTS = {
    "core": set(),
    "scene": {"core"},
    "render": {"core", "scene"},
    "optim": {"core"},
    "fit": {"core", "scene", "render", "optim"},
    "gallery": {"core"},
    "torch": {"core"},
    "slangtorch": {"core", "torch"},
    "front": {"core", "scene", "render", "optim", "fit", "gallery", "torch", "slangtorch"},
}
"""Each part of the package, and the parts below it. "core" is what lies beside the folders."""


def part_of(module: str) -> str:
    """Return the part that a module belongs to."""
    if module in FRONT or module.startswith("weft.cli"):
        return "front"
    folder = module.split(".")[1]
    return folder if folder in PARTS else "core"


def own_imports() -> list[Import]:
    """Return imports among the package's modules, without those of its front door.

    ``import weft`` loads nothing by itself: its names are imported at their first use.
    """
    return [entry for entry in imports_of_package() if "weft" not in entry[:2]]


@pytest.mark.parametrize("part", PARTS)
def test_a_part_imports_only_parts_below(part):
    upward = [
        f"{entry.source} imports {entry.target}"
        for entry in own_imports()
        if part_of(entry.source) == part and part_of(entry.target) not in PARTS[part] | {part}
    ]

    assert not upward


def test_every_folder_of_the_package_is_a_known_part():
    folders = {name.split(".")[1] for name in modules() if name.count(".") > 1}

    assert folders <= set(PARTS)


def test_the_order_of_the_parts_has_no_circle():
    assert circles([(part, below) for part, parts in PARTS.items() for below in parts]) == []


def test_imports_that_run_have_no_circle():
    assert circles(entry[:2] for entry in own_imports() if not entry.only_types) == []


def test_imports_for_type_checkers_have_no_circle():
    assert circles(entry[:2] for entry in own_imports()) == [], (
        "these modules import each other; let the lower one do without the upper one's type"
    )
