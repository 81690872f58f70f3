# SPDX-License-Identifier: Apache-2.0
"""./dev templates: the asset library of all node templates, and a new template to begin with."""

from __future__ import annotations

import os
import re
import shutil
from typing import TYPE_CHECKING

from dev import blender, environments, native_build, wheels
from dev.project import BUILD, PACKAGING, ROOT, DevError, Stamp, build_lock, content_hash, run, say

if TYPE_CHECKING:
    from pathlib import Path

    from dev.environments import Environment

TEMPLATES = ROOT / "node_templates"
BUILDER = PACKAGING / "templates" / "build.py"
OUTPUT = BUILD / "templates"
LIBRARY = OUTPUT / "library"
PAGE = ROOT / "docs" / "adding_a_template.md"
DRAWN_BY = ("native/python/weft/gallery", "shaders/weft")
MADE_BY = (
    "addon/blender",
    "addon/core/slang_nodes",
    "addon/core/spelling.py",
    "native/compile",
    "native/dag",
    "native/lower",
    "native/python/weft/lowering.py",
    "native/reflect",
    "node_templates",
    "packaging/templates",
    *DRAWN_BY,
)
"""What the library is made of."""

STAGED = ("weft_python", "weft-compiler")
"""Targets that the staged package needs: nothing here waits for a test."""


def stamp() -> Stamp:
    """Return what remembers from what the library was built."""
    return Stamp("templates", content_hash(ROOT / name for name in MADE_BY))


def built() -> Path | None:
    """Return the folder of the library; None unless it is what would be built now."""
    return LIBRARY if stamp().is_fresh() and any(LIBRARY.glob("*.blend")) else None


def build_library(environment: Environment, path: str = "") -> Path:
    """Build the library and return its folder.

    Args:
        environment: Of Blender 4.5, which 5.2 can read, too; with weft, unless `path` has it.
        path: Folder to import weft from.
    """
    unfinished = OUTPUT / "unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    key = content_hash(ROOT / name for name in DRAWN_BY)
    wanted = stamp()
    say("building the asset library of the node templates")
    command = (environment.python, BUILDER, unfinished, OUTPUT / "pictures", key)
    run(*command, env={"PYTHONPATH": path})
    shutil.rmtree(LIBRARY, ignore_errors=True)
    unfinished.rename(LIBRARY)
    wanted.write()
    return LIBRARY


def provide_library() -> Path | None:
    """Return the library for the extension, built with the wheel unless nothing has changed.

    Returns:
        None, said in one line, where there is no Python for Blender 4.5.
    """
    found = built()
    if found is not None:
        return found
    oldest = blender.BLENDERS[0]
    inside, outside = blender.provide(oldest), environments.find(oldest.python)
    if inside is None or outside is None:
        say("the extension comes without its asset library")
        return None
    environments.provide(outside, "build")
    wheels.install_wheel(inside, wheels.build_wheel(outside))
    return build_library(inside)


def command_templates(arguments: list[str]) -> int:
    """Build the library, or write a new template; see the usage text in cli.py."""
    if arguments and arguments[0] == "new":
        print(new_template(arguments[1:]))
        return 0
    if arguments:
        message = f"./dev templates takes nothing or new NAME, got {' '.join(arguments)}"
        raise DevError(message)
    with build_lock():
        found = built()
        if found is None:
            oldest = blender.BLENDERS[0]
            environment = blender.provide(oldest)
            if environment is None:
                raise DevError(f"the library is built in Blender 4.5: install {oldest.python}")
            native_build.build_and_stage(*STAGED)
            found = build_library(environment, str(native_build.STAGE))
    for path in sorted(found.iterdir()):
        print(os.path.relpath(path, ROOT))
    return 0


NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def new_template(arguments: list[str], folder: Path = TEMPLATES) -> str:
    """Write the example of docs/adding_a_template.md under another name.

    Args:
        arguments: ``category/name``, or ``name --category category``.
        folder: Of the templates.

    Returns:
        What to do next, for people.

    Raises:
        DevError: Names that Slang or the tests would not take, or a name that is there already.
    """
    category, name = names_of(arguments)
    there = sorted(path for path in folder.glob("*/*.slang") if path.stem == name)
    if there:
        raise DevError(f"there is a template '{name}' already, {there[0]}; take another name")
    target = folder / category / f"{name}.slang"
    text = skeleton(name, heading_of(folder / category))
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_suffix(f".{os.getpid()}.tmp")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.rename(target)
    shown = os.path.relpath(target, ROOT)
    return (
        f"{shown}\n"
        f"Write your function there, with its source and its ranges; then\n"
        f"  ./dev python -m weft gallery {shown} --out /tmp\n"
        f"shows it. An independent implementation goes into CASES of\n"
        f"  tests/templates/references/{category}.py\n"
        f"  ./dev test tests/templates -k {name}\n"
        f"  ./dev python tests/docs/write_gallery.py {name}\n"
        f"docs/adding_a_template.md says more."
    )


def names_of(arguments: list[str]) -> tuple[str, str]:
    """Return category and name that were asked for."""
    usage = "./dev templates new CATEGORY/NAME, or new NAME --category CATEGORY"
    words = list(arguments)
    category = ""
    if "--category" in words:
        place = words.index("--category")
        category = "".join(words[place + 1 : place + 2])
        del words[place : place + 2]
    if len(words) != 1:
        raise DevError(f"{usage}; got {' '.join(arguments) or 'nothing'}")
    first, slash, last = words[0].partition("/")
    if bool(slash) == bool(category):
        raise DevError(f"{usage}: the category is given once; got {' '.join(arguments)}")
    category, name = (first, last) if slash else (category, first)
    for word in (category, name):
        if not NAME.fullmatch(word):
            raise DevError(f"{usage}: words in small letters, as in noise/ridged_noise; got {word}")
    return category, name


def heading_of(folder: Path) -> str:
    """Return the heading of a category's menu: that of its other templates, or its name."""
    for file in sorted(folder.glob("*.slang")):
        found = re.search(r'\[Node\("([^"]+)"\)\]', file.read_text(encoding="utf-8"))
        if found:
            return found[1]
    return folder.name.replace("_", " ").title()


def skeleton(name: str, heading: str) -> str:
    """Return the example of the page under another name."""
    page = PAGE.read_text(encoding="utf-8")
    found = re.search(r"```slang\n// (\w+)\.slang\n(.*?)```", page, re.DOTALL)
    if not found:
        raise DevError(f"{PAGE.name} has no example that begins with the name of its file")
    example, text = found[1], found[2]
    first, *rest = name.split("_")
    function = first + "".join(word.capitalize() for word in rest)
    title = " ".join(word.capitalize() for word in name.split("_"))
    text = re.sub(r'\[Node\("[^"]*"\)\]', f'[Node("{heading}")]', text, count=1)
    text = re.sub(r'\[Label\("[^"]*"\)\]', f'[Label("{title}")]', text, count=1)
    text = text.replace(f"module {example};", f"module {name};")
    return re.sub(rf"\b{example}\(", f"{function}(", text)
