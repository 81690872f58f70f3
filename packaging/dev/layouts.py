# SPDX-License-Identifier: Apache-2.0
"""Print the numbers by which kernels and the host share memory, for Python and for C++.

Slang declares them, and the host gets them from the reflection of the modules. They are written
down because tables of a scene are made before any kernel of it is loaded, and without a device.
native/python/weft/layouts.py has all of them, native/render/layouts.hpp what the stages of paths
take.
Run with the staged package: ``PYTHONPATH=build/dev/stage python packaging/dev/layouts.py``.
"""

from __future__ import annotations

import re
from pathlib import Path

import weft

NATIVE = Path(__file__).parents[2] / "native"
TARGET = NATIVE / "python" / "weft" / "layouts.py"
HEADER = NATIVE / "render" / "layouts.hpp"
ENUMERATIONS = {
    "LightKind": "Kinds of light, and bits of what a scene has of them.",
    "LightWord": "Words of a light's record.",
    "LampWord": "Words of the record of a point light or a spot.",
    "SunWord": "Words of the record of a sun.",
    "AreaWord": "Words of the record of an area light.",
    "TriangleWord": "Words of the record of an emissive triangle.",
    "LampRule": "Bits beside those of the kinds of ray that a lamp is hidden from.",
    "ProfileWord": "Words of a lamp's profile.",
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
"""Public enumerations of weft.render, and what the host calls them."""

HEAD = '''# SPDX-License-Identifier: Apache-2.0
"""Numbers by which kernels and the host share memory: words of records, rows of paths, bits.

Printed from the reflection of shaders/weft/render by packaging/dev/layouts.py, which a test
compares. Do not edit; change the Slang. Their meaning stands there, beside each.
"""

from __future__ import annotations

from typing import Final
'''


OF_STAGES = ("PathRow", "RayRow", "HitRow", "LayerRow", "Stop", "Background")
"""Enumerations that native/render has as well."""

HEADER_HEAD = """// SPDX-License-Identifier: Apache-2.0
// Numbers by which kernels and the host share memory, as weft/layouts.py has them. Printed from the
// reflection of shaders/weft/render by packaging/dev/layouts.py, which a test compares. Do not
// edit; change the Slang.
#pragma once

#include <cstdint>

namespace weft::render::layout {
"""


def constant(name: str) -> str:
    """Return a name of Slang as a constant of C++."""
    return f"k{name[0].upper()}{name[1:]}"


def snake_case(name: str) -> str:
    """Return a name of Slang as Python spells it."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def enumerations(device: weft.Device) -> dict[str, dict[str, int]]:
    """Return the enumerators of all enumerations, for the modules as they are."""
    parameters = ", ".join(f"{name} p{number}" for number, name in enumerate(ENUMERATIONS))
    text = f"import weft.render;\nvoid layouts({parameters}) {{}}\n"
    module = weft.Module.load_from_source(device, "weft_layouts", text)
    (function,) = module.layouts.overloads
    return {
        parameter.type.name: dict(parameter.type.enumerators) for parameter in function.parameters
    }


def print_layouts(device: weft.Device) -> str:
    """Return the text of the file of Python."""
    parts = [HEAD]
    for name, entries in enumerations(device).items():
        lines = [f'class {name}:\n    """{ENUMERATIONS[name]}"""\n']
        lines += [f"    {snake_case(entry)}: Final = {value}" for entry, value in entries.items()]
        parts.append("\n".join(lines) + "\n")
    return "\n\n".join(parts)


def print_header(device: weft.Device) -> str:
    """Return the text of the file of C++."""
    known = enumerations(device)
    parts = [HEADER_HEAD]
    for name in OF_STAGES:
        lines = [f"/// {ENUMERATIONS[name]}", f"struct {name} {{"]
        lines += [
            f"    static constexpr std::uint32_t {constant(entry)} = {value};"
            for entry, value in known[name].items()
        ]
        parts.append("\n".join([*lines, "};"]) + "\n")
    return "\n".join(parts) + "\n} // namespace weft::render::layout\n"


if __name__ == "__main__":
    with weft.create_device() as device:
        TARGET.write_text(print_layouts(device))
        HEADER.write_text(print_header(device))
