# SPDX-License-Identifier: Apache-2.0
"""Print layouts.py and layouts.hpp: the numbers by which kernels and the host share memory.

Slang declares them, and the host gets them from the reflection of the modules. They are written
down because tables of a scene are made before any kernel of it is loaded, and without a device.
Run with the staged package: ``PYTHONPATH=build/dev/stage python packaging/dev/layouts.py``.
"""

from __future__ import annotations

import re
from pathlib import Path

import weft

NATIVE = Path(__file__).parents[2] / "native"
TARGET = NATIVE / "python" / "weft" / "layouts.py"
HEADER = NATIVE / "scene" / "layouts.hpp"
ENUMERATIONS = {
    "LightKind": "Kinds of light, and bits of what a scene has of them.",
    "LightWord": "Words of a light's record.",
    "PointWord": "Words of the record of a point light or a spot.",
    "SunWord": "Words of the record of a sun.",
    "AreaWord": "Words of the record of an area light.",
    "TriangleWord": "Words of the record of an emissive triangle.",
    "LightRule": "Bits beside those of the kinds of ray that a light is hidden from.",
    "ProfileWord": "Words of a light's profile.",
    "LightNodeWord": "Words of a node of the light tree.",
    "RayKind": "Bits of the kinds of ray.",
    "InstanceWord": "Words of an instance's record.",
    "MaterialWord": "Words of a material's record.",
    "PathRow": "Rows of the state of a path.",
    "RayRow": "Rows of a batch of rays.",
    "HitRow": "Rows of a batch of hits.",
    "RecordRow": "Rows of records.",
    "HeadRow": "Rows of what begins a path.",
    "LayerRow": "Rows of a pixel's layers.",
    "MediaLimit": "How many media there may be.",
    "MediumWord": "Words of the coefficients of a medium.",
    "FittedMedium": "Bits of a material whose medium is fitted.",
    "TextureWord": "Words of a texture's record.",
    "TextureWrap": "How a texture goes on beyond its image.",
    "TextureFilter": "How a texture is looked up.",
    "CameraKind": "Kinds of camera.",
    "FilterKind": "Kinds of pixel filter.",
    "Stop": "What facets do not do once a path has been diffuse.",
    "Background": "What cameras see behind all surfaces.",
}
"""Public enumerations of weft.render, and what the host calls them; others are called what the
comment above them says."""

SHADERS = Path(__file__).parents[2] / "shaders" / "weft" / "render"
UNPRINTED = {"NormalSpace"}

HEAD = '''# SPDX-License-Identifier: Apache-2.0
"""Numbers by which kernels and the host share memory: words of records, rows of paths, bits.

Printed from the reflection of shaders/weft/render by packaging/dev/layouts.py, which a test
compares. Do not edit; change the Slang. Their meaning stands there, beside each.
"""

from __future__ import annotations

from typing import Final
'''


HEADER_HEAD = """// SPDX-License-Identifier: Apache-2.0
// Numbers by which kernels and the host share memory: words of records, rows of paths, bits.
//
// Printed from the reflection of shaders/weft/render by packaging/dev/layouts.py, which a test
// compares. Do not edit; change the Slang. A word has 32 bits, a float unless its comment says
// otherwise; a number at the beginning of a comment: the entry takes so many words or rows. Other
// names in comments are those of the Slang.
#pragma once

#include <cstdint>

namespace weft::scene::layouts {
"""
HEADER_TAIL = "\n} // namespace weft::scene::layouts\n"

Enumerations = dict[str, dict[str, int]]


def constant(name: str) -> str:
    """Return a name of Python as a constant of C++."""
    return "k" + "".join(word.capitalize() for word in name.split("_"))


def snake_case(name: str) -> str:
    """Return a name of Slang as Python spells it."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def enumerations() -> dict[str, str]:
    """Return ENUMERATIONS, and the comments of those that are not among them."""
    found = dict(ENUMERATIONS)
    for path in sorted(SHADERS.glob("*.slang")):
        pattern = r"(?:^/// (.*)\n)?^public enum (\w+)"
        for summary, name in re.findall(pattern, path.read_text(), re.MULTILINE):
            if name not in UNPRINTED:
                found.setdefault(name, summary)
    return found


def meanings() -> dict[tuple[str, str], str]:
    """Return what Slang says behind each entry, by names of enumeration and entry of Python."""
    found = {}
    for path in sorted(SHADERS.glob("*.slang")):
        enums = re.findall(
            r"^public enum (\w+)[^{]*\{(.*?)^\}", path.read_text(), re.DOTALL | re.MULTILINE
        )
        for name, body in enums:
            for entry, words in re.findall(r"^\s*(\w+)[^/\n]*///<\s*(.*)$", body, re.MULTILINE):
                found[name, snake_case(entry)] = words
    return found


def reflect(device: weft.Device) -> Enumerations:
    """Return names and numbers of the modules as they are, in the order of enumerations()."""
    parameters = ", ".join(f"{name} p{number}" for number, name in enumerate(enumerations()))
    text = f"import weft.render;\nvoid layouts({parameters}) {{}}\n"
    module = weft.Module.load_from_source(device, "weft_layouts", text)
    (function,) = module.layouts.overloads
    return {
        parameter.type.name: {
            snake_case(name): value for name, value in parameter.type.enumerators.items()
        }
        for parameter in function.parameters
    }


def print_layouts(found: Enumerations) -> str:
    """Return the text of layouts.py."""
    parts = [HEAD]
    for (name, numbers), summary in zip(found.items(), enumerations().values(), strict=True):
        lines = [f'class {name}:\n    """{summary}"""\n']
        lines += [f"    {entry}: Final = {value}" for entry, value in numbers.items()]
        parts.append("\n".join(lines) + "\n")
    return "\n\n".join(parts)


def print_header(found: Enumerations) -> str:
    """Return the text of layouts.hpp."""
    parts, words = [HEADER_HEAD], meanings()
    for (name, numbers), summary in zip(found.items(), enumerations().values(), strict=True):
        lines = [f"/// {summary}", f"struct {name} {{"]
        for entry, value in numbers.items():
            if (name, entry) in words:
                lines.append(f"    /// {words[name, entry]}")
            lines.append(f"    static constexpr std::uint32_t {constant(entry)} = {value};")
        parts.append("\n".join(lines) + "\n};\n")
    return "\n".join(parts) + HEADER_TAIL


if __name__ == "__main__":
    numbers = reflect(weft.create_device())
    TARGET.write_text(print_layouts(numbers))
    HEADER.write_text(print_header(numbers))
