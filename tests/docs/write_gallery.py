# SPDX-License-Identifier: Apache-2.0
"""Write ``docs/gallery.md`` and its pictures from the folder ``node_templates``.

Run it from the repository's root after a change of a template; names of templates draw only theirs:

    ./dev python tests/docs/write_gallery.py [bricks planks ...]
"""

from __future__ import annotations

import sys
from pathlib import Path

import weft
from weft.gallery import draw
from weft.image import write
from weft.lowering import lower, source_info

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "gallery.md"
PICTURES = ROOT / "docs" / "gallery"
SIZE = 160

HEAD = """# Gallery

The functions that come with Weft. In Blender they stand under *Add > Slang*, by the headings of
this page, and in the asset library *Weft*; elsewhere each is a file of
[node_templates](../node_templates) that `weft.Module`, `weft.lower` and `weft gallery` take.
Pictures show their defaults, drawn by `weft gallery FILE --out FOLDER` without Blender.

*Nodes* is what the function takes in a tree of materials of Blender 4.5, with the estimate of a
shade on one core of Cycles' CPU; geometry trees have the same functions. *OSL* is the shader in its
place. *Gradient* says whether fits can move its inputs. What was written from which paper stands in
each file; [decision 43](decisions/0043-node-templates.md) says how they are tested, and
[adding a template](adding_a_template.md) how one more comes in. This page is written by
`tests/docs/write_gallery.py`.
"""

TABLE = """
## {heading}

| picture | node | what it is | nodes, ns a shade | OSL | gradient |
| --- | --- | --- | --- | --- | --- |
"""


def templates() -> list[Path]:
    """Return the files of all templates."""
    return sorted((ROOT / "node_templates").glob("*/*.slang"))


def picture_of(file: Path) -> Path:
    """Return where the picture of a template is."""
    return PICTURES / f"{file.parent.name}_{file.stem}.png"


def node_of(file: Path) -> weft.FunctionInfo:
    """Return the function that is the node."""
    functions = source_info(file).functions
    return next(f for f in functions if any(a.name == "Node" for a in f.attributes))


def attribute(node: weft.FunctionInfo, name: str) -> str:
    """Return the first argument of an attribute."""
    return str(next(a.arguments[0] for a in node.attributes if a.name == name))


def build_values(node: weft.FunctionInfo) -> dict[str, object]:
    """Return the defaults of what is no socket: each value has a tree of its own."""
    built = [p for p in node.parameters if any(a.name == "Build" for a in p.attributes)]
    return {p.name: p.default_text for p in built}


def forms(file: Path, node: weft.FunctionInfo) -> list[str]:
    """Return the cells about trees and OSL of a template."""
    tree = lower(file, node.name, build=build_values(node))
    osl = lower(file, node.name, to="osl")
    return [f"{tree.nodes}, {tree.cost:.0f}", "yes" if osl.text else "no"]


def row(file: Path) -> str:
    """Return the line of a template."""
    node = node_of(file)
    label = attribute(node, "Label")
    sentence = node.documentation.split("@return")[0].strip().split(". ")[0].rstrip(".").split("\n")
    what = " ".join(line.strip() for line in sentence)
    gradient = "yes" if node.is_differentiable else "no"
    image = f"![{label}](gallery/{picture_of(file).name})"
    place = f"[{label}](../{file.relative_to(ROOT).as_posix()})"
    return "| " + " | ".join([image, place, what, *forms(file, node), gradient]) + " |\n"


def page() -> str:
    """Return the text of the page."""
    headings: dict[str, list[str]] = {}
    for file in templates():
        headings.setdefault(attribute(node_of(file), "Node"), []).append(row(file))
    return HEAD + "".join(
        TABLE.format(heading=heading) + "".join(rows) for heading, rows in sorted(headings.items())
    )


def main(names: list[str]) -> None:
    """Draw the pictures and write the page."""
    device = weft.create_device()
    PICTURES.mkdir(exist_ok=True)
    for file in templates():
        if not names or file.stem in names:
            write(picture_of(file), draw(file, size=SIZE, device=device), encoding="linear")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
