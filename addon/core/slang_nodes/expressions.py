# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources that the interface writes: an example, and one line as a function."""

from __future__ import annotations

import re

EXAMPLE = """\
import weft.node;

// Every function of this text is a node: its parameters are the sockets, and what it returns,
// and `out` parameters, are the outputs. Edit the text; nodes follow when typing stops.

/// Rings around a center.
[Node("My Nodes")]
float rings(
    [Label("Coordinate")] float2 p,
    [Range(0, 50)] [Tooltip("Rings across one unit")] float frequency = 10,
    [Range(0, 1)] float softness = 0.5f)
{
    float wave = 0.5f + 0.5f * sin(6.2831853f * frequency * length(p - 0.5f));
    return lerp(step(0.5f, wave), wave, softness);
}
"""

_TOKEN = re.compile(r"(?P<before>\.?)\b(?P<name>[A-Za-z_]\w*)(?P<after>\s*\(?)")
_SWIZZLE = re.compile(r"\b(?P<name>[A-Za-z_]\w*)\s*\.\s*(?P<letters>[xyzwrgb]{1,4})\b(?!\s*\()")
_KNOWN = frozenset(
    "true false float float2 float3 float4 int int2 int3 int4 uint bool half if else return".split()
)
CONSTANTS = {"pi": "3.14159265f", "tau": "6.28318531f", "e": "2.71828183f"}


def variables(expression: str) -> dict[str, str]:
    """Return the names in an expression that are neither called nor known, with their types.

    >>> variables("a * sin(b) + p.y")
    {'a': 'float', 'b': 'float', 'p': 'float3'}
    """
    vectors = {found["name"] for found in _SWIZZLE.finditer(expression)}
    found: dict[str, str] = {}
    for token in _TOKEN.finditer(expression):
        name = token["name"]
        is_called = token["after"].strip() == "("
        if token["before"] or is_called or name in _KNOWN or name in CONSTANTS:
            continue
        found[name] = "float3" if name in vectors else "float"
    return found


def expression_source(expression: str) -> str:
    """Return a source whose function `expression` computes a line.

    Args:
        expression: Slang; ``pi``, ``tau`` and ``e`` are constants. What it uses otherwise is an
            input: a number, or three where a component of it is taken.
    """
    line = " ".join(expression.split())
    parameters = ", ".join(f"{kind} {name}" for name, kind in variables(line).items())
    constants = "".join(
        f"    const float {name} = {value};\n"
        for name, value in CONSTANTS.items()
        if re.search(rf"(?<!\.)\b{name}\b(?!\s*\()", line)
    )
    return (
        "import weft.node;\n\n"
        f"/// {line}\n"
        '[Node("Expressions")]\n'
        f"{result_type(line)} expression({parameters})\n"
        f"{{\n{constants}    return {line};\n}}\n"
    )


def result_type(expression: str) -> str:
    """Return the type that an expression seems to have; Slang checks it.

    A line that makes a vector, or names one without taking its components, is one.
    """
    made = re.search(r"\b(float[234])\s*\(", expression)
    outer = re.match(r"\s*(length|dot|distance|float)\s*\(", expression)
    return "float" if made is None or outer is not None else made[1]
