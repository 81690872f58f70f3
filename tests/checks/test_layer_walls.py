# SPDX-License-Identifier: Apache-2.0
"""Each wall is one pattern that may occur in some places only, and dependencies point down."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from checks.source_tree import ROOT, files_under, short, text_of

CODE = (".cpp", ".hpp", ".h", ".py")


class Wall(NamedTuple):
    """A pattern and the places (prefixes of paths) outside of which it must not occur."""

    name: str
    pattern: str
    allowed: tuple[str, ...]


TARGET_BY_TYPE = r"DeviceType::\w+\s*\?\s*[\w:]*(Target|LayoutRules)::"

WALLS = (
    Wall("slang.h", r'#include\s*[<"]slang', ("native/compile/",)),
    Wall("Vulkan", r'#include\s*[<"](vulkan|volk)\b', ("native/device/vulkan/",)),
    Wall("CUDA", r'#include\s*[<"](cuda|nvrtc)\w*\.h', ("native/device/cuda/",)),
    Wall("a device backend", r'#include\s*"device/(vulkan|cuda|null)/', ("native/device/",)),
    Wall("Embree", r'#include\s*[<"]embree', ("native/render/embree/",)),
    Wall("Eigen", r'#include\s*[<"]Eigen', ("native/fit/",)),
    Wall("zip", r"#include\s*<zip\.h", ("native/scene_files/",)),
    Wall("JSON", r"#include\s*<nlohmann", ("native/job/", "native/scene_files/")),
    Wall("TOML and command lines", r"#include\s*<(toml\+\+|CLI)/", ("native/job/",)),
    Wall("OpenImageIO in C++", r"#include\s*<OpenImageIO", ("native/job/",)),
    Wall("pybind11", r'#include\s*[<"]pybind11/', ("native/python/",)),
    Wall("the type of a device decides the target", TARGET_BY_TYPE, ()),
    Wall(
        "the curve of sRGB",
        r"\b12\.92\b",
        ("native/python/weft/colors.py", "native/job/srgb.hpp", "native/lower/osl_helpers.cpp"),
    ),
    Wall(
        "the weights of luminance",
        r"\.7152\b",
        ("native/python/weft/colors.py", "native/scene/colors.hpp"),
    ),
    Wall("<format>", r"#include\s*<format>", ()),
    Wall("OpenImageIO", r"^\s*(import|from)\s+OpenImageIO", ("native/python/weft/image.py",)),
    Wall(
        "bpy",
        r"^\s*(import|from)\s+bpy\b",
        ("addon/blender/", "addon/ui/", "native/python/weft_blender/"),
    ),
    Wall(
        "torch",
        r"^(import|from)\s+torch\b",
        (
            "native/python/weft/torch/",
            "native/python/weft/slangtorch/autograd.py",
            "native/python/weft/slangtorch/torch_op.py",
            "native/python/weft/slangtorch/torch_transforms.py",
        ),
    ),
)

LAYERS = {
    "core": set(),
    "reflect": {"core"},
    "device": {"core"},
    "compile": {"core", "reflect"},
    "tensor": {"core", "reflect", "device"},
    "codegen": {"core", "reflect"},
    "dag": {"core"},
    "lower": {"core", "reflect", "dag"},
    "dispatch": {"core", "reflect", "device", "compile", "tensor", "codegen"},
    "fit": {"core", "dispatch", "render", "scene", "tensor"},
    "engine": {
        "core",
        "reflect",
        "device",
        "compile",
        "tensor",
        "dispatch",
        "fit",
        "scene",
        "render",
        "scene_files",
    },
    "scene": {"core", "reflect", "device", "tensor"},
    "scene_files": {"core", "scene"},
    "job": {"core", "engine", "fit", "render", "scene", "scene_files"},
    "render": {
        "core",
        "reflect",
        "device",
        "compile",
        "tensor",
        "codegen",
        "dispatch",
        "scene",
    },
    "python": {
        "core",
        "dag",
        "lower",
        "reflect",
        "device",
        "compile",
        "tensor",
        "codegen",
        "dispatch",
        "engine",
        "fit",
        "scene",
        "render",
    },
}


@pytest.mark.parametrize("wall", WALLS, ids=lambda wall: wall.name)
def test_wall_is_not_crossed(wall: Wall) -> None:
    sources = files_under("native", *CODE) + files_under("addon", *CODE)

    crossings = [
        f"{short(path)}: {found[0].strip()}"
        for path in sources
        if not short(path).startswith(wall.allowed)
        for found in re.finditer(wall.pattern, text_of(path), re.MULTILINE)
    ]

    assert sources
    assert not crossings


@pytest.mark.parametrize("layer", LAYERS)
def test_layer_includes_only_layers_below(layer: str) -> None:
    sources = files_under(f"native/{layer}", ".cpp", ".hpp")

    upward = [
        f"{short(path)} includes {found[0]}"
        for path in sources
        for found in re.finditer(r'#include "((\w+)/[^"]*)"', text_of(path))
        if (ROOT / "native" / found[1]).is_file() and found[2] not in LAYERS[layer] | {layer}
    ]

    assert not upward


def test_every_native_folder_is_a_known_layer() -> None:
    folders = {path.relative_to(ROOT / "native").parts[0] for path in files_under("native", ".cpp")}

    assert folders <= set(LAYERS)


def test_layer_order_has_no_cycle() -> None:
    settled: set[str] = set()
    while ready := {layer for layer in LAYERS if layer not in settled and LAYERS[layer] <= settled}:
        settled |= ready

    assert settled == set(LAYERS)
