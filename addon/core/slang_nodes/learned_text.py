# SPDX-License-Identifier: GPL-3.0-or-later
"""Learned textures as Slang: straight code of float4, which trees, OSL and devices compute."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from .sources import SourceKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from .learned import LearnedTexture

FUNCTION = "learnedTexture"
MARK = "/// Learned by Weft: "
"""Begins the line by which a text is known to be a learned texture."""

HEAD = """{license}{mark}{what}.
{documentation}{module}
import weft.node;
"""

LICENSE = "// SPDX-License-Identifier: Apache-2.0\n"

FORM = """/// Sines and cosines of waves, two layers of sines, and the root of the color.
/// Source: V. Sitzmann and others, "Implicit Neural Representations with Periodic Activation
/// Functions", NeurIPS 2020, of layers of sines; M. Tancik and others, "Fourier Features Let
/// Networks Learn High Frequency Functions in Low Dimensional Domains", NeurIPS 2020, of waves as
/// what a network sees.
"""

BODY = """
/// A texture that a small network has learned from a picture{place}.
[Node("Learned")] [Label("Learned Texture")] [Color] [Preview("Plane", 2)]
[Differentiable]
{public}float3 {function}(
    [Label("Vector")] [Tooltip("Place in the texture, of which one unit is one picture")]
        [Source("Position")] float2 coordinate,
    [Label("Scale")] [Tooltip("Pictures across one unit")]
        [Range(-1000.f, 1000.f)] [SoftRange(0.1f, 10.f)] float scale = 1.f,
    [Label("Rotation")] [Tooltip("Turns the texture about the origin")] [Subtype("Angle")]
        [Range(-1000.f, 1000.f)] [SoftRange(-3.1415927f, 3.1415927f)] float rotation = 0.f,
    [Label("Contrast")] [Tooltip("0 is the picture's mean color, 1 the picture")]
        [Range(0.f, 10.f)] [SoftRange(0.f, 2.f)] float contrast = 1.f,
    [Label("Tint")] [Color] [Tooltip("Multiplies the color")]
        [Default("1, 1, 1")] float3 tint = float3(1.f))
{{
    const float2 turned = scale * float2(
        cos(rotation) * coordinate.x + sin(rotation) * coordinate.y,
        cos(rotation) * coordinate.y - sin(rotation) * coordinate.x);
{folded}
{code}
    const float3 found = max(root, float3(0.f));
    const float3 mean = float3({mean});
    return max(mean + contrast * (found * found - mean), float3(0.f)) * tint;
}}
"""

REPEATED = """    const float2 place = turned - (no_diff floor(turned));"""
MIRRORED = """    // Mirrored at the edges of the picture.
    const float2 halved = 0.5f * turned;
    const float2 place = 1.f - abs(1.f - 2.f * (halved - (no_diff floor(halved))));"""


def learned_text(
    found: LearnedTexture, picture: str, *, module: str = "", documentation: str = ""
) -> str:
    """Return the source of a learned texture.

    Args:
        found: What was learned.
        picture: Its name, for people.
        module: Name of the module that the source is to be, a template; "": it is a text block.
        documentation: Lines of a template's comment.
    """
    width, height = found.extent
    what = (
        f"'{_plain(picture)}' at {width} x {height}, {len(found.weights)} weights, "
        f"{found.psnr:.1f} dB"
    )
    head = HEAD.format(
        license=LICENSE if module else "",
        mark=MARK,
        what=what,
        documentation=documentation + FORM,
        module=f"module {module};\n" if module else "",
    )
    body = BODY.format(
        place=", which repeats without seams" if found.tiles else ", mirrored at its edges",
        public="public " if module else "",
        function=FUNCTION,
        folded=REPEATED if found.tiles else MIRRORED,
        code="\n".join(_code(found)),
        mean=_row(found.mean),
    )
    return head + body


def _plain(name: str) -> str:
    """Return a name without what would end its comment or line."""
    return re.sub(r"[^\w .()+-]", "_", name)


def _code(found: LearnedTexture) -> Iterable[str]:
    """Return the lines that compute the root of the colour."""
    for number, waves in enumerate(_fours(found.waves)):
        right, up = (_row(waves[:, axis]) for axis in (0, 1))
        yield (
            f"    const float4 angle{number} = 6.2831853f * "
            f"(place.x * float4({right}) + place.y * float4({up}));"
        )
    count = len(found.waves) // 4
    values = [f"sin(angle{k})" for k in range(count)] + [f"cos(angle{k})" for k in range(count)]
    yield from _named("wave", values)
    *hidden, last = found.matrices()
    before = [f"wave{k}" for k in range(2 * count)]
    for layer, (matrix, bias) in enumerate(hidden, 1):
        sums = [
            _sum(before, matrix[:, at : at + 4], bias[at : at + 4])
            for at in range(0, matrix.shape[1], 4)
        ]
        yield from _named(f"layer{layer}_", [f"sin({entry})" for entry in sums])
        before = [f"layer{layer}_{k}" for k in range(len(sums))]
    yield f"    const float3 root = {_sum(before, *last)};"


def _named(name: str, values: Sequence[str]) -> Iterable[str]:
    for number, value in enumerate(values):
        yield f"    const float4 {name}{number} = {value};"


def _sum(before: Sequence[str], matrix: NDArray[np.floating], bias: NDArray[np.floating]) -> str:
    """Return the text of a bias and products of row vectors with blocks of a matrix."""
    columns = matrix.shape[1]
    terms = [f"float{columns}({_row(bias)})"]
    for name, block in zip(before, _fours(matrix), strict=True):
        rows = ",\n            ".join(_row(row) for row in block)
        terms.append(f"\n        + mul({name}, float4x{columns}(\n            {rows}))")
    return "".join(terms)


def _fours(array: NDArray[np.floating]) -> list[NDArray[np.floating]]:
    return [array[a:b] for a, b in pairwise(range(0, len(array) + 1, 4))]


def _row(values: Iterable[float]) -> str:
    return ", ".join(_number(float(value)) for value in values)


def _number(value: float) -> str:
    """Return a float's literal, with the five digits that weights are rounded to."""
    text = f"{value:.5g}"
    return f"{text}f" if "." in text or "e" in text else f"{text}.f"


def is_learned(key: SourceKey, text: str) -> bool:
    """Return whether a source is a learned texture: of the templates, or written by the button."""
    return (key.kind == "template" and key.name.startswith("learned/")) or MARK in text[:400]


def learned_from(text: str) -> str:
    """Return what a source says of the picture that it was learned from; "" if it says nothing."""
    line = next((line for line in text[:400].splitlines() if line.startswith(MARK)), "")
    return line.removeprefix(MARK).rstrip(".")
