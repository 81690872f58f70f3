# SPDX-License-Identifier: Apache-2.0
"""Builds the asset library of all node templates, inside Blender 4.5.

./dev templates runs it as ``build.py FOLDER PICTURES KEY``. Pictures that were drawn from the same
text, under the same key, are taken from the folder PICTURES.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]
if __name__ == "__main__":
    os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp(prefix="weft-templates-")

import bpy  # noqa: E402
import numpy as np  # noqa: E402
from addon.blender.slang_nodes import assets  # noqa: E402
from addon.blender.slang_nodes.build import new_group  # noqa: E402
from addon.blender.slang_nodes.nodes import request_for  # noqa: E402
from addon.core.slang_nodes.preparing import prepare, read_source  # noqa: E402
from addon.core.slang_nodes.sources import SourceKey, template_files, templates_folder  # noqa: E402
from addon.core.spelling import american  # noqa: E402
from addon.core.steps import last_value  # noqa: E402

import addon  # noqa: E402
import weft  # noqa: E402
from weft.gallery import draw  # noqa: E402

SIZE = 128
SHADER, GEOMETRY, COMPOSITOR = "ShaderNodeTree", "GeometryNodeTree", "CompositorNodeTree"
ALL = (SHADER, GEOMETRY, COMPOSITOR)
KINDS = {
    "color": ALL,
    "deform": (GEOMETRY,),
    "distance": (SHADER, GEOMETRY),
    "mask": (SHADER, GEOMETRY),
    "noise": ALL,
    "optics": (SHADER,),
    "pattern": ALL,
    "scatter": (GEOMETRY,),
    "shader": (SHADER,),
    "texture": ALL,
}
"""Trees in which the functions of a folder are assets; Add > Slang has them in every tree."""

FILE = "weft.blend"
AUTHOR, LICENSE = "The Weft project", "Apache-2.0"
_SOURCE = re.compile(r"^/// Source: (?P<first>[^\n]*)(?P<more>(?:\n///[^\n]*)*)", re.MULTILINE)


def kinds_of(file: Path) -> tuple[str, ...]:
    """Return the trees in which a template is an asset: of a new category all."""
    return KINDS.get(file.parent.name, ALL)


def source_of(text: str) -> str:
    """Return what the head of a template says of where it comes from."""
    found = _SOURCE.search(text)
    assert found is not None
    lines = [found["first"], *(line.strip() for line in found["more"].split("\n///"))]
    return " ".join(filter(None, lines)).rstrip(".")


def picture_of(file: Path, folder: Path, key: str, device: Any) -> np.ndarray:  # noqa: ANN401
    """Return the picture of a template, drawn unless the folder holds it."""
    mark = hashlib.sha256(key.encode() + file.read_bytes()).hexdigest()[:16]
    name = f"{file.parent.name}_{file.stem}"
    kept = folder / f"{name}-{mark}.npy"
    if not kept.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        picture = draw(file, size=SIZE, device=device)
        for old in folder.glob(f"{name}-*.npy"):
            old.unlink()
        unfinished = folder / f".{name}.npy"
        np.save(unfinished, np.rint(picture * 255).astype(np.uint8))
        unfinished.replace(kept)
    return np.load(kept).astype(np.float32) / 255


def groups_of(file: Path) -> tuple[dict[str, bpy.types.NodeTree], Any]:
    """Make a template's group for each of its trees; return them by name, and the interface.

    Raises:
        Error: It lowers in none of them; what does not is printed.
    """
    key = SourceKey("template", f"{file.parent.name}/{file.stem}")
    info = read_source(request_for(key, "", SHADER).source)
    node = next(f for f in info.functions if any(a.name == "Node" for a in f.attributes))
    made: dict[str, bpy.types.NodeTree] = {}
    refusals: list[weft.ArgumentError] = []
    for kind in kinds_of(file):
        try:
            prepared = prepare(request_for(key, node.name, kind), info)
        except weft.ArgumentError as refusal:
            print(f"templates: {file.stem}: no {kind}: {refusal}")
            refusals.append(refusal)
            continue
        group = last_value(new_group(prepared))
        made[assets.asset_name(prepared.interface.title, kind, made)] = group
    if not made:
        raise refusals[0]
    return made, (prepared.interface, node)


def about(file: Path, found: Any) -> assets.About:  # noqa: ANN401
    """Return what the asset browser shows of a template."""
    interface, node = found
    text = file.read_text(encoding="utf-8")
    sentence = american(interface.tooltip).rstrip(".")
    tags = ["slang", file.parent.name, *(["differentiable"] if node.is_differentiable else [])]
    return assets.About(
        interface.title,
        interface.category,
        f"{sentence}. Source: {source_of(text)}.",
        tags,
        AUTHOR,
        LICENSE,
    )


def build(files: list[Path], output: Path, pictures: Path, key: str) -> tuple[int, float, float]:
    """Write the library.

    Args:
        files: Of the templates.
        output: Folder of the library.
        pictures: Folder that keeps pictures.
        key: Of what draws them.

    Returns:
        Number of assets, seconds of pictures, seconds of groups.
    """
    device = weft.create_device()
    trees: dict[str, bpy.types.NodeTree] = {}
    drawing = grouping = 0.0
    output.mkdir(parents=True, exist_ok=True)
    for file in files:
        start = time.perf_counter()
        picture = picture_of(file, pictures, key, device)
        middle = time.perf_counter()
        made, found = groups_of(file)
        known = about(file, found)
        catalogs = assets.write_catalogs(output, [known.category])
        for group in made.values():
            assets.mark_asset(group, known, catalogs, picture)
        if twice := made.keys() & trees.keys():
            message = f"{file.name}: '{min(twice)}' is another template's, too; change its label"
            raise ValueError(message)
        trees |= made
        drawing += middle - start
        grouping += time.perf_counter() - middle
    assets.write_assets(output / FILE, trees)
    return len(trees), drawing, grouping


def main(output: str, pictures: str, key: str) -> None:
    """Write the library and say what it holds."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    addon.register()
    files = template_files(templates_folder())
    count, drawing, grouping = build(files, Path(output), Path(pictures), key)
    size = sum(file.stat().st_size for file in Path(output).iterdir())
    print(
        f"templates: {count} assets of {len(files)} functions, {size / 1e6:.2f} MB; "
        f"pictures {drawing:.0f} s, groups {grouping:.0f} s"
    )


if __name__ == "__main__":
    status = 1
    try:
        main(*sys.argv[1:])
        status = 0
    except Exception as error:
        print(f"templates: {type(error).__name__}: {error}", file=sys.stderr)
    finally:
        shutil.rmtree(os.environ["BLENDER_USER_RESOURCES"], ignore_errors=True)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)  # Blender's own clean-up can hang
